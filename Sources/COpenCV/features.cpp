// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"

#include <opencv2/features2d.hpp>

namespace {

cv::Ptr<cv::Feature2D> makeFeatures(SVCVFeatures features, int siftCount, double siftContrast) {
  switch (features) {
  case sv_cv_features_orb:
    return cv::ORB::create();
  case sv_cv_features_sift:
    return cv::SIFT::create(siftCount, 3, siftContrast);
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

  Keypoints(const SVCVMatrix &gray, SVCVFeatures features, int siftCount, double siftContrast) {
    std::vector<cv::KeyPoint> found;
    inThisThread([&] {
      if (const cv::Ptr<cv::Feature2D> detector = makeFeatures(features, siftCount, siftContrast))
        detector->detectAndCompute(view(gray), cv::noArray(), found, descriptors);
    });
    for (const cv::KeyPoint &point : found)
      points.push_back({point.pt.x, point.pt.y, point.size, point.angle});
  }
};

} // namespace

SVCVKeypoints *sv_cv_keypoints_create(SVCVMatrix gray, SVCVFeatures features, int siftCount, double siftContrast,
                                      char *error) {
  return made<Keypoints>(error, gray, features, siftCount, siftContrast);
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
