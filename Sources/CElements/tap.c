// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

SV_DEFINE_OBJECT(SVTap, sv_tap)

#define FUNCTIONS(object) (((SVTapClass *)G_OBJECT_GET_CLASS(object))->functions)
#define INSTANCE(object) (((SVTap *)(object))->instance)

gboolean sv_tap_is_audio(GstPad *pad) {
  GstPadTemplate *template = GST_PAD_PAD_TEMPLATE(pad);
  return template && template->presence == GST_PAD_REQUEST;
}

// Returns the pad on the other side of the element; NULL for the pad `audio`. Takes no reference, because an element
// keeps the pads `sink` and `src` as long as it lives.
static GstPad *sv_tap_other(GstObject *tap, GstPad *pad) {
  GstElement *element = GST_ELEMENT(tap);
  if (GST_PAD_IS_SRC(pad))
    return element->sinkpads ? g_list_first(element->sinkpads)->data : NULL;
  return sv_tap_is_audio(pad) || !element->srcpads ? NULL : element->srcpads->data;
}

static GstFlowReturn sv_tap_chain(GstPad *pad, GstObject *tap, GstBuffer *buffer) {
  GstPad *other = sv_tap_other(tap, pad);
  GstFlowReturn flow = FUNCTIONS(tap)->buffer(INSTANCE(tap), pad, buffer);
  if (flow != GST_FLOW_OK || !other) {
    gst_buffer_unref(buffer);
    return flow;
  }
  return gst_pad_push(other, buffer);
}

static gboolean sv_tap_event(GstPad *pad, GstObject *tap, GstEvent *event) {
  GstPad *other = sv_tap_other(tap, pad);
  if (GST_PAD_IS_SRC(pad)) {
    event = FUNCTIONS(tap)->element.src_event(INSTANCE(tap), event);
    return !event || (other ? gst_pad_push_event(other, event) : (gst_event_unref(event), FALSE));
  }
  if (!FUNCTIONS(tap)->event(INSTANCE(tap), pad, event)) {
    gst_event_unref(event);
    return FALSE;
  }
  if (other)
    return gst_pad_push_event(other, event);
  gst_event_unref(event);
  return TRUE;
}

// The pads `sink` and `src` forward queries to each other. The pad `audio` answers queries itself, because its stream
// ends in the element.
static gboolean sv_tap_query(GstPad *pad, GstObject *tap, GstQuery *query) {
  GstPad *other = sv_tap_other(tap, pad);
  if (!other || GST_QUERY_TYPE(query) == GST_QUERY_CAPS || GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default(pad, tap, query);
  return gst_pad_peer_query(other, query);
}

static GstIterator *sv_tap_links(GstPad *pad, GstObject *tap) {
  GstPad *other = sv_tap_other(tap, pad);
  if (!other)
    return NULL;
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_PAD);
  g_value_set_object(&value, other);
  GstIterator *links = gst_iterator_new_single(GST_TYPE_PAD, &value);
  g_value_unset(&value);
  return links;
}

static GstPad *sv_tap_add_pad(GstElement *tap, GstPadTemplate *template, const char *name) {
  GstPad *pad = gst_pad_new_from_template(template, name);
  gst_pad_set_event_function(pad, sv_tap_event);
  gst_pad_set_query_function(pad, sv_tap_query);
  gst_pad_set_iterate_internal_links_function(pad, sv_tap_links);
  if (GST_PAD_IS_SINK(pad))
    gst_pad_set_chain_function(pad, sv_tap_chain);
  if (!sv_tap_is_audio(pad)) {
    GST_PAD_SET_PROXY_CAPS(pad);
    GST_PAD_SET_PROXY_ALLOCATION(pad);
  }
  if (GST_STATE(tap) > GST_STATE_READY)
    gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(tap, pad);
  return pad;
}

static GstPad *sv_tap_request_pad(GstElement *tap, GstPadTemplate *template, const char *name, const GstCaps *caps) {
  (void)name, (void)caps;
  GstPad *present = gst_element_get_static_pad(tap, "audio");
  if (present) {
    gst_object_unref(present);
    return NULL;
  }
  return sv_tap_add_pad(tap, template, "audio");
}

static void sv_tap_release_pad(GstElement *tap, GstPad *pad) {
  FUNCTIONS(tap)->audio_ended(INSTANCE(tap), TRUE);
  gst_pad_set_active(pad, FALSE);
  gst_element_remove_pad(tap, pad);
  FUNCTIONS(tap)->audio_ended(INSTANCE(tap), FALSE);
}

// The element starts before its pads are active, and stops after the streaming threads have left the pads.
static GstStateChangeReturn sv_tap_change_state(GstElement *tap, GstStateChange change) {
  const SVElementFunctions *element = &FUNCTIONS(tap)->element;
  gboolean is_ending = change == GST_STATE_CHANGE_PAUSED_TO_READY;
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !element->start(INSTANCE(tap)))
    return GST_STATE_CHANGE_FAILURE;
  if (is_ending)
    element->interrupt(INSTANCE(tap), SV_INTERRUPTION_STOP, TRUE);
  GstStateChangeReturn result = GST_ELEMENT_CLASS(sv_parent_class(tap))->change_state(tap, change);
  if (is_ending || (change == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    element->stop(INSTANCE(tap));
  if (is_ending)
    element->interrupt(INSTANCE(tap), SV_INTERRUPTION_STOP, FALSE);
  return result;
}

static void sv_tap_element_init(GTypeInstance *object, gpointer klass) {
  sv_tap_init(object, klass);
  for (const char *const *name = (const char *const[]){"sink", "src", NULL}; *name; name++)
    sv_tap_add_pad((GstElement *)object, gst_element_class_get_pad_template(klass, *name), *name);
}

static void sv_tap_class_init(gpointer klass, gpointer data) {
  GST_ELEMENT_CLASS(klass)->change_state = sv_tap_change_state;
  GST_ELEMENT_CLASS(klass)->request_new_pad = sv_tap_request_pad;
  GST_ELEMENT_CLASS(klass)->release_pad = sv_tap_release_pad;
  sv_tap_object_class_init(klass, data);
}

GType sv_register_tap(const char *type_name, const SVTapFunctions *functions, const void *class_info) {
  return sv_register(GST_TYPE_ELEMENT, type_name, sizeof(SVTapClass), sv_tap_class_init, sizeof(SVTap),
                     sv_tap_element_init, functions, class_info);
}
