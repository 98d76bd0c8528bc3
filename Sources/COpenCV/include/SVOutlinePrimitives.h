// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_OUTLINE_PRIMITIVES_H
#define SV_OUTLINE_PRIMITIVES_H

// OpenCV operations on matrices of floats, for the comparison of objects. COpenCV.h includes this file. The conventions
// of COpenCV.h and SVPrimitives.h apply.

/// Replaces each sample by the mean of the `side` × `side` samples around it. Beyond the borders, the matrix is
/// mirrored.
int sv_cv_box(SVCVMatrix input, int side, SVCVMatrix output, char *error);

/// Computes the magnitude of the gradient with Sobel's 3 × 3 kernels, multiplied by `scale`.
int sv_cv_gradient(SVCVMatrix input, double scale, SVCVMatrix output, char *error);

/// Samples a disc in polar coordinates, with linear interpolation. The output has a row for each angle, clockwise from
/// the right, and a column for each distance from the centre, 0…`radius`.
int sv_cv_polar(SVCVMatrix input, SVCVPoint center, double radius, SVCVMatrix output, char *error);

#endif
