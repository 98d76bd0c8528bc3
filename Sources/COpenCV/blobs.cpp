#include "background.hpp"
#include "guarded.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/background_segm.hpp>
#include <tuple>

namespace {

using Contour = std::vector<cv::Point>;

/// A blob in progress.
struct Find {
  cv::Rect box;
  Contour contour;
  double area;
  cv::Scalar color;
};

/// Sorts finds, the largest first; of equals the uppermost, leftmost first.
void sort(std::vector<Find> &finds, double (*size)(const Find &)) {
  std::sort(finds.begin(), finds.end(), [&](const Find &a, const Find &b) {
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

  /// Returns the total growth of the foreground.
  int growth() const { return count * (side - 1); }
};

// MARK: - The frame's mean

cv::Mat meanMask(const cv::Mat &picture, const SVCVBlobSearch &search) {
  cv::Scalar mean, deviation;
  cv::meanStdDev(picture, mean, deviation);
  cv::Mat background;
  cv::inRange(picture, mean - search.threshold * deviation, mean + search.threshold * deviation, background);
  const Erosion erosion(search, picture.size());
  if (erosion.count > 0)
    cv::erode(background, background, square(erosion.side), cv::Point(-1, -1), erosion.count);
  return background;
}

/// Returns the contours of the mask's edges. A thing has an inner and an outer one: any within another's box is left
/// out.
std::vector<Find> edgeFinds(const cv::Mat &background, const SVCVBlobSearch &search) {
  cv::Mat edges;
  cv::Canny(background, edges, 191, 255);
  std::vector<Contour> contours;
  cv::findContours(edges, contours, cv::RETR_TREE, cv::CHAIN_APPROX_SIMPLE);
  std::vector<Find> all, outer;
  for (Contour &contour : contours) {
    const cv::Rect box = cv::boundingRect(contour);
    if (fits(box, search))
      all.push_back({box, std::move(contour), 0, {}});
  }
  sort(all, [](const Find &find) { return 1.0 * find.box.area(); });
  for (Find &find : all) {
    if (static_cast<int>(outer.size()) >= search.maxBlobs)
      break;
    const bool isNested =
        std::any_of(outer.begin(), outer.end(), [&](const Find &other) { return (find.box & other.box) == find.box; });
    if (isNested)
      continue;
    find.area = cv::contourArea(find.contour);
    outer.push_back(std::move(find));
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
  if (all.empty())
    return 0;
  const auto middle = all.begin() + all.size() / 2;
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
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
std::vector<Find> componentFinds(cv::Mat &mask, const BorderDistance &border, const SVCVBlobSearch &search) {
  // Parts that merge when the background is eroded are one, but not larger for that.
  cv::Mat labels, statistics, centroids, grown;
  const Erosion erosion(search, mask.size());
  if (erosion.count > 0)
    cv::dilate(mask, grown, square(erosion.side), cv::Point(-1, -1), erosion.count);
  else
    grown = mask;
  cv::connectedComponentsWithStats(grown, labels, statistics, centroids, 8);
  // Gaps larger than half of the frame are not worth the time.
  const int opening = kernelSide(mask, 120), closing = std::max(opening, std::min(erosion.growth() + 1, std::min(mask.rows, mask.cols) / 2 | 1));
  std::vector<Find> finds;
  for (int label : components(statistics, search)) {
    const int *row = statistics.ptr<int>(label);
    const cv::Rect part(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH], row[cv::CC_STAT_HEIGHT]);
    const cv::Mat own = (labels(part) == label) & mask(part);
    const cv::Mat core = border.distance.empty() ? own : withoutSurroundings(own, border, part, opening + 2);
    const cv::Mat thing = solid(core, closing, opening, closing);
    const cv::Point shift = part.tl() - cv::Point(closing, closing);
    mask(part).setTo(0, own);
    std::vector<Contour> contours;
    cv::findContours(thing, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE, shift);
    for (Contour &contour : contours) {
      const cv::Rect box = cv::boundingRect(contour), visible = box & cv::Rect({}, mask.size());
      const cv::Mat inside = filled({contour}, box)(visible - box.tl());
      mask(visible) |= inside;
      if (fits(visible, search))
        finds.push_back({visible, std::move(contour), static_cast<double>(cv::countNonZero(inside)), {}});
    }
  }
  sort(finds, [](const Find &find) { return find.area; });
  if (static_cast<int>(finds.size()) > search.maxBlobs)
    finds.resize(std::max(0, search.maxBlobs));
  return finds;
}

/// Returns the mean of the pixels inside the contour.
cv::Scalar meanColor(const cv::Mat &picture, const Find &find) {
  const cv::Scalar mean = cv::mean(picture(find.box), filled({find.contour}, find.box));
  return picture.channels() == 1 ? cv::Scalar::all(mean[0]) : mean;
}

} // namespace

struct SVCVBlobFinder {
  cv::Mat mask;
  cv::Ptr<cv::BackgroundSubtractorMOG2> mog2;
  cv::Ptr<cv::BackgroundSubtractorKNN> knn;
  /// Size, type and number of the pictures that the subtractors have seen.
  cv::Size size;
  int type = 0;
  int seen = 0;
  std::vector<SVCVBlob> blobs;
  std::vector<std::vector<SVCVPoint>> outlines;

  std::vector<Find> find(const cv::Mat &picture, const SVCVBlobSearch &search) {
    if (search.model == sv_cv_blobs_frame_mean) {
      const cv::Mat background = meanMask(picture, search);
      cv::bitwise_not(background, mask);
      return edgeFinds(background, search);
    }
    BorderDistance border;
    if (search.model == sv_cv_blobs_border) {
      border = borderDistance(picture);
      mask = border.distance > std::max(0.06, search.threshold * border.noise);
    } else {
      subtract(picture, search);
    }
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN, square(3));
    return componentFinds(mask, border, search);
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

  void keep(const std::vector<Find> &finds, const cv::Mat &picture) {
    blobs.clear();
    outlines.clear();
    // Blobs point to its arrays.
    outlines.reserve(finds.size());
    for (const Find &find : finds) {
      Contour corners;
      cv::approxPolyDP(find.contour, corners, 0.7, true);
      std::vector<SVCVPoint> outline;
      for (const cv::Point &corner : corners)
        outline.push_back({corner.x + 0.5, corner.y + 0.5});
      outlines.push_back(std::move(outline));
      const cv::Scalar color = meanColor(picture, find);
      blobs.push_back({find.box.x, find.box.y, find.box.width, find.box.height, find.area, color[0], color[1], color[2],
                       outlines.back().data(), static_cast<int>(outlines.back().size())});
    }
  }
};

SVCVBlobFinder *sv_cv_blob_finder_create(char *error) {
  SVCVBlobFinder *finder = nullptr;
  guarded(error, [&] { finder = new SVCVBlobFinder; });
  return finder;
}

void sv_cv_blob_finder_free(SVCVBlobFinder *finder) { delete finder; }

int sv_cv_blob_finder_find(SVCVBlobFinder *finder, SVCVImage picture, SVCVBlobSearch search, const SVCVBlob **blobs,
                           int *count, SVCVImage *mask, char *error) {
  *blobs = nullptr;
  *count = 0;
  return guarded(error, [&] {
    const cv::Mat input = view(picture);
    inThisThread([&] { finder->keep(finder->find(input, search), input); });
    *blobs = finder->blobs.data();
    *count = static_cast<int>(finder->blobs.size());
    const cv::Mat &found = finder->mask;
    *mask = {found.data, found.cols, found.rows, found.step, 1};
  });
}

int sv_cv_outline(SVCVImage mask, SVCVPoint *outline, int capacity, int *count, int box[4], char *error) {
  *count = 0;
  return guarded(error, [&] {
    std::vector<Contour> contours;
    cv::findContours(view(mask) > 127, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    if (contours.empty())
      return;
    auto isSmaller = [](const Contour &a, const Contour &b) { return cv::contourArea(a) < cv::contourArea(b); };
    const Contour &largest = *std::max_element(contours.begin(), contours.end(), isSmaller);
    Contour corners;
    double precision = 0.7;
    do {
      cv::approxPolyDP(largest, corners, precision, true);
      precision *= 1.5;
    } while (static_cast<int>(corners.size()) > capacity);
    for (const cv::Point &corner : corners)
      outline[(*count)++] = {corner.x + 0.5, corner.y + 0.5};
    const cv::Rect bounds = cv::boundingRect(largest);
    box[0] = bounds.x;
    box[1] = bounds.y;
    box[2] = bounds.width;
    box[3] = bounds.height;
  });
}
