// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "warping.hpp"

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

namespace {

using Pixels = std::vector<cv::Point>;

/// First and last pixel of each row of a region.
struct Rows {
  int top;
  std::vector<int> left, right;

  Rows(const Pixels &pixels, const cv::Rect &box)
      : top(box.y), left(box.height, INT_MAX), right(box.height, INT_MIN) {
    for (const cv::Point &pixel : pixels) {
      left[pixel.y - top] = std::min(left[pixel.y - top], pixel.x);
      right[pixel.y - top] = std::max(right[pixel.y - top], pixel.x);
    }
  }

  template <typename Body> void forEach(Body body) const {
    for (size_t row = 0; row < left.size(); row++)
      if (left[row] <= right[row])
        body(top + static_cast<int>(row), left[row], right[row]);
  }

  /// Returns the corners of those pixels, which include all those of the region's hull.
  std::vector<cv::Point> corners() const {
    std::vector<cv::Point> corners;
    corners.reserve(4 * left.size());
    forEach([&](int row, int first, int last) {
      for (const int y : {row, row + 1}) {
        corners.emplace_back(first, y);
        corners.emplace_back(last + 1, y);
      }
    });
    return corners;
  }
};

/// Returns the convex hull of a region, in which a pixel covers 0…1; nothing if the mask is empty.
std::vector<cv::Point> hullOf(const cv::Mat &mask) {
  Pixels pixels;
  std::vector<cv::Point> hull;
  cv::findNonZero(mask, pixels);
  if (pixels.empty())
    return hull;
  cv::convexHull(Rows(pixels, cv::boundingRect(pixels)).corners(), hull);
  return hull;
}

/// Returns the map from pixels of a picture to those of the square that `rectangle` becomes, which is in a picture
/// reduced by `scale`. A perspective transform that maps a rectangle to a square is an affine one.
cv::Mat mapToSquare(const cv::RotatedRect &rectangle, cv::Point2d scale, int side, int margin) {
  cv::Point2f corners[4];
  rectangle.points(corners);
  // The centre of the first pixel is at 0 for OpenCV.
  for (cv::Point2f &corner : corners)
    corner = {static_cast<float>(corner.x / scale.x - 0.5), static_cast<float>(corner.y / scale.y - 0.5)};
  const float start = static_cast<float>(margin) - 0.5f, end = static_cast<float>(margin + side) - 0.5f;
  const cv::Point2f targets[] = {{start, end}, {start, start}, {end, start}};
  return cv::getAffineTransform(corners, targets);
}

/// Returns the map from a part of the picture that begins at `origin`.
cv::Mat moved(const cv::Mat &map, cv::Point origin) {
  cv::Mat result = map.clone();
  for (int row = 0; row < 2; row++)
    result.at<double>(row, 2) += map.at<double>(row, 0) * origin.x + map.at<double>(row, 1) * origin.y;
  return result;
}

/// Measures the largest part of `mask`, and removes the others from it.
SVCVMaskMeasure measured(cv::Mat &output, int smallestHole) {
  SVCVMaskMeasure measure = {};
  // Connected by eight neighbours, as contours are; the inside is connected by four.
  cv::Mat labels, statistics, centroids;
  const int count = cv::connectedComponentsWithStats(output > 127, labels, statistics, centroids, 8);
  int largest = 0;
  for (int i = 1; i < count; i++)
    if (largest == 0 || statistics.at<int>(i, cv::CC_STAT_AREA) > statistics.at<int>(largest, cv::CC_STAT_AREA))
      largest = i;
  if (largest == 0)
    return measure;
  cv::Mat part, rest;
  cv::copyMakeBorder(labels == largest, part, 1, 1, 1, 1, cv::BORDER_CONSTANT);
  cv::bitwise_not(part, rest);
  const int gaps = cv::connectedComponentsWithStats(rest, labels, statistics, centroids, 4);
  const int outside = labels.at<int>(0, 0);
  for (int i = 1; i < gaps; i++) {
    const int area = statistics.at<int>(i, cv::CC_STAT_AREA);
    if (i == outside)
      continue;
    if (area < smallestHole) {
      part.setTo(255, labels == i);
      continue;
    }
    measure.filledArea += area;
    measure.holes++;
  }
  measure.area = cv::countNonZero(part);
  measure.filledArea += measure.area;
  part(cv::Rect(1, 1, output.cols, output.rows)).copyTo(output);
  measure.hullArea = cv::contourArea(hullOf(part));
  return measure;
}

bool isWithin(double value, const SVCVLimits &limits) { return value >= limits.least && value <= limits.most; }

/// A region in progress, in pixels of the reduced picture.
struct Region {
  cv::Rect box;
  double area;
  cv::RotatedRect rectangle;
  /// Index in the results of MSER.
  size_t index;
};

bool nearlyCoincide(const Region &a, const Region &b) {
  const double common = (a.box & b.box).area();
  return common > 0.8 * (a.box.area() + b.box.area() - common) &&
         std::min(a.area, b.area) > 0.7 * std::max(a.area, b.area);
}

struct RegionFinder : SVCVObject {
  cv::Ptr<cv::MSER> mser = cv::MSER::create();
  double variation = -1;
  cv::Mat picture;
  cv::Mat reduced;
  /// Factors by which the picture was reduced, horizontally and vertically.
  cv::Point2d scale;
  std::vector<Pixels> pixels;
  std::vector<cv::Rect> boxes;
  std::vector<Region> regions;
  std::vector<SVCVRegion> descriptions;

