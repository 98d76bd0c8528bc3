#ifndef SV_LOGOS_H
#define SV_LOGOS_H

// What finding logos needs of OpenCV. Included by COpenCV.h, whose conventions hold. Pictures are grey.

/// The numbers of cv::MSER, and what is left out of what it finds.
typedef struct {
  /// Between how many levels a region is compared with itself.
  int delta;
  /// What the picture is reduced by before it is searched, at most 1.
  double scale;
  /// As shares of the picture's area.
  double minArea;
  double maxArea;
  /// How much of its area may change between those levels.
  double maxVariation;
  /// Regions that touch the picture's edge are left out.
  int skipsEdge;
  /// The limits of a region's area by that of the smallest rectangle around it, of its convex hull, and of its outer
  /// contour.
  double leastRectangleRatio;
  double mostRectangleRatio;
  double leastHullRatio;
  double mostHullRatio;
  double leastContourRatio;
  double mostContourRatio;
} SVCVRegionSearch;

/// A maximally stable extremal region, in pixels of the picture before it was reduced.
typedef struct {
  double x;
  double y;
  double width;
  double height;
  double area;
} SVCVRegion;

/// Finds maximally stable extremal regions (Matas, Chum, Urban, Pajdla, 2002). One thread at a time may use it.
typedef struct SVCVRegionFinder SVCVRegionFinder;

/// - Returns: null with a text in `error` when that is not possible.
SVCVRegionFinder *sv_cv_region_finder_create(char *error);
void sv_cv_region_finder_free(SVCVRegionFinder *finder);
/// Searches `picture`. What was found belongs to the finder and is valid until the next search; of regions that nearly
/// coincide one is kept.
int sv_cv_region_finder_find(SVCVRegionFinder *finder, SVCVImage picture, SVCVRegionSearch search,
                             const SVCVRegion **regions, int *count, char *error);
/// Fills `mask` with the part of the last picture that shows region `index`: the smallest rectangle around it becomes
/// the square that leaves `margin` pixels on each side. A pixel is 255 where it belongs to the region: at it, and nearer
/// to its mean level than to that of what is around it. `gray`, a square of any size or empty, becomes that part itself,
/// inverted if the region is brighter than what is around it. `isSquare` is 0 where the region is too narrow for that.
int sv_cv_region_square(SVCVRegionFinder *finder, int index, int margin, SVCVImage mask, SVCVImage gray, int *isSquare,
                        char *error);
/// The same of a mask that shows one region (255) alone.
int sv_cv_mask_square(SVCVImage region, int margin, SVCVImage mask, char *error);

/// Counts in pixels of a mask.
typedef struct {
  double area;
  /// Of what is inside of its largest contour, holes and all.
  double filledArea;
  double hullArea;
  int holes;
} SVCVMaskMeasure;

/// Measures the largest part of `mask`. All others are taken out of the mask, and holes of fewer pixels than
/// `smallestHole` are filled.
int sv_cv_measure_mask(SVCVImage mask, int smallestHole, SVCVMaskMeasure *measure, char *error);

/// ORB keypoints of a picture.
typedef struct SVCVKeypoints SVCVKeypoints;

SVCVKeypoints *sv_cv_keypoints_create(SVCVImage picture, char *error);
void sv_cv_keypoints_free(SVCVKeypoints *keypoints);
/// How many keypoints there are, and how many of `seen` agree with `known` on a similarity.
int sv_cv_keypoints_match(const SVCVKeypoints *seen, const SVCVKeypoints *known, int *agreeing, int *count,
                          char *error);

#endif
