#ifndef SV_RECOGNITION_H
#define SV_RECOGNITION_H

// What recognising faces needs of OpenCV. Included by COpenCV.h, whose conventions hold. The numbers are those of
// OpenCV's module face, whose development package would bring along dozens of others; its parts are in core.

/// cv::resize by INTER_AREA to the size of `output`, which has as many channels.
int sv_cv_resize(SVCVImage input, SVCVImage output, char *error);

/// Values of a local binary pattern of eight neighbours.
enum { sv_cv_patterns = 256 };

/// How often each local binary pattern (radius 1, eight neighbours, interpolated linearly) is in each cell of a grey
/// square picture of `side` x `side` pixels: `grid` x `grid` cells, row by row, of `sv_cv_patterns` numbers each. Rows and
/// columns that fill no cell are left out; a cell must not have more than 255 pixels.
int sv_cv_pattern_counts(const uint8_t *face, int side, int grid, uint8_t *counts, char *error);

/// The subspace in which pictures of `length` pixels differ most: by `components` principal components (cv::PCA) where
/// `labels` is null; else where those of different labels differ most, compared with those of one: by linear
/// discriminants (cv::LDA) of the first `components` principal components.
/// - `basis`: has room for `count` rows of `length`. `kept` of them are filled; principal components are orthonormal, and
///   those without variance are left out.
int sv_cv_subspace(const uint8_t *pictures, const int *labels, int count, int length, int components, float *mean,
                   float *basis, int *kept, char *error);

/// The coordinates of a picture in such a subspace: (picture − mean) · row for each row of the basis; and the square of
/// its distance from the mean.
int sv_cv_project(const uint8_t *picture, int length, const float *mean, const float *basis, int rows,
                  float *coordinates, double *square, char *error);

#endif
