// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

SV_DEFINE_OBJECT(SVSink, sv_sink)
SV_DEFINE_ELEMENT(SVSink, sv_sink)

#define FUNCTIONS(object) (((SVSinkClass *)G_OBJECT_GET_CLASS(object))->functions)
#define INSTANCE(object) (((SVSink *)(object))->instance)
#define PARENT(object) GST_BASE_SINK_CLASS(sv_parent_class(object))

static gboolean sv_sink_start(GstBaseSink *s) { return FUNCTIONS(s)->element.start(INSTANCE(s)); }

static gboolean sv_sink_stop(GstBaseSink *s) {
  FUNCTIONS(s)->element.stop(INSTANCE(s));
  return TRUE;
}

static gboolean sv_sink_set_info(GstVideoSink *s, GstCaps *caps, const GstVideoInfo *info) {
  (void)caps;
  return FUNCTIONS(s)->element.set_info(INSTANCE(s), info);
}

// Called for the preroll frame, and for each further frame at its running time.
static GstFlowReturn sv_sink_show_frame(GstVideoSink *s, GstBuffer *buffer) {
  return FUNCTIONS(s)->show(INSTANCE(s), buffer);
}

// The sink supports GstVideoMeta, so it accepts frames with any strides.
static gboolean sv_sink_propose_allocation(GstBaseSink *s, GstQuery *query) {
  (void)s;
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

// The base class needs the preroll lock, which the streaming thread holds while it shows a frame. So this function ends
// the waits of the streaming thread.
static gboolean sv_sink_unlock(GstBaseSink *s) {
  FUNCTIONS(s)->element.interrupt(INSTANCE(s), SV_INTERRUPTION_UNLOCK, TRUE);
  return TRUE;
}

static gboolean sv_sink_unlock_stop(GstBaseSink *s) {
  FUNCTIONS(s)->element.interrupt(INSTANCE(s), SV_INTERRUPTION_UNLOCK, FALSE);
  return TRUE;
}

static gboolean sv_sink_event(GstBaseSink *s, GstEvent *event) {
  gboolean is_flushing;
  if (sv_is_flush(event, &is_flushing))
    FUNCTIONS(s)->element.interrupt(INSTANCE(s), SV_INTERRUPTION_FLUSH, is_flushing);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT)
    FUNCTIONS(s)->discontinuity(INSTANCE(s));
  else if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    FUNCTIONS(s)->end_of_stream(INSTANCE(s));
  return PARENT(s)->event(s, event);
}

static void sv_sink_class_init(gpointer klass, gpointer data) {
  GstBaseSinkClass *sink = GST_BASE_SINK_CLASS(klass);
  GstVideoSinkClass *video = GST_VIDEO_SINK_CLASS(klass);
  GST_ELEMENT_CLASS(klass)->change_state = sv_sink_change_state;
  sink->start = sv_sink_start;
  sink->stop = sv_sink_stop;
  sink->unlock = sv_sink_unlock;
  sink->unlock_stop = sv_sink_unlock_stop;
  sink->event = sv_sink_event;
  sink->propose_allocation = sv_sink_propose_allocation;
  video->set_info = sv_sink_set_info;
  video->show_frame = sv_sink_show_frame;
  sv_sink_object_class_init(klass, data);
}

GType sv_register_sink(const char *type_name, const SVSinkFunctions *functions, const void *class_info) {
  return sv_register(GST_TYPE_VIDEO_SINK, type_name, sizeof(SVSinkClass), sv_sink_class_init, sizeof(SVSink),
                     sv_sink_init, functions, class_info);
}
