// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inputs.h"

#include <string.h>

SV_DEFINE_OBJECT(SVAggregator, sv_aggregator)
SV_DEFINE_ELEMENT(SVAggregator, sv_aggregator)

#define FUNCTIONS(object) (((SVAggregatorClass *)G_OBJECT_GET_CLASS(object))->functions)
#define INSTANCE(object) (((SVAggregator *)(object))->instance)
#define PARENT(object) GST_AGGREGATOR_CLASS(sv_parent_class(object))

// The key under which a pad stores changed caps until the next frame arrives. The base class would apply changed caps
// with the next buffer, even if this buffer is a gap and the pad still shows its last frame. The base class would then
// map the last frame with the wrong video info.
#define CHANGED_CAPS_KEY "sv-changed-caps"

// Set on a pad after changed caps were applied. The mixer then passes the next caps to the base class twice, because
// the base class may still keep the changed caps. (This happens if the mixer stops before it shows the first frame with
// the changed caps.) The second call replaces the kept caps.
#define APPLIED_CAPS_KEY "sv-applied-caps"

static gboolean keep_changed_caps(GstAggregatorPad *pad, GstEvent *event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS || !GST_VIDEO_AGGREGATOR_PAD(pad)->info.finfo ||
      GST_VIDEO_INFO_FORMAT(&GST_VIDEO_AGGREGATOR_PAD(pad)->info) == GST_VIDEO_FORMAT_UNKNOWN)
    return FALSE;
  g_object_set_data_full(G_OBJECT(pad), CHANGED_CAPS_KEY, event, (GDestroyNotify)gst_event_unref);
  return TRUE;
}

static gboolean drop_changed_caps(GstElement *element, GstPad *pad, gpointer data) {
  (void)element, (void)data;
  g_object_set_data(G_OBJECT(pad), CHANGED_CAPS_KEY, NULL);
  return TRUE;
}

static gboolean apply_changed_caps(GstElement *element, GstPad *pad, gpointer data) {
  (void)data;
  GstAggregator *a = GST_AGGREGATOR(element);
  GstAggregatorPad *input = GST_AGGREGATOR_PAD(pad);
  if (!g_object_get_data(G_OBJECT(pad), CHANGED_CAPS_KEY))
    return TRUE;
  GstBuffer *next = gst_aggregator_pad_peek_buffer(input);
  if (next && gst_buffer_get_size(next) > 0) {
    PARENT(a)->sink_event(a, input, g_object_steal_data(G_OBJECT(pad), CHANGED_CAPS_KEY));
    g_object_set_data(G_OBJECT(pad), APPLIED_CAPS_KEY, pad);
  }
  if (next)
    gst_buffer_unref(next);
  return TRUE;
}

static gboolean sv_aggregator_start(GstAggregator *a) {
  return PARENT(a)->start(a) && FUNCTIONS(a)->element.start(INSTANCE(a));
}

static gboolean sv_aggregator_stop(GstAggregator *a) {
  FUNCTIONS(a)->element.stop(INSTANCE(a));
  gst_element_foreach_sink_pad(GST_ELEMENT(a), drop_changed_caps, NULL);
  return PARENT(a)->stop(a);
}

static GstCaps *sv_aggregator_fixate(GstAggregator *a, GstCaps *caps) {
  return FUNCTIONS(a)->fixate_caps(INSTANCE(a), caps);
}

static void sv_aggregator_find_best_format(GstVideoAggregator *a, GstCaps *downstream, GstVideoInfo *best,
                                           gboolean *has_alpha) {
  GST_VIDEO_AGGREGATOR_CLASS(sv_parent_class(a))->find_best_format(a, downstream, best, has_alpha);
  FUNCTIONS(a)->choose_format(INSTANCE(a), downstream, best);
}

