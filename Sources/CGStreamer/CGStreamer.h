// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CGSTREAMER_H
#define SV_CGSTREAMER_H

#include <gst/gst.h>
#include <gst/app/app.h>
#include <gst/base/base.h>
#include <gst/base/gstaggregator.h>
#include <gst/controller/controller.h>
#include <gst/video/gstvideoaggregator.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/navigation.h>
#include <gst/video/video.h>

#endif
