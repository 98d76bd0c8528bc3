// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FACES_H
#define SV_FACES_H

// The parts of OpenCV that face detection needs. Included by COpenCV.h, whose conventions apply.

/// A place where a cascade sees something, in pixels of the searched picture.
typedef struct {
  SVCVBox box;
  /// Number of overlapping candidates that were grouped into it; 1 for an ungrouped candidate.
  int neighbors;
  /// Sum of the last stage, for ungrouped candidates; else 0.
  double weight;
} SVCVFind;

/// Parameters of cv::CascadeClassifier::detectMultiScale.
typedef struct {
  /// Factor between search sizes, > 1.
  double scaleFactor;
  /// Minimum number of overlapping candidates; if negative, every single candidate is returned with its weight, not
  /// grouped.
  int minNeighbors;
  /// Limits of both side lengths in pixels; 0: no limit.
  int minSize;
  int maxSize;
  /// True if OpenCV may divide the work among its threads; else the search stays in the calling thread.
  bool usesThreads;
} SVCVSearch;

/// A trained cascade of weak classifiers (cv::CascadeClassifier).
typedef SVCVObject SVCVCascade;
/// Makes a cascade from the text of a file of `opencv_traincascade`, whose numbers are not checked.
SVCVCascade *sv_cv_cascade_create(const char *text, char *error);
/// Searches the grey picture `image`; the finds are lent.
int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error);

/// A face that a network sees, in pixels of the searched picture.
typedef struct {
  double x, y, width, height;
  /// 0…1.
  double confidence;
  /// The eyes, the nose, the corners of the mouth; the viewer's left first.
  SVCVPoint points[5];
} SVCVFace;

typedef struct {
  /// Size that the picture is given before the search, in pixels.
  int width;
  int height;
  /// Minimum confidence of a face, 0…1.
  double minConfidence;
  /// True if OpenCV may divide the work among its threads; else the search stays in the calling thread.
  bool usesThreads;
} SVCVFaceSearch;

/// A network of YuNet's kind (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023).
typedef SVCVObject SVCVFaceNetwork;
/// Makes a network from the bytes of an ONNX file, whose contents are not checked; what it computes is, in each search.
SVCVFaceNetwork *sv_cv_face_network_create(const uint8_t *bytes, size_t count, char *error);
/// Searches `image`, grey or B G R. What each cell sees is lent: several cells see the same face.
int sv_cv_face_network_detect(SVCVFaceNetwork *network, SVCVImage image, SVCVFaceSearch search, const SVCVFace **faces,
                              int *count, char *error);

#endif
