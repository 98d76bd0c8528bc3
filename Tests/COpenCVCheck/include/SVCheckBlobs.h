// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CHECK_BLOBS_H
#define SV_CHECK_BLOBS_H

// The algorithms of the app BeanCounter, with direct calls of OpenCV, and scenes with an object on paper at a known
// position. Images are BGRA. COpenCVCheck.h includes this file.

/// Finds the bounding boxes that BeanCounter's detector finds. Boxes inside other boxes are removed.
/// - Returns: the number of boxes; -1 if OpenCV failed. `found` contains the first `capacity` boxes.
int sv_check_blobs(const uint8_t *pixels, int width, int height, size_t stride, double scale, double stdDevs,
                   SVCheckRectangle *found, int capacity);

/// Computes the parts of BeanCounter's distance between two images. `histograms` is the alternative chi-square distance
/// of their histograms. `sum` is the sum of the distances to the best matches of the first image's ORB descriptors, and
/// `count` is the number of these descriptors.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_distance(const uint8_t *seen, int seenWidth, int seenHeight, size_t seenStride, const uint8_t *known,
                      int knownWidth, int knownHeight, size_t knownStride, double *histograms, double *sum, int *count);

/// A BGRA image of an object, and the object's outline as x, y pairs in pixels of the image.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  size_t stride;
  const double *outline;
  int corners;
} SVCheckThing;

/// The position of an object on paper, and the light on the scene. Lengths are in pixels.
typedef struct {
  int width;
  int height;
  /// Centre (`x`, `y`) and diameter (`size`) of the object's bounding circle.
  double x;
  double y;
  double size;
  /// Clockwise rotation in degrees.
  double angle;
  /// Blue, green and red of the paper, and the standard deviation of the paper's grain, in levels (0…255).
  double paper[3];
  double grain;
  /// Offset of the shadow, sigma of its blur, and the fraction by which the shadow darkens the paper.
  double shadowX;
  double shadowY;
  double shadowBlur;
  double shadow;
  /// Factors for blue, green and red.
  double light[3];
  /// Fraction by which the light increases from the centre to the edge of the frame, and the direction of this increase
  /// in degrees.
  double gradient;
  double gradientAngle;
  /// Sigma of the blur of the whole frame; 0 for no blur.
  double blur;
  /// Standard deviation of the camera's noise, in levels (0…255).
  double noise;
  uint64_t seed;
} SVCheckScene;

/// Draws a scene on BGRA pixels of the scene's size. If `thing` is null, draws no object.
/// - Parameter truth: receives the bounding box of the drawn outline.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_scene(const SVCheckThing *thing, const SVCheckScene *scene, uint8_t *pixels, size_t stride,
                   SVCheckRectangle *truth);

/// An object with a single colour and a hard shadow. Lengths are in pixels.
typedef struct {
  /// Corners of all polygons as x, y pairs (`corners`), the number of corners of each polygon (`counts`), and the
  /// number of polygons (`parts`). A point belongs to the object if an odd number of polygons contain it.
  const double *corners;
  const int *counts;
  int parts;
  /// Sigma of the blur, offset of the shadow, sigma of the shadow's additional blur, and the fraction of light that the
  /// shadow removes.
  double blur;
  double shadowX;
  double shadowY;
  double penumbra;
  double darkness;
  /// Blue, green and red of the background (`ground`) and of the object (`color`), and the light as a factor for each
  /// column (`lights`).
  double ground[3];
  double color[3];
  const double *lights;
  /// Values that are added to the pixels (`errors`). Each row uses them cyclically, and starts after the index `starts`
  /// of this row.
  const double *errors;
  int errorCount;
  const int *starts;
} SVCheckSilhouette;

/// Draws the scene on a BGRA image. `lights` has `width` elements, and `starts` has `height` elements. Returns 0, or -1
/// if drawing failed.
int sv_check_silhouette(const SVCheckSilhouette *scene, uint8_t *pixels, int width, int height, size_t stride);

#endif
