// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_LOGOS_H
#define SV_LOGOS_H

// The parts of OpenCV that logo detection needs. Included by COpenCV.h, whose conventions apply. Pictures are grey.

/// Parameters of cv::MSER, and limits of its results.
typedef struct {
  /// Number of levels over which a region is compared with itself.
  int delta;
  /// Factor by which the picture is reduced before it is searched, at most 1.
  double scale;
  /// Limits of a region's area, as shares of the picture's.
  SVCVLimits area;
  /// Maximum change of its area between those levels.
  double maxVariation;
  /// True if regions that touch the picture's edge are left out.
  bool skipsEdge;
  /// Limits of the ratios of a region's area to that of the smallest rectangle around it, of its convex hull, and of
  /// its outer contour.
  SVCVLimits rectangleRatio;
  SVCVLimits hullRatio;
  SVCVLimits contourRatio;
} SVCVRegionSearch;

/// A maximally stable extremal region, in pixels of the picture before it was reduced.
typedef struct {
  double x, y, width, height;
  double area;
} SVCVRegion;

/// Finds maximally stable extremal regions (Matas, Chum, Urban, Pajdla, 2002).
typedef SVCVObject SVCVRegionFinder;
SVCVRegionFinder *sv_cv_region_finder_create(char *error);
/// Searches `picture`. The results are lent; of regions that nearly coincide one is kept.
int sv_cv_region_finder_find(SVCVRegionFinder *finder, SVCVImage picture, SVCVRegionSearch search,
                             const SVCVRegion **regions, int *count, char *error);
/// Fills `mask` with the part of the last picture that shows region `index`: the smallest rectangle around it becomes
/// the square that leaves `margin` pixels on each side. A pixel is 255 if it belongs to the region: next to it, and
/// nearer to its mean level than to that of its surroundings. `gray`, a square of any size or empty, receives the part
/// itself, inverted if the region is brighter than its surroundings. `isSquare` is false if the region is too narrow for
/// that.
int sv_cv_region_square(SVCVRegionFinder *finder, int index, int margin, SVCVImage mask, SVCVImage gray, bool *isSquare,
                        char *error);
/// Fills `mask` in the same way from a mask that shows only one region (255).
int sv_cv_mask_square(SVCVImage region, int margin, SVCVImage mask, char *error);

/// Measures in pixels of a mask.
typedef struct {
  double area;
  /// Area inside the largest contour, including holes.
  double filledArea;
  double hullArea;
  int holes;
} SVCVMaskMeasure;

/// Measures the largest part of `mask`. All others are removed from the mask, and holes of fewer pixels than
/// `smallestHole` are filled.
int sv_cv_measure_mask(SVCVImage mask, int smallestHole, SVCVMaskMeasure *measure, char *error);

#endif
