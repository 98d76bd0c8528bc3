// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CHECK_BLOBS_H
#define SV_CHECK_BLOBS_H

// BeanCounter's algorithms by calling OpenCV directly, and scenes with one thing on paper, whose place is known.
// Pictures are BGRA. Included by COpenCVCheck.h.

/// Finds the boxes of BeanCounter's detector, none of which is within another.
/// - Returns: the number of boxes, at most `capacity` of which were written; -1 if OpenCV failed.
int sv_check_blobs(const uint8_t *pixels, int width, int height, size_t stride, double scale, double stdDevs,
                   SVCheckRectangle *found, int capacity);

/// Computes the parts of BeanCounter's distance between two pictures: the alternative chi-square of their histograms,
/// the sum over the best matches of the first one's ORB descriptors, and the number of these.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_distance(const uint8_t *seen, int seenWidth, int seenHeight, size_t seenStride, const uint8_t *known,
                      int knownWidth, int knownHeight, size_t knownStride, double *histograms, double *sum, int *count);

/// A picture of a thing, BGRA, and its outline as x, y pairs in pixels of the picture.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  size_t stride;
  const double *outline;
  int corners;
} SVCheckThing;

/// Position of a thing on the paper and light on both. Lengths are in pixels.
typedef struct {
  int width;
  int height;
  /// Centre of the thing's bounding circle, and its diameter.
  double x;
  double y;
  double size;
  /// Rotation in degrees clockwise.
  double angle;
  /// Blue, green and red of the paper, and the standard deviation of its grain, both 0…255.
  double paper[3];
  double grain;
  /// Offset of the shadow, the sigma of its blur, and the share by which it darkens the paper.
  double shadowX;
  double shadowY;
  double shadowBlur;
  double shadow;
  /// Factors on blue, green and red.
  double light[3];
  /// Share by which light grows from the centre to the edge of the frame, in this direction (degrees).
  double gradient;
  double gradientAngle;
  /// Sigma of the blur of everything; 0 for none.
  double blur;
  /// Standard deviation of the camera's noise, 0…255.
  double noise;
  uint64_t seed;
} SVCheckScene;

/// Draws a scene with a thing, or without one if `thing` is null, on BGRA pixels of the scene's size.
/// - Parameter truth: the bounding box of the outline as drawn.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_scene(const SVCheckThing *thing, const SVCheckScene *scene, uint8_t *pixels, size_t stride,
                   SVCheckRectangle *truth);

/// A plain thing and its hard shadow, in pixels.
typedef struct {
  /// Corners of all parts as x, y pairs, the number of corners of each, and of parts: what is inside of an odd number of
  /// them is the thing.
  const double *corners;
  const int *counts;
  int parts;
  /// The sigma of the blur, the shadow's way from the thing, the sigma of its own blur, and the share of light it lacks.
  double blur;
  double shadowX;
  double shadowY;
  double penumbra;
  double darkness;
  /// Blue, green and red of ground and thing, and the factor on both in each column.
  double ground[3];
  double color[3];
  const double *lights;
  /// What is added to one pixel after another, and the number before that of each row's first one.
  const double *errors;
  int errorCount;
  const int *starts;
} SVCheckSilhouette;

/// Draws it into a BGRA picture; `lights` has `width` elements and `starts` has `height`. Returns 0, or -1 if it failed.
int sv_check_silhouette(const SVCheckSilhouette *scene, uint8_t *pixels, int width, int height, size_t stride);

#endif
