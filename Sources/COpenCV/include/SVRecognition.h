// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_RECOGNITION_H
#define SV_RECOGNITION_H

// Functions for face recognition. COpenCV.h includes this file. The conventions of COpenCV.h apply. The functions
// replace OpenCV's module face and compute the same values, but need only OpenCV's core. The development package of the
// module face depends on dozens of other packages.

/// Number of different local binary patterns with eight neighbours.
enum { sv_cv_patterns = 256 };

/// Computes a histogram of the local binary patterns in each cell of a square grey image. The patterns use radius 1,
/// eight neighbours and linear interpolation.
/// - Parameters:
///   - face: `side` × `side` pixels.
///   - grid: the number of cells per row and per column. A cell must have at most 255 pixels. If the last rows and
///     columns of pixels do not fill a cell, these rows and columns are ignored.
///   - counts: a buffer for `grid` × `grid` cells, row by row. Each cell has `sv_cv_patterns` counts.
int sv_cv_pattern_counts(const uint8_t *face, int side, int grid, uint8_t *counts, char *error);

/// Computes the subspace in which images of `length` pixels differ most. If `labels` is null, the subspace consists of
/// the first `components` principal components (cv::PCA). Otherwise, computes linear discriminants (cv::LDA) of these
/// components. In the subspace of the discriminants, images with different labels differ most, relative to images with
/// the same label.
/// - Parameters:
///   - basis: a buffer for `count` rows of `length` values. Principal components are orthonormal.
///   - kept: receives the number of filled rows. Components without variance are omitted.
int sv_cv_subspace(const uint8_t *pictures, const int *labels, int count, int length, int components, float *mean,
                   float *basis, int *kept, char *error);

/// Computes the coordinates of an image in a subspace: (picture − mean) · row, for each row of the basis. Also computes
/// `square`, the square of the distance between the image and `mean`.
int sv_cv_project(const uint8_t *picture, int length, const float *mean, const float *basis, int rows,
                  float *coordinates, double *square, char *error);

#endif
