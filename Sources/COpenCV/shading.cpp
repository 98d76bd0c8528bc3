// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "segments.hpp"
#include "warping.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

// The shadows of components of a mask.

namespace {

cv::Mat reduced(const cv::Mat &full, int step) {
  cv::Mat result((full.rows + step - 1) / step, (full.cols + step - 1) / step, CV_8U);
  for (int y = 0; y < result.rows; y++)
    for (int x = 0; x < result.cols; x++)
      result.at<uint8_t>(y, x) = full.at<uint8_t>(y * step, x * step);
  return result;
}

/// Returns whether a component may have a shadow that is not told from it in this view: it has hardly a pixel with no edge
/// near it. Small ones are looked at more closely in any case.
bool isDoubtful(const Component &one) {
  constexpr int small = 40;
  if (std::max(one.part.width, one.part.height) < small)
    return false;
  cv::Mat inner;
  cv::erode(one.own, inner, square(5), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  return cv::countNonZero(inner) < 0.4 * cv::countNonZero(one.own);
}

cv::Rect frameOf(const View &view, const cv::Rect &place, int step) {
  const cv::Rect whole = view.frame - place.tl();
  return {whole.x / step, whole.y / step, whole.width / step, whole.height / step};
}

} // namespace

Sample::Sample(const cv::Mat &full, const cv::Rect &place, const View &view, int side)
    : step(std::max(1, std::min(4, (std::max(place.width, place.height) + side - 1) / side))),
      part(reduced(full, step), view.ground.residual(view.logarithm, place, view.place, step),
           frameOf(view, place, step), view.noise) {}

cv::Mat Sample::left(const cv::Mat &full, const cv::Mat &without) const {
  const cv::Mat shadow = part.own & ~without;
  if (cv::countNonZero(shadow) == 0)
    return full;
  if (step == 1)
    return full & ~shadow;
  cv::Mat large;
  const cv::Matx23d map(step, 0, 0, 0, step, 0);
  warp(shadow, large, map, full.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  return full & (large <= 127);
}

void removeShadows(std::vector<Component> &all, View &view) {
  std::vector<Sample> samples;
  std::vector<ShadedPart> parts;
  for (const Component &one : all) {
    samples.emplace_back(one.own, one.part, view);
    parts.push_back(samples.back().part);
  }
  std::vector<cv::Mat> without = withoutCastShadows(parts, view.noise, view.light);
  if (findLight(all, parts, view))
    for (size_t i = 0; i < all.size(); i++)
      without[i] = withoutCastShadow(parts[i], view.light);
  for (size_t i = 0; i < all.size(); i++) {
    all[i].lit = samples[i].left(all[i].own, without[i]);
    all[i].isDoubtful = !view.light.isKnown && isDoubtful(all[i]);
    all[i].isShaded = view.light.isKnown && 25 * cv::countNonZero(darkPixels(parts[i], view.light)) > parts[i].area;
  }
  removeDetachedShadows(all, parts, view);
}
