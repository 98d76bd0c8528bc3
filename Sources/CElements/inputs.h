// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_INPUTS_H
#define SV_INPUTS_H

#include "object.h"

// Functions of the input pads for the aggregator.

// The duration is short, because the base class drops frames that end before a gap ends.
#define SV_GAP_DURATION GST_USECOND

/// Reports an arrival to the Swift object of an input.
void sv_pad_tell(GstPad *pad, SVArrival arrival);

/// Replaces the chain function of a new input, so that frames get timestamps before they are queued.
void sv_pad_override_chain(GstPad *pad);

/// Restarts the timestamps of frames without timestamps, after a flush or at a new segment.
void sv_pad_forget_time(GstPad *pad);

#endif
