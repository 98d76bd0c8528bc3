#ifndef SV_FACES_H
#define SV_FACES_H

// What face detection needs of OpenCV. Pictures are grey planes (one channel) unless said otherwise. Included by
// COpenCV.h, whose conventions hold.

/// A trained cascade of weak classifiers (cv::CascadeClassifier). One thread at a time may use it.
typedef struct SVCVCascade SVCVCascade;

/// What was found, in pixels of the searched picture.
typedef struct {
  int x;
  int y;
  int width;
  int height;
  /// How many overlapping candidates were grouped into it; 1 for an ungrouped candidate.
  int neighbors;
  /// The last stage's sum, for ungrouped candidates; else 0.
  double weight;
} SVCVFind;

/// The numbers of cv::CascadeClassifier::detectMultiScale.
typedef struct {
  /// The factor between search sizes, > 1.
  double scaleFactor;
  /// How many candidates have to overlap. Ignored when `candidates` is set.
  int minNeighbors;
  /// Side lengths in pixels; 0: no limit.
  int minWidth;
  int minHeight;
  int maxWidth;
  int maxHeight;
  /// Not 0: every single candidate with its weight, not grouped.
  int candidates;
  /// Not 0: in the calling thread alone, without touching OpenCV's thread count.
  int singleThreaded;
} SVCVSearch;

/// Makes a cascade of the text of a file of `opencv_traincascade`, whose numbers are not checked.
/// - Returns: null with a text in `error` when that is not possible.
SVCVCascade *sv_cv_cascade_make(const char *text, char *error);
void sv_cv_cascade_free(SVCVCascade *cascade);
/// Searches `image`. What was found belongs to the cascade and is valid until its next search.
int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error);

/// The number of threads that all of OpenCV in this process uses; 0 restores its own choice.
int sv_cv_set_threads(int count, char *error);

/// Grey from packed RGB by OpenCV's weights (0.299 R + 0.587 G + 0.114 B, in 15 bits). The numbers are the places of
/// red and blue in a pixel; green lies between them. `input` has 3 or 4 channels, `output` one and the same size.
int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error);
/// cv::resize by INTER_AREA with the factor `scale` in both directions; `output` must have the rounded size (halves to
/// even).
int sv_cv_reduce(SVCVImage input, double scale, SVCVImage output, char *error);
/// cv::GaussianBlur with a kernel as large as `sigma` (above 0) asks for; borders are reflected. `output` may not be
/// `input`.
int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error);
/// cv::equalizeHist; `output` may be `input`.
int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error);
/// Contrast-limited adaptive equalisation with OpenCV's defaults (limit 40, 8x8 tiles); `output` may be `input`.
int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error);
/// Fills `output` with the square of `size` pixels around (`x`, `y`) of `input`, turned by `degrees` (clockwise on the
/// screen) and scaled to fit, interpolated linearly; beyond the picture its border is repeated. (x, y) are in
/// coordinates where a pixel covers 0…1.
int sv_cv_patch(SVCVImage input, double x, double y, double size, double degrees, SVCVImage output, char *error);
/// Where `pattern` fits best in `input` (TM_CCOEFF_NORMED, −1…1), with a parabola's sub-pixel precision.
int sv_cv_match(SVCVImage input, SVCVImage pattern, double *x, double *y, double *score, char *error);

#endif
