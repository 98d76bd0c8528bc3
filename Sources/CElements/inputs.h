// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_INPUTS_H
#define SV_INPUTS_H

#include "object.h"

// The functions in inputs.c that aggregator.c calls.

// The duration of gaps from sv_aggregator_give_gap. It is short, because the base class drops frames that end before
// the end of a gap.
#define SV_GAP_DURATION GST_USECOND

/// Reports the arrival of a frame or an event at a pad to the Swift object of the pad.
void sv_pad_tell(GstPad *pad, SVArrival arrival);

/// Passes a custom downstream event to the Swift object of a pad. Returns FALSE for an unknown event.
gboolean sv_pad_custom_event(GstPad *pad, GstEvent *event);

/// Replaces the chain function of a new pad, so that frames without timestamps get timestamps before they are queued.
void sv_pad_override_chain(GstPad *pad);

/// Forgets the last timestamp, after a flush or at a new segment. The next frame without a timestamp is then at the
/// start of the segment.
void sv_pad_forget_time(GstPad *pad);

#endif
