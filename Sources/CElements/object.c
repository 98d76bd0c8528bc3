// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

const GType sv_type_none = G_TYPE_NONE, sv_type_boolean = G_TYPE_BOOLEAN, sv_type_int = G_TYPE_INT,
            sv_type_uint = G_TYPE_UINT, sv_type_int64 = G_TYPE_INT64, sv_type_uint64 = G_TYPE_UINT64,
            sv_type_double = G_TYPE_DOUBLE, sv_type_string = G_TYPE_STRING,
            sv_type_variant = G_TYPE_VARIANT;

const guint32 sv_param_controllable = GST_PARAM_CONTROLLABLE, sv_param_mutable_playing = GST_PARAM_MUTABLE_PLAYING,
              sv_param_mutable_paused = GST_PARAM_MUTABLE_PAUSED, sv_param_mutable_ready = GST_PARAM_MUTABLE_READY,
              sv_param_show_default = GST_PARAM_DOC_SHOW_DEFAULT;

GType sv_register(GType parent, const char *type_name, gsize class_size, GClassInitFunc class_init,
                  gsize instance_size, GInstanceInitFunc instance_init, const void *functions,
                  const void *class_info) {
  SVClassData *data = g_new0(SVClassData, 1); // lives as long as the type, so nothing frees it
  data->functions = functions;
  data->class_info = class_info;
  GTypeInfo info = {0};
  info.class_size = (guint16)class_size;
  info.class_init = class_init;
  info.class_data = data;
  info.instance_size = (guint16)instance_size;
  info.instance_init = instance_init;
  return g_type_register_static(parent, type_name, &info, 0);
}

gpointer sv_parent_class(gpointer object) { return g_type_class_peek_parent(G_OBJECT_GET_CLASS(object)); }

void *sv_object_instance(GObject *object) {
  if (GST_IS_VIDEO_FILTER(object))
    return ((SVFilter *)object)->instance;
  if (GST_IS_VIDEO_AGGREGATOR(object))
    return ((SVAggregator *)object)->instance;
  if (GST_IS_VIDEO_SINK(object))
    return ((SVSink *)object)->instance;
  if (GST_IS_PUSH_SRC(object))
    return ((SVSource *)object)->instance;
  if (GST_IS_PAD(object))
    return ((SVPad *)object)->instance;
  if (GST_IS_ELEMENT(object))
    return ((SVTap *)object)->instance;
  return NULL;
}

void sv_log(GstDebugCategory *category, GstDebugLevel level, const char *file, const char *function, int line,
            GObject *object, const char *message) {
  gst_debug_log(category, level, file, function, line, object, "%s", message);
}

GstVideoFormat sv_video_format(const char *name) { return gst_video_format_from_string(name); }

GstCaps *sv_caps_make_writable(GstCaps *caps) { return gst_caps_make_writable(caps); }

GstBuffer *sv_buffer_make_writable(GstBuffer *buffer) { return gst_buffer_make_writable(buffer); }

gboolean sv_meta_transform_is_copy(GQuark type) { return GST_META_TRANSFORM_IS_COPY(type); }
