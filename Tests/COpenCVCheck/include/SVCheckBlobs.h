// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CHECK_BLOBS_H
#define SV_CHECK_BLOBS_H

// BeanCounter's algorithms with direct calls of OpenCV, and scenes of one thing on paper with a known position. Images
// are BGRA. COpenCVCheck.h includes this file.

/// Finds the boxes that BeanCounter's detector finds, without boxes inside other boxes.
/// - Returns: the number of boxes, of which at most `capacity` are in `found`; -1 if OpenCV failed.
int sv_check_blobs(const uint8_t *pixels, int width, int height, size_t stride, double scale, double stdDevs,
                   SVCheckRectangle *found, int capacity);

/// Computes the parts of BeanCounter's distance between two images: the alternative chi-square distance of their
/// histograms, the sum of the distances of the best matches for the ORB descriptors of the first image, and the number
/// of these descriptors.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_distance(const uint8_t *seen, int seenWidth, int seenHeight, size_t seenStride, const uint8_t *known,
                      int knownWidth, int knownHeight, size_t knownStride, double *histograms, double *sum, int *count);

/// A BGRA image of a thing, and the thing's outline as x, y pairs in pixels of the image.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  size_t stride;
  const double *outline;
  int corners;
} SVCheckThing;

/// The position of a thing on the paper, and the light on both. Lengths are in pixels.
typedef struct {
  int width;
  int height;
  /// Centre and diameter of the thing's bounding circle.
  double x;
  double y;
  double size;
  /// Rotation in degrees clockwise.
  double angle;
  /// Blue, green and red of the paper, and the standard deviation of the paper's grain, in levels 0…255.
  double paper[3];
  double grain;
  /// Offset of the shadow, sigma of the shadow's blur, and the fraction by which the shadow darkens the paper.
  double shadowX;
  double shadowY;
  double shadowBlur;
  double shadow;
  /// Factors for blue, green and red.
  double light[3];
  /// Fraction by which the light increases from the centre to the edge of the frame, and the direction of the increase,
  /// in degrees.
  double gradient;
  double gradientAngle;
  /// Sigma of the blur of the whole frame; 0 = no blur.
  double blur;
  /// Standard deviation of the camera's noise, in levels 0…255.
  double noise;
  uint64_t seed;
} SVCheckScene;

/// Draws a scene with a thing, or without a thing if `thing` is null, on BGRA pixels of the scene's size.
/// - Parameter truth: receives the bounding box of the drawn outline.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_scene(const SVCheckThing *thing, const SVCheckScene *scene, uint8_t *pixels, size_t stride,
                   SVCheckRectangle *truth);

/// A thing of one colour and its hard shadow. Lengths are in pixels.
typedef struct {
  /// Corners of all polygons as x, y pairs, the number of corners of each polygon, and the number of polygons. A point
  /// belongs to the thing if an odd number of polygons contain the point.
  const double *corners;
  const int *counts;
  int parts;
  /// Sigma of the blur, offset of the shadow, sigma of the shadow's additional blur, and the fraction of light that the
  /// shadow lacks.
  double blur;
  double shadowX;
  double shadowY;
  double penumbra;
  double darkness;
  /// Blue, green and red of the background and of the thing, and for each column the factor for both.
  double ground[3];
  double color[3];
  const double *lights;
  /// Values that are added to successive pixels, cyclically, and for each row the index before the value for the first
  /// pixel.
  const double *errors;
  int errorCount;
  const int *starts;
} SVCheckSilhouette;

/// Draws the scene into a BGRA image. `lights` has `width` elements, and `starts` has `height` elements. Returns 0, or
/// -1 on failure.
int sv_check_silhouette(const SVCheckSilhouette *scene, uint8_t *pixels, int width, int height, size_t stride);

#endif
