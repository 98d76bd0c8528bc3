#ifndef SV_FACES_H
#define SV_FACES_H

// The parts of OpenCV that face detection needs. Pictures are grey planes (one channel) unless stated otherwise.
// Included by COpenCV.h, whose conventions apply.

/// A trained cascade of weak classifiers (cv::CascadeClassifier). One thread at a time may use it.
typedef struct SVCVCascade SVCVCascade;

/// A find, in pixels of the searched picture.
typedef struct {
  int x;
  int y;
  int width;
  int height;
  /// Number of overlapping candidates that were grouped into it; 1 for an ungrouped candidate.
  int neighbors;
  /// Sum of the last stage, for ungrouped candidates; else 0.
  double weight;
} SVCVFind;

/// Parameters of cv::CascadeClassifier::detectMultiScale.
typedef struct {
  /// Factor between search sizes, > 1.
  double scaleFactor;
  /// Minimum number of overlapping candidates. Ignored if `candidates` is set.
  int minNeighbors;
  /// Side lengths in pixels; 0: no limit.
  int minWidth;
  int minHeight;
  int maxWidth;
  int maxHeight;
  /// If not 0, every single candidate is returned with its weight, not grouped.
  int candidates;
  /// If not 0, the search stays in the calling thread, and OpenCV's thread count is not changed.
  int singleThreaded;
} SVCVSearch;

/// Makes a cascade from the text of a file of `opencv_traincascade`, whose numbers are not checked.
/// - Returns: null with a text in `error` if that is not possible.
SVCVCascade *sv_cv_cascade_make(const char *text, char *error);
void sv_cv_cascade_free(SVCVCascade *cascade);
/// Searches `image`. The finds belong to the cascade and are valid until its next search.
int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error);

/// Sets the number of threads that all of OpenCV in this process uses; 0 restores its own choice.
int sv_cv_set_threads(int count, char *error);

/// Converts packed RGB to grey by OpenCV's weights (0.299 R + 0.587 G + 0.114 B, in 15 bits). The numbers are the
/// indices of red and blue in a pixel; green lies between them. `input` has 3 or 4 channels, `output` one and the same
/// size.
int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error);
/// Calls cv::resize by INTER_AREA with the factor `scale` in both directions; `output` must have the rounded size
/// (halves to even).
int sv_cv_reduce(SVCVImage input, double scale, SVCVImage output, char *error);
/// Calls cv::GaussianBlur with a kernel as large as `sigma` (above 0) requires; borders are reflected. `output` may not
/// be `input`.
int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error);
/// Calls cv::equalizeHist; `output` may be `input`.
int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error);
/// Equalises adaptively with limited contrast, with OpenCV's defaults (limit 40, 8x8 tiles); `output` may be `input`.
int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error);
/// Fills `output` with the square of `size` pixels around (`x`, `y`) of `input`, rotated by `degrees` (clockwise on the
/// screen) and scaled to fit, interpolated linearly; beyond the picture its border is repeated. (x, y) are in
/// coordinates where a pixel covers 0…1.
int sv_cv_patch(SVCVImage input, double x, double y, double size, double degrees, SVCVImage output, char *error);
/// Finds the best match of `pattern` in `input` (TM_CCOEFF_NORMED, −1…1), with a parabola's sub-pixel precision.
int sv_cv_match(SVCVImage input, SVCVImage pattern, double *x, double *y, double *score, char *error);

#endif
