// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_SHAPE_HPP
#define SV_SHAPE_HPP

#include "guarded.hpp"

#include <memory>
#include <opencv2/imgproc.hpp>

using Polygon = std::vector<cv::Point2f>;

/// A part of a picture that shows a thing with a little ground, at a size that does not depend on the picture's.
struct CutOut {
  cv::Mat picture;
  /// Pixels of the cut-out to one of the picture, and the place of its corner there.
  double scale;
  cv::Point2f corner;
  /// The thing's pixels: 255.
  cv::Mat thing;
  /// The contrast of each pixel to the ground in levels, that of shadows, too; CV_32F. Empty where the outline is the coarse
  /// one.
  cv::Mat contrast;
  /// Colour of the ground.
  cv::Scalar ground = cv::Scalar::all(255);

  /// Returns a contour of a mask in pixels of the picture.
  Polygon placed(const std::vector<cv::Point> &contour) const;
  /// Returns the map from pixels of the cut-out to the picture's.
  cv::Matx33d map() const;
  /// Returns the mean colour of some pixels as a share of the ground's, by channel.
  cv::Scalar tone(const cv::Mat &pixels) const;
};

/// Returns a mask without parts (`MORPH_OPEN`) or gaps (`MORPH_CLOSE`) that are narrower than a disc; around it is nothing.
/// - Parameter side: the disc's diameter in pixels, odd.
cv::Mat morphed(const cv::Mat &mask, cv::MorphTypes operation, int side);

/// What a picture shows, cut out: its outline and its holes in pixels of the picture, of which each covers 0…1.
struct Silhouette {
  Polygon outline;
  std::vector<Polygon> holes;
  int channels = 3;
  /// Mean of the thing's own pixels as a share of the ground's, by channel.
  cv::Scalar tone;
  /// Whether it was cut out of ground without shadows, so that nothing of these may be part of the outline.
  bool isExact = false;
  /// Whether something along the outline may be a shadow, too little of which is seen to be sure.
  bool hasNarrowShadow = false;
  /// What it was cut out of, until the shape is split.
  std::shared_ptr<const CutOut> cutOut;

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
  /// Parts that are half covered by the thing, as a mask over the cut-out, and how much of each pixel there is the thing, 0…1,
  /// CV_32F. Empty if there are none, and until the shape is split.
  cv::Mat faint, coverage;
  /// The map from their pixels to the picture's.
  cv::Matx33d map;

  explicit Shape(Silhouette silhouette);

  /// Whether the outline has an extent; else only the silhouette is set.
  bool isSound() const { return size > 0; }
};

/// Returns a similarity between pictures as a map from pixels to pixels, whose samples are at their centres.
inline cv::Matx33d matrix(const SVCVSimilarity &between) {
  const cv::Matx33d linear(between.turn.x, -between.turn.y, between.shift.x, between.turn.y, between.turn.x,
                           between.shift.y, 0, 0, 1);
  const cv::Matx33d in(1, 0, 0.5, 0, 1, 0.5, 0, 0, 1), out(1, 0, -0.5, 0, 1, -0.5, 0, 0, 1);
  return out * linear * in;
}

#endif
