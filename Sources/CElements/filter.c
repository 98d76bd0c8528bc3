// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

SV_DEFINE_OBJECT(SVFilter, sv_filter)
SV_DEFINE_ELEMENT(SVFilter, sv_filter)

#define FUNCTIONS(object) (((SVFilterClass *)G_OBJECT_GET_CLASS(object))->functions)
#define INSTANCE(object) (((SVFilter *)(object))->instance)

// An element that is added to a running pipeline may receive events while it starts. The stream lock makes these events
// wait until the element has started.
static gboolean sv_filter_start(GstBaseTransform *t) {
  GST_PAD_STREAM_LOCK(t->sinkpad);
  gboolean started = FUNCTIONS(t)->element.start(INSTANCE(t));
  GST_PAD_STREAM_UNLOCK(t->sinkpad);
  return started;
}

static gboolean sv_filter_stop(GstBaseTransform *t) {
  FUNCTIONS(t)->element.stop(INSTANCE(t));
  return TRUE;
}

static gboolean sv_filter_set_info(GstVideoFilter *filter, GstCaps *incaps, GstVideoInfo *in, GstCaps *outcaps,
                                   GstVideoInfo *out) {
  (void)incaps, (void)outcaps, (void)out;
  return FUNCTIONS(filter)->element.set_info(INSTANCE(filter), in);
}

static void sv_filter_before_transform(GstBaseTransform *t, GstBuffer *buffer) {
  FUNCTIONS(t)->before_transform(INSTANCE(t), buffer);
}

// Metadata can be added only to a writable buffer. If the filter only reads the pixels, a new buffer that shares the
// memory is sufficient. The base class would copy the memory.
static GstFlowReturn sv_filter_prepare_output_buffer(GstBaseTransform *t, GstBuffer *input, GstBuffer **output) {
  if (gst_base_transform_is_passthrough(t) || gst_buffer_is_writable(input) || !FUNCTIONS(t)->reads(INSTANCE(t)))
    return GST_BASE_TRANSFORM_CLASS(sv_parent_class(t))->prepare_output_buffer(t, input, output);
  *output = gst_buffer_copy(input);
  return *output ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn sv_filter_transform(GstBaseTransform *t, GstBuffer *buffer) {
  return FUNCTIONS(t)->transform(INSTANCE(t), buffer);
}

// Nothing calls this function. Without this function, GstVideoFilter assumes that the class needs two buffers (input
// and output).
static GstFlowReturn sv_filter_transform_frame(GstVideoFilter *filter, GstVideoFrame *frame) {
  (void)filter, (void)frame;
  return GST_FLOW_NOT_SUPPORTED;
}

static gboolean sv_filter_sink_event(GstBaseTransform *t, GstEvent *event) {
  gboolean is_flushing;
  if (sv_is_flush(event, &is_flushing))
    FUNCTIONS(t)->element.interrupt(INSTANCE(t), SV_INTERRUPTION_FLUSH, is_flushing);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT)
    FUNCTIONS(t)->discontinuity(INSTANCE(t));
  else if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    FUNCTIONS(t)->end_of_stream(INSTANCE(t));
  return GST_BASE_TRANSFORM_CLASS(sv_parent_class(t))->sink_event(t, event);
}

static gboolean sv_filter_src_event(GstBaseTransform *t, GstEvent *event) {
  event = FUNCTIONS(t)->element.src_event(INSTANCE(t), event);
  return !event || GST_BASE_TRANSFORM_CLASS(sv_parent_class(t))->src_event(t, event);
}

static void sv_filter_class_init(gpointer klass, gpointer data) {
  GstBaseTransformClass *transform = GST_BASE_TRANSFORM_CLASS(klass);
  GstVideoFilterClass *filter = GST_VIDEO_FILTER_CLASS(klass);
  GST_ELEMENT_CLASS(klass)->change_state = sv_filter_change_state;
  transform->start = sv_filter_start;
  transform->stop = sv_filter_stop;
  transform->before_transform = sv_filter_before_transform;
  transform->prepare_output_buffer = sv_filter_prepare_output_buffer;
  transform->transform_ip = sv_filter_transform;
  transform->sink_event = sv_filter_sink_event;
  transform->src_event = sv_filter_src_event;
  transform->transform_ip_on_passthrough = FALSE;
  filter->set_info = sv_filter_set_info;
  filter->transform_frame_ip = sv_filter_transform_frame;
  sv_filter_object_class_init(klass, data);
}

GType sv_register_filter(const char *type_name, const SVFilterFunctions *functions, const void *class_info) {
  return sv_register(GST_TYPE_VIDEO_FILTER, type_name, sizeof(SVFilterClass), sv_filter_class_init, sizeof(SVFilter),
                     sv_filter_init, functions, class_info);
}
