#ifndef SV_THINGS_H
#define SV_THINGS_H

// What telling things by training pictures needs of OpenCV. Included by COpenCV.h, whose conventions hold. Pictures have
// 1 channel, or 3: blue, green and red.

enum { sv_cv_features_none = 0, sv_cv_features_orb = 1, sv_cv_features_sift = 2, sv_cv_features_akaze = 3 };

/// A thing as it was seen once, to be compared with known ones. One thread at a time may use it.
typedef struct SVCVSeenThing SVCVSeenThing;
/// A thing to be recognised, from a training picture. One thread at a time may use it.
typedef struct SVCVKnownThing SVCVKnownThing;

/// From a point of a seen thing's core to one of a known thing's map, both in their own pixels: x' = m[0] x + m[1] y +
/// m[2], y' = m[3] x + m[4] y + m[5].
typedef struct {
  double m[6];
} SVCVAlignment;

/// - Parameters:
///   - picture: the thing with a little of what is around it.
///   - outline: of the thing, in pixels of the picture.
///   - features: `sv_cv_features_…`.
/// - Returns: null with a text in `error` when that is not possible.
SVCVSeenThing *sv_cv_seen_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features, char *error);
void sv_cv_seen_free(SVCVSeenThing *thing);
SVCVKnownThing *sv_cv_known_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features, char *error);
void sv_cv_known_free(SVCVKnownThing *thing);

/// The turn in which the contours of both correlate best (`score`, −1…1; 1 where both have none).
int sv_cv_align_contours(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment,
                         double *score, char *error);
/// The similarity in which most of their keypoints match (`score`: how many do; 0 for fewer than 3).
int sv_cv_align_keypoints(SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment, double *score,
                          char *error);
/// How alike two things are where they lie on each other.
typedef struct {
  /// The correlation of their contours, −1…1; 1 where both have none; 0 where the alignment cannot be.
  double contours;
  /// How little contours say: 0…1, 1 where both have none.
  double plainness;
  /// The distance of their colours, 0…1; negative where one of the pictures has none.
  double color;
} SVCVLikeness;

/// Improves an alignment, and compares what comes to lie on each other.
/// - Parameter bins: of the histograms of colour, along each axis.
int sv_cv_compare(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment alignment, int bins,
                  SVCVLikeness *result, char *error);

/// What BeanCounter's algorithm looks at.
typedef struct SVCVClassicLook SVCVClassicLook;

/// A histogram of the whole picture, and the keypoints of its equalised (CLAHE) grey.
/// - Returns: null with a text in `error` when that is not possible.
SVCVClassicLook *sv_cv_classic_create(SVCVImage picture, int bins, int features, char *error);
void sv_cv_classic_free(SVCVClassicLook *look);
/// `histogramWeight` × the alternative chi-square of the histograms + the rest × the mean distance of each seen
/// descriptor's best match (brute force; Hamming, or Euclid for SIFT).
int sv_cv_classic_distance(const SVCVClassicLook *seen, const SVCVClassicLook *known, double histogramWeight,
                           double *distance, char *error);

#endif
