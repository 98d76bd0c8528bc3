// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "segments.hpp"

#include <opencv2/imgproc.hpp>
#include <opencv2/video/background_segm.hpp>

namespace {

/// Returns whether both sides of a box are within the limits.
bool fits(const cv::Rect &box, const SVCVBlobSearch &search) {
  const double width = box.width / search.scale, height = box.height / search.scale;
  return width >= search.minSide && height >= search.minSide &&
         (search.maxSide <= 0 || (width <= search.maxSide && height <= search.maxSide));
}

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
    if (!fits(box, search))
      continue;
    Candidate candidate;
    candidate.box = box;
    candidate.contour = std::move(contour);
    all.push_back(std::move(candidate));
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

// MARK: - The finder

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
  /// What the last search saw and found, if that may be refined.
  View view;
  std::vector<Candidate> candidates;
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
    if (search.model == sv_cv_blobs_border) {
      view.logarithm = logarithmOf(picture);
      view.ground = search.uneven ? Ground::followingLight(view.logarithm) : Ground::continuingEdge(view.logarithm);
      view.differing = view.ground.distance(view.logarithm);
      view.noise = view.ground.noise(view.differing.distance);
      view.frame = cv::Rect({}, picture.size());
      view.threshold = std::max(0.06, search.threshold * view.noise);
      view.light = ShadowLight();
      mask = view.differing.distance > view.threshold;
    } else {
      subtract(picture, search);
    }
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN, square(3));
    return componentCandidates(mask, search.model == sv_cv_blobs_border ? &view : nullptr, search);
  }

  /// Looks more closely at a blob of the last search. `part` shows `place`, in pixels of the frame.
  void refine(int index, const cv::Mat &part, const cv::Rect &place, const SVCVBlobSearch &search) {
    std::vector<Candidate> found;
    if (index >= 0 && index < static_cast<int>(candidates.size()) && !candidates[index].region.empty()) {
      const double across = search.scale / view.frame.width, down = search.scale / view.frame.height;
      View close;
      close.logarithm = logarithmOf(part);
      close.ground = view.ground;
      close.place = {place.x * across, place.y * down, place.width * across, place.height * down};
      close.differing = close.ground.distance(close.logarithm, close.place);
      close.noise = std::max(view.noise, Ground::noiseAlongEdge(close.differing.distance));
      close.light = view.light;
      close.light.noise = close.noise;
      close.threshold = view.threshold;
      const double width = part.cols / close.place.width, height = part.rows / close.place.height;
      close.frame = {cvRound(-close.place.x * width), cvRound(-close.place.y * height), cvRound(width), cvRound(height)};
      found = refined(candidates[index], close, view.frame.size(), search);
    }
    keep(found, part);
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
    mask = mask > (search.removeShadows ? 200 : 100);
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
      blobs.push_back({boxed(own.box), own.area, color[0], color[1], color[2], nullptr, 0,
                       own.region.empty() ? 0 : 1, own.shaded,
                       boxed(cv::Rect(own.place, own.region.size()))});
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
    inThisThread([&] {
      own.candidates = own.find(input, search);
      own.keep(own.candidates, input);
    });
    *mask = {own.mask.data, own.mask.cols, own.mask.rows, own.mask.step, 1};
    lend(own.blobs, blobs, count);
  });
}

int sv_cv_blob_finder_refine(SVCVBlobFinder *finder, int blob, SVCVImage part, SVCVBox place, SVCVBlobSearch search,
                             const SVCVBlob **blobs, int *count, char *error) {
  return guarded(error, [&] {
    BlobFinder &own = as<BlobFinder>(finder);
    inThisThread([&] { own.refine(blob, view(part), cv::Rect(place.x, place.y, place.width, place.height), search); });
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
