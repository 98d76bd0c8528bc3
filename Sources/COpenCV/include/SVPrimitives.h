// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PRIMITIVES_H
#define SV_PRIMITIVES_H

// OpenCV operations on matrices. COpenCV.h includes this file. The conventions of COpenCV.h apply. The caller allocates
// each output with the size and type of the result. No matrix may be empty. No output may share memory with an input.

/// Sample type of a matrix.
typedef enum { sv_cv_bytes, sv_cv_integers, sv_cv_floats } SVCVKind;

/// A matrix of 8-bit integers, 32-bit integers, or floats.
typedef struct {
  void *data;
  int width, height;
  /// Number of interleaved samples per pixel, 1 to 4.
  int channels;
  SVCVKind kind;
  /// Number of bytes from the start of a row to the start of the next row.
  size_t stride;
} SVCVMatrix;

/// The position of a pixel in a matrix.
typedef struct {
  int x, y;
} SVCVPixel;

// MARK: Neighbourhoods

typedef enum { sv_cv_erode, sv_cv_dilate, sv_cv_open, sv_cv_close } SVCVOperation;

typedef struct {
  SVCVOperation operation;
  /// Side of the kernel, in pixels.
  int side;
  /// The index of both the column and the row of the kernel that lie on the output pixel; -1 for the centre.
  int anchor;
  int passes;
  /// True for an elliptic kernel, false for a square kernel.
  bool isElliptic;
  /// True if pixels outside of the matrix count as 0 in an erosion. If false, the erosion ignores these pixels.
  bool isOutsideZero;
} SVCVMorphology;

int sv_cv_morph(SVCVMatrix input, SVCVMorphology morphology, SVCVMatrix output, char *error);

/// Applies a Gaussian filter.
/// - Parameters:
///   - side: the side of the kernel in pixels, an odd number; 0 to compute the side from `sigma`.
///   - sigma: the standard deviation in pixels; 0 to compute the standard deviation from `side`.
int sv_cv_gaussian(SVCVMatrix input, int side, double sigma, SVCVMatrix output, char *error);

/// Detects edges by the Canny algorithm. `low` and `high` are the algorithm's thresholds for the gradient.
int sv_cv_canny(SVCVMatrix input, double low, double high, SVCVMatrix output, char *error);

/// Computes, for each pixel of a mask, the Euclidean distance to the nearest pixel with the value 0. The output has
/// floats.
int sv_cv_distances(SVCVMatrix mask, SVCVMatrix output, char *error);

/// Correlates a matrix of floats with a pattern (cv::TM_CCORR). The output has one sample for each position of the
/// pattern in the input.
int sv_cv_correlate(SVCVMatrix input, SVCVMatrix pattern, SVCVMatrix output, char *error);

// MARK: Parts of masks

/// Assigns labels to the connected parts of a mask. The first label is 1, and the background has the label 0.
/// - Parameters:
///   - connectivity: the number of neighbours of a pixel, 4 or 8.
///   - labels: the output, a matrix of 32-bit integers.
///   - count: receives the number of labels, including the label 0.
int sv_cv_label(SVCVMatrix mask, int connectivity, SVCVMatrix labels, int *count, char *error);

typedef enum {
  /// Only the outer contours.
  sv_cv_external,
  /// The outer contours of the connected parts, and the contours of their holes.
  sv_cv_parts_and_holes,
  /// All contours, as a tree of contours inside of other contours.
  sv_cv_tree,
} SVCVContourMode;

/// The contours of the connected parts of a mask.
typedef SVCVObject SVCVContours;
/// Finds the contours in a mask.
/// - Parameter isSimplified: true to store only the end points of straight segments.
SVCVContours *sv_cv_contours_create(SVCVMatrix mask, SVCVContourMode mode, bool isSimplified, char *error);

/// Returns the pixels of all contours, one contour after another. Also returns the number of pixels of each contour,
/// and the index of the contour that encloses the contour (-1 if no contour does). The arrays belong to `contours`.
int sv_cv_contours_read(SVCVContours *contours, const SVCVPixel **pixels, const int **counts, const int **parents,
                        int *count, char *error);

/// Fills the inside and the edges of polygons by the even-odd rule.
/// - Parameters:
///   - pixels: the corners of all polygons, one polygon after another.
///   - counts: the number of corners of each polygon.
///   - count: the number of polygons.
///   - shift: the number of fractional bits in the coordinates.
int sv_cv_fill(SVCVMatrix output, const SVCVPixel *pixels, const int *counts, int count, int shift, double value, char *error);

/// Simplifies a closed contour by the algorithm of Douglas and Peucker.
/// - Parameters:
///   - precision: the maximum distance between the simplified and the original contour, in pixels.
///   - corners: a buffer for `count` corners.
///   - cornerCount: receives the number of corners of the simplified contour.
int sv_cv_simplify(const SVCVPixel *contour, int count, double precision, SVCVPixel *corners, int *cornerCount, char *error);

// MARK: Geometry

typedef enum { sv_cv_nearest, sv_cv_linear, sv_cv_area } SVCVInterpolation;

/// Resizes a matrix to the size of the output.
int sv_cv_scale(SVCVMatrix input, SVCVInterpolation interpolation, SVCVMatrix output, char *error);

/// Warps a matrix by an affine map. The map has two rows of three coefficients. The centre of the top left pixel is at
/// (0, 0).
/// - Parameters:
///   - map: maps positions in the input to positions in the output. If `isInverse` is true, `map` maps positions in the
///     output to positions in the input.
///   - isEdgeRepeated: if true, pixels outside of the input repeat the pixels at the input's edge. If false, these
///     pixels are 0.
int sv_cv_warp(SVCVMatrix input, const double *map, bool isInverse, SVCVInterpolation interpolation, bool isEdgeRepeated,
               SVCVMatrix output, char *error);

// MARK: Algebra

/// Computes the two-dimensional cosine transform of a matrix of floats, or the inverse transform. Width and height must
/// be even.
int sv_cv_cosine_transform(SVCVMatrix input, bool isInverse, SVCVMatrix output, char *error);

/// Returns the smallest number that is at least `length` and suits fast Fourier transforms. Returns a negative number
/// if no such length exists.
int sv_cv_fast_length(int length);

/// Solves linear equations by singular value decomposition.
/// - Parameters:
///   - left: `size` rows of `size` coefficients.
///   - right: `size` rows of `columns` values.
///   - solution: a buffer for `size` rows of `columns` values.
int sv_cv_solve(const double *left, int size, const double *right, int columns, double *solution, char *error);

// MARK: Learned backgrounds

/// A model that learns the usual background values of each pixel: cv::BackgroundSubtractorMOG2 or
/// cv::BackgroundSubtractorKNN.
typedef SVCVObject SVCVSubtractor;
SVCVSubtractor *sv_cv_subtractor_create(bool isKNN, char *error);

/// Learns from an image, and writes its foreground mask: 255 in the foreground, 127 in shadows, and 0 in the
/// background.
/// - Parameters:
///   - history: the number of earlier images that affect the model.
///   - threshold: the square of the minimum distance between foreground and background. The unit of the distance is
///     standard deviations (MOG2) or levels (KNN).
int sv_cv_subtract(SVCVSubtractor *subtractor, SVCVMatrix picture, int history, double threshold, SVCVMatrix output,
                   char *error);

/// Writes the learned background. The output must have as many channels as the learned images. KNN supports only 3
/// channels.
int sv_cv_background(SVCVSubtractor *subtractor, SVCVMatrix output, char *error);

#endif
