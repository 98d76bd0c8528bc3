// SPDX-License-Identifier: LGPL-2.1-or-later
#include "background.hpp"
#include "guarded.hpp"

#include <opencv2/imgproc.hpp>
#include <opencv2/video/background_segm.hpp>
#include <tuple>

namespace {

using Contour = std::vector<cv::Point>;

/// A blob in progress.
struct Candidate {
  cv::Rect box;
  Contour contour;
  double area;
  cv::Scalar color;
};

/// Sorts candidates, the largest first; of equals the uppermost, leftmost first.
void sort(std::vector<Candidate> &candidates, double (*size)(const Candidate &)) {
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate &a, const Candidate &b) {
    return std::make_tuple(size(b), a.box.y, a.box.x) < std::make_tuple(size(a), b.box.y, b.box.x);
  });
}

bool fits(const cv::Rect &box, const SVCVBlobSearch &search) {
  const double width = box.width / search.scale, height = box.height / search.scale;
  return width >= search.minSide && height >= search.minSide &&
         (search.maxSide <= 0 || (width <= search.maxSide && height <= search.maxSide));
}

cv::Mat square(int side) { return cv::Mat::ones(side, side, CV_8U); }

/// Size of the kernel with which the background is eroded, and number of passes.
struct Erosion {
  int side;
  int count;

  /// Creates an erosion as requested, or one that ends when nothing of a mask of this size can be left.
  Erosion(const SVCVBlobSearch &search, cv::Size size) {
    const int longer = std::max(size.width, size.height);
    side = std::min(search.kernel, 2 * longer + 1);
    count = side > 1 ? std::min(search.iterations, 2 * longer / (side - 1) + 1) : 0;
  }

  /// Erodes a mask, or dilates it likewise.
  void apply(cv::MorphTypes type, cv::Mat &mask) const {
    if (count > 0)
      cv::morphologyEx(mask, mask, type, square(side), cv::Point(-1, -1), count);
  }

  /// Returns the total growth of the foreground.
  int growth() const { return count * (side - 1); }
};

// MARK: - The frame's mean

cv::Mat meanMask(const cv::Mat &picture, const SVCVBlobSearch &search) {
  cv::Scalar mean, deviation;
  cv::meanStdDev(picture, mean, deviation);
  cv::Mat background;
  cv::inRange(picture, mean - search.threshold * deviation, mean + search.threshold * deviation, background);
  Erosion(search, picture.size()).apply(cv::MORPH_ERODE, background);
  return background;
}

/// Returns the contours of the mask's edges. An object has an inner and an outer one: any within another's box is left
/// out.
std::vector<Candidate> edgeCandidates(const cv::Mat &background, const SVCVBlobSearch &search) {
  cv::Mat edges;
  cv::Canny(background, edges, 191, 255);
  std::vector<Contour> contours;
  cv::findContours(edges, contours, cv::RETR_TREE, cv::CHAIN_APPROX_SIMPLE);
  std::vector<Candidate> all, outer;
  for (Contour &contour : contours) {
    const cv::Rect box = cv::boundingRect(contour);
    if (fits(box, search))
      all.push_back({box, std::move(contour), 0, {}});
  }
  sort(all, [](const Candidate &candidate) { return 1.0 * candidate.box.area(); });
  for (Candidate &own : all) {
    if (static_cast<int>(outer.size()) >= search.maxBlobs)
      break;
    auto surrounds = [&](const Candidate &other) { return (own.box & other.box) == own.box; };
    if (std::any_of(outer.begin(), outer.end(), surrounds))
      continue;
    own.area = cv::contourArea(own.contour);
    outer.push_back(std::move(own));
  }
  return outer;
}

// MARK: - Components

/// Returns the side of a square kernel that is about a share of the picture's shorter side.
int kernelSide(const cv::Mat &picture, int share) {
  return 2 * std::max(1, std::min(picture.cols, picture.rows) / share) + 1;
}

/// Returns the connected parts of a mask, largest first; at most `search.maxBlobs` that may become blobs.
std::vector<int> components(const cv::Mat &statistics, const SVCVBlobSearch &search) {
  std::vector<int> labels;
  auto value = [&](int label, int column) { return statistics.at<int>(label, column); };
  for (int i = 1; i < statistics.rows; i++) {
    const cv::Rect box(0, 0, value(i, cv::CC_STAT_WIDTH), value(i, cv::CC_STAT_HEIGHT));
    // The refined blob may be smaller than the limit, but not larger.
    if (box.width / search.scale >= search.minSide && box.height / search.scale >= search.minSide)
      labels.push_back(i);
  }
  const size_t count = std::min<size_t>(labels.size(), std::max(0, search.maxBlobs));
  std::partial_sort(labels.begin(), labels.begin() + count, labels.end(), [&](int a, int b) {
    return std::make_pair(value(a, cv::CC_STAT_AREA), b) > std::make_pair(value(b, cv::CC_STAT_AREA), a);
  });
  labels.resize(count);
  return labels;
}

