#include "guarded.hpp"
#include "keypoints.hpp"

#include <memory>
#include <opencv2/imgproc.hpp>

struct SVCVClassicLook {
  /// Histogram of blue, green and red, divided by the number of pixels.
  cv::Mat histogram;
  /// Descriptors of the keypoints of the equalised grey picture.
  cv::Mat descriptors;
};

namespace {

void describe(SVCVClassicLook &look, cv::Mat picture, int bins, int features) {
  if (picture.channels() == 1)
    cv::cvtColor(picture, picture, cv::COLOR_GRAY2BGR);
  const int channels[] = {0, 1, 2}, sizes[] = {bins, bins, bins};
  const float range[] = {0, 256};
  const float *ranges[] = {range, range, range};
  cv::calcHist(&picture, 1, channels, cv::noArray(), look.histogram, 3, sizes, ranges);
  look.histogram *= 1.0f / (picture.rows * picture.cols);
  if (features == sv_cv_features_none)
    return;
  cv::Mat gray;
  cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  cv::createCLAHE()->apply(gray, gray);
  std::vector<cv::KeyPoint> keypoints;
  findKeypoints(gray, features, keypoints, look.descriptors);
}

/// Returns the mean distance of each descriptor's best match; 0 without descriptors, and the largest possible one
/// without anything to match.
double keypointDistance(const cv::Mat &seen, const cv::Mat &known) {
  if (seen.empty())
    return 0;
  const bool isBinary = seen.type() == CV_8U;
  if (known.empty())
    return isBinary ? 8 * seen.cols : 512;
  std::vector<cv::DMatch> matches;
  cv::BFMatcher(isBinary ? cv::NORM_HAMMING : cv::NORM_L2).match(seen, known, matches);
  double sum = 0;
  for (const cv::DMatch &match : matches)
    sum += match.distance;
  return sum / matches.size();
}

} // namespace

SVCVClassicLook *sv_cv_classic_create(SVCVImage picture, int bins, int features, char *error) {
  std::unique_ptr<SVCVClassicLook> look;
  if (guarded(error, [&] {
        look = std::make_unique<SVCVClassicLook>();
        describe(*look, view(picture), bins, features);
      }))
    return nullptr;
  return look.release();
}

void sv_cv_classic_free(SVCVClassicLook *look) { delete look; }

int sv_cv_classic_distance(const SVCVClassicLook *seen, const SVCVClassicLook *known, double histogramWeight,
                           double *distance, char *error) {
  return guarded(error, [&] {
    *distance = histogramWeight * cv::compareHist(seen->histogram, known->histogram, cv::HISTCMP_CHISQR_ALT) +
                (1 - histogramWeight) * keypointDistance(seen->descriptors, known->descriptors);
  });
}
