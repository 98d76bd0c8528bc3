// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_BLOBS_H
#define SV_BLOBS_H

// The parts of OpenCV that blob detection needs. Included by COpenCV.h, whose conventions apply.

typedef enum {
  /// Background near the frame's mean.
  sv_cv_blobs_frame_mean,
  /// Background that continues the frame's edge.
  sv_cv_blobs_border,
  /// Background of each pixel, learned over time (cv::BackgroundSubtractorMOG2, …KNN).
  sv_cv_blobs_mog2,
  sv_cv_blobs_knn,
} SVCVBackground;

typedef struct {
  SVCVBackground model;
  /// Number of standard deviations by which the foreground differs; for `sv_cv_blobs_knn` the square of a distance.
  double threshold;
  /// Side of the kernel in pixels, and the number of times that the background is eroded with it; 0 for none.
  int kernel;
  int iterations;
  /// Number of frames that MOG2 and KNN remember.
  int history;
  /// Factor by which the picture was reduced. The limits of a blob's sides are in pixels before that; 0 for no limit.
  double scale;
  int minSide;
  int maxSide;
  int maxBlobs;
} SVCVBlobSearch;

/// A blob, in pixels of the searched picture.
typedef struct {
  SVCVBox box;
  double area;
  /// Mean colour of its own pixels. Grey pictures have one value in all three.
  double blue, green, red;
  const SVCVPoint *outline;
  int corners;
} SVCVBlob;

/// Finds what differs from the background.
typedef SVCVObject SVCVBlobFinder;
SVCVBlobFinder *sv_cv_blob_finder_create(char *error);
/// Searches `picture`, which has 1 or 3 channels, for the largest blobs. They are lent, as is the mask (255 is
/// foreground).
int sv_cv_blob_finder_find(SVCVBlobFinder *finder, SVCVImage picture, SVCVBlobSearch search, SVCVImage *mask,
                           const SVCVBlob **blobs, int *count, char *error);

/// Finds the outline of the largest part of `mask` above 127, with at most `capacity` corners, and its bounding box.
/// `count` is 0 if there is none.
int sv_cv_outline(SVCVImage mask, SVCVPoint *outline, int capacity, int *count, SVCVBox *box, char *error);

#endif
