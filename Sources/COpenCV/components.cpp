// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "segments.hpp"
#include "touching.hpp"
#include "warping.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <tuple>

// From a mask of what differs from the ground to blobs.

cv::Mat square(int side) { return cv::Mat::ones(side, side, CV_8U); }

int kernelSide(const cv::Mat &picture, int share) {
  return 2 * std::max(1, std::min(picture.cols, picture.rows) / share) + 1;
}

cv::Mat filled(const std::vector<Contour> &contours, cv::Rect box) {
  cv::Mat inside = cv::Mat::zeros(box.size(), CV_8U);
  cv::drawContours(inside, contours, -1, cv::Scalar(255), cv::FILLED, cv::LINE_8, cv::noArray(), INT_MAX, -box.tl());
  return inside;
}

void sort(std::vector<Candidate> &candidates, double (*size)(const Candidate &)) {
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate &a, const Candidate &b) {
    return std::make_tuple(size(b), a.box.y, a.box.x) < std::make_tuple(size(a), b.box.y, b.box.x);
  });
}

Erosion::Erosion(const SVCVBlobSearch &search, cv::Size size) {
  const int longer = std::max(size.width, size.height);
  side = std::min(search.kernel, 2 * longer + 1);
  count = side > 1 ? std::min(search.iterations, 2 * longer / (side - 1) + 1) : 0;
}

void Erosion::apply(int type, cv::Mat &mask) const {
  if (count > 0)
    cv::morphologyEx(mask, mask, type, square(side), cv::Point(-1, -1), count);
}

