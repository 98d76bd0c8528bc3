// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_SHAPE_HPP
#define SV_SHAPE_HPP

#include "guarded.hpp"

using Polygon = std::vector<cv::Point2f>;

/// What a picture shows, cut out: its outline and its holes in pixels of the picture, of which each covers 0…1.
struct Silhouette {
  Polygon outline;
  std::vector<Polygon> holes;
  int channels = 3;
  /// Mean of the thing's own pixels as a share of the ground's, by channel.
  cv::Scalar tone;
  /// Whether something along the outline may be a shadow, too little of which is seen to be sure.
  bool hasNarrowShadow = false;

  /// Cuts a thing out along half of the contrast between it and the ground, at a size that does not depend on the
  /// picture's. Where that fails, or finds something else, the outline is the coarse one.
  /// - Parameters:
  ///   - picture: 8-bit, 1 or 3 channels: the thing with a little ground.
  ///   - coarse: the outline by which the thing was found.
  ///   - precision: how far that may be off, in pixels.
  ///   - isLit: whether what may be such a shadow is ground.
  Silhouette(const cv::Mat &picture, const Polygon &coarse, double precision, bool isLit);

  /// Returns a mask of its pixels, 255 inside, under `map` (the mask's pixels to the picture's).
  cv::Mat mask(const cv::Matx33d &map, cv::Size size) const;
};

/// A thing's outline, to be compared with others in any place, size and turn. Mirror images differ.
struct Shape : SVCVObject {
  /// Number of places along the outline.
  static constexpr int samples = 128;

  Silhouette silhouette;
  /// Places at equal distances along the outline, about their mean, in units of their root mean square distance from it:
  /// the size.
  Polygon places;
  cv::Point2d middle;
  double size = 0;
  /// Discrete Fourier transform of the places as complex numbers, low frequencies alone, of length 1.
  cv::Mat spectrum;
  /// Holes, 0…1 in 48 rows and columns that are four sizes long; empty if there are none.
  cv::Mat holes;
  /// The share of the thing that is not a hole.
  double solid = 1;
  /// The longer side in pixels of the picture.
  double length = 0;

  Shape(const SVCVImage &picture, const SVCVPoint *outline, int corners, double precision, bool isLit);
};

#endif