// The base class rejects inputs with alpha if downstream accepts no alpha. This mixer accepts such inputs, because the
// mixer uses alpha only for blending.
static gboolean sv_aggregator_sink_query(GstAggregator *a, GstAggregatorPad *pad, GstQuery *query) {
  GstQueryType type = GST_QUERY_TYPE(query);
  if (type != GST_QUERY_CAPS && type != GST_QUERY_ACCEPT_CAPS)
    return PARENT(a)->sink_query(a, pad, query);
  if (type == GST_QUERY_CAPS && sv_pad_is_taken(GST_PAD(pad))) {
    GstCaps *none = gst_caps_new_empty();
    gst_query_set_caps_result(query, none);
    gst_caps_unref(none);
    return TRUE;
  }
  GstCaps *own = gst_pad_get_pad_template_caps(a->srcpad);
  GstCaps *downstream = gst_pad_peer_query_caps(a->srcpad, own);
  gst_caps_unref(own);
  gboolean blends_alpha = FUNCTIONS(a)->blends_alpha(INSTANCE(a), downstream);
  gst_caps_unref(downstream);
  if (!blends_alpha)
    return PARENT(a)->sink_query(a, pad, query);
  GstCaps *taken = gst_pad_get_pad_template_caps(GST_PAD(pad)), *asked = NULL;
  if (type == GST_QUERY_CAPS) {
    gst_query_parse_caps(query, &asked);
    GstCaps *common = asked ? gst_caps_intersect_full(taken, asked, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref(taken);
    gst_query_set_caps_result(query, common);
    gst_caps_unref(common);
  } else {
    gst_query_parse_accept_caps(query, &asked);
    gst_query_set_accept_caps_result(query, gst_caps_can_intersect(asked, taken));
  }
  gst_caps_unref(taken);
  return TRUE;
}

static gboolean sv_aggregator_negotiated(GstAggregator *a, GstCaps *caps) {
  GstVideoInfo info;
  return gst_video_info_from_caps(&info, caps) && FUNCTIONS(a)->element.set_info(INSTANCE(a), &info) &&
         PARENT(a)->negotiated_src_caps(a, caps);
}

// Sends no caps downstream until all inputs are ready. An input that becomes ready later could change the frame size,
// and most muxers cannot handle a new frame size.
static GstFlowReturn sv_aggregator_update_src_caps(GstAggregator *a, GstCaps *caps, GstCaps **result) {
  if (FUNCTIONS(a)->awaits_inputs(INSTANCE(a), TRUE))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  return PARENT(a)->update_src_caps(a, caps, result);
}

static GstFlowReturn sv_aggregator_aggregate_or_wait(GstAggregator *a, gboolean timeout) {
  if (!FUNCTIONS(a)->awaits_inputs(INSTANCE(a), FALSE)) {
    FUNCTIONS(a)->looking(INSTANCE(a), TRUE);
    gst_element_foreach_sink_pad(GST_ELEMENT(a), apply_changed_caps, NULL);
    GstFlowReturn result = PARENT(a)->aggregate(a, timeout);
    FUNCTIONS(a)->looking(INSTANCE(a), FALSE);
    if (result == GST_AGGREGATOR_FLOW_NEED_DATA)
      FUNCTIONS(a)->wait_for_inputs(INSTANCE(a));
    return result;
  }
  if (FUNCTIONS(a)->awaits_inputs(INSTANCE(a), TRUE))
    FUNCTIONS(a)->wait_for_inputs(INSTANCE(a));
  else
    gst_pad_mark_reconfigure(a->srcpad); // so that the base class requests caps again
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

static GstFlowReturn sv_aggregator_aggregate(GstVideoAggregator *a, GstBuffer *output) {
  return FUNCTIONS(a)->aggregate(INSTANCE(a), output);
}

static gboolean sv_aggregator_src_event(GstAggregator *a, GstEvent *event) {
  event = FUNCTIONS(a)->element.src_event(INSTANCE(a), event);
  if (!event)
    return TRUE;
  // A mixer downstream has sent this event. Drop it, because this mixer sends such events to its sources itself.
  if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM && gst_event_has_name(event, SV_VISIBILITY_EVENT)) {
    gst_event_unref(event);
    return TRUE;
  }
  if (GST_EVENT_TYPE(event) != GST_EVENT_NAVIGATION)
    return PARENT(a)->src_event(a, event);
  gboolean taken = FUNCTIONS(a)->navigate(INSTANCE(a), event);
  gst_event_unref(event);
  return taken;
}

#define LAST_FRAME_KEY "sv-last-frame-has-duration"

static GstFlowReturn sv_aggregator_sink_event_pre_queue(GstAggregator *a, GstAggregatorPad *pad, GstEvent *event) {
  GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_CUSTOM_DOWNSTREAM && sv_pad_custom_event(GST_PAD(pad), event)) {
    gst_event_unref(event);
    return GST_FLOW_OK;
  }
  if (type == GST_EVENT_FLUSH_STOP)
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_FLUSH);
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_FLUSH_STOP) {
    g_object_set_data(G_OBJECT(pad), LAST_FRAME_KEY, NULL);
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_BEGIN);
  } else if (type == GST_EVENT_EOS) {
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_END);
  }
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_FLUSH_STOP || type == GST_EVENT_SEGMENT)
    sv_pad_forget_time(GST_PAD(pad));
  gboolean is_queued = GST_EVENT_IS_SERIALIZED(event) && type != GST_EVENT_FLUSH_STOP;
  if (is_queued)
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_OTHER);
  GstFlowReturn result = PARENT(a)->sink_event_pre_queue(a, pad, event);
  if (is_queued)
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_QUEUED);
  return result;
}

