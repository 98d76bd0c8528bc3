#include "object.h"

const GType sv_type_none = G_TYPE_NONE, sv_type_boolean = G_TYPE_BOOLEAN, sv_type_int = G_TYPE_INT,
            sv_type_uint = G_TYPE_UINT, sv_type_int64 = G_TYPE_INT64, sv_type_uint64 = G_TYPE_UINT64,
            sv_type_double = G_TYPE_DOUBLE, sv_type_string = G_TYPE_STRING,
            sv_type_variant = G_TYPE_VARIANT;

const guint32 sv_param_controllable = GST_PARAM_CONTROLLABLE, sv_param_mutable_playing = GST_PARAM_MUTABLE_PLAYING,
              sv_param_mutable_ready = GST_PARAM_MUTABLE_READY, sv_param_show_default = GST_PARAM_DOC_SHOW_DEFAULT;

GType sv_register(GType parent, const char *type_name, gsize class_size, GClassInitFunc class_init,
                  gsize instance_size, GInstanceInitFunc instance_init, const void *functions,
                  const void *class_info) {
  SVClassData *data = g_new0(SVClassData, 1); // as long as the type, that is, for ever
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
  if (GST_IS_PAD(object))
    return ((SVPad *)object)->instance;
  return NULL;
}

void sv_log(GstDebugCategory *category, GstDebugLevel level, const char *file, const char *function, int line,
            GObject *object, const char *message) {
  gst_debug_log(category, level, file, function, line, object, "%s", message);
}

GstCaps *sv_caps_make_writable(GstCaps *caps) { return gst_caps_make_writable(caps); }

gboolean sv_meta_transform_is_copy(GQuark type) { return GST_META_TRANSFORM_IS_COPY(type); }

static gboolean (*parse_time)(const char *, guint64 *);

static gboolean deserialize_time(GValue *destination, const char *text) {
  guint64 nanoseconds = 0;
  if (!parse_time(text, &nanoseconds))
    return FALSE;
  g_value_set_uint64(destination, nanoseconds);
  return TRUE;
}

static char *serialize_time(const GValue *value) {
  return g_strdup_printf("%" G_GUINT64_FORMAT, g_value_get_uint64(value));
}

static gint compare_time(const GValue *a, const GValue *b) {
  guint64 x = g_value_get_uint64(a), y = g_value_get_uint64(b);
  return x < y ? GST_VALUE_LESS_THAN : x > y ? GST_VALUE_GREATER_THAN : GST_VALUE_EQUAL;
}

static void transform_time(const GValue *from, GValue *to) { g_value_set_uint64(to, g_value_get_uint64(from)); }

GType sv_register_time_type(const char *type_name, gboolean (*parse)(const char *, guint64 *)) {
  static gsize type = 0;
  if (g_once_init_enter(&type)) {
    parse_time = parse;
    GTypeInfo info = {0};
    GType t = g_type_register_static(G_TYPE_UINT64, type_name, &info, 0);
    // GStreamer keeps the pointer.
    static GstValueTable table = {.compare = compare_time, .serialize = serialize_time, .deserialize = deserialize_time};
    table.type = t;
    gst_value_register(&table);
    g_value_register_transform_func(G_TYPE_UINT64, t, transform_time);
    g_once_init_leave(&type, t);
  }
  return type;
}
