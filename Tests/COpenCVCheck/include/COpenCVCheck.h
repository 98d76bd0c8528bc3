#ifndef SV_COPENCV_CHECK_H
#define SV_COPENCV_CHECK_H

// OpenCV called directly, as a program without this project would, for tests to compare with.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int x;
  int y;
  int width;
  int height;
} SVCheckRectangle;

/// Reduces a grey picture by INTER_AREA and equalises its histogram, then searches the part `x y width height` of the
/// result (all of it if `width` is 0) with the cascade at `path`, smallest size `minSize` pixels, or `minFraction` of the
/// shorter side, rounded down, if that is not 0.
/// - Returns: how many rectangles there are, at most `capacity` of which were written; -1 if OpenCV failed.
int sv_check_detect(const uint8_t *gray, int width, int height, size_t stride, double scale, const char *path,
                    SVCheckRectangle part, double scaleFactor, int minNeighbors, int minSize, double minFraction,
                    SVCheckRectangle *found, int capacity);

/// OpenCV's thread count.
int sv_check_threads(void);

#ifdef __cplusplus
}
#endif

#endif