namespace {

/// Share of the smallest blob's longer side that its shorter one has at least.
constexpr double slimmest = 0.25;

/// Returns whether the sides of a box of pixels that are `scale` as large as the frame's are within the limits, to a
/// precision in these pixels.
bool fits(const cv::Rect &box, const SVCVBlobSearch &search, double scale, double precision) {
  const double longer = std::max(box.width, box.height), shorter = std::min(box.width, box.height);
  return (longer + precision) / scale >= search.minSide && (shorter + precision) / scale >= slimmest * search.minSide &&
         (search.maxSide <= 0 || (longer - precision) / scale <= search.maxSide);
}

/// Returns the connected parts of a mask, largest first; at most `search.maxBlobs` that may become blobs.
std::vector<int> components(const cv::Mat &statistics, const SVCVBlobSearch &search) {
  std::vector<int> labels;
  auto value = [&](int label, int column) { return statistics.at<int>(label, column); };
  SVCVBlobSearch endless = search;
  // The refined blob may be smaller than the limit, but not larger.
  endless.maxSide = 0;
  for (int i = 1; i < statistics.rows; i++) {
    const cv::Rect box(0, 0, value(i, cv::CC_STAT_WIDTH), value(i, cv::CC_STAT_HEIGHT));
    if (fits(box, endless, search.scale, 1))
      labels.push_back(i);
  }
  const size_t count = std::min<size_t>(labels.size(), std::max(0, search.maxBlobs));
  std::partial_sort(labels.begin(), labels.begin() + count, labels.end(), [&](int a, int b) {
    return std::make_pair(value(a, cv::CC_STAT_AREA), b) > std::make_pair(value(b, cv::CC_STAT_AREA), a);
  });
  labels.resize(count);
  return labels;
}

/// Returns a component without gaps and holes, with a margin of `closing` pixels around it.
cv::Mat solid(const cv::Mat &component, int closing) {
  cv::Mat padded;
  cv::copyMakeBorder(component, padded, closing, closing, closing, closing, cv::BORDER_CONSTANT);
  cv::morphologyEx(padded, padded, cv::MORPH_CLOSE, square(closing));
  std::vector<Contour> contours;
  cv::findContours(padded, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  return filled(contours, cv::Rect({}, padded.size()));
}

/// Returns a component without its faint surroundings, less than half of its own distance from the background: shadow,
/// and the blur along its edge. Parts that are as faint, but not thin and not darker than the background, stay, unless
/// the ground is uneven.
/// - Parameters:
///   - shadow: the hard shadow that was taken off. What is left of it along its edge is fainter.
///   - level: the greatest distance of what is faint elsewhere, if there was one.
cv::Mat withoutSurroundings(const cv::Mat &own, const GroundDistance &differing, cv::Rect part, int blur, bool uneven,
                            const cv::Mat &shadow, double level) {
  const cv::Mat distance = differing.distance(part);
  // An uneven ground is known less well: more than half may be of what surrounds the thing.
  if (uneven)
    return own & (distance > 0.5 * quantileUnder(distance, own, 7, 10));
  cv::Mat faint = own & (distance <= 0.5 * quantileUnder(distance, own, 1, 2));
  if (cv::countNonZero(shadow) > 0) {
    cv::Mat edge;
    cv::dilate(shadow, edge, square(2 * blur - 3));
    faint &= (distance <= level) | (edge & (distance <= 0.9));
  }
  cv::Mat pale = faint & ~differing.shade(part);
  cv::morphologyEx(pale, pale, cv::MORPH_OPEN, square(blur));
  return (own & ~faint) | pale;
}

/// Returns whether a component hardly differs from the ground anywhere: its levels' steps, or noise.
bool isFaint(const Component &one, const View &view) {
  constexpr double least = 1.2, share = 0.05;
  const cv::Mat clear = one.own & (view.differing.distance(one.part) >= least * view.threshold);
  return cv::countNonZero(clear) < share * cv::countNonZero(one.own);
}

/// Returns whether a component is so faint that it may be a pattern of an uneven ground.
bool isPattern(const Component &one, const View &view) {
  return quantileUnder(view.differing.distance(one.part), one.own, 7, 10) < 2 * view.threshold;
}

/// Returns whether an object has several parts that count.
bool isBroken(const cv::Mat &object) {
  std::vector<Contour> contours;
  cv::findContours(object, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_SIMPLE);
  std::vector<double> areas;
  for (const Contour &contour : contours)
    areas.push_back(cv::contourArea(contour));
  std::sort(areas.rbegin(), areas.rend());
  return areas.size() > 1 && areas[1] > 0.04 * areas[0];
}

/// Returns the thing that a part of a view's mask shows, with a margin of `closing` pixels.
/// - Parameters:
///   - lit: the part without its shadow.
///   - blur: about the width in pixels of the blurred edges of things.
cv::Mat objectOf(const cv::Mat &own, const cv::Mat &lit, const View *view, cv::Rect part, int blur, int closing,
                 const SVCVBlobSearch &search) {
  if (!view || (!search.removeShadows && !search.uneven))
    return solid(own, closing);
  const cv::Mat core = withoutSurroundings(lit, view->differing, part, blur + 2, search.uneven, own & ~lit,
                                           -0.6 * view->light.level.level);
  const cv::Mat object = solid(core, closing);
  if (search.uneven || !isBroken(object))
    return object;
  // Thin parts are as faint as surroundings, and hold the others together.
  const cv::Mat whole = solid(lit, closing);
  return isBroken(whole) ? object : whole;
}

/// Adds the parts of an object, whose first pixel is at `origin`, to the candidates, and draws them.
void add(const cv::Mat &object, cv::Point origin, double scale, double precision, const SVCVBlobSearch &search,
         cv::Mat &mask, std::vector<Candidate> &candidates) {
  std::vector<Contour> contours;
  cv::findContours(object, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE, origin);
  for (Contour &contour : contours) {
    const cv::Rect box = cv::boundingRect(contour), visible = box & cv::Rect({}, mask.size());
    const cv::Mat inside = filled({contour}, box)(visible - box.tl());
    mask(visible) |= inside;
    if (!fits(visible, search, scale, precision))
      continue;
    Candidate candidate;
    candidate.box = visible;
    candidate.contour = std::move(contour);
    candidate.area = cv::countNonZero(inside);
    candidates.push_back(std::move(candidate));
  }
}

} // namespace

std::vector<Candidate> componentCandidates(cv::Mat &mask, View *view, const SVCVBlobSearch &search) {
  // Parts that merge when the background is eroded are one, but not larger for that.
  cv::Mat labels, statistics, centroids, grown = mask.clone();
  const Erosion erosion(search, mask.size());
  erosion.apply(cv::MORPH_DILATE, grown);
  cv::connectedComponentsWithStats(grown, labels, statistics, centroids, 8);
  std::vector<Component> all;
  for (int label : components(statistics, search)) {
    const int *row = statistics.ptr<int>(label);
    const cv::Rect part(row[cv::CC_STAT_LEFT], row[cv::CC_STAT_TOP], row[cv::CC_STAT_WIDTH], row[cv::CC_STAT_HEIGHT]);
    const cv::Mat own = (labels(part) == label) & mask(part);
    mask(part).setTo(0, own);
    const Component one{part, own, own};
    if (!view || !isFaint(one, *view))
      all.push_back(one);
  }
  if (view && search.removeShadows)
    removeShadows(all, *view);

  // Gaps larger than half of the frame are not worth the time.
  const int blur = kernelSide(mask, 120), half = std::min(mask.rows, mask.cols) / 2 | 1;
  const int closing = std::max(blur, std::min(erosion.growth() + 1, half));
  std::vector<Candidate> candidates;
  for (const Component &one : all) {
    if (view && search.uneven && isPattern(one, *view))
      continue;
    const cv::Mat object = objectOf(one.own, one.lit, view, one.part, blur, closing, search);
    const cv::Point shift = one.part.tl() - cv::Point(closing, closing);
    const size_t first = candidates.size();
    for (const cv::Mat &thing : search.uneven ? separated(object) : std::vector<cv::Mat>{object})
      add(thing, shift, search.scale, 1, search, mask, candidates);
    // The whole component, if it is one thing; else the thing with its surroundings.
    for (size_t i = first; view && i < candidates.size(); i++) {
      Candidate &candidate = candidates[i];
      const bool isOne = candidates.size() == first + 1;
      candidate.region = isOne ? one.own : filled({candidate.contour}, candidate.box);
      candidate.place = isOne ? one.part.tl() : candidate.box.tl();
      candidate.isDoubtful = isOne && one.isDoubtful;
      if ((one.isShaded || candidate.isDoubtful) && !search.uneven) {
        candidate.region = one.own;
        candidate.place = one.part.tl();
        candidate.shadow = one.own & ~one.lit;
        candidate.shaded = static_cast<int>(&one - all.data()) + 1;
      }
    }
  }
  sort(candidates, [](const Candidate &candidate) { return candidate.area; });
  if (static_cast<int>(candidates.size()) > search.maxBlobs)
    candidates.resize(std::max(0, search.maxBlobs));
  return candidates;
}

std::vector<Candidate> refined(const Candidate &candidate, View &view, cv::Size whole,
                               const SVCVBlobSearch &search) {
  // The region in pixels of the view, and what it may have lost along its edge.
  const cv::Size size = view.logarithm.size();
  const double across = size.width / (view.place.width * whole.width);
  const double down = size.height / (view.place.height * whole.height);
  const cv::Matx23d map(across, 0, across * (candidate.place.x + 0.5 - view.place.x * whole.width) - 0.5, 0, down,
                        down * (candidate.place.y + 0.5 - view.place.y * whole.height) - 0.5);
  cv::Mat region, mask;
  warp(candidate.region, region, map, size, cv::INTER_NEAREST);
  cv::dilate(region, region, square(2 * std::max(1, cvCeil(1.5 * across)) + 1));
  mask = (view.differing.distance > view.threshold) & region;
  cv::morphologyEx(mask, mask, cv::MORPH_OPEN, square(3));
  const int blur = 3, closing = 2 * cvRound(across) + 1;
  const cv::Rect all({}, size);
  cv::Mat lit = mask, dark;
  if (search.removeShadows && (view.light.isKnown || !search.uneven)) {
    const Sample sample(mask, all, view, 2 * std::max(size.width, size.height));
    if (view.light.isKnown)
      lit = withoutCastShadow(sample.part, view.light);
    else
      lit = withoutCastShadows({sample.part}, view.noise, view.light).front();
    if (view.light.isKnown)
      dark = darkPixels(sample.part, view.light);
    else if (candidate.isDoubtful)
      return {};
    const int area = sample.part.area;
    if (candidate.shaded != 0 && !dark.empty() && cv::countNonZero(lit) == area) {
      // Where the coarse view tells more, noise may hide the shadow, unless there is none, only what is finer than the
      // coarse view's pixels.
      cv::Mat shadow;
      warp(candidate.shadow, shadow, map, size, cv::INTER_NEAREST);
      const int dim = cv::countNonZero(dark);
      if (cv::countNonZero(shadow & dark) > 0.75 * std::max(area / 10, cv::countNonZero(shadow)) ||
          (10 * dim > area && !isOfOneLight(sample.part, view.light)))
        return {};
      if (10 * dim > area)
        dark.release();
    }
  }
  const cv::Mat object = objectOf(mask, lit, &view, all, blur, closing, search);
  std::vector<Candidate> found;
  mask.setTo(0);
  add(object, cv::Point(-closing, -closing), across * search.scale, 0.5, search, mask, found);
  // What is left of shadows.
  if (!dark.empty() && found.size() > 1)
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const Candidate &one) {
                                 const cv::Mat own = filled({one.contour}, one.box) & mask(one.box);
                                 return cv::countNonZero(own & dark(one.box)) > 0.5 * cv::countNonZero(own);
                               }),
                found.end());
  sort(found, [](const Candidate &candidate) { return candidate.area; });
  return found;
}
