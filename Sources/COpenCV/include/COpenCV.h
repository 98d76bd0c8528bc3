// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_H
#define SV_COPENCV_H

// A C interface to OpenCV. No other module includes OpenCV, and no cv:: type and no exception leaves this module.
// Conventions:
//
// - A function returns 0, or 1 after it has written a message to `error`, a buffer of `sv_cv_error_size` bytes.
// - A function that creates an object returns null instead of 1.
// - An array that a function returns belongs to an object, and is valid until the next use of this object.

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
  /// Number of bytes between the starts of two rows.
  size_t stride;
  /// Number of channels, 1 to 4.
  int channels;
} SVCVImage;

/// A point in pixels. The centre of the first pixel is at (0.5, 0.5).
typedef struct {
  double x, y;
} SVCVPoint;

/// A rectangle of whole pixels.
typedef struct {
  int x, y, width, height;
} SVCVBox;

/// An object that a function has created. The typedefs of this type name the type of the object. Only one thread at a
/// time may use an object.
typedef struct SVCVObject SVCVObject;
void sv_cv_free(SVCVObject *object);

#include "SVFaces.h"
#include "SVNetworks.h"
#include "SVPlanes.h"
#include "SVPrimitives.h"
#include "SVFeatures.h"
#include "SVOutlinePrimitives.h"
#include "SVRecognition.h"

#ifdef __cplusplus
}
#endif

#endif
