// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_NETWORKS_H
#define SV_NETWORKS_H

// Neural networks. COpenCV.h includes this file, and its conventions apply.

/// Converts an image channel to a channel of a network's input.
typedef struct {
  /// Index of the image channel.
  int source;
  /// The input value is (level - mean) * scale.
  double mean, scale;
} SVCVInputChannel;

/// The conversion of an image to the input of a network.
typedef struct {
  /// Size to which the image is scaled, in pixels.
  int width, height;
  /// The sides of the input are the smallest multiples of this number that are at least `width` and `height`. Beyond
  /// the scaled image, its right and lower edges are repeated.
  int multiple;
  /// True if the image is mirrored horizontally.
  bool isMirrored;
  SVCVInputChannel channels[3];
  /// True if OpenCV may use several threads. If false, the computation stays in the calling thread.
  bool usesThreads;
} SVCVNetworkInput;

enum { sv_cv_tensor_dimensions = 4 };

/// An output of a network.
typedef struct {
  const float *values;
  size_t count;
  /// The length of each dimension. Only the first `dimensions` values are valid.
  int sizes[sv_cv_tensor_dimensions];
  int dimensions;
} SVCVTensor;

/// A network with one input (cv::dnn::Net).
typedef SVCVObject SVCVNetwork;
/// Creates a network from the bytes of an ONNX file. The contents of the file are not checked.
/// - Parameter outputs: the names of the outputs, separated by commas.
SVCVNetwork *sv_cv_network_create(const uint8_t *bytes, size_t count, const char *outputs, char *error);
/// Computes the outputs for an image, in the order of their names. The array belongs to `network`.
int sv_cv_network_run(SVCVNetwork *network, SVCVImage image, SVCVNetworkInput input, const SVCVTensor **outputs,
                      int *count, char *error);

#endif
