// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inputs.h"

SV_DEFINE_OBJECT(SVPad, sv_pad)

void sv_pad_tell(GstPad *pad, SVArrival arrival) {
  SVPadClass *c = (SVPadClass *)G_OBJECT_GET_CLASS(pad);
  c->functions->arrived(((SVPad *)pad)->instance, arrival);
}

gboolean sv_pad_custom_event(GstPad *pad, GstEvent *event) {
  SVPadClass *c = (SVPadClass *)G_OBJECT_GET_CLASS(pad);
  return c->functions->custom_event(((SVPad *)pad)->instance, gst_event_get_structure(event));
}

// The code below adds timestamps to frames without timestamps, because the base class ends the stream at such a frame.
// The rules are in docs/time.md: the first frame is at the start of its segment. Each further frame comes one frame
// interval after the previous frame.

#define CLOCK_KEY "sv-clock"
/// The frame rate, in frames per second, if the caps of a stream have no frame rate.
#define USUAL_RATE 30

/// `origin`: the timestamp of the last frame that had a timestamp, or the start of the segment. `frames`: the number of
/// frames after `origin`.
typedef struct {
  GstClockTime origin;
  guint64 frames;
} Clock;

void sv_pad_forget_time(GstPad *pad) { g_object_set_data(G_OBJECT(pad), CLOCK_KEY, NULL); }

static void count_from(GstPad *pad, GstClockTime origin) {
  Clock *clock = g_object_get_data(G_OBJECT(pad), CLOCK_KEY);
  if (!clock) {
    clock = g_new0(Clock, 1);
    g_object_set_data_full(G_OBJECT(pad), CLOCK_KEY, clock, g_free);
  }
  *clock = (Clock){origin, 0};
}

/// Returns the start of the pad's segment. Returns GST_CLOCK_TIME_NONE if the format is not time or playback is
/// backwards.
static GstClockTime segment_start(GstPad *pad) {
  GstClockTime start = GST_CLOCK_TIME_NONE;
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event)
    return start;
  const GstSegment *segment = NULL;
  gst_event_parse_segment(event, &segment);
  if (segment->format == GST_FORMAT_TIME && segment->rate > 0)
    start = segment->start + segment->offset;
  gst_event_unref(event);
  return start;
}

/// Returns the duration of `frames` frames at the frame rate in the pad's caps.
static GstClockTime duration_of(guint64 frames, GstPad *pad) {
  gint rate = 0, per = 1;
  GstCaps *caps = gst_pad_get_current_caps(pad);
  if (caps) {
    gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &rate, &per);
    gst_caps_unref(caps);
  }
  if (rate <= 0 || per <= 0)
    rate = USUAL_RATE, per = 1;
  return gst_util_uint64_scale(frames, per * GST_SECOND, rate);
}

/// Adds a timestamp to a buffer that has none, unless the start of its segment is unknown.
static GstBuffer *with_time(GstPad *pad, GstBuffer *buffer) {
  if (GST_BUFFER_PTS_IS_VALID(buffer)) {
    count_from(pad, GST_BUFFER_PTS(buffer));
    return buffer;
  }
  Clock *clock = g_object_get_data(G_OBJECT(pad), CLOCK_KEY);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  if (clock) {
    time = clock->origin + duration_of(++clock->frames, pad);
  } else {
    time = segment_start(pad);
    if (!GST_CLOCK_TIME_IS_VALID(time))
      return buffer;
    count_from(pad, time);
  }
  buffer = gst_buffer_make_writable(buffer);
  GST_BUFFER_PTS(buffer) = time;
  return buffer;
}

