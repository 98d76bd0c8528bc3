// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.hpp"
#include "groundplane.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Length of the longer side of things that are cut out, in pixels.
constexpr double side = 144;
/// Width of the ground that is looked at, as a share of the thing's longer side.
constexpr double margin = 0.15;
/// Width of the widest gaps that are closed, in pixels of the cut-out.
constexpr int finestGap = 3;
/// Smallest hole as a share of the thing's area, and the share of it that shows the ground: other gaps are a pattern.
constexpr double smallestHole = 0.02, openHole = 0.6;

cv::Mat square(int side) { return cv::Mat::ones(side, side, CV_8U); }

Polygon transformed(const Polygon &polygon, double scale, cv::Point2f shift) {
  Polygon result;
  for (const cv::Point2f &corner : polygon)
    result.push_back(corner * scale + shift);
  return result;
}

/// Fills polygons, of which the first is the outline and the others are holes; corners are in coordinates where a pixel
/// covers 0…1.
cv::Mat filled(const std::vector<Polygon> &polygons, cv::Size size) {
  constexpr int shift = 4;
  std::vector<std::vector<cv::Point>> fixed;
  for (const Polygon &polygon : polygons) {
    fixed.emplace_back();
    for (const cv::Point2f &corner : polygon) {
      auto place = [](float value) { return cvRound((std::max(-8000.0f, std::min(8000.0f, value)) - 0.5f) * (1 << shift)); };
      fixed.back().emplace_back(place(corner.x), place(corner.y));
    }
  }
  cv::Mat mask = cv::Mat::zeros(size, CV_8U);
  cv::fillPoly(mask, fixed, cv::Scalar(255), cv::LINE_8, shift);
  return mask;
}

/// Factors of the light in a shadow on the ground, and in one that hardly reaches beyond its thing; 1 where there is none.
struct Shadows {
  float wide = 1, narrow = 1;
};

/// Returns the pixels of the thing of which a mask has the coarse outline's: near that outline those with more than half
/// of the contrast that the thing has thereabouts, and inside all but holes. Nothing if there is too little ground or
/// contrast.
/// - Parameters:
///   - band: how far the coarse outline may be off, in pixels.
///   - isLit: whether a shadow that is hardly seen beyond the thing counts as ground, too.
///   - shadows: the factors of the light in those that were found.
///   - difference: the contrast of all pixels, of shadows, too.
cv::Mat foreground(const cv::Mat &picture, const cv::Mat &coarse, int band, bool isLit, Shadows &shadows,
                   cv::Mat &difference) {
  constexpr int surroundings = 15;
  cv::Mat wide, narrow, far;
  cv::dilate(coarse, wide, square(2 * band + 1));
  cv::erode(coarse, narrow, square(2 * band + 1), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  far = ~wide;
  if (cv::countNonZero(far) * 20 < picture.rows * picture.cols)
    return {};
  const GroundPlane ground(picture, far);
  cv::Mat contrast = ground.contrast(picture, 1);
  difference = contrast;
  shadows.wide = ground.shadow;
  if (shadows.wide >= 1)
    shadows.narrow = ground.narrowShadow(picture, ~narrow, narrow);
  if (isLit && shadows.narrow < 1) {
    contrast = ground.contrast(picture, shadows.narrow - 0.04f);
  } else if (shadows.wide < 1) {
    // Shadows count as ground. Where the thing does, too, the coarse outline is the best there is.
    contrast = ground.contrast(picture, shadows.wide - 0.04f);
    const cv::Mat edge = coarse & ~narrow;
    if (quantileUnder(contrast, edge, 1, 3, 4) < 8)
      return {};
  }
  // The outline may have holes in it, which may be most of it.
  const float own = quantileUnder(contrast, coarse, 9, 10, 4), noise = quantileUnder(contrast, far, 1, 2, 4);
  const double faint = std::max(8.0, 4.0 * noise);
  if (own < faint)
    return {};
  // Means of the thing's contrast in the surroundings.
  cv::Mat inside, sums, counts, certain = coarse & (contrast > std::max(faint, 0.3 * own));
  certain.convertTo(inside, CV_32F, 1 / 255.0);
  const cv::Size reach(surroundings, surroundings);
  cv::blur(contrast.mul(inside), sums, reach);
  cv::blur(inside, counts, reach);
  counts += 1e-3;
  const cv::Mat means = sums / counts;
  cv::Mat thing = contrast > cv::max(0.5 * means, faint);
  const cv::Mat hole = contrast < cv::max(0.35 * means, faint);
  thing |= narrow & ~hole;
  thing &= wide;
  return thing;
}

using Contour = std::vector<cv::Point>;

/// Contours of a mask's parts and holes, and which of them is the outline of the largest part.
struct Contours {
  std::vector<Contour> all;
  std::vector<cv::Vec4i> hierarchy;
  size_t outer = 0;
  double area = 0;

  explicit Contours(const cv::Mat &mask) {
    cv::Mat padded;
    cv::copyMakeBorder(mask, padded, 1, 1, 1, 1, cv::BORDER_CONSTANT);
    cv::findContours(padded, all, hierarchy, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE, cv::Point(-1, -1));
    for (size_t i = 0; i < all.size(); i++)
      if (hierarchy[i][3] < 0 && cv::contourArea(all[i]) > area) {
        outer = i;
        area = cv::contourArea(all[i]);
      }
  }
};

/// Returns whether most of what a hole's contour encloses is a hole.
bool isOpen(const Contour &hole, const cv::Mat &thing) {
  const cv::Rect box = cv::boundingRect(hole) & cv::Rect({}, thing.size());
  cv::Mat inside = cv::Mat::zeros(box.size(), CV_8U);
  cv::drawContours(inside, std::vector<Contour>{hole}, 0, cv::Scalar(255), cv::FILLED, cv::LINE_8, cv::noArray(), 0,
                   -box.tl());
  return cv::countNonZero(inside & ~thing(box)) > openHole * cv::countNonZero(inside);
}

template <typename Line> double hullArea(const Line &line) {
  Line hull;
  cv::convexHull(line, hull);
  return cv::contourArea(hull);
}

} // namespace

