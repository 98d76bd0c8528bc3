#ifndef SV_CHECK_BLOBS_H
#define SV_CHECK_BLOBS_H

// BeanCounter's algorithms by OpenCV directly, and scenes with one thing on paper, of which the truth is known. Pictures
// are BGRA. Included by COpenCVCheck.h.

/// The boxes of BeanCounter's detector, each within none of the others.
/// - Returns: how many there are, at most `capacity` of which were written; -1 if OpenCV failed.
int sv_check_blobs(const uint8_t *pixels, int width, int height, size_t stride, double scale, double stdDevs,
                   SVCheckRectangle *found, int capacity);

/// The parts of BeanCounter's distance between two pictures: the alternative chi-square of their histograms, the sum over
/// the best matches of the first one's ORB descriptors, and how many there are.
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

/// How a thing lies on the paper and how both are lit. Lengths are in pixels.
typedef struct {
  int width;
  int height;
  /// The middle of the thing's bounding circle, and its diameter.
  double x;
  double y;
  double size;
  /// Degrees clockwise.
  double angle;
  /// The paper's blue, green and red, and the standard deviation of its grain, both 0…255.
  double paper[3];
  double grain;
  /// How far the shadow falls, its blur's sigma, and by what share it darkens the paper.
  double shadowX;
  double shadowY;
  double shadowBlur;
  double shadow;
  /// Factors on blue, green and red.
  double light[3];
  /// Light grows by this share from the middle to the edge of the frame, in this direction (degrees).
  double gradient;
  double gradientAngle;
  /// The sigma of the blur of everything; 0 for none.
  double blur;
  /// The standard deviation of the camera's noise, 0…255.
  double noise;
  uint64_t seed;
} SVCheckScene;

/// Draws a scene with a thing, or without one if `thing` is null, on BGRA pixels of the scene's size.
/// - Parameter truth: the bounding box of the outline where it lies.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_scene(const SVCheckThing *thing, const SVCheckScene *scene, uint8_t *pixels, size_t stride,
                   SVCheckRectangle *truth);

#endif
