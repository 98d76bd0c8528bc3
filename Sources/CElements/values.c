// SPDX-License-Identifier: LGPL-2.1-or-later
#include "include/CElements.h"

#include <limits.h>

SVValueKind sv_value_kind(GType type) {
  switch (G_TYPE_FUNDAMENTAL(type)) {
  case G_TYPE_BOOLEAN:
    return SV_VALUE_BOOLEAN;
  case G_TYPE_CHAR:
  case G_TYPE_INT:
  case G_TYPE_LONG:
  case G_TYPE_INT64:
    return SV_VALUE_SIGNED;
  case G_TYPE_UCHAR:
  case G_TYPE_UINT:
  case G_TYPE_ULONG:
  case G_TYPE_UINT64:
    return SV_VALUE_UNSIGNED;
  case G_TYPE_FLOAT:
    return SV_VALUE_FLOAT;
  case G_TYPE_DOUBLE:
    return SV_VALUE_DOUBLE;
  case G_TYPE_ENUM:
    return SV_VALUE_ENUM;
  case G_TYPE_FLAGS:
    return SV_VALUE_FLAGS;
  case G_TYPE_STRING:
    return SV_VALUE_STRING;
  default:
    break;
  }
  if (type == GST_TYPE_STRUCTURE)
    return SV_VALUE_STRUCTURE;
  if (type == GST_TYPE_ARRAY || type == GST_TYPE_LIST)
    return SV_VALUE_LIST;
  const GType texts[] = {GST_TYPE_CAPS,         GST_TYPE_TAG_LIST,     GST_TYPE_FRACTION, GST_TYPE_FRACTION_RANGE,
                         GST_TYPE_INT_RANGE,    GST_TYPE_INT64_RANGE,  GST_TYPE_BITMASK,  GST_TYPE_DOUBLE_RANGE,
                         GST_TYPE_DATE_TIME,    G_TYPE_DATE,           GST_TYPE_FLAG_SET};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (g_type_is_a(type, texts[i]))
      return SV_VALUE_TEXT;
  return SV_VALUE_NONE;
}

gint64 sv_value_get_signed(const GValue *value) {
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_CHAR:
    return g_value_get_schar(value);
  case G_TYPE_INT:
    return g_value_get_int(value);
  case G_TYPE_LONG:
    return g_value_get_long(value);
  case G_TYPE_INT64:
    return g_value_get_int64(value);
  default:
    return 0;
  }
}

guint64 sv_value_get_unsigned(const GValue *value) {
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_UCHAR:
    return g_value_get_uchar(value);
  case G_TYPE_UINT:
    return g_value_get_uint(value);
  case G_TYPE_ULONG:
    return g_value_get_ulong(value);
  case G_TYPE_UINT64:
    return g_value_get_uint64(value);
  default:
    return 0;
  }
}

gboolean sv_value_set_signed(GValue *value, gint64 number) {
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_CHAR:
    if (number < G_MININT8 || number > G_MAXINT8)
      return FALSE;
    g_value_set_schar(value, (gint8)number);
    return TRUE;
  case G_TYPE_INT:
    if (number < G_MININT || number > G_MAXINT)
      return FALSE;
    g_value_set_int(value, (gint)number);
    return TRUE;
  case G_TYPE_LONG:
    if (number < LONG_MIN || number > LONG_MAX)
      return FALSE;
    g_value_set_long(value, (glong)number);
    return TRUE;
  case G_TYPE_INT64:
    g_value_set_int64(value, number);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean sv_value_set_unsigned(GValue *value, guint64 number) {
  switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(value))) {
  case G_TYPE_UCHAR:
    if (number > G_MAXUINT8)
      return FALSE;
    g_value_set_uchar(value, (guchar)number);
    return TRUE;
  case G_TYPE_UINT:
    if (number > G_MAXUINT)
      return FALSE;
    g_value_set_uint(value, (guint)number);
    return TRUE;
  case G_TYPE_ULONG:
    if (number > ULONG_MAX)
      return FALSE;
    g_value_set_ulong(value, (gulong)number);
    return TRUE;
  case G_TYPE_UINT64:
    g_value_set_uint64(value, number);
    return TRUE;
  default:
    return FALSE;
  }
}

const GValue *sv_value_get_item(const GValue *list, guint index) {
  if (GST_VALUE_HOLDS_ARRAY(list))
    return index < gst_value_array_get_size(list) ? gst_value_array_get_value(list, index) : NULL;
  if (GST_VALUE_HOLDS_LIST(list))
    return index < gst_value_list_get_size(list) ? gst_value_list_get_value(list, index) : NULL;
  return NULL;
}

#define RANGE(NAME, Name, name)                                                                     \
  if (G_IS_PARAM_SPEC_##NAME(spec)) {                                                               \
    g_value_init(minimum, G_TYPE_##NAME);                                                           \
    g_value_init(maximum, G_TYPE_##NAME);                                                           \
    g_value_set_##name(minimum, ((const GParamSpec##Name *)spec)->minimum);                         \
    g_value_set_##name(maximum, ((const GParamSpec##Name *)spec)->maximum);                         \
    return TRUE;                                                                                    \
  }

gboolean sv_param_get_range(const GParamSpec *spec, GValue *minimum, GValue *maximum) {
  const GParamSpec *target = g_param_spec_get_redirect_target((GParamSpec *)spec);
  if (target)
    spec = target;
  RANGE(CHAR, Char, schar)
  RANGE(UCHAR, UChar, uchar)
  RANGE(INT, Int, int)
  RANGE(UINT, UInt, uint)
  RANGE(LONG, Long, long)
  RANGE(ULONG, ULong, ulong)
  RANGE(INT64, Int64, int64)
  RANGE(UINT64, UInt64, uint64)
  RANGE(FLOAT, Float, float)
  RANGE(DOUBLE, Double, double)
  return FALSE;
}

GObjectClass *sv_object_get_class(GObject *object) { return G_OBJECT_GET_CLASS(object); }

GType sv_object_get_type(GObject *object) { return G_OBJECT_TYPE(object); }

gboolean sv_object_is(const GObject *object, GType type) {
  return G_TYPE_CHECK_INSTANCE_TYPE(object, type);
}
