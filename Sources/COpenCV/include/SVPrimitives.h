// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PRIMITIVES_H
#define SV_PRIMITIVES_H

// Single OpenCV operations on matrices. Included by COpenCV.h, whose conventions apply. The caller allocates each output with
// the size and type of the result. No matrix is empty, and an output shares no memory with an input.

/// Type of a matrix's samples.
typedef enum { sv_cv_bytes, sv_cv_integers, sv_cv_floats } SVCVKind;

/// A matrix of 8-bit, 32-bit integer, or float samples.
typedef struct {
  void *data;
  int width, height;
  /// Number of interleaved samples a pixel, 1 to 4.
  int channels;
  SVCVKind kind;
  /// Number of bytes from one row to the next.
  size_t stride;
} SVCVMatrix;

/// The position of a pixel.
typedef struct {
  int x, y;
} SVCVPixel;

// MARK: Neighbourhoods

typedef enum { sv_cv_erode, sv_cv_dilate, sv_cv_open, sv_cv_close } SVCVOperation;

typedef struct {
  SVCVOperation operation;
  /// Side of the kernel in pixels.
  int side;
  /// Column and row of the kernel's pixel that lies on the result's pixel; -1 for the centre.
  int anchor;
  int passes;
  /// Whether the kernel is an ellipse, and not a square.
  bool isElliptic;
  /// Whether erosion takes pixels outside the matrix for 0. Otherwise they have no effect.
  bool isOutsideZero;
} SVCVMorphology;

int sv_cv_morph(SVCVMatrix input, SVCVMorphology morphology, SVCVMatrix output, char *error);

/// Blurs by a Gaussian.
/// - Parameters:
///   - side: the kernel's side in pixels, odd; 0 if it follows from `sigma`.
///   - sigma: the standard deviation in pixels; 0 if it follows from `side`.
int sv_cv_gaussian(SVCVMatrix input, int side, double sigma, SVCVMatrix output, char *error);

/// Finds edges (Canny) with these limits of the gradient.
int sv_cv_canny(SVCVMatrix input, double low, double high, SVCVMatrix output, char *error);

/// Computes the Euclidean distance of each pixel of a mask to the nearest 0, as floats.
int sv_cv_distances(SVCVMatrix mask, SVCVMatrix output, char *error);

/// Correlates floats with a pattern (cv::TM_CCORR). The output has a pixel for each position of the pattern in the input.
int sv_cv_correlate(SVCVMatrix input, SVCVMatrix pattern, SVCVMatrix output, char *error);

// MARK: Parts of masks

/// Numbers the connected parts of a mask from 1; 0 is the background.
/// - Parameters:
///   - connectivity: 4 or 8 neighbours.
///   - labels: 32-bit integers.
///   - count: the number of labels, including 0.
int sv_cv_label(SVCVMatrix mask, int connectivity, SVCVMatrix labels, int *count, char *error);

typedef enum {
  /// Outer contours only.
  sv_cv_external,
  /// Contours of parts and of their holes.
  sv_cv_parts_and_holes,
  /// All contours, nested.
  sv_cv_tree,
} SVCVContourMode;

/// Contours of a mask's parts.
typedef SVCVObject SVCVContours;
/// - Parameter isSimplified: whether straight runs have only their ends.
SVCVContours *sv_cv_contours_create(SVCVMatrix mask, SVCVContourMode mode, bool isSimplified, char *error);

/// Lends the pixels of all contours, one contour after another, the number of pixels of each, and the number of the contour
/// around each, or -1.
int sv_cv_contours_read(SVCVContours *contours, const SVCVPixel **pixels, const int **counts, const int **parents,
                        int *count, char *error);

/// Fills polygons by the even-odd rule, with their edges.
/// - Parameters:
///   - pixels: the corners of all polygons.
///   - counts: the number of corners of each polygon.
///   - shift: the number of fractional bits of the corners.
int sv_cv_fill(SVCVMatrix output, const SVCVPixel *pixels, const int *counts, int count, int shift, double value, char *error);

/// Simplifies a closed contour to a precision in pixels (Douglas and Peucker).
/// - Parameters:
///   - corners: room for `count` corners.
///   - cornerCount: the number of those that are left.
int sv_cv_simplify(const SVCVPixel *contour, int count, double precision, SVCVPixel *corners, int *cornerCount, char *error);

// MARK: Geometry

typedef enum { sv_cv_nearest, sv_cv_linear, sv_cv_area } SVCVInterpolation;

/// Resizes to the output's size.
int sv_cv_scale(SVCVMatrix input, SVCVInterpolation interpolation, SVCVMatrix output, char *error);

/// Applies an affine map, of two rows of three numbers, to pixel positions; the centre of the first pixel is 0, 0.
/// - Parameters:
///   - map: from the input to the output; from the output to the input if `isInverse`.
///   - isEdgeRepeated: whether pixels outside the input are those of its edge. Otherwise they are 0.
int sv_cv_warp(SVCVMatrix input, const double *map, bool isInverse, SVCVInterpolation interpolation, bool isEdgeRepeated,
               SVCVMatrix output, char *error);

// MARK: Algebra

/// Transforms floats by the two-dimensional cosine transform. Sides are even.
int sv_cv_cosine_transform(SVCVMatrix input, bool isInverse, SVCVMatrix output, char *error);

/// Returns the least length, at least this one, for which Fourier transforms are fast; negative if there is none.
int sv_cv_fast_length(int length);

/// Solves linear equations by singular values.
/// - Parameters:
///   - left: `size` rows of `size` coefficients.
///   - right: `size` rows of `columns` numbers.
///   - solution: room for as many.
int sv_cv_solve(const double *left, int size, const double *right, int columns, double *solution, char *error);

// MARK: Learned backgrounds

/// A model of each pixel's usual values: cv::BackgroundSubtractorMOG2 or cv::BackgroundSubtractorKNN.
typedef SVCVObject SVCVSubtractor;
SVCVSubtractor *sv_cv_subtractor_create(bool isKNN, char *error);

/// Learns from a picture, and writes its foreground: 255, and 127 in shadows.
/// - Parameters:
///   - history: the number of frames that the model remembers.
///   - threshold: the square of the distance from which a pixel is foreground. The unit of the distance is a standard
///     deviation (MOG2) or a level (KNN).
int sv_cv_subtract(SVCVSubtractor *subtractor, SVCVMatrix picture, int history, double threshold, SVCVMatrix output,
                   char *error);

/// Writes the background that was learned, with the channels of the pictures: with KNN 3.
int sv_cv_background(SVCVSubtractor *subtractor, SVCVMatrix output, char *error);

#endif
