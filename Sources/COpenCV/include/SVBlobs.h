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
  /// For `sv_cv_blobs_border`: whether the ground is uneven, so that it follows the light everywhere; and whether cast
  /// shadows are taken off. The other learned models tell shadows by themselves.
  int uneven;
  int removeShadows;
} SVCVBlobSearch;

/// A blob, in pixels of the searched picture.
typedef struct {
  SVCVBox box;
  double area;
  /// Mean colour of its own pixels. Grey pictures have one value in all three.
  double blue, green, red;
  const SVCVPoint *outline;
  int corners;
  /// Whether `sv_cv_blob_finder_refine` can look at it more closely.
  int canBeRefined;
  /// The number of what it was found in, together with shadows, and its box: a closer view of that shows all blobs of the
  /// same number; 0 if there are no shadows.
  int shaded;
  SVCVBox region;
} SVCVBlob;

/// Finds what differs from the background.
typedef SVCVObject SVCVBlobFinder;
SVCVBlobFinder *sv_cv_blob_finder_create(char *error);
/// Searches `picture`, which has 1 or 3 channels, for the largest blobs. They are lent, as is the mask (255 is
/// foreground).
int sv_cv_blob_finder_find(SVCVBlobFinder *finder, SVCVImage picture, SVCVBlobSearch search, SVCVImage *mask,
                           const SVCVBlob **blobs, int *count, char *error);

/// Looks more closely at one of the blobs of the last search.
/// - Parameters:
///   - blob: its number in that search, from 0.
///   - part: the blob and its surroundings, with the searched picture's channels, in any size.
///   - place: what `part` shows, in pixels of the frame before it was reduced.
///   - blobs: what was found there, in pixels of `part`, lent; the blobs of the last search are lent no longer, but can
///     still be refined.
int sv_cv_blob_finder_refine(SVCVBlobFinder *finder, int blob, SVCVImage part, SVCVBox place, SVCVBlobSearch search,
                             const SVCVBlob **blobs, int *count, char *error);

/// Finds the outline of the largest part of `mask` above 127, with at most `capacity` corners, and its bounding box.
/// `count` is 0 if there is none.
int sv_cv_outline(SVCVImage mask, SVCVPoint *outline, int capacity, int *count, SVCVBox *box, char *error);

#endif
