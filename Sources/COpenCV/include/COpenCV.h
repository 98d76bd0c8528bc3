// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_H
#define SV_COPENCV_H

// OpenCV behind plain C: the only code that includes OpenCV. No cv:: type and no exception leaves it. A function
// returns 0, or another number after it wrote OpenCV's text to `error`, which holds `sv_cv_error_size` bytes. One that
// creates an object returns null instead. Arrays that are lent belong to an object, and are valid until its next use.

#include <stdbool.h>
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

/// A point in pixels; a pixel covers 0…1.
typedef struct {
  double x, y;
} SVCVPoint;

/// A rectangle of whole pixels.
typedef struct {
  int x, y, width, height;
} SVCVBox;

/// Something that a function made, of the kind that its type's name says. One thread at a time may use it.
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
