// SPDX-License-Identifier: LGPL-2.1-or-later
#include "keypoints.hpp"

#include "descriptors.hpp"

#include <complex>
#include <opencv2/imgproc.hpp>

namespace {

cv::Ptr<cv::Feature2D> makeFeatures(SVCVFeatures features) {
  switch (features) {
  case sv_cv_features_orb:
    return cv::ORB::create();
  case sv_cv_features_sift:
    return cv::SIFT::create(250, 3, 0.02);
  case sv_cv_features_akaze:
    return cv::AKAZE::create();
  case sv_cv_features_none:
    break;
  }
  return {};
}

} // namespace

void findKeypoints(const cv::Mat &gray, SVCVFeatures features, std::vector<cv::KeyPoint> &points,
                   cv::Mat &descriptors) {
  constexpr int smallest = 8;
  if (std::min(gray.cols, gray.rows) < smallest)
    return;
  if (const cv::Ptr<cv::Feature2D> detector = makeFeatures(features))
    detector->detectAndCompute(gray, cv::noArray(), points, descriptors);
}

cv::Mat grayOf(const cv::Mat &picture) {
  cv::Mat gray = picture;
  if (picture.channels() == 3)
    cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

Keypoints::Keypoints(const cv::Mat &picture, SVCVFeatures features) : features(features) {
  cv::Mat gray = grayOf(picture), scaled;
  scale = side / std::max(gray.cols, gray.rows);
  const cv::Size size(std::max(1, cvRound(gray.cols * scale)), std::max(1, cvRound(gray.rows * scale)));
  cv::resize(gray, scaled, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  findKeypoints(scaled, features, points, descriptors);
}

namespace {

/// A rotation with a scale, and a shift: z → turn z + shift.
struct Similarity {
  std::complex<double> turn;
  std::complex<double> shift;
};

struct Pair {
  std::complex<double> from;
  std::complex<double> to;
  /// Rotation and scale by the two keypoints' own directions and sizes.
  std::complex<double> turn;
};

std::complex<double> complex(cv::Point2f point) { return {point.x, point.y}; }

std::vector<Pair> matched(const Keypoints &from, const Keypoints &to) {
  std::vector<Pair> pairs;
  if (from.features != to.features || from.descriptors.empty() || to.descriptors.rows < 2)
    return pairs;
  const std::vector<Nearest> all = nearest(from.descriptors, to.descriptors);
  for (size_t i = 0; i < all.size(); i++) {
    if (all[i].index < 0 || all[i].distance >= 0.85f * all[i].next)
      continue;
    const cv::KeyPoint &a = from.points[i], &b = to.points[all[i].index];
    const std::complex<double> turn = std::polar<double>(b.size / a.size, (b.angle - a.angle) * CV_PI / 180);
    pairs.push_back({complex(a.pt), complex(b.pt), turn});
  }
  return pairs;
}

std::vector<Pair> agreeing(const std::vector<Pair> &pairs, const Similarity &similarity) {
  std::vector<Pair> result;
  for (const Pair &pair : pairs)
    if (std::abs(similarity.turn * pair.from + similarity.shift - pair.to) < 6)
      result.push_back(pair);
  return result;
}

/// Fits a similarity by least squares.
Similarity fit(const std::vector<Pair> &pairs) {
  std::complex<double> from = 0, to = 0, product = 0;
  double square = 0;
  for (const Pair &pair : pairs) {
    from += pair.from;
    to += pair.to;
  }
  from /= static_cast<double>(pairs.size());
  to /= static_cast<double>(pairs.size());
  for (const Pair &pair : pairs) {
    product += (pair.to - to) * std::conj(pair.from - from);
    square += std::norm(pair.from - from);
  }
  const std::complex<double> turn = square > 0 ? product / square : 0;
  return {turn, to - turn * from};
}

} // namespace

int findSimilarity(const Keypoints &from, const Keypoints &to, cv::Matx33d &map) {
  const std::vector<Pair> pairs = matched(from, to);
  std::vector<Pair> best;
  for (const Pair &pair : pairs) {
    std::vector<Pair> some = agreeing(pairs, {pair.turn, pair.to - pair.turn * pair.from});
    if (some.size() > best.size())
      best = std::move(some);
  }
  if (best.size() < 3)
    return 0;
  const std::vector<Pair> close = agreeing(pairs, fit(best));
  const Similarity found = fit(close.size() >= 3 ? close : best);
  // From and to the pixels of the scaled pictures.
  const double a = found.turn.real() * from.scale / to.scale, b = found.turn.imag() * from.scale / to.scale;
  map = {a, -b, found.shift.real() / to.scale, b, a, found.shift.imag() / to.scale, 0, 0, 1};
  return static_cast<int>(best.size());
}
