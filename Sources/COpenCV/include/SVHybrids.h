// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_HYBRIDS_H
#define SV_HYBRIDS_H

// Operations for hybrids of faces of two species. COpenCV.h includes this file, and its conventions apply.

/// Segments an image (cv::grabCut). The result does not depend on earlier calls.
/// - Parameters:
///   - picture: an image of bytes with 3 channels.
///   - labels: a label for each pixel, of the type cv::GrabCutClasses. The result replaces the probable labels.
///   - isSegmented: 0 if the labels contain no background or no foreground. The labels are then unchanged.
int sv_cv_grab_cut(SVCVMatrix picture, SVCVMatrix labels, int iterations, int *isSegmented, char *error);

/// Warps `input` to `output`, with linear interpolation. Pixels outside of `input` are 0.
/// - Parameters:
///   - nodes: `rows` rows of `columns` positions (x, y) in `input`, for a grid of positions in `output` with the
///     distance `step`. The first node is the first pixel. Between the nodes, positions are interpolated linearly.
int sv_cv_warp_grid(SVCVImage input, const float *nodes, int columns, int rows, int step, SVCVImage output,
                    char *error);

/// Measures the blur of the strongest edges in an image with 4 channels: the standard deviation of a Gaussian that
/// blurs a perfect edge equally, in pixels. The ratio of an edge's gradients before and after another blur gives the
/// blur of the edge (Zhuo and Sim, "Defocus map estimation from a single image", 2011). The result is at most 4, and
/// negative without edges.
int sv_cv_edge_blur(SVCVImage image, double *sigma, char *error);

/// Measures the noise of an image with 4 channels: the standard deviation in grey levels. The measure is the median
/// response to a difference of Laplacians, which ignores edges (Immerkær, "Fast noise variance estimation", 1996).
/// `sigma` is negative if the image is too small. `edges` is the same measure as a mean, which includes edges.
int sv_cv_grain(SVCVImage image, double *sigma, double *edges, char *error);

/// Adds the same Gaussian noise to the first three channels of an image with 4 channels. The noise is always the same.
/// - Parameter sigma: the standard deviation, in grey levels.
int sv_cv_add_noise(SVCVImage image, double sigma, char *error);

/// Blurs the first three channels of an image with 4 channels, or sharpens them by an unsharp mask.
/// - Parameters:
///   - sigma: the standard deviation of the Gaussian, in pixels.
///   - amount: 0 to blur; above 0, the strength of the unsharp mask.
int sv_cv_refocus(SVCVImage image, double sigma, double amount, char *error);

#endif
