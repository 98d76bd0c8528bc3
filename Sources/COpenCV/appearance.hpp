// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_APPEARANCE_HPP
#define SV_APPEARANCE_HPP

#include "guarded.hpp"
#include "shape.hpp"

/// Shared steps of comparing the appearance of an object with a trained one.
///
/// An object is examined in a normal position: the ellipse that has its outline's second moments becomes a circle. Its
/// contours are compared: the magnitude of the gradient, evened out, so that the direction of the light does not
/// matter.
namespace appearance {

/// Side of an object in normal position, in pixels; radius of the circle; and of its core, which certainly belongs to the
/// object.
constexpr int side = 96;
constexpr double radius = 0.43 * side;
constexpr double coreRadius = 0.3 * side;
/// Start of the core's square, and its side.
constexpr int coreStart = 19;
constexpr int coreSide = side - 2 * coreStart;
inline const cv::Rect core(coreStart, coreStart, coreSide, coreSide);

/// Returns the core as a disc: 255 inside.
const cv::Mat &coreMask();

/// The ellipse with an outline's second moments.
struct Ellipse {
  /// Whether the outline encloses an area; else nothing else is set.
  bool isSound = false;
  cv::Point2d center;
  /// Square root of its moments' matrix, times two: maps the unit circle to the ellipse without a rotation.
  cv::Matx22d axes;

  explicit Ellipse(const std::vector<cv::Point2f> &outline);
  /// Returns the radius of a circle of the same area.
  double size() const;
};

/// Returns the map from pixels in normal position to the picture's, for the ellipse grown by `growth` and moved by
/// `shift` of its size.
cv::Matx33d normalPosition(const Ellipse &ellipse, double growth = 1, cv::Point2d shift = {});

/// Returns a picture of 8 bits under `map` (output pixels to the picture's), which may make it coarser; its border is
/// repeated.
cv::Mat sampled(const cv::Mat &picture, const cv::Matx33d &map, cv::Size size);

/// Contours at two scales, CV_32F: sharp for the last alignment and the comparison, soft for the first ones.
struct Contours {
  cv::Mat sharp;
  cv::Mat soft;

  /// - Parameter picture: 8-bit, 1 or 3 channels.
  explicit Contours(const cv::Mat &picture);
};

/// Returns how little information the sharp contours of a core have under a mask: 0…1, 1 if there are none.
double plainness(const cv::Mat &sharpCore, const cv::Mat &mask);

/// Returns where contours are the object's own, and not its outline's, under `map` (the mask's pixels to the picture's).
cv::Mat innerMask(const Silhouette &silhouette, const cv::Matx33d &map, cv::Size size);

/// Returns the soft contours of a core along its radii and angles, as one row of mean 0 and length 1.
cv::Mat polar(const cv::Mat &softContours);
constexpr int angles = 48;
constexpr int radii = 12;

/// Returns the chromaticity of a part of a picture relative to the median of the picture's edge, CV_8UC2: the logarithms
/// of red and blue over green; empty for grey.
cv::Mat chromaticity(const cv::Mat &part, const cv::Mat &picture);

/// Returns the distance (Hellinger's, 0…1) of two chromaticities under a mask.
double colorDistance(const cv::Mat &a, const cv::Mat &b, const cv::Mat &mask, int bins);

} // namespace appearance

#endif