  void find(const cv::Mat &input, const SVCVRegionSearch &search) {
    regions.clear();
    descriptions.clear();
    input.copyTo(picture);
    const cv::Size size(cvRound(picture.cols * search.scale), cvRound(picture.rows * search.scale));
    // OpenCV fails on smaller pictures.
    if (size.width < 3 || size.height < 3)
      return;
    cv::resize(picture, reduced, size, 0, 0, cv::INTER_AREA);
    scale = {static_cast<double>(size.width) / picture.cols, static_cast<double>(size.height) / picture.rows};
    const int least = std::max(1, cvRound(search.area.least * size.area()));
    const int most = std::max(least, cvRound(search.area.most * size.area()));
    // There is no setter for the variation in OpenCV 4.6.
    if (search.maxVariation != variation)
      mser = cv::MSER::create(search.delta, least, most, search.maxVariation);
    variation = search.maxVariation;
    mser->setDelta(search.delta);
    mser->setMinArea(least);
    mser->setMaxArea(most);
    mser->detectRegions(reduced, pixels, boxes);
    for (size_t i = 0; i < pixels.size(); i++)
      consider(i, search);
    for (const Region &region : regions) {
      const cv::Rect &box = region.box;
      descriptions.push_back({box.x / scale.x, box.y / scale.y, box.width / scale.x, box.height / scale.y,
                              region.area / (scale.x * scale.y)});
    }
  }

