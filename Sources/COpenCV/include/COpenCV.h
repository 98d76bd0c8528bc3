#ifndef SV_COPENCV_H
#define SV_COPENCV_H

// OpenCV behind plain C: the only code that includes OpenCV. No cv:: type and no exception leaves it. A function
// returns 0, or another number after it wrote OpenCV's text to `error`, which holds `sv_cv_error_size` bytes.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { sv_cv_error_size = 512 };

/// A picture of 8 bits a channel.
typedef struct {
  uint8_t *data;
  int width;
  int height;
  /// Number of bytes from one row to the next.
  size_t stride;
  /// Number of channels, 1 to 4.
  int channels;
} SVCVImage;

/// Computes the stencil of `input`, per channel: GaussianBlur 5x5 (sigma 0: rows 1 4 6 4 1 over 16), then Laplacian
/// with ksize 3 (2 0 2, 0 -8 0, 2 0 2), negative values to 0; borders are reflected (OpenCV's default). Both pictures
/// have the same size and channels.
int sv_cv_stencil(SVCVImage input, SVCVImage output, char *error);

#include "SVBlobs.h"
#include "SVBalance.h"
#include "SVFaces.h"
#include "SVLogos.h"
#include "SVMerging.h"
#include "SVRecognition.h"
#include "SVThings.h"

#ifdef __cplusplus
}
#endif

#endif
