// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shadows.hpp"
#include "guarded.hpp"
#include "segments.hpp"

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
/// Share of the flat pixels of a thing with a shadow that are in the shadow or like it, at most.
constexpr double most = 0.7;

/// Difference of the logarithm of a part's light from a shadow's, at most. Noise counts for more where there is less light.
float tolerance(const ShadowLevel &light, double noise) {
  return 0.05f + 3 * static_cast<float>(noise * std::exp(-light.level));
}

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
  cv::inRange(luma, darkest, lightest, inRange);
  possible = allowed & inRange;
  cv::dilate(luma, upper, square(3));
  cv::erode(luma, lower, square(3));
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

cv::Mat pixelsNear(const ShadedPart &part, const ShadowLevel &light, float tolerance) {
  cv::Mat result;
  cv::inRange(part.luma, light.level - tolerance, light.level + tolerance, result);
  result &= part.possible;
  if (part.tint.empty())
    return result;
  const float limit = light.isNeutral ? 0.8f * tolerance : 0.03f + tolerance;
  for (int y = 0; y < result.rows; y++) {
    const cv::Vec3f *tint = part.tint.ptr<cv::Vec3f>(y);
    uint8_t *allow = result.ptr(y);
    for (int x = 0; x < result.cols; x++)
      if (allow[x] && (tint[x] - light.tint).dot(tint[x] - light.tint) > limit * limit)
        allow[x] = 0;
  }
  return result;
}

ShadowLevel lightOf(const ShadedPart &part, const cv::Mat &pixels) {
  ShadowLevel light;
  light.level = std::min(-0.01f, quantileUnder(part.luma, pixels, 1, 2));
  if (!part.tint.empty()) {
    const cv::Scalar tint = cv::mean(part.tint, pixels);
    light.tint = cv::Vec3f(static_cast<float>(tint[0]), static_cast<float>(tint[1]), static_cast<float>(tint[2]));
  }
  return light;
}

cv::Mat darkPixels(const ShadedPart &part, const ShadowLight &light) {
  return pixelsNear(part, light.level, 0.05f + static_cast<float>(light.noise * std::exp(-light.level.level)));
}

bool isOfOneLight(const ShadedPart &part, const ShadowLight &light) {
  cv::Mat upper, lower;
  cv::dilate(part.luma, upper, square(3));
  cv::erode(part.luma, lower, square(3));
  const double noise = light.noise * std::exp(-light.level.level);
  const cv::Mat flat = part.own & (upper - lower < 0.12 + 6 * noise);
  const cv::Mat like = flat & (cv::abs(part.luma - light.level.level) < 0.15 + 3 * noise);
  return cv::countNonZero(like) > most * cv::countNonZero(flat);
}

ShadowLevel darkestOf(const ShadedPart &part) {
  return lightOf(part, part.own & (part.luma <= quantileUnder(part.luma, part.own, 1, 5)));
}

bool hasGroundsColor(const ShadedPart &part) { return cv::countNonZero(part.possible) >= 0.9 * part.area; }

bool mayBeShadow(const ShadedPart &part, const ShadowLevel &light, double noise) {
  if (!hasGroundsColor(part))
    return false;
  const float lowest = quantileUnder(part.luma, part.own, 1, 10);
  return lowest >= light.level - tolerance(light, noise) && lowest <= 0.6f * light.level;
}

bool isDarkAllOver(const ShadedPart &part, const ShadowLevel &light, double noise) {
  cv::Mat inner;
  cv::erode(part.own, inner, square(5), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  const int area = cv::countNonZero(inner);
  return area < 0.3 * part.area ||
         cv::countNonZero(pixelsNear(part, light, tolerance(light, noise)) & inner) > 0.8 * area;
}

bool isLikelierShadow(const ShadowLevel &one, const ShadowLevel &other) {
  const double tint = cv::norm(one.tint) / -one.level, otherTint = cv::norm(other.tint) / -other.level;
  if (std::max(tint, otherTint) > 0.01 && std::min(tint, otherTint) < 0.6 * std::max(tint, otherTint))
    return tint < otherTint;
  return one.level > other.level;
}
