// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_INPUTS_H
#define SV_INPUTS_H

#include "object.h"

// What an aggregator needs of its input pads.

// Short: frames that end before a gap does are dropped by the base class.
#define SV_GAP_DURATION GST_USECOND

/// Tells the Swift object of an input what has arrived.
void sv_pad_tell(GstPad *pad, SVArrival arrival);

/// Has the frames of a new input come through here before they are queued.
void sv_pad_override_chain(GstPad *pad);

/// Frames without timestamps start again, as after a flush or with a new segment.
void sv_pad_forget_time(GstPad *pad);

#endif
