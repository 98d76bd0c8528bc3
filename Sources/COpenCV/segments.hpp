// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_SEGMENTS_HPP
#define SV_SEGMENTS_HPP

#include "COpenCV.h"
#include "ground.hpp"
#include "shadows.hpp"

#include <opencv2/core.hpp>
#include <vector>

using Contour = std::vector<cv::Point>;

/// A blob in progress.
struct Candidate {
  cv::Rect box;
  Contour contour;
  double area = 0;
  cv::Scalar color;
  /// What differs from the ground there, and where it lies, if its outline may be refined.
  cv::Mat region;
  cv::Point place;
  /// What of the region is shadow; empty if there is none.
  cv::Mat shadow;
  /// The number of the component with shadows that it is a part of; else 0.
  int shaded = 0;
  /// Whether that may be so, but only a closer view can tell.
  bool isDoubtful = false;
};

/// A picture, or a part of one, and how it differs from its ground.
struct View {
  cv::Mat logarithm;
  GroundDistance differing;
  Ground ground;
  /// The part that it shows, as a share of the whole picture.
  cv::Rect2d place = {0, 0, 1, 1};
  /// The whole picture in pixels of the view.
  cv::Rect frame;
  /// Standard deviation of the ground, and the distance from which something differs from it.
  double noise = 0;
  double threshold = 0;
  /// The light in the whole picture's hard shadows.
  ShadowLight light;
};

/// A connected part of a mask.
struct Component {
  cv::Rect part;
  cv::Mat own;
  /// Without its shadow.
  cv::Mat lit;
  /// Whether there are shadows in it.
  bool isShaded = false;
  /// Whether there may be some that only a closer view can tell.
  bool isDoubtful = false;
};

/// A part of a view in which shadows are looked for; large ones are reduced.
struct Sample {
  int step;
  ShadedPart part;

  /// - Parameters:
  ///   - full: the mask of what differs.
  ///   - side: the length in pixels of what is not reduced.
  Sample(const cv::Mat &full, const cv::Rect &place, const View &view, int side = 96);

  /// Returns the pixels of the full mask that are left of the part's, too.
  cv::Mat left(const cv::Mat &full, const cv::Mat &without) const;
};

/// Finds out about the light in a view, and takes shadows off its components.
void removeShadows(std::vector<Component> &all, View &view);

/// Finds the light from shadows that do not touch their things, if several prove it, and more than what is known yet. Returns
/// whether it did.
bool findLight(const std::vector<Component> &all, const std::vector<ShadedPart> &parts, View &view);

/// Removes components that are shadows of others beside them, in a light that is known.
void removeDetachedShadows(std::vector<Component> &all, const std::vector<ShadedPart> &parts, const View &view);

cv::Mat square(int side);

/// Returns a number of pixels, odd, that is about a share of the picture's shorter side.
int kernelSide(const cv::Mat &picture, int share);

/// Returns the area inside contours, including holes.
cv::Mat filled(const std::vector<Contour> &contours, cv::Rect box);

/// Sorts candidates, the largest first; of equals the uppermost, leftmost first.
void sort(std::vector<Candidate> &candidates, double (*size)(const Candidate &));

/// Size of the kernel with which the background is eroded, and number of passes.
struct Erosion {
  int side;
  int count;

  /// Creates an erosion as requested, or one that ends when nothing of a mask of this size can be left.
  Erosion(const SVCVBlobSearch &search, cv::Size size);

  /// Erodes a mask, or dilates it likewise.
  /// - Parameter type: one of cv::MorphTypes.
  void apply(int type, cv::Mat &mask) const;

  /// Returns the total growth of the foreground.
  int growth() const { return count * (side - 1); }
};

/// Returns the blobs of a foreground mask, in which they are solid afterwards; without their surroundings if a view
/// is given, which learns about the light in shadows.
std::vector<Candidate> componentCandidates(cv::Mat &mask, View *view, const SVCVBlobSearch &search);

/// Returns the blobs that a closer view, of a candidate's surroundings, shows of it, in pixels of that view; none where the
/// view it was found in tells more.
/// - Parameters:
///   - view: learns about the light in shadows, if that is not known.
///   - whole: the size of the picture in which the candidate was found.
std::vector<Candidate> refined(const Candidate &candidate, View &view, cv::Size whole,
                               const SVCVBlobSearch &search);

#endif