/// Returns the median of the values under a mask.
float median(const cv::Mat &values, const cv::Mat &mask) {
  std::vector<float> all;
  for (int y = 0; y < values.rows; y++) {
    const float *row = values.ptr<float>(y);
    const uint8_t *use = mask.ptr(y);
    for (int x = 0; x < values.cols; x++)
      if (use[x])
        all.push_back(row[x]);
  }
  return quantile(std::move(all), 1, 2);
}

/// Returns the area inside contours, including holes.
cv::Mat filled(const std::vector<Contour> &contours, cv::Rect box) {
  cv::Mat inside = cv::Mat::zeros(box.size(), CV_8U);
  cv::drawContours(inside, contours, -1, cv::Scalar(255), cv::FILLED, cv::LINE_8, cv::noArray(), INT_MAX, -box.tl());
  return inside;
}

/// Returns a component without gaps, holes and specks, with `margin` pixels around it.
cv::Mat solid(const cv::Mat &component, int closing, int opening, int margin) {
  cv::Mat padded;
  cv::copyMakeBorder(component, padded, margin, margin, margin, margin, cv::BORDER_CONSTANT);
  cv::morphologyEx(padded, padded, cv::MORPH_CLOSE, square(closing));
  std::vector<Contour> contours;
  cv::findContours(padded, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  padded = filled(contours, cv::Rect({}, padded.size()));
  cv::morphologyEx(padded, padded, cv::MORPH_OPEN, square(opening));
  return padded;
}

/// Returns a component without its faint surroundings, less than half of its own distance from the background: shadow,
/// and the blur along its edge. Parts that are as faint, but not thin and not darker than the background, stay.
cv::Mat withoutSurroundings(const cv::Mat &own, const BorderDistance &border, cv::Rect part, int blur) {
  const cv::Mat distance = border.distance(part);
  const cv::Mat faint = own & (distance <= 0.5 * median(distance, own));
  cv::Mat pale = faint & ~border.shade(part);
  cv::morphologyEx(pale, pale, cv::MORPH_OPEN, square(blur));
  return (own & ~faint) | pale;
}

/// Returns the blobs of a foreground mask, in which they are solid afterwards; without their surroundings if distances
/// from the background are known.
std::vector<Candidate> componentCandidates(cv::Mat &mask, const BorderDistance &border, const SVCVBlobSearch &search) {
  // Parts that merge when the background is eroded are one, but not larger for that.
  cv::Mat labels, statistics, centroids, grown = mask.clone();
  const Erosion erosion(search, mask.size());
  erosion.apply(cv::MORPH_DILATE, grown);
  cv::connectedComponentsWithStats(grown, labels, statistics, centroids, 8);
  // Gaps larger than half of the frame are not worth the time.
  const int opening = kernelSide(mask, 120), half = std::min(mask.rows, mask.cols) / 2 | 1;
  const int closing = std::max(opening, std::min(erosion.growth() + 1, half));
  std::vector<Candidate> candidates;
  for (int label : components(statistics, search)) {
    const int *row = statistics.ptr<int>(label);
    const cv::Rect part(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH], row[cv::CC_STAT_HEIGHT]);
    const cv::Mat own = (labels(part) == label) & mask(part);
    const cv::Mat core = border.distance.empty() ? own : withoutSurroundings(own, border, part, opening + 2);
    const cv::Mat object = solid(core, closing, opening, closing);
    const cv::Point shift = part.tl() - cv::Point(closing, closing);
    mask(part).setTo(0, own);
    std::vector<Contour> contours;
    cv::findContours(object, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE, shift);
    for (Contour &contour : contours) {
      const cv::Rect box = cv::boundingRect(contour), visible = box & cv::Rect({}, mask.size());
      const cv::Mat inside = filled({contour}, box)(visible - box.tl());
      mask(visible) |= inside;
      if (fits(visible, search))
        candidates.push_back({visible, std::move(contour), static_cast<double>(cv::countNonZero(inside)), {}});
    }
  }
  sort(candidates, [](const Candidate &candidate) { return candidate.area; });
  if (static_cast<int>(candidates.size()) > search.maxBlobs)
    candidates.resize(std::max(0, search.maxBlobs));
  return candidates;
}

/// Returns the mean of the pixels inside the contour.
cv::Scalar meanColor(const cv::Mat &picture, const Candidate &own) {
  const cv::Scalar mean = cv::mean(picture(own.box), filled({own.contour}, own.box));
  return picture.channels() == 1 ? cv::Scalar::all(mean[0]) : mean;
}

