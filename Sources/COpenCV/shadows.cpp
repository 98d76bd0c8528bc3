// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shadows.hpp"
#include "guarded.hpp"
#include "segments.hpp"
#include "warping.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// A cast shadow is ground with less light: darker by one factor, in all channels (T. Horprasert, D. Harwood and
// L. S. Davis: A statistical approach for real-time robust background subtraction and shadow detection, 1999), a factor
// with a limit (R. Cucchiara et al.: Detecting moving objects, ghosts, and shadows in video streams, 2003). So in
// logarithms it is flat, at one place of the histogram, and at the same one beside all things in one light. That may hold
// for grey things, too: what tells them from shadows is that a shadow has the outline of its thing, moved. One that does
// proves the light; the shadows of other things are then looked for in that light and in that direction.

namespace {

/// Side in pixels to which masks are reduced before they are moved, and that for thin shadows, which hardly fill a pixel
/// of the smaller ones.
constexpr int reducedSide = 48, thinSide = 96;
/// Mean cover of the pixels of a shadow, each weighted by its cover, below which it is thin.
constexpr double thinCover = 0.7;
/// The least cosine of the angle between the ways of two shadows in one light.
constexpr double sameWay = 0.85;
/// Share of a shadow that its thing explains at least: of one that proves the light, if the thing itself cannot be a
/// shadow or else, and of one in a light that is known.
constexpr double proof = 0.6, proofOfGrey = 0.7, enough = 0.25;
/// Share of a thing's shadow that may be missing where the part has shadows of several things.
constexpr double mostMissing = 0.2;
/// Difference of the logarithms of a shadow's light from that of a thing that is much darker, at least.
constexpr float muchDarker = 0.35f;

/// A guess what is shadow and what is a thing.
struct Guess {
  cv::Mat shadow;
  /// Its pixels that are no edges.
  cv::Mat core;
  cv::Mat thing;
  /// Way from the thing to its shadow.
  cv::Point way;
  /// Share of the shadow that the thing explains, at most 1.
  double fit = 0;
  int area = 0;
  bool isProof = false;
};

/// Returns the parts of a mask that are at least this large.
cv::Mat partsOf(const cv::Mat &mask, int area) {
  cv::Mat labels, statistics, centroids, result = cv::Mat::zeros(mask.size(), CV_8U);
  const int count = cv::connectedComponentsWithStats(mask, labels, statistics, centroids, 4);
  std::vector<uint8_t> keep(count, 0);
  for (int i = 1; i < count; i++)
    keep[i] = statistics.at<int>(i, cv::CC_STAT_AREA) >= area ? 255 : 0;
  for (int y = 0; y < mask.rows; y++) {
    const int *label = labels.ptr<int>(y);
    uint8_t *to = result.ptr(y);
    for (int x = 0; x < mask.cols; x++)
      to[x] = keep[label[x]];
  }
  return result;
}

/// Returns the connected parts of a mask that have some of the seeds in them.
cv::Mat connectedTo(const cv::Mat &seeds, const cv::Mat &mask) {
  cv::Mat labels, result = cv::Mat::zeros(mask.size(), CV_8U);
  std::vector<uint8_t> keep(cv::connectedComponents(mask, labels, 8), 0);
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      if (seeds.at<uint8_t>(y, x))
        keep[labels.at<int>(y, x)] = 255;
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      result.at<uint8_t>(y, x) = keep[labels.at<int>(y, x)];
  return result;
}

/// Returns a mask without the holes in which nothing of the ground is seen.
/// - Parameter ground: what the ground is.
cv::Mat withoutHoles(const cv::Mat &mask, const cv::Mat &ground) {
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  cv::Mat result = cv::Mat::zeros(mask.size(), CV_8U), labels;
  cv::drawContours(result, contours, -1, cv::Scalar(255), cv::FILLED);
  const int count = cv::connectedComponents(result & ~mask, labels, 4);
  if (count == 1)
    return result;
  std::vector<int> open(count, 0);
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      open[labels.at<int>(y, x)] += ground.at<uint8_t>(y, x) ? 1 : 0;
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      if (const int label = labels.at<int>(y, x); label > 0 && open[label] > 1)
        result.at<uint8_t>(y, x) = 0;
  return result;
}

/// Finds the way by which the thing, moved, covers the shadow best, and how well.
/// - Parameter way: the direction that is asked for; of length 0 for any.
void explain(Guess &guess, const cv::Mat &own, const cv::Rect &frame, cv::Point2d way, int side = reducedSide) {
  const double scale = std::min(1.0, 1.0 * side / std::max(own.cols, own.rows));
  const cv::Size size(std::max(1, cvRound(own.cols * scale)), std::max(1, cvRound(own.rows * scale)));
  cv::Mat thing, shadow, around, ground;
  cv::dilate(own, around, square(3));
  const cv::Mat outside = ~around;
  cv::resize(guess.thing, thing, size, 0, 0, cv::INTER_AREA);
  cv::resize(guess.core, shadow, size, 0, 0, cv::INTER_AREA);
  cv::resize(outside, ground, size, 0, 0, cv::INTER_AREA);
  thing.convertTo(thing, CV_32F, 1.0 / 255);
  shadow.convertTo(shadow, CV_32F, 1.0 / 255);
  ground.convertTo(ground, CV_32F, 1.0 / 255);
  const double sum = cv::sum(shadow)[0], squares = shadow.dot(shadow);
  if (side < thinSide && scale < 1 && squares < thinCover * sum)
    return explain(guess, own, frame, way, thinSide);
  // What lies beyond the part is ground, too, unless it is beyond the frame.
  const bool ends[] = {frame.y >= 0, frame.br().y <= own.rows, frame.x >= 0, frame.br().x <= own.cols};
  cv::Mat worth(size.height * 3, size.width * 3, CV_32F, cv::Scalar(-1)), scores;
  if (ends[0])
    worth.rowRange(0, size.height).setTo(0);
  if (ends[1])
    worth.rowRange(2 * size.height, 3 * size.height).setTo(0);
  if (ends[2])
    worth.colRange(0, size.width).setTo(0);
  if (ends[3])
    worth.colRange(2 * size.width, 3 * size.width).setTo(0);
  cv::Mat(shadow - ground).copyTo(worth(cv::Rect({size.width, size.height}, size)));
  cv::matchTemplate(worth, thing, scores, cv::TM_CCORR);
  float best = 0;
  cv::Point place(size.width, size.height);
  const bool isFree = way.dot(way) < 0.5;
  for (int y = 0; y < scores.rows; y++)
    for (int x = 0; x < scores.cols; x++) {
      const cv::Point2d moved(x - size.width, y - size.height);
      if (scores.at<float>(y, x) > best && (isFree || moved.dot(way) >= sameWay * cv::norm(moved))) {
        best = scores.at<float>(y, x);
        place = {x, y};
      }
    }
  guess.way = {cvRound((place.x - size.width) / scale), cvRound((place.y - size.height) / scale)};
  // A thing of the same outline covers each pixel by no more.
  guess.fit = squares > 0 ? std::min(1.0, best / squares) : 0;
}

/// Returns where the thing is on its way to the shadow's end.
cv::Mat swept(const Guess &guess) {
  cv::Mat result = cv::Mat::zeros(guess.thing.size(), CV_8U), moved;
  const int steps = std::max(1, std::min(16, static_cast<int>(cv::norm(guess.way) / 3)));
  for (int i = 1; i <= steps; i++) {
    const double share = static_cast<double>(i) / steps;
    const cv::Matx23d map(1, 0, cvRound(share * guess.way.x), 0, 1, cvRound(share * guess.way.y));
    warp(guess.thing, moved, map, result.size(), cv::INTER_NEAREST);
    result |= moved;
  }
  // The way is known to a pixel of the reduced masks.
  const int margin = 3 + std::max(result.cols, result.rows) / reducedSide;
  cv::dilate(result, moved, square(2 * margin + 1));
  // On the side of the light there is none.
  const double length = std::max(1.0, cv::norm(guess.way));
  const cv::Matx23d map(1, 0, margin * guess.way.x / length, 0, 1, margin * guess.way.y / length);
  warp(moved, result, map, result.size(), cv::INTER_NEAREST);
  return result;
}

/// Returns whether a guess takes a part of a thing for the shadow of the rest: both have the same light and colour.
bool isOfOnePiece(const Guess &guess, const ShadedPart &part, const ShadowLevel &light) {
  // What the camera's black and its noise add is more where there is less light.
  const float tolerance = 0.06f + 0.02f * std::exp(-light.level);
  if (std::abs(quantileUnder(part.luma, guess.thing, 1, 2) - light.level) > tolerance)
    return false;
  return part.tint.empty() ||
         cv::norm(cv::mean(part.tint, guess.thing) - cv::mean(part.tint, guess.shadow)) < tolerance;
}

int leastArea(const ShadedPart &part) { return std::max(8, part.area / 25); }

/// Finds out how well a guess is explained, and whether it proves the light.
/// - Parameter way: the direction in which shadows fall, if it is known.
void judge(Guess &guess, const ShadedPart &part, cv::Point2d way) {
  explain(guess, part.own, part.frame, way);
  // A thing that cannot be a shadow itself needs less of a proof.
  const int thing = cv::countNonZero(guess.thing), doubtful = cv::countNonZero(guess.thing & part.possible);
  guess.isProof = doubtful < 0.5 * thing ? guess.fit >= proof
                                         : guess.fit >= proofOfGrey && isLikelierShadow(lightOf(part, guess.core),
                                                                                        lightOf(part, guess.thing));
}

/// Makes a guess about a thing that is much darker than its shadow: whatever may be shadow and is nearer to its light than
/// to the thing's. Where a shadow is hardly wider than its blurred edges, few of its pixels have the light of its inside.
Guess guessBesideDark(const ShadowLevel &light, const ShadedPart &part, cv::Point2d way = {}) {
  Guess guess;
  const cv::Mat darker = part.own & (part.luma < light.level - muchDarker);
  if (cv::countNonZero(darker) < leastArea(part))
    return guess;
  const float limit = (light.level + quantileUnder(part.luma, darker, 1, 2)) / 2;
  const cv::Mat lighter = part.possible & (part.luma > limit);
  // The blurred edge of the thing is as light.
  cv::Mat edge, core;
  const cv::Mat thing = partsOf(part.own & ~lighter, 4);
  cv::dilate(thing, edge, square(5));
  cv::erode(lighter & (part.luma < light.level / 2) & ~edge, core, square(2), cv::Point(0, 0));
  cv::dilate(core, core, square(2), cv::Point(1, 1));
  core = partsOf(core, std::max(6, part.area / 40));
  cv::dilate(thing, edge, square(3));
  const cv::Mat all = connectedTo(core, (lighter & ~edge) | core);
  guess.thing = withoutHoles(partsOf(part.own & ~all, std::max(4, part.area / 25)), ~part.own | core);
  guess.core = core & ~guess.thing;
  guess.shadow = all & ~guess.thing;
  guess.area = cv::countNonZero(guess.core);
  if (guess.area < leastArea(part) || guess.area > 1.3 * cv::countNonZero(guess.thing))
    return Guess();
  judge(guess, part, way);
  return guess;
}

/// Makes a guess: the shadow is where the light is about this.
/// - Parameter way: the direction in which shadows fall, if it is known.
Guess guessAt(const ShadowLevel &light, const ShadedPart &part, double noise, cv::Point2d way = {}) {
  const Guess besideDark = guessBesideDark(light, part, way);
  if (besideDark.isProof)
    return besideDark;
  // The noise of a camera counts for more where there is less light.
  const float tolerance = 0.05f + static_cast<float>(noise * std::exp(-light.level));
  Guess guess;
  const cv::Mat dark = pixelsNear(part, light, tolerance);
  if (cv::countNonZero(dark) < leastArea(part))
    return guess;
  // Not the blurred edges of things.
  cv::Mat core, inner, lighter;
  cv::erode(dark, core, square(2), cv::Point(0, 0));
  cv::dilate(core, core, square(2), cv::Point(1, 1));
  core = partsOf(core, std::max(6, part.area / 40));
  // Beside the ground a shadow is lighter.
  cv::inRange(part.luma, light.level - tolerance, 0, lighter);
  cv::erode(part.own, inner, square(5), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  const cv::Mat all = connectedTo(core, dark | (lighter & part.possible & ~inner));
  guess.thing = withoutHoles(partsOf(part.own & ~all, std::max(4, part.area / 25)), ~part.own);
  guess.core = core & ~guess.thing;
  guess.shadow = all & ~guess.thing;
  guess.area = cv::countNonZero(guess.core);
  const int thing = cv::countNonZero(guess.thing);
  if (guess.area < leastArea(part) || thing == 0 || guess.area > 1.3 * thing || isOfOnePiece(guess, part, light))
    return Guess();
  judge(guess, part, way);
  return guess;
}

/// Returns whether shadows of one light explain more than those of another.
bool isBetter(const ShadowLevel &one, double gain, const ShadowLevel &other, double otherGain) {
  const bool areAlike = std::min(gain, otherGain) > 0.75 * std::max(gain, otherGain);
  if (!areAlike || std::abs(one.level - other.level) < 0.04)
    return gain > otherGain;
  return isLikelierShadow(one, other);
}

cv::Mat without(const Guess &guess, const cv::Mat &own) { return own & ~(guess.shadow & swept(guess)); }

/// Returns a part without the shadows of several things in it, each of which explains some of them; the whole part, if they
/// leave much unexplained.
/// - Parameter way: the direction in which shadows fall.
cv::Mat withoutSeveral(const Guess &guess, const ShadedPart &part, cv::Point2d way) {
  cv::Mat labels, around, moved, cast = cv::Mat::zeros(part.own.size(), CV_8U);
  cv::dilate(part.own, around, square(3));
  const int count = cv::connectedComponents(guess.thing, labels, 8);
  for (int i = 1; i < count; i++) {
    Guess one = guess;
    one.thing = labels == i;
    if (cv::countNonZero(one.thing) < std::max(12, part.area / 33))
      continue;
    explain(one, part.own, part.frame, way);
    const cv::Matx23d map(1, 0, one.way.x, 0, 1, one.way.y);
    warp(one.thing, moved, map, cast.size(), cv::INTER_NEAREST);
    // All of its shadow is seen there, but for what is under things or beyond the frame.
    const int seen = cv::countNonZero(moved & guess.shadow), missing = cv::countNonZero(moved & ~around);
    if (seen >= 8 && missing <= mostMissing * (seen + missing))
      cast |= swept(one);
  }
  const bool areExplained = cv::countNonZero(cast & guess.core) >= proofOfGrey * guess.area;
  return areExplained ? part.own & ~(guess.shadow & cast) : part.own;
}

} // namespace

std::vector<cv::Mat> withoutCastShadows(const std::vector<ShadedPart> &parts, double noise, ShadowLight &light) {
  light = ShadowLight();
  light.noise = noise;
  std::vector<const ShadedPart *> all;
  std::vector<cv::Mat> result;
  int area = 0;
  for (const ShadedPart &part : parts) {
    all.push_back(&part);
    result.push_back(part.own);
    area += part.area;
  }
  ShadowLevel best;
  double bestGain = 0;
  std::vector<Guess> guesses(parts.size());
  for (const ShadowLevel &level : shadowLevels(all, std::max(8, area / 100))) {
    double gain = 0;
    std::vector<Guess> own;
    for (const ShadedPart &part : parts) {
      own.push_back(guessAt(level, part, noise));
      gain += own.back().isProof ? own.back().fit * own.back().area : 0;
    }
    if (gain > 0 && (bestGain == 0 || isBetter(level, gain, best, bestGain))) {
      best = level;
      bestGain = gain;
      guesses = own;
    }
  }
  if (bestGain == 0)
    return result;
  light.isKnown = true;
  light.level = best;
  light.gain = bestGain;
  cv::Point2d sum;
  int count = 0;
  for (const Guess &guess : guesses)
    if (guess.isProof && (guess.way.x != 0 || guess.way.y != 0)) {
      sum += cv::Point2d(guess.way) / cv::norm(guess.way);
      count++;
    }
  if (cv::norm(sum) > 0.8 * count)
    light.way = sum / cv::norm(sum);
  for (size_t i = 0; i < parts.size(); i++)
    result[i] = guesses[i].isProof ? without(guesses[i], parts[i].own) : withoutCastShadow(parts[i], light);
  return result;
}

cv::Mat withoutCastShadow(const ShadedPart &part, const ShadowLight &light) {
  if (!light.isKnown)
    return part.own;
  const Guess guess = guessAt(light.level, part, light.noise, light.way);
  const bool hasWay = light.way.dot(light.way) > 0;
  if (guess.area == 0)
    return part.own;
  if (guess.fit >= (hasWay ? enough : proof))
    return without(guess, part.own);
  return hasWay ? withoutSeveral(guess, part, light.way) : part.own;
}

Cast castBy(const cv::Mat &thing, const cv::Mat &shadow, const cv::Rect &frame, cv::Point2d way) {
  Guess guess;
  guess.thing = thing;
  guess.core = shadow;
  explain(guess, thing | shadow, frame, way);
  return {guess.fit, guess.way};
}
