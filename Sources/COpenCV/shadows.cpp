// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shadows.hpp"
#include "guarded.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

// A cast shadow is ground with less light: darker by one factor, in all channels (T. Horprasert, D. Harwood and
// L. S. Davis: A statistical approach for real-time robust background subtraction and shadow detection, 1999), a factor
// with a limit (R. Cucchiara et al.: Detecting moving objects, ghosts, and shadows in video streams, 2003). So in
// logarithms it is flat, at one place of the histogram. That holds for grey things, too: what tells them from shadows is
// that a shadow has the outline of its thing, moved.

namespace {

/// Logarithms of the factors that shadows may have.
constexpr float darkest = -1.7f, lightest = -0.05f;
/// Length of a shadow's difference in colour from the ground's, as a share of the logarithm of its factor.
constexpr double greatestTint = 0.09;
/// Logarithms per bin of the histogram.
constexpr float binWidth = 0.025f;
/// Side in pixels to which masks are reduced before they are moved.
constexpr int reducedSide = 40;

/// Light and colour of each pixel of something that may have a shadow.
struct Appearance {
  cv::Mat luma;
  /// Colour's differences from luma, 3 channels; empty in grey pictures.
  cv::Mat tint;
  /// Pixels that may be a shadow by light and colour.
  cv::Mat possible;
  /// Pixels among these with a flat surrounding.
  cv::Mat flat;
};

/// A guess what is shadow and what is a thing.
struct Guess {
  cv::Mat shadow;
  cv::Mat thing;
  /// Way from the thing to its shadow.
  cv::Point way;
  /// Share of the shadow that the thing explains, at most 1.
  double fit = 0;
  int area = 0;
  /// Light of the shadow, and the length of its colour's difference from the ground's as a share of that.
  float level = 0;
  double tint = 0;
};

Appearance appearanceOf(const cv::Mat &own, const cv::Mat &residual, double noise) {
  Appearance result;
  cv::Mat allowed = own.clone();
  const float grain = static_cast<float>(0.7 * noise);
  if (residual.channels() == 1) {
    result.luma = residual;
  } else {
    result.luma.create(residual.size(), CV_32F);
    result.tint.create(residual.size(), CV_32FC3);
    for (int y = 0; y < residual.rows; y++) {
      const cv::Vec3f *from = residual.ptr<cv::Vec3f>(y);
      cv::Vec3f *tint = result.tint.ptr<cv::Vec3f>(y);
      float *luma = result.luma.ptr<float>(y);
      uint8_t *allow = allowed.ptr(y);
      for (int x = 0; x < residual.cols; x++) {
        luma[x] = (from[x][0] + from[x][1] + from[x][2]) / 3;
        tint[x] = from[x] - cv::Vec3f::all(luma[x]);
        // Tinted by what light remains, but not much; noise counts for more where there is less light.
        const float dark = -std::max(darkest, luma[x]), limit = 0.12f * std::abs(luma[x]) + 0.03f + grain * (1 + dark + dark * dark);
        if (tint[x].dot(tint[x]) > limit * limit)
          allow[x] = 0;
      }
    }
  }
  cv::Mat inRange, upper, lower;
  cv::inRange(result.luma, darkest, lightest, inRange);
  result.possible = allowed & inRange;
  const cv::Mat square = cv::Mat::ones(3, 3, CV_8U);
  cv::dilate(result.luma, upper, square);
  cv::erode(result.luma, lower, square);
  result.flat = result.possible & (upper - lower < 0.12 + 6 * noise);
  return result;
}

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

/// Returns a mask without its holes.
cv::Mat withoutHoles(const cv::Mat &mask) {
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  cv::Mat result = cv::Mat::zeros(mask.size(), CV_8U);
  cv::drawContours(result, contours, -1, cv::Scalar(255), cv::FILLED);
  return result;
}

/// Finds the way by which the thing, moved, covers the shadow best, and how well.
void explain(Guess &guess, const cv::Mat &own, const cv::Rect &frame) {
  const double scale = std::min(1.0, 1.0 * reducedSide / std::max(own.cols, own.rows));
  const cv::Size size(std::max(1, cvRound(own.cols * scale)), std::max(1, cvRound(own.rows * scale)));
  cv::Mat thing, shadow, around, ground;
  cv::dilate(own, around, cv::Mat::ones(3, 3, CV_8U));
  const cv::Mat outside = ~around;
  cv::resize(guess.thing, thing, size, 0, 0, cv::INTER_AREA);
  cv::resize(guess.shadow, shadow, size, 0, 0, cv::INTER_AREA);
  cv::resize(outside, ground, size, 0, 0, cv::INTER_AREA);
  thing.convertTo(thing, CV_32F, 1.0 / 255);
  shadow.convertTo(shadow, CV_32F, 1.0 / 255);
  ground.convertTo(ground, CV_32F, 1.0 / 255);
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
  double best = 0;
  cv::Point place;
  cv::minMaxLoc(scores, nullptr, &best, nullptr, &place);
  guess.way = {cvRound((place.x - size.width) / scale), cvRound((place.y - size.height) / scale)};
  const double sum = cv::sum(shadow)[0];
  guess.fit = sum > 0 ? best / sum : 0;
}

/// Returns where the thing is on its way to the shadow's end.
cv::Mat swept(const Guess &guess) {
  cv::Mat result = cv::Mat::zeros(guess.thing.size(), CV_8U), moved;
  const int steps = std::max(1, std::min(16, static_cast<int>(cv::norm(guess.way) / 3)));
  for (int i = 1; i <= steps; i++) {
    const double share = static_cast<double>(i) / steps;
    const cv::Matx23d map(1, 0, cvRound(share * guess.way.x), 0, 1, cvRound(share * guess.way.y));
    cv::warpAffine(guess.thing, moved, map, result.size(), cv::INTER_NEAREST);
    result |= moved;
  }
  // The way is known to a pixel of the reduced masks.
  const int margin = 3 + std::max(result.cols, result.rows) / reducedSide;
  cv::dilate(result, result, cv::Mat::ones(2 * margin + 1, 2 * margin + 1, CV_8U));
  return result;
}

/// Makes a guess: the shadow is where the light is about `level`.
Guess guessAt(float level, float tolerance, bool isNeutral, const Appearance &seen, const cv::Mat &own, int ownArea) {
  Guess guess;
  guess.level = level;
  cv::Mat near, lighter;
  cv::inRange(seen.luma, level - tolerance, level + tolerance, near);
  near &= seen.possible;
  if (!seen.tint.empty()) {
    const cv::Scalar color = isNeutral ? cv::Scalar::all(0) : cv::mean(seen.tint, near & seen.flat);
    cv::Mat difference = seen.tint - color;
    const float limit = isNeutral ? 0.8f * tolerance : 0.03f + tolerance;
    for (int y = 0; y < near.rows; y++) {
      const cv::Vec3f *row = difference.ptr<cv::Vec3f>(y);
      uint8_t *allow = near.ptr(y);
      for (int x = 0; x < near.cols; x++)
        if (row[x].dot(row[x]) > limit * limit)
          allow[x] = 0;
    }
  }
  if (!seen.tint.empty())
    guess.tint = cv::norm(cv::mean(seen.tint, near & seen.flat)) / -level;
  const cv::Mat square = cv::Mat::ones(3, 3, CV_8U);
  cv::morphologyEx(near, near, cv::MORPH_OPEN, square);
  cv::Mat core = partsOf(near, std::max(6, ownArea / 40)), rim;
  // Along its edge a shadow is lighter.
  cv::dilate(core, rim, cv::Mat::ones(5, 5, CV_8U));
  cv::inRange(seen.luma, level - tolerance, 0, lighter);
  core |= rim & lighter & seen.possible;
  cv::Mat thing = own & ~core;
  cv::morphologyEx(thing, thing, cv::MORPH_OPEN, square);
  const int area = cv::countNonZero(thing);
  guess.thing = withoutHoles(partsOf(thing, std::max(4, area / 12)));
  guess.shadow = core & ~guess.thing;
  guess.area = cv::countNonZero(guess.shadow);
  return guess;
}

/// Returns whether a guess takes a part of a thing for the shadow of the rest: both have the same light and colour.
bool isOfOnePiece(const Guess &guess, const Appearance &seen) {
  // What the camera's black and its noise add is more where there is less light.
  const float tolerance = 0.06f + 0.02f * std::exp(-guess.level);
  if (std::abs(quantileUnder(seen.luma, guess.thing, 1, 2) - guess.level) > tolerance)
    return false;
  return seen.tint.empty() ||
         cv::norm(cv::mean(seen.tint, guess.thing) - cv::mean(seen.tint, guess.shadow)) < tolerance;
}

/// Returns the levels of light that many flat pixels have.
std::vector<float> levelsOf(const Appearance &seen, int least) {
  constexpr int count = static_cast<int>((lightest - darkest) / binWidth) + 1;
  int bins[count + 4] = {};
  for (int y = 0; y < seen.luma.rows; y++) {
    const float *luma = seen.luma.ptr<float>(y);
    const uint8_t *flat = seen.flat.ptr(y);
    for (int x = 0; x < seen.luma.cols; x++)
      if (flat[x])
        bins[2 + std::max(0, std::min(count - 1, static_cast<int>((luma[x] - darkest) / binWidth)))]++;
  }
  std::vector<std::pair<int, float>> peaks;
  auto mass = [&](int i) { return bins[i - 1] + 2 * bins[i] + bins[i + 1]; };
  for (int i = 2; i < count + 2; i++) {
    const int near = bins[i - 1] + bins[i] + bins[i + 1];
    if (near >= least && mass(i) >= (i > 2 ? mass(i - 1) : 0) && mass(i) > (i < count + 1 ? mass(i + 1) : 0)) {
      const float place = (bins[i + 1] - bins[i - 1]) / static_cast<float>(near);
      peaks.push_back({near, darkest + binWidth * (i - 2 + 0.5f + place)});
    }
  }
  std::sort(peaks.rbegin(), peaks.rend());
  std::vector<float> levels;
  for (size_t i = 0; i < std::min<size_t>(4, peaks.size()); i++)
    levels.push_back(peaks[i].second);
  return levels;
}

/// Returns whether a guess explains more than another. If each of two could be the shadow of the other, the one that has
/// the ground's colour is a shadow, or else the lighter one.
bool isBetter(const Guess &one, const Guess &other) {
  const double gain = one.fit * one.area, otherGain = other.fit * other.area;
  const bool areAlike = std::min(gain, otherGain) > 0.75 * std::max(gain, otherGain);
  if (!areAlike || std::abs(one.level - other.level) < 0.04)
    return gain > otherGain;
  if (std::max(one.tint, other.tint) > 0.01 && std::min(one.tint, other.tint) < 0.6 * std::max(one.tint, other.tint))
    return one.tint < other.tint;
  return one.level > other.level;
}

} // namespace

