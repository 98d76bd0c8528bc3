// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_APPEARANCE_H
#define SV_APPEARANCE_H

// The parts of OpenCV that naming objects by training pictures needs. Included by COpenCV.h, whose conventions apply.
// Pictures have 1 channel, or 3: blue, green and red.

typedef enum { sv_cv_features_none, sv_cv_features_orb, sv_cv_features_sift, sv_cv_features_akaze } SVCVFeatures;

/// Shape of an object: its outline and holes, cut out of a picture, to be compared with others.
typedef SVCVObject SVCVShape;

/// - Parameters:
///   - picture: the object with a little of its surroundings.
///   - outline: a rough outline of the object, in pixels of the picture.
///   - precision: how far that may be off, in pixels.
///   - isLit: whether what may be a narrow shadow along the outline counts as ground.
SVCVShape *sv_cv_shape_create(SVCVImage picture, const SVCVPoint *outline, int corners, double precision, int isLit,
                              char *error);

/// A similarity as complex numbers: z → turn z + shift.
typedef struct {
  SVCVPoint turn, shift;
} SVCVSimilarity;

typedef struct {
  /// Between the outlines, in units of their sizes about their middles.
  SVCVSimilarity outlines;
  /// Between the pictures, in pixels.
  SVCVSimilarity pictures;
  /// The place on the second outline where the first one starts.
  int start;
  /// Root mean square distance of the outlines in units of the size.
  double distance;
  /// Area by which the holes differ, as a share of that of the larger ones and of the square of the size together.
  double holes;
} SVCVShapeMatch;

/// What is known of a shape besides its outline.
typedef struct {
  /// The longer side in pixels.
  double length;
  /// Area within the outline in pixels.
  double area;
  /// Twice the area within the outline, divided by the outline's length, in units of the size: 1 for a disc, less for what is
  /// thin.
  double thickness;
  /// Mean of the object's own pixels as a share of the ground's: blue, green and red; grey has one value in all three.
  double tone[3];
  /// Whether the outline was cut out of ground without shadows.
  int isExact;
  /// Whether what is along the outline may be a shadow, too little of which is seen to be sure.
  int hasNarrowShadow;
} SVCVShapeFacts;
int sv_cv_shape_facts(SVCVShape *shape, SVCVShapeFacts *facts, char *error);

/// Finds the turn in which the outlines' Fourier descriptors agree best; `distance` is the full Procrustes distance of the
/// outlines, 0…1, in places at equal distances along them.
int sv_cv_shape_align(SVCVShape *query, SVCVShape *trained, SVCVShapeMatch *match, char *error);
/// Improves a match, and measures the distance between the outlines, wherever along them, and between the holes.
int sv_cv_shape_compare(SVCVShape *query, SVCVShape *trained, SVCVShapeMatch *match, char *error);

/// Looks for parts of the thing that cover half of what is behind them, such as the teeth of a comb, and makes the shapes with
/// them and without; null if there are none. Once for each shape.
int sv_cv_shape_split(SVCVShape *shape, SVCVShape **whole, SVCVShape **solid, char *error);
/// Computes how much the coverages of the trained shape's faint parts differ in both pictures, 0…1; 1 if too little of them is
/// seen.
/// - Parameters:
///   - query, trained: shapes that were split.
///   - between: maps the query's picture to the trained one.
int sv_cv_shape_compare_faint(SVCVShape *query, SVCVShape *trained, SVCVSimilarity between, double *difference,
                              char *error);

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
///   - shape: the shape that was made from the same picture.
SVCVQueryAppearance *sv_cv_query_create(SVCVImage picture, SVCVShape *shape, SVCVFeatures features, char *error);
SVCVTrainedAppearance *sv_cv_trained_create(SVCVImage picture, SVCVShape *shape, SVCVFeatures features, char *error);
/// Returns how little there is to see within the outline of either: 0…1, 1 if all is plain.
double sv_cv_appearance_plainness(SVCVObject *appearance);

/// Converts a similarity between the pictures that both come from.
int sv_cv_align_shapes(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVSimilarity between,
                       SVCVAlignment *alignment, char *error);
/// Estimates the score that `sv_cv_align_contours` would find, from one of its positions alone.
int sv_cv_estimate_contours(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, double *score, char *error);
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
