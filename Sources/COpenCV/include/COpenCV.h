// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_H
#define SV_COPENCV_H

// A C interface to OpenCV. Only this module includes OpenCV. Callers see no cv:: types and no exceptions. Conventions:
//
// - A function returns 0 if it succeeds. Otherwise it writes a message to `error`, a buffer of `sv_cv_error_size`
//   bytes, and returns 1.
// - A function that creates an object returns null instead of 1.
// - If a function returns an array, the array belongs to an object. The array is valid until the next use of this
//   object.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { sv_cv_error_size = 512 };

/// An image with 8 bits per channel.
typedef struct {
  uint8_t *data;
  int width;
  int height;
  /// Number of bytes from the start of a row to the start of the next row.
  size_t stride;
  /// Number of channels, 1 to 4.
  int channels;
} SVCVImage;

/// A point in pixels. The centre of the top left pixel is at (0.5, 0.5).
typedef struct {
  double x, y;
} SVCVPoint;

/// A rectangle of whole pixels.
typedef struct {
  int x, y, width, height;
} SVCVBox;

/// An object that a function of this module has created. Typedefs such as `SVCVCascade` have the same type. Their names
/// show which object a function expects. Only one thread at a time may use an object.
typedef struct SVCVObject SVCVObject;
void sv_cv_free(SVCVObject *object);

#include "SVFaces.h"
#include "SVNetworks.h"
#include "SVPlanes.h"
#include "SVPrimitives.h"
#include "SVFeatures.h"
#include "SVHybrids.h"
#include "SVOutlinePrimitives.h"
#include "SVRecognition.h"

#ifdef __cplusplus
}
#endif

#endif
