// SPDX-License-Identifier: LGPL-2.1-or-later
#include "groundplane.hpp"
#include "guarded.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

constexpr int terms = 3;

float factor(float value, float level, float darkest) {
  return darkest >= 1 || level <= 0 ? 1 : std::max(darkest, std::min(1.0f, value / level));
}

cv::Vec3d basis(const cv::Point &pixel, cv::Size size) {
  return cv::Vec3d(1, 2.0 * pixel.x / size.width - 1, 2.0 * pixel.y / size.height - 1);
}

} // namespace

GroundPlane::GroundPlane(const cv::Mat &picture, const cv::Mat &ground) : channels(picture.channels()) {
  fit(picture, ground);
  // The factor that most pixels of the ground have, if many have it.
  const Factors all = factors(picture, ground);
  int best = 0;
  for (int i = Factors::darkest; i <= Factors::count; i++)
    if (all.near(i) > best && all.near(i) >= std::max(15, all.seen / 12)) {
      best = all.near(i);
      shadow = Factors::factor(i);
    }
}

cv::Mat GroundPlane::contrast(const cv::Mat &picture, float darkest) const {
  constexpr float colorWeight = 2;
  cv::Mat contrast(picture.size(), CV_32F);
  for (int y = 0; y < picture.rows; y++) {
    const uint8_t *pixel = picture.ptr(y);
    float *to = contrast.ptr<float>(y);
    const Row row = rowAt(y, picture.size());
    for (int x = 0; x < picture.cols; x++, pixel += channels) {
      if (channels == 1) {
        const float level = row.start[0] + row.slope[0] * x;
        to[x] = std::abs(pixel[0] - level * factor(pixel[0], level, darkest));
        continue;
      }
      float levels[3], sum = 0;
      for (int c = 0; c < 3; c++)
        sum += levels[c] = row.start[c] + row.slope[c] * x;
      const float part = factor(static_cast<float>(pixel[0] + pixel[1] + pixel[2]), sum, darkest);
      const float blue = pixel[0] - part * levels[0], green = pixel[1] - part * levels[1],
                  red = pixel[2] - part * levels[2], luma = (blue + green + red) / 3;
      const float color =
          (blue - luma) * (blue - luma) + (green - luma) * (green - luma) + (red - luma) * (red - luma);
      to[x] = std::sqrt(luma * luma + colorWeight * colorWeight * color);
    }
  }
  return contrast;
}

GroundPlane::Row GroundPlane::rowAt(int y, cv::Size size) const {
  Row result;
  const cv::Vec3d row = basis({0, y}, size);
  for (int c = 0; c < channels; c++) {
    result.start[c] = static_cast<float>(coefficients.at<double>(0, c) - coefficients.at<double>(1, c) +
                                         row[2] * coefficients.at<double>(2, c));
    result.slope[c] = static_cast<float>(2 * coefficients.at<double>(1, c) / size.width);
  }
  return result;
}

