// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PRIMITIVES_H
#define SV_PRIMITIVES_H

// Single OpenCV operations on matrices. COpenCV.h includes this file, and its conventions apply. The caller allocates
// each output with the size and type of the result. No matrix may be empty, and no output may share memory with an
// input.

/// Type of the samples of a matrix.
typedef enum { sv_cv_bytes, sv_cv_integers, sv_cv_floats } SVCVKind;

/// A matrix of 8-bit integers, 32-bit integers, or floats.
typedef struct {
  void *data;
  int width, height;
  /// Number of interleaved samples per pixel, 1 to 4.
  int channels;
  SVCVKind kind;
  /// Number of bytes between the starts of two rows.
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
  /// Side of the kernel, in pixels.
  int side;
  /// Column and row of the kernel at which the result is stored; -1 for the centre.
  int anchor;
  int passes;
  /// True for an elliptic kernel, false for a square kernel.
  bool isElliptic;
  /// True if pixels outside of the matrix count as 0 for an erosion. If false, they are ignored.
  bool isOutsideZero;
} SVCVMorphology;

int sv_cv_morph(SVCVMatrix input, SVCVMorphology morphology, SVCVMatrix output, char *error);

/// Applies a Gaussian blur.
/// - Parameters:
///   - side: the side of the kernel in pixels, an odd number; 0 to compute the side from `sigma`.
///   - sigma: the standard deviation in pixels; 0 to compute the standard deviation from `side`.
int sv_cv_gaussian(SVCVMatrix input, int side, double sigma, SVCVMatrix output, char *error);

/// Finds edges by the Canny algorithm, with these thresholds for the gradient.
int sv_cv_canny(SVCVMatrix input, double low, double high, SVCVMatrix output, char *error);

/// Computes the Euclidean distance from each pixel of a mask to the nearest pixel with the value 0, as floats.
int sv_cv_distances(SVCVMatrix mask, SVCVMatrix output, char *error);

/// Correlates a matrix of floats with a pattern (cv::TM_CCORR). The output has a sample for each position of the
/// pattern in the input.
int sv_cv_correlate(SVCVMatrix input, SVCVMatrix pattern, SVCVMatrix output, char *error);

// MARK: Parts of masks

/// Assigns labels to the connected parts of a mask, starting with 1. The background has the label 0.
/// - Parameters:
///   - connectivity: the number of neighbours of a pixel, 4 or 8.
///   - labels: the output, a matrix of 32-bit integers.
///   - count: the number of labels, including 0.
int sv_cv_label(SVCVMatrix mask, int connectivity, SVCVMatrix labels, int *count, char *error);

typedef enum {
  /// Only the outer contours.
  sv_cv_external,
  /// The contours of parts and of their holes.
  sv_cv_parts_and_holes,
  /// All contours, as a tree.
  sv_cv_tree,
} SVCVContourMode;

/// The contours of the parts of a mask.
typedef SVCVObject SVCVContours;
/// Finds contours.
/// - Parameter isSimplified: true to store only the ends of straight segments.
SVCVContours *sv_cv_contours_create(SVCVMatrix mask, SVCVContourMode mode, bool isSimplified, char *error);

/// Returns the pixels of all contours, one contour after another. For each contour, returns the number of pixels, and
/// the index of the enclosing contour (-1 without one). The arrays belong to `contours`.
int sv_cv_contours_read(SVCVContours *contours, const SVCVPixel **pixels, const int **counts, const int **parents,
                        int *count, char *error);

/// Fills the inside of polygons by the even-odd rule, including their edges.
/// - Parameters:
///   - pixels: the corners of all polygons, one polygon after another.
///   - counts: the number of corners of each polygon.
///   - shift: the number of fractional bits in the coordinates of corners.
int sv_cv_fill(SVCVMatrix output, const SVCVPixel *pixels, const int *counts, int count, int shift, double value, char *error);

/// Simplifies a closed contour (Douglas and Peucker).
/// - Parameters:
///   - precision: the maximum distance from the contour, in pixels.
///   - corners: a buffer for `count` corners.
///   - cornerCount: the number of corners of the simplified contour.
int sv_cv_simplify(const SVCVPixel *contour, int count, double precision, SVCVPixel *corners, int *cornerCount, char *error);

// MARK: Geometry

typedef enum { sv_cv_nearest, sv_cv_linear, sv_cv_area } SVCVInterpolation;

/// Resizes a matrix to the size of the output.
int sv_cv_scale(SVCVMatrix input, SVCVInterpolation interpolation, SVCVMatrix output, char *error);

/// Warps a matrix by an affine map with two rows of three coefficients. The centre of the first pixel is at (0, 0).
/// - Parameters:
///   - map: maps positions in the input to positions in the output. If `isInverse` is true, it maps in the opposite
///     direction.
///   - isEdgeRepeated: true if the edge of the input is repeated outside of the input. If false, pixels outside are 0.
int sv_cv_warp(SVCVMatrix input, const double *map, bool isInverse, SVCVInterpolation interpolation, bool isEdgeRepeated,
               SVCVMatrix output, char *error);

// MARK: Algebra

/// Computes the two-dimensional cosine transform of a matrix of floats, or its inverse. Width and height must be even.
int sv_cv_cosine_transform(SVCVMatrix input, bool isInverse, SVCVMatrix output, char *error);

/// Returns the smallest length that is at least `length` and suits fast Fourier transforms; negative if there is none.
int sv_cv_fast_length(int length);

/// Solves linear equations by singular value decomposition.
/// - Parameters:
///   - left: `size` rows of `size` coefficients.
///   - right: `size` rows of `columns` values.
///   - solution: a buffer for `size` rows of `columns` values.
int sv_cv_solve(const double *left, int size, const double *right, int columns, double *solution, char *error);

// MARK: Learned backgrounds

/// A model of the usual values of each pixel: cv::BackgroundSubtractorMOG2 or cv::BackgroundSubtractorKNN.
typedef SVCVObject SVCVSubtractor;
SVCVSubtractor *sv_cv_subtractor_create(bool isKNN, char *error);

/// Learns from an image, and writes its foreground mask: 255 in the foreground, 127 in shadows, otherwise 0.
/// - Parameters:
///   - history: the number of images that the model remembers.
///   - threshold: the square of the minimum distance between foreground and background. The unit of the distance is a
///     standard deviation (MOG2) or a level (KNN).
int sv_cv_subtract(SVCVSubtractor *subtractor, SVCVMatrix picture, int history, double threshold, SVCVMatrix output,
                   char *error);

/// Writes the learned background, with as many channels as the images; KNN supports only 3 channels.
int sv_cv_background(SVCVSubtractor *subtractor, SVCVMatrix output, char *error);

#endif
