// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

namespace {

cv::Ptr<cv::Feature2D> makeFeatures(SVCVFeatures features, int count, double contrast, int border) {
  switch (features) {
  case sv_cv_features_orb:
    // The other arguments are OpenCV's defaults.
    return cv::ORB::create(count, 1.2F, 8, border, 0, 2, cv::ORB::HARRIS_SCORE, 31, cv::saturate_cast<int>(contrast));
  case sv_cv_features_sift:
    return cv::SIFT::create(count, 3, contrast);
  case sv_cv_features_akaze:
    return cv::AKAZE::create();
  case sv_cv_features_none:
    break;
  }
  return {};
}

struct Keypoints : SVCVObject {
  std::vector<SVCVKeypoint> points;
  cv::Mat descriptors;

  Keypoints(const SVCVMatrix &gray, SVCVFeatures features, int count, double contrast, int border) {
    std::vector<cv::KeyPoint> found;
    inThisThread([&] {
      if (const cv::Ptr<cv::Feature2D> detector = makeFeatures(features, count, contrast, border))
        detector->detectAndCompute(view(gray), cv::noArray(), found, descriptors);
    });
    for (const cv::KeyPoint &point : found)
      points.push_back({point.pt.x, point.pt.y, point.size, point.angle});
  }
};

struct Regions : SVCVObject {
  std::vector<SVCVPixel> pixels;
  std::vector<int> counts;
  std::vector<SVCVBox> boxes;

  Regions(const SVCVMatrix &gray, int delta, int leastArea, int mostArea, double maxVariation) {
    std::vector<std::vector<cv::Point>> all;
    std::vector<cv::Rect> bounds;
    inThisThread([&] {
      cv::MSER::create(delta, leastArea, mostArea, maxVariation)->detectRegions(view(gray), all, bounds);
    });
    size_t total = 0;
    for (const std::vector<cv::Point> &region : all)
      total += region.size();
    pixels.reserve(total);
    for (size_t i = 0; i < all.size(); i++) {
      for (const cv::Point &pixel : all[i])
        pixels.push_back({pixel.x, pixel.y});
      counts.push_back(static_cast<int>(all[i].size()));
      boxes.push_back(boxed(bounds[i]));
    }
  }
};

} // namespace

SVCVKeypoints *sv_cv_keypoints_create(SVCVMatrix gray, SVCVFeatures features, int count, double contrast, int border,
                                      char *error) {
  return made<Keypoints>(error, gray, features, count, contrast, border);
}

int sv_cv_keypoints_read(SVCVKeypoints *keypoints, SVCVDescriptors *descriptors, const SVCVKeypoint **points, int *count,
                         char *error) {
  return guarded(error, [&] {
    const Keypoints &own = as<Keypoints>(keypoints);
    const cv::Mat &rows = own.descriptors;
    CV_Assert(rows.empty() || (rows.isContinuous() && rows.rows == static_cast<int>(own.points.size())));
    const bool isBits = rows.type() == CV_8U;
    *descriptors = {isBits ? rows.data : nullptr, isBits ? nullptr : rows.ptr<float>(), rows.cols};
    lend(own.points, points, count);
  });
}

SVCVRegions *sv_cv_regions_create(SVCVMatrix gray, int delta, int leastArea, int mostArea, double maxVariation,
                                  char *error) {
  return made<Regions>(error, gray, delta, leastArea, mostArea, maxVariation);
}

int sv_cv_regions_read(SVCVRegions *regions, const SVCVPixel **pixels, const int **counts, const SVCVBox **boxes,
                       int *count, char *error) {
  return guarded(error, [&] {
    const Regions &own = as<Regions>(regions);
    *pixels = own.pixels.data();
    *counts = own.counts.data();
    lend(own.boxes, boxes, count);
  });
}

int sv_cv_smallest_rectangle(const SVCVPixel *points, int count, SVCVRotatedRectangle *rectangle, char *error) {
  return guarded(error, [&] {
    const cv::RotatedRect found = cv::minAreaRect(view(points, count));
    cv::Point2f corners[4];
    found.points(corners);
    for (int i = 0; i < 3; i++)
      rectangle->corners[i] = {corners[i].x, corners[i].y};
    rectangle->width = found.size.width;
    rectangle->height = found.size.height;
  });
}
