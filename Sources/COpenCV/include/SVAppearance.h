// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_APPEARANCE_H
#define SV_APPEARANCE_H

// The parts of OpenCV that naming objects by training pictures needs. Included by COpenCV.h, whose conventions apply.
// Pictures have 1 channel, or 3: blue, green and red.

typedef enum { sv_cv_features_none, sv_cv_features_orb, sv_cv_features_sift, sv_cv_features_akaze } SVCVFeatures;

/// Appearance of an object in a frame, to be compared with trained ones.
typedef SVCVObject SVCVQueryAppearance;
/// Appearance of an object to be recognised, from a training picture.
typedef SVCVObject SVCVTrainedAppearance;

/// A map from points of a query's core to those of a trained appearance's map, both in their own pixels: x' = m[0] x +
/// m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
typedef struct {
  double m[6];
} SVCVAlignment;

/// - Parameters:
///   - picture: the object with a little of its surroundings.
///   - outline: the outline of the object, in pixels of the picture.
SVCVQueryAppearance *sv_cv_query_create(SVCVImage picture, const SVCVPoint *outline, int corners,
                                        SVCVFeatures features, char *error);
SVCVTrainedAppearance *sv_cv_trained_create(SVCVImage picture, const SVCVPoint *outline, int corners,
                                            SVCVFeatures features, char *error);

/// Finds the rotation at which the contours of both correlate best (`score`, −1…1; 1 if neither has any).
int sv_cv_align_contours(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment *alignment,
                         double *score, char *error);
/// Finds the similarity in which most of their keypoints match (`score`: the number of matches; 0 for fewer than 3).
int sv_cv_align_keypoints(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment *alignment,
                          double *score, char *error);
/// Likeness of two objects when they are aligned.
typedef struct {
  /// Correlation of their contours, −1…1; 1 if neither has any; 0 if the alignment is impossible.
  double contours;
  /// Lack of contours, 0…1; 1 if neither has any.
  double plainness;
  /// Distance of their colours, 0…1; negative if one of the pictures has none.
  double color;
} SVCVLikeness;

/// Improves an alignment, and compares the objects where they coincide.
/// - Parameter bins: the number of bins of the histograms of colour, along each axis.
int sv_cv_compare(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment alignment, int bins,
                  SVCVLikeness *result, char *error);

/// The features that BeanCounter's algorithm uses: a histogram of the whole picture, and the keypoints of its equalised
/// (CLAHE) grey.
typedef SVCVObject SVCVClassicAppearance;
SVCVClassicAppearance *sv_cv_classic_create(SVCVImage picture, int bins, SVCVFeatures features, char *error);
/// Computes `histogramWeight` × the alternative chi-square of the histograms + the rest × the mean distance of each
/// query descriptor's best match (brute force; Hamming, or Euclid for SIFT).
int sv_cv_classic_distance(SVCVClassicAppearance *query, SVCVClassicAppearance *trained, double histogramWeight,
                           double *distance, char *error);

#endif