// Reports serialized queries to the Swift object of the pad, because such a query stays in the queue until the
// streaming thread has answered it.
static gboolean sv_aggregator_sink_query_pre_queue(GstAggregator *a, GstAggregatorPad *pad, GstQuery *query) {
  if (!GST_QUERY_IS_SERIALIZED(query))
    return PARENT(a)->sink_query_pre_queue(a, pad, query);
  sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_OTHER);
  gboolean result = PARENT(a)->sink_query_pre_queue(a, pad, query);
  sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_QUEUED);
  return result;
}

static gboolean is_own_gap(GstEvent *event) {
  GstClockTime duration = 0;
  if (GST_EVENT_TYPE(event) != GST_EVENT_GAP)
    return FALSE;
  gst_event_parse_gap(event, NULL, &duration);
  return duration == SV_GAP_DURATION;
}

// At the end of an input's stream, the base class removes the last frame if it has no duration. So this function sends
// a gap event that keeps the frame for one frame duration. After the gap, the base class handles the EOS event again.
static gboolean give_last_frame_duration(GstAggregator *a, GstAggregatorPad *pad) {
  GstBuffer *frame = gst_video_aggregator_pad_get_current_buffer(GST_VIDEO_AGGREGATOR_PAD(pad));
  if (g_object_get_data(G_OBJECT(pad), LAST_FRAME_KEY) || !frame || gst_buffer_get_size(frame) == 0 ||
      GST_BUFFER_DURATION_IS_VALID(frame) || !GST_BUFFER_PTS_IS_VALID(frame))
    return FALSE;
  const GstVideoInfo *own = &GST_VIDEO_AGGREGATOR_PAD(pad)->info, *output = &GST_VIDEO_AGGREGATOR(a)->info;
  const GstVideoInfo *info = own->fps_n > 0 && own->fps_d > 0 ? own : output;
  if (info->fps_n <= 0 || info->fps_d <= 0)
    return FALSE;
  GST_OBJECT_LOCK(pad);
  GstSegment segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  const GstSegment *shown = &GST_AGGREGATOR_PAD(a->srcpad)->segment;
  if (segment.rate < 0 || shown->position == GST_CLOCK_TIME_NONE)
    return FALSE;
  GstClockTime pts = GST_BUFFER_PTS(frame), duration = gst_util_uint64_scale(GST_SECOND, info->fps_d, info->fps_n);
  GstClockTime end = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, MIN(pts + duration, segment.stop));
  GstClockTime next = gst_segment_to_running_time(shown, GST_FORMAT_TIME, MAX(shown->position, shown->start));
  // If the output has already shown the frame for its whole duration, no gap is necessary.
  if (!GST_CLOCK_TIME_IS_VALID(end) || !GST_CLOCK_TIME_IS_VALID(next) || end <= next)
    return FALSE;
  GstEvent *gap = gst_event_new_gap(pts, duration);
  gst_event_set_gap_flags(gap, GST_GAP_FLAG_MISSING_DATA);
  if (!PARENT(a)->sink_event(a, pad, gap))
    return FALSE;
  g_object_set_data(G_OBJECT(pad), LAST_FRAME_KEY, pad);
  return TRUE;
}