  /// - Returns: false if the region is too narrow.
  bool fillSquare(const Region &region, int margin, cv::Mat &mask, cv::Mat &gray) const {
    const int side = mask.cols - 2 * margin;
    const float narrow = std::min(region.rectangle.size.width, region.rectangle.size.height);
    if (narrow < 1)
      return false;
    // The region with a ring around it.
    const cv::Rect box = region.box, part = cv::Rect(box.x - 5, box.y - 5, box.width + 10, box.height + 10) &
                                            cv::Rect({}, reduced.size());
    cv::Mat own = cv::Mat::zeros(part.size(), CV_8U), inner, outer;
    for (const cv::Point &pixel : pixels[region.index])
      own.at<uint8_t>(pixel - part.tl()) = 255;
    // The pixels at the very edge are a mixture of both sides.
    cv::dilate(own, inner, cv::Mat());
    cv::dilate(inner, outer, cv::Mat(), cv::Point(-1, -1), 2);
    outer -= inner;
    const double inside = cv::mean(reduced(part), own)[0];
    // It may fill the picture; then nothing surrounds it.
    const double around = cv::countNonZero(outer) > 0 ? cv::mean(reduced(part), outer)[0] : 255 - inside;

    // The original picture has more detail than the reduced one, if that is needed.
    const bool isSmall = narrow < side;
    const cv::Mat map = mapToSquare(region.rectangle, {1, 1}, side, margin);
    cv::Mat levels, reach;
    warp(isSmall ? picture : reduced, levels, isSmall ? mapToSquare(region.rectangle, scale, side, margin) : map,
         mask.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    warp(inner, reach, moved(map, part.tl()), mask.size(), cv::INTER_LINEAR);
    const bool isDark = inside < around;
    cv::threshold(levels, mask, (inside + around) / 2, 255, isDark ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY);
    mask &= reach > 127;
    if (gray.empty())
      return true;
    const int grayMargin = margin * gray.cols / mask.cols;
    warp(picture, gray, mapToSquare(region.rectangle, scale, gray.cols - 2 * grayMargin, grayMargin),
         gray.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    if (!isDark)
      cv::bitwise_not(gray, gray);
    return true;
  }

private:
  void consider(size_t index, const SVCVRegionSearch &search) {
    const cv::Rect &box = boxes[index];
    // OpenCV leaves out the outermost pixels.
    const cv::Rect inner(2, 2, reduced.cols - 4, reduced.rows - 4);
    const bool touchesEdge = (box & inner) != box;
    if (search.skipsEdge && touchesEdge)
      return;
    const double area = static_cast<double>(pixels[index].size());
    Region region = {box, area, {}, index};
    for (const Region &other : regions)
      if (nearlyCoincide(other, region))
        return;
    std::vector<cv::Point> hull;
    cv::convexHull(Rows(pixels[index], box).corners(), hull);
    if (!isWithin(area / std::max(1.0, cv::contourArea(hull)), search.hullRatio))
      return;
    region.rectangle = cv::minAreaRect(hull);
    if (isWithin(area / std::max(1.0f, region.rectangle.size.area()), search.rectangleRatio) &&
        isWithin(area / filledArea(region), search.contourRatio))
      regions.push_back(region);
  }

  /// Returns the number of pixels inside a region's outer contour.
  double filledArea(const Region &region) const {
    const cv::Rect box = region.box;
    cv::Mat rest(box.height + 2, box.width + 2, CV_8U, cv::Scalar(255)), labels, statistics, centroids;
    for (const cv::Point &pixel : pixels[region.index])
      rest.at<uint8_t>(pixel.y - box.y + 1, pixel.x - box.x + 1) = 0;
    cv::connectedComponentsWithStats(rest, labels, statistics, centroids, 4);
    return static_cast<double>(rest.total()) - statistics.at<int>(labels.at<int>(0, 0), cv::CC_STAT_AREA);
  }
};

} // namespace

SVCVRegionFinder *sv_cv_region_finder_create(char *error) { return made<RegionFinder>(error); }

int sv_cv_region_finder_find(SVCVRegionFinder *finder, SVCVImage picture, SVCVRegionSearch search,
                             const SVCVRegion **regions, int *count, char *error) {
  return guarded(error, [&] {
    RegionFinder &own = as<RegionFinder>(finder);
    inThisThread([&] { own.find(view(picture), search); });
    lend(own.descriptions, regions, count);
  });
}

int sv_cv_region_square(SVCVRegionFinder *finder, int index, int margin, SVCVImage mask, SVCVImage gray, bool *isSquare,
                        char *error) {
  *isSquare = false;
  return guarded(error, [&] {
    RegionFinder &own = as<RegionFinder>(finder);
    cv::Mat output = view(mask), levels = view(gray);
    inThisThread([&] { *isSquare = own.fillSquare(own.regions.at(index), margin, output, levels); });
  });
}

int sv_cv_mask_square(SVCVImage region, int margin, SVCVImage mask, char *error) {
  return guarded(error, [&]() -> Problem {
    cv::Mat input, output = view(mask);
    cv::copyMakeBorder(view(region) > 127, input, 1, 1, 1, 1, cv::BORDER_CONSTANT);
    const std::vector<cv::Point> hull = hullOf(input);
    if (hull.empty())
      return "the mask has no region";
    const cv::RotatedRect rectangle = cv::minAreaRect(hull);
    if (std::min(rectangle.size.width, rectangle.size.height) < 1)
      return "the region is too narrow";
    const cv::Mat map = mapToSquare(rectangle, {1, 1}, output.cols - 2 * margin, margin);
    warp(input, output, map, output.size(), cv::INTER_LINEAR);
    output = output > 127;
    return {};
  });
}

int sv_cv_measure_mask(SVCVImage mask, int smallestHole, SVCVMaskMeasure *measure, char *error) {
  *measure = {};
  return guarded(error, [&] {
    cv::Mat output = view(mask);
    inThisThread([&] { *measure = measured(output, smallestHole); });
  });
}