cv::Mat withoutCastShadow(const cv::Mat &own, const cv::Mat &residual, const cv::Rect &frame, double noise,
                          double leastFit) {
  const Appearance seen = appearanceOf(own, residual, noise);
  const int area = cv::countNonZero(own), least = std::max(8, area / 25);
  if (cv::countNonZero(seen.flat) < least)
    return own;
  Guess best;
  for (const float level : levelsOf(seen, least)) {
    // The noise of a camera counts for more where there is less light.
    const float grain = static_cast<float>(noise * std::exp(-level));
    const float tolerances[] = {0.03f + grain, 0.08f + grain, 0.03f + grain};
    for (int i = 0; i < (seen.tint.empty() ? 2 : 3) && best.fit < 0.9; i++) {
      Guess guess = guessAt(level, tolerances[i], i == 2, seen, own, area);
      const int thing = cv::countNonZero(guess.thing);
      if (guess.area < least || thing == 0 || guess.area > 1.3 * thing || guess.tint > greatestTint ||
          isOfOnePiece(guess, seen))
        continue;
      explain(guess, own, frame);
      // A thing that cannot be a shadow itself needs less of a proof.
      const int doubtful = cv::countNonZero(guess.thing & seen.possible);
      if (guess.fit >= std::max(leastFit, doubtful < 0.5 * thing ? 0.45 : 0.6) && isBetter(guess, best))
        best = guess;
    }
  }
  return best.area > 0 ? own & ~(best.shadow & swept(best)) : own;
}

bool mayBeShadow(const cv::Mat &own, const cv::Mat &residual, double noise) {
  const Appearance seen = appearanceOf(own, residual, noise);
  cv::Mat inner;
  cv::erode(own, inner, cv::Mat::ones(3, 3, CV_8U), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  // Of something thin there is no inside.
  if (cv::countNonZero(inner) < 0.4 * cv::countNonZero(own))
    inner = own;
  const int area = cv::countNonZero(inner);
  for (const float level : levelsOf(seen, std::max(8, area / 3))) {
    const float tolerance = 0.05f + 3 * static_cast<float>(noise * std::exp(-level));
    cv::Mat near;
    cv::inRange(seen.luma, level - tolerance, level + tolerance, near);
    near &= inner & seen.possible;
    const double tint = seen.tint.empty() ? 0 : cv::norm(cv::mean(seen.tint, near)) / -level;
    if (cv::countNonZero(near) > 0.8 * area && tint < greatestTint)
      return true;
  }
  return false;
}
