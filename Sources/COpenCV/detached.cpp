// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "segments.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Shadows that do not touch their things. Such a shadow is a component of its own, of ground with less light, and has the
// outline of a thing beside it. The light is known from shadows that touch their things, or from several that do not, which
// are equally dark and fall in one direction.

namespace {

/// Share of a shadow that its thing explains at least, in a light whose direction is known, and else or if it is not dark all
/// over.
constexpr double enough = 0.7, proof = 0.85;
/// Area of a shadow as a multiple of its thing's, at most, and the least area of a thing.
constexpr double largest = 1.3;
constexpr int leastArea = 12;
/// The least cosine of the angle between the ways of shadows that prove a light together.
constexpr double sameWay = 0.97;

/// A connected part of what is left of a component without its shadow: a thing that may have a shadow elsewhere.
struct Thing {
  size_t component;
  cv::Rect place;
  cv::Mat own;
  int area;
  /// Area of the shadow that was taken from it.
  int taken;
};

std::vector<Thing> thingsOf(const std::vector<Component> &all) {
  std::vector<Thing> result;
  for (size_t i = 0; i < all.size(); i++) {
    cv::Mat labels, statistics, centroids;
    const int count = cv::connectedComponentsWithStats(all[i].lit, labels, statistics, centroids, 8);
    const int taken = cv::countNonZero(all[i].own & ~all[i].lit);
    const size_t first = result.size();
    for (int label = 1; label < count; label++) {
      const int *row = statistics.ptr<int>(label);
      const cv::Rect place(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH], row[cv::CC_STAT_HEIGHT]);
      if (row[cv::CC_STAT_AREA] >= leastArea)
        result.push_back({i, place + all[i].part.tl(), labels(place) == label, row[cv::CC_STAT_AREA], taken});
    }
    // Of several it is not known whose shadow that was.
    for (size_t j = first; j < result.size() && result.size() > first + 1; j++)
      result[j].taken = 0;
  }
  return result;
}

/// Returns how well a component is explained as the shadow of a thing.
Cast explained(const Thing &thing, const Component &shadow, int area, const cv::Rect &frame, cv::Point2d way) {
  const double reach = 1.1 * std::hypot(thing.place.width, thing.place.height) + 2;
  const cv::Point between = (shadow.part.tl() + shadow.part.br() - thing.place.tl() - thing.place.br()) / 2;
  if (cv::norm(between) > reach || area > largest * thing.area)
    return {};
  const cv::Rect both = shadow.part | thing.place;
  cv::Mat first = cv::Mat::zeros(both.size(), CV_8U), second = first.clone();
  shadow.own.copyTo(first(shadow.part - both.tl()));
  thing.own.copyTo(second(thing.place - both.tl()));
  return castBy(second, first, frame - both.tl(), way);
}

/// What a shadow beside its thing tells of the light.
struct Pair {
  /// Direction in which it falls, of length 1.
  cv::Point2d way;
  ShadowLevel light;
  /// Area that is explained.
  double gain;
};

bool areOfOneLight(const Pair &one, const Pair &other, double noise) {
  const double tolerance = 0.04 + noise * std::exp(-one.light.level);
  return one.way.dot(other.way) > sameWay && std::abs(one.light.level - other.light.level) < tolerance &&
         cv::norm(one.light.tint - other.light.tint) < tolerance;
}

} // namespace

bool findLight(const std::vector<Component> &all, const std::vector<ShadedPart> &parts, View &view) {
  std::vector<bool> suspects;
  for (const ShadedPart &part : parts)
    suspects.push_back(hasGroundsColor(part));
  if (std::count(suspects.begin(), suspects.end(), true) < 2)
    return false;
  std::vector<ShadowLevel> lights;
  for (size_t i = 0; i < all.size(); i++) {
    lights.push_back(darkestOf(parts[i]));
    suspects[i] = suspects[i] && mayBeShadow(parts[i], lights[i], view.noise) &&
                  isDarkAllOver(parts[i], lights[i], view.noise);
  }
  // Not two things of one light; and of two, each of which may be the other's shadow, the likelier one.
  auto mayCast = [&](size_t thing, size_t shadow) {
    const float level = lights[shadow].level;
    return thing != shadow && std::abs(lights[thing].level - level) > 0.06f + 0.02f * std::exp(-level) &&
           (!suspects[thing] || isLikelierShadow(lights[shadow], lights[thing]));
  };
  std::vector<Pair> pairs;
  const std::vector<Thing> things = thingsOf(all);
  for (size_t i = 0; i < all.size(); i++) {
    const int area = suspects[i] ? cv::countNonZero(all[i].own) : 0;
    Cast best;
    for (size_t j = 0; suspects[i] && j < things.size(); j++)
      if (mayCast(things[j].component, i)) {
        const Cast cast = explained(things[j], all[i], area, view.frame, {});
        if (cast.fit > best.fit && cast.way != cv::Point())
          best = cast;
      }
    if (best.fit >= proof)
      pairs.push_back({cv::Point2d(best.way) / cv::norm(best.way), lights[i], best.fit * parts[i].area});
  }
  std::vector<Pair> best;
  double bestGain = 0;
  for (const Pair &pair : pairs) {
    std::vector<Pair> agreeing;
    double gain = 0;
    for (const Pair &other : pairs)
      if (areOfOneLight(pair, other, view.noise)) {
        agreeing.push_back(other);
        gain += other.gain;
      }
    if (agreeing.size() > 1 && gain > bestGain) {
      best = agreeing;
      bestGain = gain;
    }
  }
  if (all.size() > 3 * best.size() || bestGain <= view.light.gain)
    return false;
  ShadowLight light;
  light.isKnown = true;
  light.noise = view.noise;
  light.gain = bestGain;
  for (const Pair &pair : best) {
    const float share = 1.0f / best.size();
    light.level.level += share * pair.light.level;
    light.level.tint += share * pair.light.tint;
    light.way += share * pair.way;
  }
  light.way /= cv::norm(light.way);
  view.light = light;
  return true;
}

void removeDetachedShadows(std::vector<Component> &all, const std::vector<ShadedPart> &parts, const View &view) {
  if (!view.light.isKnown)
    return;
  const ShadowLevel &level = view.light.level;
  const double usual = view.light.way.dot(view.light.way) > 0 ? enough : proof;
  std::vector<bool> suspects;
  for (const ShadedPart &part : parts)
    suspects.push_back(mayBeShadow(part, level, view.noise));
  const std::vector<Thing> things = thingsOf(all);
  std::vector<Component> rest;
  for (size_t i = 0; i < all.size(); i++) {
    bool isShadow = false;
    if (suspects[i]) {
      const int area = cv::countNonZero(all[i].own);
      const double least = isDarkAllOver(parts[i], level, view.noise) ? usual : std::max(usual, proof);
      // Neither do shadows cast shadows, nor does a thing cast two: beside one with a shadow, what has its outline is a thing,
      // too.
      for (const Thing &thing : things)
        if (!isShadow && !suspects[thing.component] && 2 * thing.taken < area)
          isShadow = explained(thing, all[i], area, view.frame, view.light.way).fit >= least;
    }
    if (!isShadow)
      rest.push_back(all[i]);
  }
  all = rest;
}
