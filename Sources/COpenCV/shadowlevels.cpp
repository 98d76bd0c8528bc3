// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shadows.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Logarithms of the factors that shadows may have, and that of the faintest one that is hard.
constexpr float darkest = -1.7f, lightest = -0.05f, faintest = -0.18f;
/// Length of a shadow's difference in colour from the ground's, as a share of the logarithm of its factor.
constexpr double greatestTint = 0.09;
/// Logarithms per bin of the histogram, and the number of bins.
constexpr float binWidth = 0.025f;
constexpr int binCount = static_cast<int>((lightest - darkest) / binWidth) + 1;

} // namespace

ShadedPart::ShadedPart(const cv::Mat &own, const cv::Mat &residual, const cv::Rect &frame, double noise)
    : own(own), frame(frame), area(cv::countNonZero(own)) {
  cv::Mat allowed = own.clone();
  const float grain = static_cast<float>(0.7 * noise);
  if (residual.channels() == 1) {
    luma = residual;
  } else {
    luma.create(residual.size(), CV_32F);
    tint.create(residual.size(), CV_32FC3);
    for (int y = 0; y < residual.rows; y++) {
      const cv::Vec3f *from = residual.ptr<cv::Vec3f>(y);
      cv::Vec3f *color = tint.ptr<cv::Vec3f>(y);
      float *light = luma.ptr<float>(y);
      uint8_t *allow = allowed.ptr(y);
      for (int x = 0; x < residual.cols; x++) {
        light[x] = (from[x][0] + from[x][1] + from[x][2]) / 3;
        color[x] = from[x] - cv::Vec3f::all(light[x]);
        // Tinted by what light remains, but not much; noise counts for more where there is less light.
        const float dark = -std::max(darkest, light[x]);
        const float limit = 0.12f * std::abs(light[x]) + 0.03f + grain * (1 + dark + dark * dark);
        if (color[x].dot(color[x]) > limit * limit)
          allow[x] = 0;
      }
    }
  }
  cv::Mat inRange, upper, lower;
  const cv::Mat square = cv::Mat::ones(3, 3, CV_8U);
  cv::inRange(luma, darkest, lightest, inRange);
  possible = allowed & inRange;
  cv::dilate(luma, upper, square);
  cv::erode(luma, lower, square);
  flat = possible & (upper - lower < 0.12 + 6 * noise);
}

std::vector<ShadowLevel> shadowLevels(const std::vector<const ShadedPart *> &parts, int least) {
  int bins[binCount + 4] = {};
  cv::Vec3f tints[binCount + 4];
  for (const ShadedPart *part : parts)
    for (int y = 0; y < part->luma.rows; y++) {
      const float *luma = part->luma.ptr<float>(y);
      const uint8_t *flat = part->flat.ptr(y);
      for (int x = 0; x < part->luma.cols; x++)
        if (flat[x]) {
          const int bin = 2 + std::max(0, std::min(binCount - 1, static_cast<int>((luma[x] - darkest) / binWidth)));
          bins[bin]++;
          if (!part->tint.empty())
            tints[bin] += part->tint.at<cv::Vec3f>(y, x);
        }
    }
  std::vector<std::pair<int, ShadowLevel>> peaks;
  auto mass = [&](int i) { return bins[i - 1] + 2 * bins[i] + bins[i + 1]; };
  for (int i = 2; i < binCount + 2; i++) {
    const int near = bins[i - 1] + bins[i] + bins[i + 1];
    if (near >= least && mass(i) >= (i > 2 ? mass(i - 1) : 0) && mass(i) > (i < binCount + 1 ? mass(i + 1) : 0)) {
      const float place = (bins[i + 1] - bins[i - 1]) / static_cast<float>(near);
      const ShadowLevel own{darkest + binWidth * (i - 2 + 0.5f + place), (tints[i - 1] + tints[i] + tints[i + 1]) / near};
      if (own.level < faintest)
        peaks.push_back({near, own});
    }
  }
  std::sort(peaks.begin(), peaks.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<ShadowLevel> levels;
  for (size_t i = 0; i < std::min<size_t>(4, peaks.size()); i++) {
    const ShadowLevel own = peaks[i].second;
    if (cv::norm(own.tint) < -greatestTint * own.level)
      levels.push_back(own);
    // Things of that light may have given it their colour.
    if (cv::norm(own.tint) > 0.01)
      levels.push_back({own.level, {}, true});
  }
  return levels;
}