static gboolean sv_aggregator_sink_event(GstAggregator *a, GstAggregatorPad *pad, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && give_last_frame_duration(a, pad)) {
    gst_event_unref(event);
    return TRUE;
  }
  if (keep_changed_caps(pad, event))
    return TRUE;
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS && g_object_steal_data(G_OBJECT(pad), APPLIED_CAPS_KEY))
    PARENT(a)->sink_event(a, pad, gst_event_ref(event));
  gboolean is_gap = is_own_gap(event);
  gboolean result = PARENT(a)->sink_event(a, pad, event);
  if (is_gap)
    sv_pad_tell(GST_PAD(pad), SV_ARRIVAL_GAP);
  return result;
}

// For `decodebin ! m.sink_0`, gst-launch-1.0 requests a pad and sets its properties. decodebin has no pad yet, so
// gst-launch-1.0 releases the mixer's pad. Later, gst-launch-1.0 requests another pad, without setting the properties.
// So if a pad is released before the element starts, the next pad with the same name gets its properties.

static gchar *released_key(const gchar *name) { return g_strconcat("sv-released-", name, NULL); }

static void keep_released_pad(GstElement *element, GstPad *pad) {
  if (GST_STATE(element) != GST_STATE_NULL)
    return;
  gchar *key = released_key(GST_OBJECT_NAME(pad));
  g_object_set_data_full(G_OBJECT(element), key, gst_object_ref(pad), gst_object_unref);
  g_free(key);
}

static void take_over_properties(GstElement *element, GstPad *pad) {
  gchar *key = released_key(GST_OBJECT_NAME(pad));
  GObject *old = g_object_steal_data(G_OBJECT(element), key);
  g_free(key);
  if (!old)
    return;
  guint count = 0;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(pad), &count);
  for (guint i = 0; i < count; i++) {
    // Skip the properties of GstPad and GstObject, such as `name`, `template` and `caps`. These properties must not be
    // copied.
    if (!g_type_is_a(specs[i]->owner_type, GST_TYPE_VIDEO_AGGREGATOR_PAD) ||
        (specs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE)
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(old, specs[i]->name, &value);
    if (!g_param_value_defaults(specs[i], &value))
      g_object_set_property(G_OBJECT(pad), specs[i]->name, &value);
    g_value_unset(&value);
  }
  g_free(specs);
  gst_object_unref(old);
}

// GstVideoAggregator does not implement GstChildProxy, but descriptions such as `sink_1::mode=screen` need this
// interface.

static GstAggregatorPad *sv_aggregator_create_new_pad(GstAggregator *a, GstPadTemplate *templ, const gchar *name,
                                                      const GstCaps *caps) {
  GstAggregatorPad *pad = PARENT(a)->create_new_pad(a, templ, name, caps);
  if (pad && !name)
    sv_pad_reserve(GST_PAD(pad));
  return pad;
}

static GstPad *sv_aggregator_request_pad(GstElement *element, GstPadTemplate *templ, const gchar *name,
                                         const GstCaps *caps) {
  GstPad *pad = GST_ELEMENT_CLASS(sv_parent_class(element))->request_new_pad(element, templ, name, caps);
  if (!pad)
    return NULL;
  sv_pad_override_chain(pad);
  FUNCTIONS(element)->inputs_changed(INSTANCE(element), ((SVPad *)pad)->instance);
  // The zorder comes from the number in the pad's name. The creation order would be wrong, because decodebin creates
  // pads only after it has received data.
  const gchar *number = strrchr(GST_OBJECT_NAME(pad), '_');
  if (number)
    g_object_set(pad, "zorder", (guint)g_ascii_strtoull(number + 1, NULL, 10), NULL);
  take_over_properties(element, pad);
  gst_child_proxy_child_added(GST_CHILD_PROXY(element), G_OBJECT(pad), GST_OBJECT_NAME(pad));
  return pad;
}

static void sv_aggregator_release_pad(GstElement *element, GstPad *pad) {
  sv_pad_end_reservation(pad);
  gst_child_proxy_child_removed(GST_CHILD_PROXY(element), G_OBJECT(pad), GST_OBJECT_NAME(pad));
  keep_released_pad(element, pad);
  GST_ELEMENT_CLASS(sv_parent_class(element))->release_pad(element, pad);
  FUNCTIONS(element)->inputs_changed(INSTANCE(element), NULL);
}