/// Returns the corners of a contour simplified to a precision in pixels, of which each covers 0…1.
std::vector<SVCVPoint> outlineOf(const Contour &contour, double precision) {
  Contour corners;
  cv::approxPolyDP(contour, corners, precision, true);
  std::vector<SVCVPoint> outline;
  for (const cv::Point &corner : corners)
    outline.push_back({corner.x + 0.5, corner.y + 0.5});
  return outline;
}

struct BlobFinder : SVCVObject {
  cv::Mat mask;
  cv::Ptr<cv::BackgroundSubtractorMOG2> mog2;
  cv::Ptr<cv::BackgroundSubtractorKNN> knn;
  /// Size, type and number of the pictures that the subtractors have seen.
  cv::Size size;
  int type = 0;
  int seen = 0;
  std::vector<SVCVBlob> blobs;
  std::vector<std::vector<SVCVPoint>> outlines;

  std::vector<Candidate> find(const cv::Mat &picture, const SVCVBlobSearch &search) {
    if (search.model == sv_cv_blobs_frame_mean) {
      const cv::Mat background = meanMask(picture, search);
      cv::bitwise_not(background, mask);
      return edgeCandidates(background, search);
    }
    BorderDistance border;
    if (search.model == sv_cv_blobs_border) {
      border = borderDistance(picture);
      mask = border.distance > std::max(0.06, search.threshold * border.noise);
    } else {
      subtract(picture, search);
    }
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN, square(3));
    return componentCandidates(mask, border, search);
  }

  /// Computes the mask from what was learned of each pixel. There is no foreground until enough was seen.
  void subtract(const cv::Mat &picture, const SVCVBlobSearch &search) {
    const bool usesMOG2 = search.model == sv_cv_blobs_mog2;
    if (picture.size() != size || picture.type() != type || (usesMOG2 ? mog2.empty() : knn.empty())) {
      mog2.reset();
      knn.reset();
      size = picture.size();
      type = picture.type();
      seen = 0;
    }
    // OpenCV's own thresholds are squares: 4² and 20².
    if (usesMOG2) {
      if (!mog2)
        mog2 = cv::createBackgroundSubtractorMOG2();
      mog2->setHistory(search.history);
      mog2->setVarThreshold(search.threshold * search.threshold);
      mog2->apply(picture, mask);
    } else {
      if (!knn)
        knn = cv::createBackgroundSubtractorKNN();
      knn->setHistory(search.history);
      knn->setDist2Threshold(search.threshold * search.threshold);
      knn->apply(picture, mask);
    }
    seen++;
    // Shadows are marked by 127.
    mask = mask > 200;
    if (seen <= (usesMOG2 ? 1 : 5))
      mask.setTo(0);
  }

  void keep(const std::vector<Candidate> &candidates, const cv::Mat &picture) {
    blobs.clear();
    outlines.clear();
    // Blobs point to its arrays.
    outlines.reserve(candidates.size());
    for (const Candidate &own : candidates) {
      outlines.push_back(outlineOf(own.contour, 0.7));
      const cv::Scalar color = meanColor(picture, own);
      blobs.push_back({boxed(own.box), own.area, color[0], color[1], color[2], nullptr, 0});
      lend(outlines.back(), &blobs.back().outline, &blobs.back().corners);
    }
  }
};

} // namespace

SVCVBlobFinder *sv_cv_blob_finder_create(char *error) { return made<BlobFinder>(error); }

int sv_cv_blob_finder_find(SVCVBlobFinder *finder, SVCVImage picture, SVCVBlobSearch search, SVCVImage *mask,
                           const SVCVBlob **blobs, int *count, char *error) {
  return guarded(error, [&] {
    BlobFinder &own = as<BlobFinder>(finder);
    const cv::Mat input = view(picture);
    inThisThread([&] { own.keep(own.find(input, search), input); });
    *mask = {own.mask.data, own.mask.cols, own.mask.rows, own.mask.step, 1};
    lend(own.blobs, blobs, count);
  });
}

int sv_cv_outline(SVCVImage mask, SVCVPoint *outline, int capacity, int *count, SVCVBox *box, char *error) {
  *count = 0;
  return guarded(error, [&] {
    std::vector<Contour> contours;
    cv::findContours(view(mask) > 127, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    if (contours.empty())
      return;
    auto isSmaller = [](const Contour &a, const Contour &b) { return cv::contourArea(a) < cv::contourArea(b); };
    const Contour &largest = *std::max_element(contours.begin(), contours.end(), isSmaller);
    double precision = 0.7;
    std::vector<SVCVPoint> corners = outlineOf(largest, precision);
    while (static_cast<int>(corners.size()) > capacity)
      corners = outlineOf(largest, precision *= 1.5);
    std::copy(corners.begin(), corners.end(), outline);
    *count = static_cast<int>(corners.size());
    *box = boxed(cv::boundingRect(largest));
  });
}
