// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_NETWORKS_H
#define SV_NETWORKS_H

// Neural networks. Included by COpenCV.h, whose conventions apply.

/// One of the three channels of a network's input.
typedef struct {
  /// The image's channel that it is taken from.
  int source;
  /// The input is (level - mean) * scale.
  double mean, scale;
} SVCVInputChannel;

/// How an image becomes the input of a network.
typedef struct {
  /// Size to which the image is scaled, in pixels.
  int width, height;
  /// The sides of the input are the next multiples of this; the edges of the image are repeated beyond it.
  int multiple;
  /// True if left and right are exchanged.
  bool isMirrored;
  SVCVInputChannel channels[3];
  /// True if OpenCV may divide the work among its threads; else it stays in the calling thread.
  bool usesThreads;
} SVCVNetworkInput;

enum { sv_cv_tensor_dimensions = 4 };

/// Numbers that a network computed.
typedef struct {
  const float *values;
  size_t count;
  /// The sizes, of which the first `dimensions` count.
  int sizes[sv_cv_tensor_dimensions];
  int dimensions;
} SVCVTensor;

/// A network with one input (cv::dnn::Net).
typedef SVCVObject SVCVNetwork;
/// Makes a network from the bytes of an ONNX file, whose contents are not checked.
/// - Parameter outputs: names of the outputs, separated by commas.
SVCVNetwork *sv_cv_network_create(const uint8_t *bytes, size_t count, const char *outputs, char *error);
/// Computes the outputs for an image; they are lent, in the order of their names.
int sv_cv_network_run(SVCVNetwork *network, SVCVImage image, SVCVNetworkInput input, const SVCVTensor **outputs,
                      int *count, char *error);

#endif
