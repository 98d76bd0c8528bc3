// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FACES_H
#define SV_FACES_H

// Functions for face detection. COpenCV.h includes this file, and its conventions apply.

/// A detection of a cascade, in pixels of the searched image.
typedef struct {
  SVCVBox box;
  /// Number of overlapping candidates that were grouped into this detection; 1 for an ungrouped candidate.
  int neighbors;
  /// Sum of the last stage for an ungrouped candidate; otherwise 0.
  double weight;
} SVCVFind;

/// Parameters of cv::CascadeClassifier::detectMultiScale.
typedef struct {
  /// Factor between two search sizes, greater than 1.
  double scaleFactor;
  /// Minimum number of overlapping candidates. If it is negative, all candidates are returned with their weights,
  /// without grouping.
  int minNeighbors;
  /// Minimum and maximum length of both sides, in pixels (0 = unlimited).
  int minSize;
  int maxSize;
  /// True if OpenCV may use several threads. If false, the search stays in the calling thread.
  bool usesThreads;
} SVCVSearch;

/// A trained cascade of weak classifiers (cv::CascadeClassifier).
typedef SVCVObject SVCVCascade;
/// Creates a cascade from the text of a file of `opencv_traincascade`. The values in the text are not checked.
SVCVCascade *sv_cv_cascade_create(const char *text, char *error);
/// Searches the grey image `image`. The array of detections belongs to the cascade.
int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error);

#endif