void GroundPlane::fit(const cv::Mat &picture, const cv::Mat &ground) {
  std::vector<cv::Point> pixels;
  cv::findNonZero(ground, pixels);
  const size_t step = std::max<size_t>(1, pixels.size() / 700) | 1;
  std::vector<cv::Point> some;
  for (size_t i = 0; i < pixels.size(); i += step)
    some.push_back(pixels[i]);
  std::vector<double> weights(some.size(), 1), residuals(some.size());
  for (int round = 0; round < 5; round++) {
    cv::Matx<double, terms, terms> left = cv::Matx<double, terms, terms>::eye() * 1e-6;
    cv::Mat right = cv::Mat::zeros(terms, channels, CV_64F);
    for (size_t i = 0; i < some.size(); i++) {
      const cv::Vec3d row = basis(some[i], picture.size());
      const uint8_t *pixel = picture.ptr(some[i].y) + some[i].x * channels;
      for (int j = 0; j < terms; j++) {
        for (int k = 0; k < terms; k++)
          left(j, k) += weights[i] * row[j] * row[k];
        for (int c = 0; c < channels; c++)
          right.at<double>(j, c) += weights[i] * row[j] * pixel[c];
      }
    }
    cv::solve(left, right, coefficients, cv::DECOMP_SVD);
    for (size_t i = 0; i < some.size(); i++) {
      const cv::Vec3d row = basis(some[i], picture.size());
      const uint8_t *pixel = picture.ptr(some[i].y) + some[i].x * channels;
      residuals[i] = 0;
      for (int c = 0; c < channels; c++) {
        double level = 0;
        for (int j = 0; j < terms; j++)
          level += row[j] * coefficients.at<double>(j, c);
        residuals[i] = std::max(residuals[i], std::abs(pixel[c] - level));
      }
    }
    const double sigma = std::max(1.5, 1.4826 * quantile(residuals, 1, 2));
    for (size_t i = 0; i < some.size(); i++) {
      const double ratio = residuals[i] / (4 * sigma), share = std::max(0.0, 1 - ratio * ratio);
      weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : share * share;
    }
  }
}

GroundPlane::Factors GroundPlane::factors(const cv::Mat &picture, const cv::Mat &mask) const {
  Factors result;
  for (int y = 0; y < picture.rows; y += 2) {
    const uint8_t *pixel = picture.ptr(y), *use = mask.ptr(y);
    const Row row = rowAt(y, picture.size());
    for (int x = 0; x < picture.cols; x++, pixel += channels) {
      if (!use[x])
        continue;
      result.seen++;
      const int bin = this->bin(pixel, row, x);
      if (bin > 0)
        result.bins[bin]++;
    }
  }
  return result;
}

int GroundPlane::bin(const uint8_t *pixel, const Row &row, int x) const {
  float low = 2, high = 0;
  for (int c = 0; c < channels; c++) {
    const float ratio = pixel[c] / std::max(20.0f, row.start[c] + row.slope[c] * x);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  const int bin = cvFloor((low + high) / 2 / Factors::width);
  return bin < Factors::count && high - low < 0.06f + 0.06f * (1 - low) ? bin + 1 : 0;
}

bool GroundPlane::isWide(const cv::Mat &picture, const cv::Mat &mask, int bin) const {
  cv::Mat alike = cv::Mat::zeros(mask.size(), CV_8U);
  for (int y = 0; y < picture.rows; y++) {
    const uint8_t *pixel = picture.ptr(y), *use = mask.ptr(y);
    uint8_t *to = alike.ptr(y);
    const Row row = rowAt(y, picture.size());
    for (int x = 0; x < picture.cols; x++, pixel += channels)
      if (use[x] && std::abs(this->bin(pixel, row, x) - bin) <= 2)
        to[x] = 255;
  }
  const int all = cv::countNonZero(alike);
  cv::morphologyEx(alike, alike, cv::MORPH_OPEN, cv::Mat::ones(2, 2, CV_8U));
  return 4 * cv::countNonZero(alike) > all;
}

float GroundPlane::narrowShadow(const cv::Mat &picture, const cv::Mat &edge, const cv::Mat &inside) const {
  const Factors all = factors(picture, edge), own = factors(picture, inside);
  int best = 0, sum = 0;
  float result = 1;
  constexpr int count = Factors::count - Factors::darkest + 1;
  for (int i = Factors::darkest; i <= Factors::count; i++)
    sum += all.bins[i];
  for (int i = Factors::darkest; i <= Factors::count; i++) {
    const int near = all.near(i);
    // The blurred edge of a thing has all factors alike, but for those that are almost its own.
    if (near > best && near >= all.near(i - 1) && near >= std::max(15, all.seen / 100) &&
        near * count > 2 * 3 * (sum - near) && 2 * own.near(i) < own.seen && isWide(picture, edge, i)) {
      best = near;
      result = Factors::factor(i);
    }
  }
  return result;
}
