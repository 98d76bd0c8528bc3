// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_OUTLINE_PRIMITIVES_H
#define SV_OUTLINE_PRIMITIVES_H

// Single OpenCV operations on matrices of floats, for the comparison of objects. Included by COpenCV.h, whose conventions
// apply, and those of SVPrimitives.h.

/// Replaces each sample by the mean of the square of `side` pixels around it; borders are reflected.
int sv_cv_box(SVCVMatrix input, int side, SVCVMatrix output, char *error);

/// Computes the magnitude of the gradient by Sobel's 3x3 kernels times `scale`.
int sv_cv_gradient(SVCVMatrix input, double scale, SVCVMatrix output, char *error);

/// Samples a disc linearly: a row for each angle, clockwise from the right, and a column for each distance from the centre, from
/// 0 up to `radius`.
int sv_cv_polar(SVCVMatrix input, SVCVPoint center, double radius, SVCVMatrix output, char *error);

#endif
