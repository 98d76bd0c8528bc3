// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_SHADOWS_HPP
#define SV_SHADOWS_HPP

#include <opencv2/core.hpp>
#include <vector>

/// A connected part of a picture that differs from the ground, in which a shadow is looked for.
struct ShadedPart {
  /// What differs: 255.
  cv::Mat own;
  /// Difference of the logarithm of its light from the ground's.
  cv::Mat luma;
  /// Colour's differences from that, 3 channels; empty in grey pictures.
  cv::Mat tint;
  /// Pixels that may be a shadow by light and colour.
  cv::Mat possible;
  /// Pixels among these with a flat surrounding.
  cv::Mat flat;
  /// The picture in the part's coordinates.
  cv::Rect frame;
  int area = 0;

  /// - Parameters:
  ///   - own: the mask of what differs.
  ///   - residual: differences of the logarithms from the ground, of the mask's size.
  ///   - frame: the picture in the mask's coordinates.
  ///   - noise: the standard deviation of the ground.
  ShadedPart(const cv::Mat &own, const cv::Mat &residual, const cv::Rect &frame, double noise);
};

/// A light that shadows may have: one that many flat pixels have.
struct ShadowLevel {
  /// Difference of the logarithm of the light from that of the ground.
  float level = 0;
  /// Difference of the colour from the ground's, and whether there is exactly none.
  cv::Vec3f tint;
  bool isNeutral = false;
};

/// Returns the light that at least so many flat pixels of these parts have, and that may be a shadow's; the most frequent
/// first.
std::vector<ShadowLevel> shadowLevels(const std::vector<const ShadedPart *> &parts, int least);

/// The light in a picture's hard shadows.
struct ShadowLight {
  /// Whether there are any.
  bool isKnown = false;
  ShadowLevel level;
  /// Direction in which shadows fall, of length 1; of length 0 if they have none in common.
  cv::Point2d way;
  /// Standard deviation of the ground.
  double noise = 0;
};

/// Returns the masks of parts of one picture without the shadows that they cast on the ground, each the whole mask if no
/// part of it is convincingly a shadow, and finds out about the light; see shadows.cpp.
std::vector<cv::Mat> withoutCastShadows(const std::vector<ShadedPart> &parts, double noise, ShadowLight &light);

/// Returns the mask of a part without the shadow that it casts in a light that is known.
cv::Mat withoutCastShadow(const ShadedPart &part, const ShadowLight &light);

/// Returns the pixels of a part that are as dark as a shadow in this light.
cv::Mat darkPixels(const ShadedPart &part, const ShadowLight &light);

/// Returns whether a part is as dark as a shadow nearly all over, but for its edges: a thing alone, of which the tines
/// looked lighter where gaps between them were not seen.
bool isOfOneLight(const ShadedPart &part, const ShadowLight &light);

/// Returns whether all of a part may be a shadow, whose thing lies beside it.
/// - Parameter light: how dark shadows are, if that is known.
bool mayBeShadow(const ShadedPart &part, const ShadowLight &light);

/// Returns whether of two parts, each of which may be the shadow of the other, the first one is.
bool isLikelierShadow(const ShadedPart &one, const ShadedPart &other);

/// Returns the share of a shadow, at most 1, that is explained by the outline of a thing beside it, moved.
/// - Parameters:
///   - thing: a mask of the thing, of the same size as that of the shadow.
///   - frame: the picture in the masks' coordinates.
double castBy(const cv::Mat &thing, const cv::Mat &shadow, const cv::Rect &frame, const ShadowLight &light);

#endif
