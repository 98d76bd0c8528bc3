// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_NETWORKS_H
#define SV_NETWORKS_H

// Neural networks. COpenCV.h includes this file. The conventions of COpenCV.h apply.

/// A conversion from a channel of an image to a channel of a network's input.
typedef struct {
  /// Index of the channel in the image.
  int source;
  /// The input value is (level - mean) * scale. level: the level of the image channel, 0…255.
  double mean, scale;
} SVCVInputChannel;

/// A conversion from an image to the input of a network.
typedef struct {
  /// Size to which the image is scaled, in pixels.
  int width, height;
  /// The width of the input is `width`, rounded up to a multiple of this number. The height is computed in the same
  /// way. If the input is larger than the scaled image, the pixels of the image's right and lower edges are repeated.
  int multiple;
  /// True if the image is mirrored horizontally.
  bool isMirrored;
  SVCVInputChannel channels[3];
  /// True if OpenCV may use several threads. If false, OpenCV uses only the calling thread.
  bool usesThreads;
} SVCVNetworkInput;

enum { sv_cv_tensor_dimensions = 4 };

/// An output of a network.
typedef struct {
  const float *values;
  size_t count;
  /// The sizes of all dimensions. Only the first `dimensions` elements are valid.
  int sizes[sv_cv_tensor_dimensions];
  int dimensions;
} SVCVTensor;

/// A network with one input (cv::dnn::Net).
typedef SVCVObject SVCVNetwork;
/// Creates a network from the bytes of an ONNX file. Does not check the contents of the file.
/// - Parameter outputs: the names of the outputs, separated by commas.
SVCVNetwork *sv_cv_network_create(const uint8_t *bytes, size_t count, const char *outputs, char *error);
/// Runs the network on an image. Returns the outputs in the order of their names. The array belongs to `network`.
int sv_cv_network_run(SVCVNetwork *network, SVCVImage image, SVCVNetworkInput input, const SVCVTensor **outputs,
                      int *count, char *error);

#endif
