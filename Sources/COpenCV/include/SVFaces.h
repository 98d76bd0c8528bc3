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

#endif
