// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

// Parts of a thing that cover half of what is behind them, as the teeth of a comb or the bristles of a brush do, are grey from
// afar: in the outline of one picture, and not in that of the next. So such a thing has two more shapes, with these parts and
// without them, which are the same in all pictures; and how much of the parts is covered is compared as well.

namespace {

/// Standard deviation of the blur in which single teeth are not seen, in pixels of the cut-out, where the thing is 144 long.
constexpr double blur = 3;
/// Coverage of faint parts, their least area as a share of the thing's, and the least coverage of what has its colour. Along
/// blurred edges coverage is that of faint parts, too: in a narrower band than `leastWidth`.
constexpr double least = 0.15, most = 0.7, leastShare = 0.12, fullCoverage = 0.85;
constexpr int leastWidth = 9;
/// Width of what is left of teeth where these end, and of gaps between them.
constexpr int rest = 5, gap = 7;
/// The least area of a shape in pixels.
constexpr double leastArea = 50;
/// The least share of the trained shape's faint parts that the query's picture has to show.
constexpr double leastSeen = 0.25;

/// Returns those parts of a mask that touch another one.
cv::Mat touching(const cv::Mat &parts, const cv::Mat &other) {
  cv::Mat labels, near, result = cv::Mat::zeros(parts.size(), CV_8U);
  cv::dilate(other, near, cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(gap, gap)));
  const int count = cv::connectedComponents(parts, labels);
  for (int i = 1; i < count; i++) {
    const cv::Mat part = labels == i;
    if (cv::countNonZero(part & near) > 0)
      result |= part;
  }
  return result;
}

/// Returns the shape of a mask's largest part, which has no holes, with the colour of some pixels; null if there is none.
std::unique_ptr<Shape> shapeOf(const cv::Mat &mask, const cv::Mat &colored, const CutOut &cutOut, const Silhouette &from) {
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  const auto largest = std::max_element(contours.begin(), contours.end(), [](const auto &a, const auto &b) {
    return cv::contourArea(a) < cv::contourArea(b);
  });
  if (largest == contours.end() || cv::contourArea(*largest) < leastArea)
    return nullptr;
  Silhouette own = from;
  own.outline = cutOut.placed(*largest);
  own.holes.clear();
  own.tone = cutOut.tone(colored);
  auto shape = std::make_unique<Shape>(std::move(own));
  return shape->isSound() ? std::move(shape) : nullptr;
}

} // namespace

int sv_cv_shape_split(SVCVShape *shape, SVCVShape **whole, SVCVShape **solid, char *error) {
  *whole = *solid = nullptr;
  return guardedInThisThread(error, [&] {
    Shape &own = as<Shape>(shape);
    const std::shared_ptr<const CutOut> held = std::move(own.silhouette.cutOut);
    if (!held || held->contrast.empty())
      return;
    const CutOut &cutOut = *held;
    const float strength = quantileUnder(cutOut.contrast, cutOut.thing, 9, 10, 4);
    if (strength <= 0)
      return;
    cv::Mat blurred;
    const cv::Mat coverage = cv::min(cutOut.contrast / strength, 1.0);
    cv::GaussianBlur(coverage, blurred, cv::Size(), blur);
    const cv::Mat faint =
        touching(morphed((blurred > least) & (blurred < most), cv::MORPH_OPEN, leastWidth), cutOut.thing);
    if (cv::countNonZero(faint) < leastShare * cv::countNonZero(cutOut.thing))
      return;
    const cv::Mat clear = morphed(cutOut.thing & ~faint, cv::MORPH_OPEN, rest);
    const cv::Mat closed = morphed(cutOut.thing | faint, cv::MORPH_CLOSE, gap);
    // Without edges, where the ground is seen, too.
    const cv::Mat full = clear & (coverage > fullCoverage), &colored = cv::countNonZero(full) > 0 ? full : clear;
    std::unique_ptr<Shape> first = shapeOf(closed, colored, cutOut, own.silhouette);
    std::unique_ptr<Shape> second = shapeOf(clear, colored, cutOut, own.silhouette);
    if (!first || !second)
      return;
    own.faint = faint;
    own.coverage = coverage;
    own.map = cutOut.map();
    *whole = first.release();
    *solid = second.release();
  });
}

int sv_cv_shape_compare_faint(SVCVShape *query, SVCVShape *trained, SVCVSimilarity between, double *difference,
                              char *error) {
  *difference = 1;
  return guardedInThisThread(error, [&] {
    const Shape &a = as<Shape>(query), &b = as<Shape>(trained);
    if (a.faint.empty() || b.faint.empty())
      return;
    const cv::Matx33d map = b.map.inv() * matrix(between) * a.map;
    const double size = std::abs(map(0, 0) * map(1, 1) - map(0, 1) * map(1, 0));
    cv::Mat faint;
    cv::warpAffine(b.faint, faint, map.get_minor<2, 3>(0, 0), a.coverage.size(), cv::INTER_NEAREST | cv::WARP_INVERSE_MAP);
    if (cv::countNonZero(faint) * size < leastSeen * cv::countNonZero(b.faint))
      return;
    *difference = std::abs(cv::mean(a.coverage, faint)[0] - cv::mean(b.coverage, b.faint)[0]);
  });
}