Silhouette::Silhouette(const cv::Mat &picture, const Polygon &coarse, double precision, bool isLit) : outline(coarse) {
  const cv::Rect whole({}, picture.size());
  const cv::Rect box = cv::boundingRect(coarse) & whole;
  const int longer = std::max(box.width, box.height), around = std::max(3, cvRound(margin * longer));
  const cv::Rect part = (box + cv::Size(2 * around, 2 * around) - cv::Point(around, around)) & whole;
  const double scale = std::min(6.0, side / longer);
  const auto cut = std::make_shared<CutOut>();
  cv::Mat &small = cut->picture;
  const cv::Size size(std::max(1, cvRound(part.width * scale)), std::max(1, cvRound(part.height * scale)));
  cv::resize(picture(part), small, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  cut->scale = scale;
  cut->corner = part.tl();
  const cv::Mat rough = filled({transformed(coarse, scale, -cut->corner * scale)}, small.size());
  const int roughArea = cv::countNonZero(rough);
  const int band = std::max(4, std::min(14, cvRound(precision * scale)));
  cv::Mat own;
  Shadows shadows;
  if (roughArea > 0 && small.cols > 4 && small.rows > 4)
    own = foreground(small, rough, band, isLit, shadows, cut->contrast);
  hasNarrowShadow = shadows.narrow < 1;
  if (!own.empty()) {
    // Without gaps that small pictures of the same thing do not show.
    const Contours found(morphed(own, cv::MORPH_CLOSE, finestGap));
    const double roughHull = scale * scale * hullArea(coarse);
    // Else it is something else, such as a neighbour as well, or a part alone.
    auto isAlike = [](double one, double other) { return one > 0.5 * other && one < 2 * other; };
    if (found.area > 0 && (isAlike(found.area, roughArea) || isAlike(hullArea(found.all[found.outer]), roughHull))) {
      outline = cut->placed(found.all[found.outer]);
      isExact = shadows.wide >= 1 && shadows.narrow >= 1;
      for (size_t i = 0; i < found.all.size(); i++)
        if (found.hierarchy[i][3] == static_cast<int>(found.outer) &&
            cv::contourArea(found.all[i]) > smallestHole * found.area && isOpen(found.all[i], own))
          holes.push_back(cut->placed(found.all[i]));
    }
  }
  cut->thing = mask(cut->map(), small.size());
  cv::Mat beyond, core;
  cv::dilate(cut->thing, beyond, square(9));
  cv::erode(cut->thing, core, square(5));
  beyond = ~beyond;
  const bool hasGround = cv::countNonZero(beyond) > 0;
  channels = picture.channels();
  if (hasGround) {
    std::vector<cv::Mat> planes;
    cv::split(small, planes);
    for (size_t c = 0; c < planes.size(); c++) {
      cv::Mat values;
      planes[c].convertTo(values, CV_32F);
      cut->ground[static_cast<int>(c)] = quantileUnder(values, beyond, 1, 2, 4);
    }
  }
  tone = cut->tone(cv::countNonZero(core) > 0 ? core : cut->thing);
  cutOut = cut;
}

cv::Mat morphed(const cv::Mat &mask, cv::MorphTypes operation, int side) {
  cv::Mat padded, result;
  cv::copyMakeBorder(mask, padded, side, side, side, side, cv::BORDER_CONSTANT);
  cv::morphologyEx(padded, result, operation, cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(side, side)));
  return result(cv::Rect({side, side}, mask.size())).clone();
}

Polygon CutOut::placed(const std::vector<cv::Point> &contour) const {
  Polygon result;
  for (const cv::Point &pixel : contour)
    result.push_back(cv::Point2f(pixel.x + 0.5f, pixel.y + 0.5f) * (1 / scale) + corner);
  return result;
}

cv::Matx33d CutOut::map() const {
  const double step = 1 / scale;
  return {step, 0, corner.x + 0.5 * step - 0.5, 0, step, corner.y + 0.5 * step - 0.5, 0, 0, 1};
}

cv::Scalar CutOut::tone(const cv::Mat &pixels) const {
  cv::Scalar result = cv::mean(picture, pixels);
  for (int c = 0; c < picture.channels(); c++)
    result[c] = result[c] / std::max(20.0, ground[c]);
  return result;
}

cv::Mat Silhouette::mask(const cv::Matx33d &map, cv::Size size) const {
  const cv::Matx33d inverse = map.inv();
  std::vector<Polygon> polygons{outline};
  polygons.insert(polygons.end(), holes.begin(), holes.end());
  for (Polygon &polygon : polygons)
    for (cv::Point2f &corner : polygon) {
      const cv::Vec3d to = inverse * cv::Vec3d(corner.x - 0.5, corner.y - 0.5, 1);
      corner = cv::Point2f(static_cast<float>(to[0] + 0.5), static_cast<float>(to[1] + 0.5));
    }
  return filled(polygons, size);
}
