// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_OBJECT_H
#define SV_OBJECT_H

#include "include/CElements.h"

// All instance structs begin with the struct of the parent class and end with the Swift object. All function tables
// begin with SVObjectFunctions.
#define SV_DECLARE_OBJECT(Base, Parent)                                                             \
  typedef struct {                                                                                  \
    Parent parent;                                                                                  \
    void *instance;                                                                                 \
  } Base;                                                                                           \
  typedef struct {                                                                                  \
    Parent##Class parent_class;                                                                     \
    const Base##Functions *functions;                                                               \
    const void *class_info;                                                                         \
  } Base##Class;

SV_DECLARE_OBJECT(SVFilter, GstVideoFilter)
SV_DECLARE_OBJECT(SVAggregator, GstVideoAggregator)
SV_DECLARE_OBJECT(SVSink, GstVideoSink)
SV_DECLARE_OBJECT(SVSource, GstPushSrc)
SV_DECLARE_OBJECT(SVTap, GstElement)
SV_DECLARE_OBJECT(SVPad, GstVideoAggregatorParallelConvertPad)

/// Initialises the debug category of the functions below. Call this function first.
void sv_reservation_init(void);

/// Reserves a new input for the calling thread until the input is linked.
void sv_pad_reserve(GstPad *input);
void sv_pad_end_reservation(GstPad *input);

/// Returns TRUE if another thread has reserved an input and then linked it. If the input is still reserved, the
/// function waits up to `PATIENCE` for the link.
gboolean sv_pad_is_taken(GstPad *input);

typedef struct {
  const void *functions;
  const void *class_info;
} SVClassData;

GType sv_register(GType parent, const char *type_name, gsize class_size, GClassInitFunc class_init,
                  gsize instance_size, GInstanceInitFunc instance_init, const void *functions,
                  const void *class_info);

/// Returns the parent class of the class of an object. The class of the object must be a class that `sv_register` has
/// registered, not a subclass of such a class.
gpointer sv_parent_class(gpointer object);

/// Returns TRUE if an event begins or ends a flush. `is_on` is then TRUE at the beginning and FALSE at the end.
static inline gboolean sv_is_flush(GstEvent *event, gboolean *is_on) {
  *is_on = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START;
  return *is_on || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
}

#define SV_OBJECT_FUNCTIONS(c) ((const SVObjectFunctions *)(c)->functions)

/// Defines the functions of a GObject class: create, finalize, set_property, get_property, and the first part of
/// class_init.
#define SV_DEFINE_OBJECT(Base, prefix)                                                              \
  static void prefix##_init(GTypeInstance *object, gpointer klass) {                                \
    Base##Class *c = (Base##Class *)klass;                                                          \
    ((Base *)object)->instance = SV_OBJECT_FUNCTIONS(c)->create(c->class_info, G_OBJECT(object));   \
  }                                                                                                 \
  static void prefix##_finalize(GObject *object) {                                                  \
    Base##Class *c = (Base##Class *)G_OBJECT_GET_CLASS(object);                                     \
    SV_OBJECT_FUNCTIONS(c)->destroy(((Base *)object)->instance);                                    \
    ((Base *)object)->instance = NULL;                                                              \
    G_OBJECT_CLASS(sv_parent_class(object))->finalize(object);                                      \
  }                                                                                                 \
  static void prefix##_set_property(GObject *o, guint id, const GValue *value, GParamSpec *spec) {  \
    (void)spec;                                                                                     \
    SV_OBJECT_FUNCTIONS((Base##Class *)G_OBJECT_GET_CLASS(o))->set_property(((Base *)o)->instance, id, value);\
  }                                                                                                 \
  static void prefix##_get_property(GObject *o, guint id, GValue *value, GParamSpec *spec) {        \
    (void)spec;                                                                                     \
    SV_OBJECT_FUNCTIONS((Base##Class *)G_OBJECT_GET_CLASS(o))->get_property(((Base *)o)->instance, id, value);\
  }                                                                                                 \
  static void prefix##_object_class_init(Base##Class *c, const SVClassData *data) {                 \
    GObjectClass *object_class = G_OBJECT_CLASS(c);                                                 \
    c->functions = data->functions;                                                                 \
    c->class_info = data->class_info;                                                               \
    object_class->finalize = prefix##_finalize;                                                     \
    object_class->set_property = prefix##_set_property;                                             \
    object_class->get_property = prefix##_get_property;                                             \
    SV_OBJECT_FUNCTIONS(c)->class_init(c->class_info, object_class);                                \
  }

/// Defines the change_state function of a GstElement class.
#define SV_DEFINE_ELEMENT(Base, prefix)                                                             \
  static GstStateChangeReturn prefix##_change_state(GstElement *element, GstStateChange change) {   \
    Base##Class *c = (Base##Class *)G_OBJECT_GET_CLASS(element);                                    \
    gboolean is_ending = change == GST_STATE_CHANGE_PAUSED_TO_READY;                                \
    if (is_ending)                                                                                  \
      c->functions->element.interrupt(((Base *)element)->instance, SV_INTERRUPTION_STOP, TRUE);     \
    GstStateChangeReturn result = GST_ELEMENT_CLASS(sv_parent_class(element))->change_state(element, change);\
    if (is_ending)                                                                                  \
      c->functions->element.interrupt(((Base *)element)->instance, SV_INTERRUPTION_STOP, FALSE);    \
    return result;                                                                                  \
  }

#endif