// Returns TRUE for a buffer before the offset of its segment. Such a buffer has no running time, so an assertion of
// GstVideoAggregator would abort the process. Demuxers set an offset when a seek does not change the start. The pad
// drops these buffers. GstAggregatorClass.clip could also drop these buffers, but the mixer would then output a frame
// without this input for each dropped buffer.
static gboolean is_before_offset(GstPad *pad, GstBuffer *buffer) {
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event)
    return FALSE;
  GstSegment segment;
  gst_event_copy_segment(event, &segment);
  gst_event_unref(event);
  guint64 start = 0, stop = 0;
  GstClockTime pts = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer);
  GstClockTime end = GST_CLOCK_TIME_IS_VALID(duration) ? pts + duration : pts;
  if (segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(pts) ||
      !gst_segment_clip(&segment, GST_FORMAT_TIME, pts, end, &start, &stop))
    return FALSE; // keep the buffer: the base class then reports an error or drops it
  return !GST_CLOCK_TIME_IS_VALID(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, start)) ||
         !GST_CLOCK_TIME_IS_VALID(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, stop));
}

// The chain function of GstAggregatorPad, which queues a buffer when the queue has space.
static GstPadChainFunction aggregator_pad_chain;

static GstFlowReturn sv_pad_chain(GstPad *pad, GstObject *parent, GstBuffer *buffer) {
  GstFlowReturn result = GST_FLOW_OK;
  sv_pad_tell(pad, SV_ARRIVAL_FRAME);
  buffer = with_time(pad, buffer);
  if (is_before_offset(pad, buffer))
    gst_buffer_unref(buffer);
  else
    result = ((GstPadChainFunction)g_atomic_pointer_get(&aggregator_pad_chain))(pad, parent, buffer);
  sv_pad_tell(pad, SV_ARRIVAL_QUEUED);
  return result;
}

void sv_pad_override_chain(GstPad *pad) {
  g_atomic_pointer_set(&aggregator_pad_chain, GST_PAD_CHAINFUNC(pad));
  gst_pad_set_chain_function(pad, sv_pad_chain);
}

static void sv_pad_conversion_info(GstVideoAggregatorConvertPad *pad, GstVideoAggregator *a, GstVideoInfo *info) {
  SVPadClass *c = (SVPadClass *)G_OBJECT_GET_CLASS(pad);
  GST_VIDEO_AGGREGATOR_CONVERT_PAD_CLASS(sv_parent_class(pad))->create_conversion_info(pad, a, info);
  if (info->finfo)
    c->functions->conversion_info(((SVPad *)pad)->instance, &GST_VIDEO_AGGREGATOR_PAD(pad)->info, &a->info, info);
}

static void sv_pad_prepare_frame(GstVideoAggregatorPad *pad, GstVideoAggregator *a, GstBuffer *buffer,
                                 GstVideoFrame *frame) {
  SVPadClass *c = (SVPadClass *)G_OBJECT_GET_CLASS(pad);
  GstBuffer *prepared = c->functions->prepare(((SVPad *)pad)->instance, buffer);
  if (!prepared)
    return;
  GST_VIDEO_AGGREGATOR_PAD_CLASS(sv_parent_class(pad))->prepare_frame_start(pad, a, prepared, frame);
  gst_buffer_unref(prepared);
}

static void sv_pad_linked(GstPad *pad, GstPad *source) {
  (void)source;
  sv_pad_end_reservation(pad);
}

static void sv_pad_class_init(gpointer klass, gpointer data) {
  GST_VIDEO_AGGREGATOR_PAD_CLASS(klass)->prepare_frame_start = sv_pad_prepare_frame;
  GST_VIDEO_AGGREGATOR_CONVERT_PAD_CLASS(klass)->create_conversion_info = sv_pad_conversion_info;
  GST_PAD_CLASS(klass)->linked = sv_pad_linked;
  sv_pad_object_class_init(klass, data);
}

GType sv_register_pad(const char *type_name, const SVPadFunctions *functions, const void *class_info) {
  sv_reservation_init();
  return sv_register(GST_TYPE_VIDEO_AGGREGATOR_PARALLEL_CONVERT_PAD, type_name, sizeof(SVPadClass), sv_pad_class_init,
                     sizeof(SVPad), sv_pad_init, functions, class_info);
}

void sv_aggregator_pad_drop_gap(GstAggregatorPad *pad) {
  GstBuffer *buffer = gst_aggregator_pad_peek_buffer(pad);
  if (!buffer)
    return;
  gboolean is_gap = gst_buffer_get_size(buffer) == 0 && GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP) &&
                    GST_BUFFER_DURATION(buffer) <= SV_GAP_DURATION;
  gst_buffer_unref(buffer);
  if (is_gap)
    gst_aggregator_pad_drop_buffer(pad);
}

