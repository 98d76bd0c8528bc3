// SPDX-License-Identifier: LGPL-2.1-or-later
#include "appearance.hpp"
#include "keypoints.hpp"
#include "warping.hpp"

#include <array>
#include <opencv2/imgproc.hpp>

namespace appearance {

const cv::Mat &coreMask() {
  static const cv::Mat mask = [] {
    cv::Mat disc(coreSide, coreSide, CV_8U);
    const double middle = (coreSide - 1) / 2.0;
    for (int y = 0; y < coreSide; y++)
      for (int x = 0; x < coreSide; x++)
        disc.at<uint8_t>(y, x) = std::hypot(x - middle, y - middle) < coreRadius ? 255 : 0;
    return disc;
  }();
  return mask;
}

Ellipse::Ellipse(const std::vector<cv::Point2f> &outline) {
  const cv::Moments moments = cv::moments(outline);
  if (!(moments.m00 > 0))
    return;
  center = {moments.m10 / moments.m00, moments.m01 / moments.m00};
  const double a = moments.mu20 / moments.m00, b = moments.mu11 / moments.m00, c = moments.mu02 / moments.m00;
  // The square root of a symmetric matrix of two rows: (M + √det M) / √(trace M + 2 √det M).
  const double root = std::sqrt(std::max(0.0, a * c - b * b)), trace = std::sqrt(a + c + 2 * root);
  isSound = root > 0 && trace > 0;
  if (!isSound)
    return;
  axes = cv::Matx22d(a + root, b, b, c + root) * (2 / trace);
}

double Ellipse::size() const { return std::sqrt(std::abs(cv::determinant(axes))); }

cv::Matx33d normalPosition(const Ellipse &ellipse, double growth, cv::Point2d shift) {
  const cv::Matx22d linear = ellipse.axes * (growth / radius);
  const cv::Vec2d moved = ellipse.axes * cv::Vec2d(shift.x, shift.y);
  const double middle = (side - 1) / 2.0;
  const cv::Vec2d start = linear * cv::Vec2d(middle, middle);
  // Outlines are in coordinates where a pixel covers 0…1, samples at its centre.
  const cv::Point2d center = ellipse.center - cv::Point2d(0.5, 0.5);
  return {linear(0, 0), linear(0, 1), center.x + moved[0] - start[0],
          linear(1, 0), linear(1, 1), center.y + moved[1] - start[1], 0, 0, 1};
}

cv::Mat sampled(const cv::Mat &picture, const cv::Matx33d &map, cv::Size size) {
  cv::Mat output, reduced = picture;
  cv::Matx33d from = map;
  // Warping uses four pixels; if more make up one, they are averaged first.
  const double step = std::sqrt(std::abs(map(0, 0) * map(1, 1) - map(0, 1) * map(1, 0)));
  if (step > 1.5) {
    const double scale = 1.2 / step;
    // If the outline is far larger than the picture, one pixel is left.
    const cv::Size smaller(std::max(1, cvRound(picture.cols * scale)), std::max(1, cvRound(picture.rows * scale)));
    cv::resize(picture, reduced, smaller, scale, scale, cv::INTER_AREA);
    from = cv::Matx33d(scale, 0, 0.5 * scale - 0.5, 0, scale, 0.5 * scale - 0.5, 0, 0, 1) * map;
  }
  warp(reduced, output, from.get_minor<2, 3>(0, 0), size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
  return output;
}

namespace {

/// Returns the variance of plain parts of a picture, such as paper: a low percentile of the variances of all
/// surroundings.
double plainVariance(const cv::Mat &variance) {
  std::vector<float> values;
  for (int y = 2; y < variance.rows; y += 4)
    for (int x = 2; x < variance.cols; x += 4)
      values.push_back(variance.at<float>(y, x));
  return quantile(std::move(values), 1, 5);
}

/// Subtracts the mean of the surroundings and divides by their standard deviation, by squares of `reach` pixels.
/// - Parameter noise: the weight of noise, as a multiple of its variance; contrasts of that strength are faint
///   afterwards.
cv::Mat evened(const cv::Mat &values, int reach, double noise) {
  cv::Mat mean, centered, variance;
  cv::blur(values, mean, cv::Size(reach, reach), cv::Point(-1, -1), cv::BORDER_REFLECT_101);
  cv::subtract(values, mean, centered);
  cv::blur(centered.mul(centered), variance, cv::Size(reach + 6, reach + 6), cv::Point(-1, -1),
           cv::BORDER_REFLECT_101);
  variance += 0.15 + std::min(3.0, noise * plainVariance(variance));
  cv::sqrt(variance, variance);
  cv::divide(centered, variance, centered);
  return centered;
}

} // namespace

Contours::Contours(const cv::Mat &picture) {
  cv::Mat smooth, dx, dy, magnitude;
  grayOf(picture).convertTo(smooth, CV_32F);
  cv::GaussianBlur(smooth, smooth, cv::Size(), 1);
  cv::Sobel(smooth, dx, CV_32F, 1, 0, 3, 0.25);
  cv::Sobel(smooth, dy, CV_32F, 0, 1, 3, 0.25);
  cv::magnitude(dx, dy, magnitude);
  cv::GaussianBlur(magnitude, sharp, cv::Size(), 0.7);
  sharp = evened(sharp, 17, 10);
  cv::GaussianBlur(magnitude, soft, cv::Size(), 2);
  soft = evened(soft, 23, 0);
}

double plainness(const cv::Mat &sharpCore, const cv::Mat &mask) {
  // Contours vary by about 1; from here on they are fully informative, if there are enough of them.
  constexpr double clear = 0.25, enough = 0.3;
  const double share = cv::countNonZero(mask) / (CV_PI * coreRadius * coreRadius);
  if (share < enough / 3)
    return 1;
  cv::Scalar mean, deviation;
  cv::meanStdDev(sharpCore, mean, deviation, mask);
  return std::max(0.0, 1 - deviation[0] * deviation[0] / clear * std::min(1.0, share / enough));
}

cv::Mat innerMask(const Silhouette &silhouette, const cv::Matx33d &map, cv::Size size) {
  // Contours of the edge reach as far.
  constexpr int depth = 8;
  cv::Mat mask = silhouette.mask(map, size);
  cv::erode(mask, mask, cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(2 * depth + 1, 2 * depth + 1)));
  return mask;
}

cv::Mat polar(const cv::Mat &softContours) {
  const cv::Point2f middle((side - 1) / 2.0f, (side - 1) / 2.0f);
  cv::Mat values;
  cv::warpPolar(softContours, values, cv::Size(radii, angles), middle, coreRadius, cv::WARP_POLAR_LINEAR);
  values -= cv::mean(values);
  // Each value is weighted by its area on the disc.
  for (int i = 0; i < radii; i++)
    values.col(i) *= std::sqrt((i + 0.5) / radii);
  values -= cv::mean(values);
  cv::normalize(values, values);
  return values.reshape(1, 1);
}

// MARK: - Colour

namespace {

constexpr double offset = 8;

/// Returns the medians of the channels along the picture's edge.
std::array<int, 3> edgeMedians(const cv::Mat &picture) {
  const int width = std::max(1, std::min(picture.cols, picture.rows) / 25);
  std::array<std::array<int, 256>, 3> counts{};
  int total = 0;
  forEachEdgePixel(picture.size(), width, [&](int x, int y) {
    const cv::Vec3b &pixel = picture.at<cv::Vec3b>(y, x);
    for (int c = 0; c < 3; c++)
      counts[c][pixel[c]]++;
    total++;
  });
  std::array<int, 3> medians{};
  for (int c = 0; c < 3; c++)
    for (int below = counts[c][0]; below <= total / 2 && medians[c] < 255;)
      below += counts[c][++medians[c]];
  return medians;
}

} // namespace

cv::Mat chromaticity(const cv::Mat &part, const cv::Mat &picture) {
  if (picture.channels() != 3)
    return {};
  const std::array<int, 3> white = edgeMedians(picture);
  cv::Mat chroma(part.size(), CV_8UC2);
  double table[3][256];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 256; i++)
      table[c][i] = std::log(i + offset) - std::log(white[c] + offset);
  for (int y = 0; y < part.rows; y++) {
    const cv::Vec3b *from = part.ptr<cv::Vec3b>(y);
    cv::Vec2b *to = chroma.ptr<cv::Vec2b>(y);
    for (int x = 0; x < part.cols; x++) {
      const double blue = table[0][from[x][0]], green = table[1][from[x][1]], red = table[2][from[x][2]];
      to[x] = {cv::saturate_cast<uint8_t>(128 + 64 * (red - green)),
               cv::saturate_cast<uint8_t>(128 + 64 * (blue - green))};
    }
  }
  return chroma;
}

double colorDistance(const cv::Mat &a, const cv::Mat &b, const cv::Mat &mask, int bins) {
  const int channels[] = {0, 1}, sizes[] = {bins, bins};
  const float range[] = {0, 256};
  const float *ranges[] = {range, range};
  cv::Mat histograms[2];
  const cv::Mat *pictures[] = {&a, &b};
  for (int i = 0; i < 2; i++) {
    cv::calcHist(pictures[i], 1, channels, mask, histograms[i], 2, sizes, ranges);
    // So that a small difference, from one bin to the next, has a small effect.
    cv::GaussianBlur(histograms[i], histograms[i], cv::Size(), bins / 32.0, 0, cv::BORDER_CONSTANT);
  }
  return cv::compareHist(histograms[0], histograms[1], cv::HISTCMP_BHATTACHARYYA);
}

} // namespace appearance
