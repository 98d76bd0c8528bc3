// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ground.hpp"
#include "guarded.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

// A ground under any light. Light changes smoothly, things have edges: without its edges, a picture is its light
// (B. K. P. Horn: Determining lightness from an image, 1974). What differs from that is taken out, and the gaps are
// filled from around them (the pull-push algorithm of Gortler et al.: The Lumigraph, 1996).

namespace {

/// Differences of the logarithm between neighbours that are no light's.
constexpr float steepest = 0.06f;
constexpr double madFactor = 1.4826;

/// Returns the surface whose gradients are nearest to these, in the sense of least squares, with a mean of 0: Poisson's
/// equation with Neumann's boundary, solved by the cosine transform. Sides are even.
cv::Mat integrated(const cv::Mat &across, const cv::Mat &down) {
  const int width = across.cols, height = across.rows;
  cv::Mat divergence(height, width, CV_32F), spectrum, surface;
  for (int y = 0; y < height; y++) {
    const float *right = across.ptr<float>(y), *below = down.ptr<float>(y), *above = down.ptr<float>(std::max(0, y - 1));
    float *sum = divergence.ptr<float>(y);
    for (int x = 0; x < width; x++)
      sum[x] = (x + 1 < width ? right[x] : 0) - (x > 0 ? right[x - 1] : 0) + (y + 1 < height ? below[x] : 0) -
               (y > 0 ? above[x] : 0);
  }
  cv::dct(divergence, spectrum);
  std::vector<float> horizontal(width);
  for (int x = 0; x < width; x++)
    horizontal[x] = static_cast<float>(2 * std::cos(CV_PI * x / width) - 2);
  for (int y = 0; y < height; y++) {
    const float vertical = static_cast<float>(2 * std::cos(CV_PI * y / height) - 2);
    float *row = spectrum.ptr<float>(y);
    for (int x = 0; x < width; x++)
      row[x] = x + y == 0 ? 0 : row[x] / (horizontal[x] + vertical);
  }
  cv::idct(spectrum, surface);
  return surface;
}

/// Returns the median of the values under a mask.
float medianUnder(const cv::Mat &values, const cv::Mat &mask) {
  std::vector<float> all;
  for (int y = 0; y < values.rows; y++)
    for (int x = 0; x < values.cols; x++)
      if (mask.at<uint8_t>(y, x))
        all.push_back(values.at<float>(y, x));
  return quantile(std::move(all), 1, 2);
}

/// Fills the gaps, where the weight (0…1) is 0, smoothly from around them.
void fill(cv::Mat &values, const cv::Mat &weight) {
  if (std::min(values.rows, values.cols) < 2)
    return;
  // Pull: means over squares of two pixels, by weight. Push: gaps get what the smaller picture says.
  cv::Mat weighted = values.mul(weight), smallWeight, small;
  const cv::Size half((values.cols + 1) / 2, (values.rows + 1) / 2);
  cv::resize(weighted, small, half, 0, 0, cv::INTER_AREA);
  cv::resize(weight, smallWeight, half, 0, 0, cv::INTER_AREA);
  cv::divide(small, cv::max(smallWeight, 1e-6), small);
  cv::Mat known = cv::min(smallWeight * 4, 1);
  fill(small, known);
  cv::Mat large;
  cv::resize(small, large, values.size(), 0, 0, cv::INTER_LINEAR);
  values = values.mul(weight) + large.mul(1 - weight);
}

} // namespace

Ground Ground::followingLight(const cv::Mat &logarithm) {
  const double scale = std::min(1.0, 120.0 / std::min(logarithm.cols, logarithm.rows));
  // Lengths for which the cosine transform is fast.
  const auto even = [&](int length) { return 2 * cv::getOptimalDFTSize(std::max(1, cvRound(length * scale / 2))); };
  cv::Mat small;
  cv::resize(logarithm, small, cv::Size(even(logarithm.cols), even(logarithm.rows)), 0, 0, cv::INTER_AREA);
  const int channels = small.channels();
  std::vector<cv::Mat> planes, across(channels), down(channels);
  cv::split(small, planes);

  // Edges in any channel.
  cv::Mat slope = cv::Mat::zeros(small.size(), CV_32F);
  for (int c = 0; c < channels; c++) {
    across[c] = cv::Mat::zeros(small.size(), CV_32F);
    down[c] = cv::Mat::zeros(small.size(), CV_32F);
    cv::subtract(planes[c].colRange(1, small.cols), planes[c].colRange(0, small.cols - 1),
                 across[c].colRange(0, small.cols - 1));
    cv::subtract(planes[c].rowRange(1, small.rows), planes[c].rowRange(0, small.rows - 1),
                 down[c].rowRange(0, small.rows - 1));
    cv::max(slope, cv::abs(across[c]), slope);
    cv::max(slope, cv::abs(down[c]), slope);
  }
  const double grain = medianUnder(slope, cv::Mat(small.size(), CV_8U, cv::Scalar(1)));
  cv::Mat steep = slope > std::max<double>(steepest, 4 * grain);
  cv::dilate(steep, steep, cv::Mat::ones(3, 3, CV_8U));

  cv::Mat flat = ~steep, thing = cv::Mat::zeros(small.size(), CV_8U), square = cv::Mat::zeros(small.size(), CV_32F);
  cv::Mat smooth;
  flat.convertTo(smooth, CV_32F, 1.0 / 255);
  for (int c = 0; c < channels; c++) {
    fill(across[c], smooth);
    fill(down[c], smooth);
    cv::Mat light = integrated(across[c], down[c]);
    cv::Mat difference = planes[c] - light;
    difference -= medianUnder(difference, flat);
    square += difference.mul(difference);
  }
  cv::sqrt(square, square);
  const double noise = madFactor * medianUnder(square, flat);
  thing = (square > std::max(0.06, 3 * noise)) | steep;

  std::vector<cv::Mat> surface(channels);
  for (int round = 0; round < 3; round++) {
    // What is inside of outlines belongs to things.
    cv::morphologyEx(thing, thing, cv::MORPH_CLOSE, cv::Mat::ones(3, 3, CV_8U));
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(thing, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    cv::drawContours(thing, contours, -1, cv::Scalar(255), cv::FILLED);
    cv::dilate(thing, thing, cv::Mat::ones(3, 3, CV_8U));
    cv::Mat weight;
    cv::Mat(~thing).convertTo(weight, CV_32F, 1.0 / 255);
    square.setTo(0);
    for (int c = 0; c < channels; c++) {
      cv::Mat filled = planes[c].clone();
      fill(filled, weight);
      cv::GaussianBlur(filled, surface[c], cv::Size(), 3);
      const cv::Mat difference = planes[c] - surface[c];
      square += difference.mul(difference);
    }
    cv::sqrt(square, square);
    const double left = madFactor * medianUnder(square, ~thing);
    if (round < 2)
      thing = square > std::max(0.06, 4 * left);
  }
  Ground ground;
  cv::merge(surface, ground.surface);
  for (int y = 0; y < thing.rows; y++)
    for (int x = 0; x < thing.cols; x++)
      if (!thing.at<uint8_t>(y, x))
        ground.edge.emplace_back(x * logarithm.cols / thing.cols, y * logarithm.rows / thing.rows);
  return ground;
}
