#ifndef SV_THINGS_H
#define SV_THINGS_H

// The parts of OpenCV that naming things by training pictures needs. Included by COpenCV.h, whose conventions apply.
// Pictures have 1 channel, or 3: blue, green and red.

enum { sv_cv_features_none = 0, sv_cv_features_orb = 1, sv_cv_features_sift = 2, sv_cv_features_akaze = 3 };

/// A thing as it was seen once, to be compared with known ones. One thread at a time may use it.
typedef struct SVCVSeenThing SVCVSeenThing;
/// A thing to be recognised, from a training picture. One thread at a time may use it.
typedef struct SVCVKnownThing SVCVKnownThing;

/// A map from points of a seen thing's core to those of a known thing's map, both in their own pixels: x' = m[0] x +
/// m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
typedef struct {
  double m[6];
} SVCVAlignment;

/// - Parameters:
///   - picture: the thing with a little of its surroundings.
///   - outline: the outline of the thing, in pixels of the picture.
///   - features: one of `sv_cv_features_…`.
/// - Returns: null with a text in `error` if that is not possible.
SVCVSeenThing *sv_cv_seen_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features, char *error);
void sv_cv_seen_free(SVCVSeenThing *thing);
SVCVKnownThing *sv_cv_known_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features, char *error);
void sv_cv_known_free(SVCVKnownThing *thing);

/// Finds the rotation at which the contours of both correlate best (`score`, −1…1; 1 if neither has any).
int sv_cv_align_contours(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment,
                         double *score, char *error);
/// Finds the similarity in which most of their keypoints match (`score`: the number of matches; 0 for fewer than 3).
int sv_cv_align_keypoints(SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment, double *score,
                          char *error);
/// Likeness of two things when they are aligned.
typedef struct {
  /// Correlation of their contours, −1…1; 1 if neither has any; 0 if the alignment is impossible.
  double contours;
  /// Lack of contours, 0…1; 1 if neither has any.
  double plainness;
  /// Distance of their colours, 0…1; negative if one of the pictures has none.
  double color;
} SVCVLikeness;

/// Improves an alignment, and compares the things where they coincide.
/// - Parameter bins: the number of bins of the histograms of colour, along each axis.
int sv_cv_compare(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment alignment, int bins,
                  SVCVLikeness *result, char *error);

/// The features that BeanCounter's algorithm uses.
typedef struct SVCVClassicLook SVCVClassicLook;

/// Computes a histogram of the whole picture, and the keypoints of its equalised (CLAHE) grey.
/// - Returns: null with a text in `error` if that is not possible.
SVCVClassicLook *sv_cv_classic_create(SVCVImage picture, int bins, int features, char *error);
void sv_cv_classic_free(SVCVClassicLook *look);
/// Computes `histogramWeight` × the alternative chi-square of the histograms + the rest × the mean distance of each
/// seen descriptor's best match (brute force; Hamming, or Euclid for SIFT).
int sv_cv_classic_distance(const SVCVClassicLook *seen, const SVCVClassicLook *known, double histogramWeight,
                           double *distance, char *error);

#endif
