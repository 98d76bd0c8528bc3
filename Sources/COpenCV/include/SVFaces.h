// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FACES_H
#define SV_FACES_H

// Functions for face detection. COpenCV.h includes this file. The conventions of COpenCV.h apply.

/// A detection of a cascade, in pixels of the searched image.
typedef struct {
  SVCVBox box;
  /// Number of overlapping candidates that form this detection; 1 if the search did not group candidates.
  int neighbors;
  /// Sum of the classifier outputs in the last stage, if the search did not group candidates; otherwise 0.
  double weight;
} SVCVFind;

/// Parameters of cv::CascadeClassifier::detectMultiScale.
typedef struct {
  /// A cascade searches for objects of several sizes. This value is the ratio of two consecutive sizes, greater than 1.
  double scaleFactor;
  /// Minimum number of overlapping candidates that form a detection. If negative, the search returns all candidates
  /// with their weights, without grouping.
  int minNeighbors;
  /// Minimum and maximum for both the width and the height of detections, in pixels. 0 means unlimited.
  int minSize;
  int maxSize;
  /// True if OpenCV may use several threads. If false, OpenCV uses only the calling thread.
  bool usesThreads;
} SVCVSearch;

/// The parsed text of a cascade file (cv::FileStorage). Only one thread at a time may use an instance.
typedef SVCVObject SVCVCascadeText;
/// Parses the text of a file in the format of `opencv_traincascade`. Does not check the values in the text.
SVCVCascadeText *sv_cv_cascade_text_create(const char *text, char *error);

/// A trained cascade of weak classifiers (cv::CascadeClassifier).
typedef SVCVObject SVCVCascade;
/// Creates a cascade, which does not need `text` afterwards.
SVCVCascade *sv_cv_cascade_create(SVCVCascadeText *text, char *error);
/// Detects objects in a grey image. The array of detections belongs to the cascade.
int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error);

#endif
