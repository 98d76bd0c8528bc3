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

/// Returns the pixels of a part that have about this light.
cv::Mat pixelsNear(const ShadedPart &part, const ShadowLevel &light, float tolerance);

/// Returns the light that most of some pixels of a part have.
ShadowLevel lightOf(const ShadedPart &part, const cv::Mat &pixels);

/// The light in a picture's hard shadows.
struct ShadowLight {
  /// Whether there are any.
  bool isKnown = false;
  ShadowLevel level;
  /// Direction in which shadows fall, of length 1; of length 0 if they have none in common.
  cv::Point2d way;
  /// Standard deviation of the ground.
  double noise = 0;
  /// Area of the shadows that prove it, each weighted by the share of it that its thing explains.
  double gain = 0;
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

/// Returns the light of a part that may be nothing but a shadow, of its darkest pixels, where blurred edges have no share.
ShadowLevel darkestOf(const ShadedPart &part);

/// Returns whether nearly all of a part may be a shadow by light and colour.
bool hasGroundsColor(const ShadedPart &part);

/// Returns whether all of a part may be a shadow in this light, whose thing lies beside it: nothing of it is darker.
bool mayBeShadow(const ShadedPart &part, const ShadowLevel &light, double noise);

/// Returns whether the inside of a part has this light. Something thin has no inside, and is blurred all over.
bool isDarkAllOver(const ShadedPart &part, const ShadowLevel &light, double noise);

/// Returns whether of two lights, each of which could be that of the other's shadow, this one is: it has the ground's
/// colour, or else it is the lighter one.
bool isLikelierShadow(const ShadowLevel &one, const ShadowLevel &other);

/// How well a shadow is explained by the outline of a thing beside it, moved.
struct Cast {
  /// Share of the shadow that is explained, at most 1.
  double fit = 0;
  /// Way from the thing to its shadow.
  cv::Point way;
};

/// - Parameters:
///   - thing: a mask of the thing, of the same size as that of the shadow.
///   - frame: the picture in the masks' coordinates.
///   - way: the direction in which shadows fall; of length 0 if it is not known.
Cast castBy(const cv::Mat &thing, const cv::Mat &shadow, const cv::Rect &frame, cv::Point2d way);

#endif
