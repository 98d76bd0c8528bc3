#ifndef SV_BLOBS_H
#define SV_BLOBS_H

// The parts of OpenCV that blob detection needs. Included by COpenCV.h, whose conventions apply.

/// A point in pixels; a pixel covers 0…1.
typedef struct {
  double x;
  double y;
} SVCVPoint;

/// Extracts blue, green and red of a packed picture of 3 or 4 channels, reduced by INTER_AREA with the factor `scale`
/// in both directions. The numbers are the indices of the colours in a pixel. `output` has 3 channels and the rounded
/// size (halves to even).
int sv_cv_colors(SVCVImage input, int red, int green, int blue, double scale, SVCVImage output, char *error);

enum {
  /// Background near the frame's mean.
  sv_cv_blobs_frame_mean = 0,
  /// Background that continues the frame's edge.
  sv_cv_blobs_border = 1,
  /// Background of each pixel, learned over time (cv::BackgroundSubtractorMOG2, …KNN).
  sv_cv_blobs_mog2 = 2,
  sv_cv_blobs_knn = 3,
};

typedef struct {
  /// One of `sv_cv_blobs_…`.
  int model;
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
  int x;
  int y;
  int width;
  int height;
  double area;
  /// Mean colour of its own pixels. Grey pictures have one value in all three.
  double blue;
  double green;
  double red;
  const SVCVPoint *outline;
  int corners;
} SVCVBlob;

/// Finds what differs from the background. One thread at a time may use it.
typedef struct SVCVBlobFinder SVCVBlobFinder;

/// - Returns: null with a text in `error` if that is not possible.
SVCVBlobFinder *sv_cv_blob_finder_create(char *error);
void sv_cv_blob_finder_free(SVCVBlobFinder *finder);
/// Searches `picture`, which has 1 or 3 channels, for the largest blobs. The results and the mask (255 is foreground)
/// belong to the finder and are valid until the next search.
int sv_cv_blob_finder_find(SVCVBlobFinder *finder, SVCVImage picture, SVCVBlobSearch search, const SVCVBlob **blobs,
                           int *count, SVCVImage *mask, char *error);

/// Finds the outline of the largest part of `mask` above 127, with at most `capacity` corners, and its bounding box: x,
/// y, width, height. `count` is 0 if there is none.
int sv_cv_outline(SVCVImage mask, SVCVPoint *outline, int capacity, int *count, int box[4], char *error);

#endif
