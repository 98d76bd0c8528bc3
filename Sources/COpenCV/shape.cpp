// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.hpp"

#include <cmath>
#include <complex>
#include <opencv2/imgproc.hpp>

namespace {

using Complex = std::complex<float>;

/// Highest frequency of outlines that the first comparison looks at.
constexpr int highest = 24;
/// Side of the picture of holes, and its scale: four sizes are as long.
constexpr int holeSide = 48;
constexpr double holeScale = holeSide / 4.0;

double lengthOf(const Polygon &closed) {
  double length = 0;
  for (size_t i = 0; i < closed.size(); i++)
    length += cv::norm(closed[i] - closed[(i + 1) % closed.size()]);
  return length;
}

/// Returns places at equal distances along a closed outline.
Polygon resampled(const Polygon &closed, int count) {
  Polygon result;
  const double step = lengthOf(closed) / count;
  double next = 0, passed = 0;
  for (size_t i = 0; i < closed.size() && static_cast<int>(result.size()) < count; i++) {
    const cv::Point2f a = closed[i], b = closed[(i + 1) % closed.size()];
    const double length = cv::norm(b - a);
    while (length > 0 && next <= passed + length && static_cast<int>(result.size()) < count) {
      result.push_back(a + (b - a) * ((next - passed) / length));
      next += step;
    }
    passed += length;
  }
  while (static_cast<int>(result.size()) < count)
    result.push_back(closed.back());
  return result;
}

/// Smooths a closed line by a Gaussian filter whose sigma is a number of its places.
Polygon smoothed(const Polygon &closed, double sigma) {
  const int reach = static_cast<int>(std::ceil(3 * sigma)), count = static_cast<int>(closed.size());
  std::vector<float> weights;
  float sum = 0;
  for (int i = -reach; i <= reach; i++) {
    weights.push_back(static_cast<float>(std::exp(-i * i / (2 * sigma * sigma))));
    sum += weights.back();
  }
  Polygon result(closed.size());
  for (int i = 0; i < count; i++)
    for (int j = -reach; j <= reach; j++)
      result[static_cast<size_t>(i)] +=
          closed[static_cast<size_t>(((i + j) % count + count) % count)] * (weights[static_cast<size_t>(j + reach)] / sum);
  return result;
}

/// A similarity between outlines: z → turn z + shift; the second one's place where the first one starts.
struct Match {
  cv::Point2d turn;
  cv::Point2d shift;
  int start;
};

cv::Point2d times(cv::Point2d a, cv::Point2d b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

/// Returns the place nearest to `point` on a closed outline, from a number of its sides about one of them.
cv::Point2d nearest(const Polygon &closed, cv::Point2d point, int middle, int reach, double &square) {
  const int count = Shape::samples;
  cv::Point2d best;
  square = 1e9;
  for (int i = middle - reach; i <= middle + reach; i++) {
    const cv::Point2d a = closed[static_cast<size_t>((i % count + count) % count)];
    const cv::Point2d side = cv::Point2d(closed[static_cast<size_t>(((i + 1) % count + count) % count)]) - a;
    const double length = side.dot(side), along = length > 0 ? (point - a).dot(side) / length : 0;
    const cv::Point2d place = a + side * std::max(0.0, std::min(1.0, along));
    const double own = (point - place).dot(point - place);
    if (own < square) {
      square = own;
      best = place;
    }
  }
  return best;
}

/// Number of sides of an outline, to both directions, in which the nearest place is looked for.
constexpr int reach = 10;

/// Improves a match by the similarity between places of the first and the nearest ones of the second (iterated closest
/// points; Besl and McKay, 1992).
void improve(const Shape &a, const Shape &b, Match &match) {
  cv::Point2d meanA, meanB, cross;
  double power = 0;
  std::vector<cv::Point2d> targets;
  for (int i = 0; i < Shape::samples; i++) {
    double square;
    const cv::Point2d place = a.places[static_cast<size_t>(i)];
    targets.push_back(nearest(b.places, times(match.turn, place) + match.shift, i + match.start, reach, square));
    meanA += place / Shape::samples;
    meanB += targets.back() / Shape::samples;
  }
  for (int i = 0; i < Shape::samples; i++) {
    const cv::Point2d from = cv::Point2d(a.places[static_cast<size_t>(i)]) - meanA;
    const cv::Point2d to = targets[static_cast<size_t>(i)] - meanB;
    cross += times(to, {from.x, -from.y});
    power += from.dot(from);
  }
  if (power <= 0 || cross.dot(cross) <= 0)
    return;
  match.turn = cross / power;
  match.shift = meanB - times(match.turn, meanA);
}

/// Computes the mean square of the distances between both outlines, in both directions.
double meanSquare(const Shape &a, const Shape &b, const Match &match) {
  Polygon moved;
  for (const cv::Point2f &place : a.places)
    moved.push_back(cv::Point2d(times(match.turn, place) + match.shift));
  double sum = 0;
  for (int i = 0; i < Shape::samples; i++) {
    double there, back;
    nearest(b.places, moved[static_cast<size_t>(i)], i + match.start, reach, there);
    nearest(moved, b.places[static_cast<size_t>(i)], i - match.start, reach, back);
    sum += there + back;
  }
  return sum / (2 * Shape::samples);
}

} // namespace

namespace {

Polygon polygon(const SVCVPoint *outline, int corners) {
  Polygon result;
  for (int i = 0; i < corners; i++)
    result.emplace_back(static_cast<float>(outline[i].x), static_cast<float>(outline[i].y));
  return result;
}

} // namespace

Shape::Shape(Silhouette what) : silhouette(std::move(what)) {
  const Polygon &own = silhouette.outline;
  const double perimeter = lengthOf(own);
  if (!(perimeter > 0 && perimeter < 1e9))
    return;
  const cv::Rect2f box = cv::boundingRect(own);
  length = std::max(box.width, box.height);
  // Steps of pixels are smoothed away, and what a small picture cannot show.
  constexpr int fine = 4 * samples;
  places = resampled(smoothed(resampled(own, fine), 0.012 * length * fine / perimeter), samples);
  for (const cv::Point2f &place : places)
    middle += cv::Point2d(place) / samples;
  double sum = 0;
  for (const cv::Point2f &place : places)
    sum += (cv::Point2d(place) - middle).dot(cv::Point2d(place) - middle) / samples;
  size = std::sqrt(sum);
  if (!isSound())
    return;
  // In one sense of rotation, whatever the outline's.
  if (cv::contourArea(places, true) < 0)
    std::reverse(places.begin(), places.end());
  for (cv::Point2f &place : places)
    place = cv::Point2d((cv::Point2d(place) - middle) / size);
  cv::dft(cv::Mat(places).reshape(2, 1), spectrum, cv::DFT_COMPLEX_INPUT | cv::DFT_COMPLEX_OUTPUT);
  spectrum.at<cv::Vec2f>(0) = 0;
  spectrum.colRange(highest + 1, samples - highest).setTo(0);
  cv::normalize(spectrum, spectrum);
  if (silhouette.holes.empty())
    return;
  const cv::Matx33d map(size / holeScale, 0, middle.x - 2 * size, 0, size / holeScale, middle.y - 2 * size, 0, 0, 1);
  Silhouette whole = silhouette;
  whole.holes.clear();
  const cv::Size four(4 * holeSide, 4 * holeSide);
  const cv::Matx33d finer = map * cv::Matx33d(0.25, 0, 0, 0, 0.25, 0, 0, 0, 1);
  const cv::Mat all = whole.mask(finer, four), left = silhouette.mask(finer, four);
  solid = cv::countNonZero(left) / std::max(1.0, static_cast<double>(cv::countNonZero(all)));
  cv::resize(all - left, holes, cv::Size(holeSide, holeSide), 0, 0, cv::INTER_AREA);
  holes.convertTo(holes, CV_32F, 1 / 255.0);
  cv::GaussianBlur(holes, holes, cv::Size(), 0.8);
}

SVCVShape *sv_cv_shape_create(SVCVImage picture, const SVCVPoint *outline, int corners, double precision, int isLit,
                              char *error) {
  SVCVObject *object = nullptr;
  guardedInThisThread(error, [&]() -> Problem {
    const cv::Mat pixels = view(picture);
    const Polygon coarse = polygon(outline, corners);
    if ((cv::Rect(cv::boundingRect(coarse)) & cv::Rect({}, pixels.size())).empty())
      return "the outline is outside the image";
    auto shape = std::make_unique<Shape>(Silhouette(pixels, coarse, precision, isLit != 0));
    if (!shape->isSound())
      return "the outline has no extent";
    object = shape.release();
    return {};
  });
  return object;
}

int sv_cv_shape_facts(SVCVShape *shape, SVCVShapeFacts *facts, char *error) {
  return guardedInThisThread(error, [&] {
    const Shape &own = as<Shape>(shape);
    const Silhouette &silhouette = own.silhouette;
    *facts = {own.length,
              cv::contourArea(silhouette.outline),
              2 * cv::contourArea(own.places) / lengthOf(own.places),
              {},
              silhouette.isExact ? 1 : 0,
              silhouette.hasNarrowShadow ? 1 : 0};
    for (int c = 0; c < 3; c++)
      facts->tone[c] = silhouette.tone[silhouette.channels == 3 ? c : 0];
  });
}

int sv_cv_shape_align(SVCVShape *query, SVCVShape *trained, SVCVShapeMatch *match, char *error) {
  return guardedInThisThread(error, [&] {
    const Shape &a = as<Shape>(query), &b = as<Shape>(trained);
    cv::Mat product, turns;
    cv::mulSpectrums(a.spectrum, b.spectrum, product, 0, true);
    cv::dft(product, turns, cv::DFT_COMPLEX_INPUT | cv::DFT_COMPLEX_OUTPUT);
    double best = -1;
    for (int i = 0; i < Shape::samples; i++) {
      const cv::Vec2f value = turns.at<cv::Vec2f>(i);
      const double power = value.dot(value);
      if (power > best) {
        best = power;
        *match = {};
        match->outlines.turn = {value[0], -value[1]};
        match->start = i;
      }
    }
    best = std::sqrt(best);
    match->distance = std::sqrt(std::max(0.0, 1 - best * best));
    match->outlines.turn.x /= best;
    match->outlines.turn.y /= best;
  });
}

int sv_cv_shape_compare(SVCVShape *query, SVCVShape *trained, SVCVShapeMatch *match, char *error) {
  return guardedInThisThread(error, [&] {
    const Shape &a = as<Shape>(query), &b = as<Shape>(trained);
    const SVCVSimilarity &first = match->outlines;
    Match own{{first.turn.x, first.turn.y}, {first.shift.x, first.shift.y}, match->start};
    for (int round = 0; round < 4; round++)
      improve(a, b, own);
    match->distance = std::sqrt(meanSquare(a, b, own));
    match->outlines = {{own.turn.x, own.turn.y}, {own.shift.x, own.shift.y}};
    const cv::Point2d linear = own.turn * (b.size / a.size), start = b.middle + own.shift * b.size - times(linear, a.middle);
    match->pictures = {{linear.x, linear.y}, {start.x, start.y}};
    match->holes = 0;
    if (a.holes.empty() && b.holes.empty())
      return;
    const cv::Mat none = cv::Mat::zeros(holeSide, holeSide, CV_32F);
    const cv::Mat &ours = a.holes.empty() ? none : a.holes, &theirs = b.holes.empty() ? none : b.holes;
    const double half = holeSide / 2.0 - 0.5;
    const cv::Point2d c = own.turn, s = own.shift * holeScale;
    const cv::Matx23d map(c.x, -c.y, half - c.x * half + c.y * half + s.x, c.y, c.x, half - c.y * half - c.x * half + s.y);
    cv::Mat aligned;
    cv::warpAffine(theirs, aligned, map, none.size(), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
    const double unit = holeScale * holeScale, most = std::max(cv::sum(ours)[0], cv::sum(aligned)[0]);
    match->holes = cv::norm(ours, aligned, cv::NORM_L1) / (unit + most);
  });
}
