// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CGSTREAMERCHECK_H
#define SV_CGSTREAMERCHECK_H

#include <gst/check/gstharness.h>
#include <gst/controller/controller.h>

#endif