// Writes the running times of a buffer to `start` and `end`. Returns FALSE if the buffer has no running time. If the
// buffer has no duration, `end` is GST_CLOCK_TIME_NONE.
static gboolean running_times(GstAggregatorPad *pad, GstBuffer *buffer, GstClockTime *start, GstClockTime *end) {
  GstClockTime pts = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(pts))
    return FALSE;
  GST_OBJECT_LOCK(pad);
  GstSegment segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  *start = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, MAX(pts, segment.start));
  *end = GST_CLOCK_TIME_IS_VALID(duration)
             ? gst_segment_to_running_time(&segment, GST_FORMAT_TIME, MIN(pts + duration, segment.stop))
             : GST_CLOCK_TIME_NONE;
  if (segment.rate < 0 && GST_CLOCK_TIME_IS_VALID(*end)) {
    GstClockTime last = *start;
    *start = *end;
    *end = last;
  }
  return GST_CLOCK_TIME_IS_VALID(*start);
}

// Only the end time of the current frame counts here. If a gap that keeps the frame follows, the base class may show
// the frame longer.
gboolean sv_video_aggregator_pad_is_over(GstVideoAggregatorPad *pad, GstClockTime start) {
  GstAggregatorPad *queue = GST_AGGREGATOR_PAD(pad);
  GstBuffer *current = gst_video_aggregator_pad_get_current_buffer(pad);
  GstClockTime from = 0, to = 0;
  gboolean repeats = FALSE;
  if (!gst_aggregator_pad_is_eos(queue) || !current)
    return FALSE;
  g_object_get(pad, "repeat-after-eos", &repeats, NULL);
  return !repeats && running_times(queue, current, &from, &to) && GST_CLOCK_TIME_IS_VALID(to) && to <= start;
}

gboolean sv_video_aggregator_pad_is_complete(GstVideoAggregatorPad *pad, GstClockTime start, GstClockTime end) {
  GstAggregatorPad *queue = GST_AGGREGATOR_PAD(pad);
  GstClockTime from = 0, to = 0;
  GstBuffer *current = gst_video_aggregator_pad_get_current_buffer(pad);
  if (current && gst_buffer_get_size(current) > 0 && running_times(queue, current, &from, &to) &&
      GST_CLOCK_TIME_IS_VALID(to) && to > start && to + SV_GAP_DURATION >= end)
    return TRUE;
  GstBuffer *next = gst_aggregator_pad_peek_buffer(queue);
  if (!next)
    return gst_aggregator_pad_is_eos(queue);
  // A buffer outside the segment has no running time. It counts as later than the output frame, and the base class
  // handles it.
  gboolean is_gap = gst_buffer_get_size(next) == 0 && GST_BUFFER_FLAG_IS_SET(next, GST_BUFFER_FLAG_GAP);
  gboolean is_later = !is_gap && (!running_times(queue, next, &from, &to) || from >= end);
  gst_buffer_unref(next);
  return is_later;
}

void sv_aggregator_pad_drop_before(GstAggregatorPad *pad, GstClockTime start) {
  for (;;) {
    GstBuffer *buffer = gst_aggregator_pad_peek_buffer(pad);
    if (!buffer)
      return;
    GstClockTime pts = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer), end = GST_CLOCK_TIME_NONE;
    if (GST_CLOCK_TIME_IS_VALID(pts) && GST_CLOCK_TIME_IS_VALID(duration)) {
      GST_OBJECT_LOCK(pad);
      end = gst_segment_to_running_time(&pad->segment, GST_FORMAT_TIME, pts + duration);
      GST_OBJECT_UNLOCK(pad);
    }
    gst_buffer_unref(buffer);
    if (!GST_CLOCK_TIME_IS_VALID(end) || end > start)
      return;
    gst_aggregator_pad_drop_buffer(pad);
  }
}
