// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

SV_DEFINE_OBJECT(SVSource, sv_source)
SV_DEFINE_ELEMENT(SVSource, sv_source)

#define FUNCTIONS(object) (((SVSourceClass *)G_OBJECT_GET_CLASS(object))->functions)
#define INSTANCE(object) (((SVSource *)(object))->instance)
#define PARENT(object) GST_BASE_SRC_CLASS(sv_parent_class(object))

static void sv_timed_source_init(GTypeInstance *object, gpointer klass) {
  GstBaseSrc *source = (GstBaseSrc *)object;
  gst_base_src_set_format(source, GST_FORMAT_TIME);
  sv_source_init(object, klass);
  gst_base_src_set_live(source, ((SVSourceClass *)klass)->functions->is_live(INSTANCE(object)));
}

static gboolean sv_source_start(GstBaseSrc *s) { return FUNCTIONS(s)->element.start(INSTANCE(s)); }

static gboolean sv_source_stop(GstBaseSrc *s) {
  FUNCTIONS(s)->element.stop(INSTANCE(s));
  return TRUE;
}

static gboolean sv_source_unlock(GstBaseSrc *s) {
  FUNCTIONS(s)->element.interrupt(INSTANCE(s), SV_INTERRUPTION_UNLOCK, TRUE);
  return TRUE;
}

static gboolean sv_source_unlock_stop(GstBaseSrc *s) {
  FUNCTIONS(s)->element.interrupt(INSTANCE(s), SV_INTERRUPTION_UNLOCK, FALSE);
  return TRUE;
}

// The base class need not negotiate, because the caps arrive with the frames.
static gboolean sv_source_negotiate(GstBaseSrc *s) {
  (void)s;
  return TRUE;
}

// The frames already have memory, so the source needs no buffer pools.
static gboolean sv_source_decide_allocation(GstBaseSrc *s, GstQuery *query) {
  (void)s;
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  return TRUE;
}

static gboolean sv_source_query(GstBaseSrc *s, GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY || !gst_base_src_is_live(s))
    return PARENT(s)->query(s, query);
  gst_query_set_latency(query, TRUE, FUNCTIONS(s)->latency(INSTANCE(s)), GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean sv_source_event(GstBaseSrc *s, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM &&
      FUNCTIONS(s)->custom_event(INSTANCE(s), gst_event_get_structure(event)))
    return TRUE;
  return PARENT(s)->event(s, event);
}

static GstFlowReturn sv_source_create(GstPushSrc *s, GstBuffer **buffer) {
  return FUNCTIONS(s)->create(INSTANCE(s), buffer);
}

static void sv_source_class_init(gpointer klass, gpointer data) {
  GstBaseSrcClass *source = GST_BASE_SRC_CLASS(klass);
  GST_ELEMENT_CLASS(klass)->change_state = sv_source_change_state;
  source->start = sv_source_start;
  source->stop = sv_source_stop;
  source->unlock = sv_source_unlock;
  source->unlock_stop = sv_source_unlock_stop;
  source->negotiate = sv_source_negotiate;
  source->decide_allocation = sv_source_decide_allocation;
  source->query = sv_source_query;
  source->event = sv_source_event;
  GST_PUSH_SRC_CLASS(klass)->create = sv_source_create;
  sv_source_object_class_init(klass, data);
}

GType sv_register_source(const char *type_name, const SVSourceFunctions *functions, const void *class_info) {
  return sv_register(GST_TYPE_PUSH_SRC, type_name, sizeof(SVSourceClass), sv_source_class_init, sizeof(SVSource),
                     sv_timed_source_init, functions, class_info);
}
