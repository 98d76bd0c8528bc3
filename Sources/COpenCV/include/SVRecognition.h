// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_RECOGNITION_H
#define SV_RECOGNITION_H

// The parts of OpenCV that face recognition needs. Included by COpenCV.h, whose conventions apply. The numbers are
// those of OpenCV's module face, whose development package would pull in dozens of others; the parts used are in core.

/// Number of values of a local binary pattern of eight neighbours.
enum { sv_cv_patterns = 256 };

/// Counts each local binary pattern (radius 1, eight neighbours, interpolated linearly) in each cell of a grey square
/// picture of `side` x `side` pixels: `grid` x `grid` cells, row by row, of `sv_cv_patterns` numbers each. Rows and
/// columns that do not fill a cell are left out; a cell must not have more than 255 pixels.
int sv_cv_pattern_counts(const uint8_t *face, int side, int grid, uint8_t *counts, char *error);

/// Finds the subspace in which pictures of `length` pixels differ most: by `components` principal components (cv::PCA)
/// if `labels` is null; else that in which those of different labels differ most, relative to those of the same label:
/// by linear discriminants (cv::LDA) of the first `components` principal components.
/// - `basis`: has room for `count` rows of `length`. `kept` of them are filled; principal components are orthonormal, and
///   those without variance are left out.
int sv_cv_subspace(const uint8_t *pictures, const int *labels, int count, int length, int components, float *mean,
                   float *basis, int *kept, char *error);

/// Computes the coordinates of a picture in such a subspace: (picture − mean) · row for each row of the basis; and the
/// square of its distance from the mean.
int sv_cv_project(const uint8_t *picture, int length, const float *mean, const float *basis, int rows,
                  float *coordinates, double *square, char *error);

#endif