static GObject *child_by_index(GstChildProxy *proxy, guint index) {
  GST_OBJECT_LOCK(proxy);
  GObject *child = g_list_nth_data(GST_ELEMENT(proxy)->sinkpads, index);
  if (child)
    g_object_ref(child);
  GST_OBJECT_UNLOCK(proxy);
  return child;
}

static guint children_count(GstChildProxy *proxy) {
  GST_OBJECT_LOCK(proxy);
  guint count = GST_ELEMENT(proxy)->numsinkpads;
  GST_OBJECT_UNLOCK(proxy);
  return count;
}

static void child_proxy_init(gpointer interface, gpointer data) {
  (void)data;
  GstChildProxyInterface *proxy = interface;
  proxy->get_child_by_index = child_by_index;
  proxy->get_children_count = children_count;
}

static void sv_aggregator_class_init(gpointer klass, gpointer data) {
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstVideoAggregatorClass *video = GST_VIDEO_AGGREGATOR_CLASS(klass);
  element->change_state = sv_aggregator_change_state;
  element->request_new_pad = sv_aggregator_request_pad;
  element->release_pad = sv_aggregator_release_pad;
  aggregator->start = sv_aggregator_start;
  aggregator->stop = sv_aggregator_stop;
  aggregator->create_new_pad = sv_aggregator_create_new_pad;
  aggregator->update_src_caps = sv_aggregator_update_src_caps;
  aggregator->aggregate = sv_aggregator_aggregate_or_wait;
  aggregator->fixate_src_caps = sv_aggregator_fixate;
  aggregator->negotiated_src_caps = sv_aggregator_negotiated;
  aggregator->src_event = sv_aggregator_src_event;
  aggregator->sink_query = sv_aggregator_sink_query;
  aggregator->sink_event = sv_aggregator_sink_event;
  aggregator->sink_event_pre_queue = sv_aggregator_sink_event_pre_queue;
  aggregator->sink_query_pre_queue = sv_aggregator_sink_query_pre_queue;
  video->aggregate_frames = sv_aggregator_aggregate;
  video->find_best_format = sv_aggregator_find_best_format;
  sv_aggregator_object_class_init(klass, data);
}

GType sv_register_aggregator(const char *type_name, const SVAggregatorFunctions *functions, const void *class_info) {
  GType type = sv_register(GST_TYPE_VIDEO_AGGREGATOR, type_name, sizeof(SVAggregatorClass), sv_aggregator_class_init,
                           sizeof(SVAggregator), sv_aggregator_init, functions, class_info);
  const GInterfaceInfo child_proxy = {child_proxy_init, NULL, NULL};
  g_type_add_interface_static(type, GST_TYPE_CHILD_PROXY, &child_proxy);
  return type;
}

// Sends a gap event through the pad's queue. When the streaming thread handles the event, the base class replaces the
// event with an empty buffer.
void sv_aggregator_give_gap(GstAggregator *aggregator, GstAggregatorPad *pad, GstClockTime start,
                            gboolean keeps_picture) {
  GST_OBJECT_LOCK(pad);
  if (pad->segment.format != GST_FORMAT_TIME)
    gst_segment_init(&pad->segment, GST_FORMAT_TIME);
  GstClockTime from = gst_segment_position_from_running_time(&pad->segment, GST_FORMAT_TIME, start);
  GstClockTime to = gst_segment_position_from_running_time(&pad->segment, GST_FORMAT_TIME, start + SV_GAP_DURATION);
  GST_OBJECT_UNLOCK(pad);
  if (!GST_CLOCK_TIME_IS_VALID(from) || !GST_CLOCK_TIME_IS_VALID(to) || from >= to)
    return;
  GstEvent *gap = gst_event_new_gap(from, to - from);
  if (keeps_picture)
    gst_event_set_gap_flags(gap, GST_GAP_FLAG_MISSING_DATA);
  PARENT(aggregator)->sink_event_pre_queue(aggregator, pad, gap);
}

const GstFlowReturn sv_flow_need_data = GST_AGGREGATOR_FLOW_NEED_DATA;
