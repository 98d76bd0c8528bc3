// SPDX-License-Identifier: LGPL-2.1-or-later
#include "descriptors.hpp"
#include "guarded.hpp"
#include "keypoints.hpp"

#include <opencv2/imgproc.hpp>

namespace {

struct ClassicAppearance : SVCVObject {
  /// Histogram of blue, green and red, divided by the number of pixels.
  cv::Mat histogram;
  /// Descriptors of the keypoints of the equalised grey picture.
  cv::Mat descriptors;

  ClassicAppearance(const SVCVImage &image, int bins, SVCVFeatures features) {
    cv::Mat picture = view(image);
    if (picture.channels() == 1)
      cv::cvtColor(picture, picture, cv::COLOR_GRAY2BGR);
    const int channels[] = {0, 1, 2}, sizes[] = {bins, bins, bins};
    const float range[] = {0, 256};
    const float *ranges[] = {range, range, range};
    cv::calcHist(&picture, 1, channels, cv::noArray(), histogram, 3, sizes, ranges);
    histogram *= 1.0f / (picture.rows * picture.cols);
    if (features == sv_cv_features_none)
      return;
    cv::Mat gray;
    cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
    cv::createCLAHE()->apply(gray, gray);
    std::vector<cv::KeyPoint> keypoints;
    findKeypoints(gray, features, keypoints, descriptors);
  }
};

/// Returns the mean distance of each descriptor's best match; 0 without descriptors, and the largest possible one
/// without anything to match.
double keypointDistance(const cv::Mat &query, const cv::Mat &trained) {
  if (query.empty())
    return 0;
  if (trained.empty())
    return isBinary(query) ? 8 * query.cols : 512;
  std::vector<cv::DMatch> matches;
  matcher(query).match(query, trained, matches);
  double sum = 0;
  for (const cv::DMatch &match : matches)
    sum += match.distance;
  return sum / matches.size();
}

} // namespace

SVCVClassicAppearance *sv_cv_classic_create(SVCVImage picture, int bins, SVCVFeatures features, char *error) {
  return made<ClassicAppearance>(error, picture, bins, features);
}

int sv_cv_classic_distance(SVCVClassicAppearance *query, SVCVClassicAppearance *trained, double histogramWeight,
                           double *distance, char *error) {
  return guarded(error, [&] {
    const ClassicAppearance &a = as<ClassicAppearance>(query), &b = as<ClassicAppearance>(trained);
    *distance = histogramWeight * cv::compareHist(a.histogram, b.histogram, cv::HISTCMP_CHISQR_ALT) +
                (1 - histogramWeight) * keypointDistance(a.descriptors, b.descriptors);
  });
}
