// SPDX-License-Identifier: LGPL-2.1-or-later
#include "background.hpp"
#include "guarded.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

constexpr int terms = 6;
/// Offset that is added to levels before the logarithm is taken, so that noise in the dark has little effect.
constexpr double offset = 8;
constexpr float colorWeight = 4;
/// Limit for shadows, which are tinted by the remaining light: squares of distances up to this multiple of the light's
/// alone.
constexpr float shadeTint = 6;
/// Logarithm at which levels are clipped, a little below 255 for noise. A background may exceed it undetected.
const float ceiling = static_cast<float>(std::log(250 + offset));
/// Logarithm from which up to the ceiling the colour has less and less weight: noise is clipped there, too, unevenly by
/// channel.
const float bright = static_cast<float>(std::log(230 + offset));

cv::Vec<double, terms> basis(double x, double y) { return {1, x, y, x * x, x * y, y * y}; }

/// Returns the position of a pixel, −1…1 along a length of pixels.
double position(int pixel, int length) { return (2.0 * pixel + 1) / length - 1; }

/// Factor by which the median of absolute values estimates a normal distribution's standard deviation.
constexpr double madFactor = 1.4826;

/// Returns about every third of the pixels along the edge, at most about 1500 of them.
std::vector<cv::Point> edgePixels(cv::Size size) {
  const int width = std::max(2, std::min(size.width, size.height) / 25);
  std::vector<cv::Point> all;
  forEachEdgePixel(size, width, [&](int x, int y) { all.emplace_back(x, y); });
  const size_t step = std::max<size_t>(1, all.size() / 1500) | 1;
  std::vector<cv::Point> some;
  for (size_t i = 0; i < all.size(); i += step)
    some.push_back(all[i]);
  return some;
}

/// Returns the coefficients of the background, a column for each channel.
cv::Mat fit(const cv::Mat &logarithm, const std::vector<cv::Point> &pixels) {
  const size_t count = pixels.size();
  const int channels = logarithm.channels();
  std::vector<cv::Vec<double, terms>> rows(count);
  for (size_t i = 0; i < count; i++)
    rows[i] = basis(position(pixels[i].x, logarithm.cols), position(pixels[i].y, logarithm.rows));
  // The background at each pixel: the observed value, or more where levels are clipped.
  cv::Mat levels(static_cast<int>(count), channels, CV_32F), coefficients;
  for (size_t i = 0; i < count; i++)
    std::copy_n(logarithm.ptr<float>(pixels[i].y) + pixels[i].x * channels, channels, levels.ptr<float>(i));
  std::vector<double> weights(count, 1), residuals(count);
  for (int round = 0; round < 8; round++) {
    // Normal equations, solved by singular values for tiny pictures, where they have no single solution.
    cv::Matx<double, terms, terms> left = cv::Matx<double, terms, terms>::zeros();
    cv::Mat right = cv::Mat::zeros(terms, channels, CV_64F);
    for (size_t i = 0; i < count; i++)
      for (int j = 0; j < terms; j++) {
        const double weighted = weights[i] * rows[i][j];
        for (int k = 0; k < terms; k++)
          left(j, k) += weighted * rows[i][k];
        for (int c = 0; c < channels; c++)
          right.at<double>(j, c) += weighted * levels.at<float>(i, c);
      }
    cv::solve(left, right, coefficients, cv::DECOMP_SVD);
    for (size_t i = 0; i < count; i++) {
      residuals[i] = 0;
      for (int c = 0; c < channels; c++) {
        double background = 0;
        for (int j = 0; j < terms; j++)
          background += rows[i][j] * coefficients.at<double>(j, c);
        float &level = levels.at<float>(i, c);
        if (level >= ceiling)
          level = std::max(ceiling, static_cast<float>(background));
        residuals[i] = std::max(residuals[i], std::abs(level - background));
      }
    }
    const double sigma = std::max(0.008, madFactor * quantile(residuals, 1, 2));
    for (size_t i = 0; i < count; i++) {
      const double ratio = residuals[i] / (4 * sigma), share = std::max(0.0, 1 - ratio * ratio);
      // Little is known in the first round: no pixel is left out.
      weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : share * share;
    }
  }
  return coefficients;
}

/// Computes a row's squares of distances from the background, and its shade; see `BorderDistance`.
void measure(const float *logarithm, int y, cv::Size size, const cv::Mat &coefficients, float *square, uint8_t *shade) {
  const int channels = coefficients.cols;
  const float v = static_cast<float>(position(y, size.height));
  float constant[3] = {}, slope[3] = {}, curve[3] = {};
  for (int c = 0; c < channels; c++) {
    auto k = [&](int i) { return static_cast<float>(coefficients.at<double>(i, c)); };
    constant[c] = k(0) + k(2) * v + k(5) * v * v;
    slope[c] = k(1) + k(4) * v;
    curve[c] = k(3);
  }
  const float start = static_cast<float>(position(0, size.width)), step = 2.0f / size.width;
  for (int x = 0; x < size.width; x++) {
    const float u = start + step * x;
    auto residual = [&](int c) {
      const float background = constant[c] + u * (slope[c] + u * curve[c]);
      return std::min(logarithm[x * channels + c], ceiling) - std::min(background, ceiling);
    };
    if (channels == 1) {
      const float luma = residual(0);
      square[x] = luma * luma;
      shade[x] = luma < 0 ? 255 : 0;
      continue;
    }
    const float blue = residual(0), green = residual(1), red = residual(2), luma = (blue + green + red) / 3;
    const float color = (blue - luma) * (blue - luma) + (green - luma) * (green - luma) + (red - luma) * (red - luma);
    const float *pixel = logarithm + 3 * x;
    const float room = (ceiling - std::max(std::max(pixel[0], pixel[1]), pixel[2])) / (ceiling - bright);
    const float weight = 1 + (colorWeight - 1) * std::max(0.0f, std::min(1.0f, room));
    square[x] = luma * luma + weight * weight * color;
    shade[x] = luma < 0 && shadeTint * luma * luma > square[x] ? 255 : 0;
  }
}

} // namespace

BorderDistance borderDistance(const cv::Mat &picture) {
  cv::Mat smooth, logarithm, table(1, 256, CV_32F);
  cv::GaussianBlur(picture, smooth, cv::Size(3, 3), 0);
  for (int i = 0; i < 256; i++)
    table.at<float>(i) = static_cast<float>(std::log(i + offset));
  cv::LUT(smooth, table, logarithm);
  const std::vector<cv::Point> pixels = edgePixels(picture.size());
  const cv::Mat coefficients = fit(logarithm, pixels);

  BorderDistance result;
  result.distance.create(picture.size(), CV_32F);
  result.shade.create(picture.size(), CV_8U);
  for (int y = 0; y < picture.rows; y++)
    measure(logarithm.ptr<float>(y), y, picture.size(), coefficients, result.distance.ptr<float>(y),
            result.shade.ptr(y));
  cv::sqrt(result.distance, result.distance);
  std::vector<double> edge;
  for (const cv::Point &pixel : pixels)
    edge.push_back(result.distance.at<float>(pixel));
  result.noise = madFactor * quantile(edge, 1, 2);
  return result;
}
