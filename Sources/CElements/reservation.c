// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object.h"

// gst_element_link() links the first unlinked input, or requests a new input if all inputs are linked. Another thread,
// such as a decoder thread of gst-launch-1.0, may find the new input before it is linked. Then two streams would be
// linked to one input, or one source would stay unlinked. So a new input is reserved for the requesting thread until it
// is linked.

#define REQUESTER_KEY "sv-requester"
/// The maximum time of a reservation, in microseconds. A program may request an input in one thread and link it in
/// another thread. So other threads can use the input after this time.
#define PATIENCE (100 * G_TIME_SPAN_MILLISECOND)

GST_DEBUG_CATEGORY_STATIC(reservation);
#define GST_CAT_DEFAULT reservation

void sv_reservation_init(void) {
  GST_DEBUG_CATEGORY_INIT(reservation, "svreservation", 0, "Unlinked mixer inputs");
}

static GMutex reservation_lock;
static GCond reservation_ended;

static gpointer requester(GstPad *input) { return g_object_get_data(G_OBJECT(input), REQUESTER_KEY); }

void sv_pad_reserve(GstPad *input) {
  g_mutex_lock(&reservation_lock);
  g_object_set_data(G_OBJECT(input), REQUESTER_KEY, g_thread_self());
  g_mutex_unlock(&reservation_lock);
}

void sv_pad_end_reservation(GstPad *input) {
  g_mutex_lock(&reservation_lock);
  g_object_set_data(G_OBJECT(input), REQUESTER_KEY, NULL);
  g_cond_broadcast(&reservation_ended);
  g_mutex_unlock(&reservation_lock);
}

gboolean sv_pad_is_taken(GstPad *input) {
  g_mutex_lock(&reservation_lock);
  gpointer owner = requester(input);
  g_mutex_unlock(&reservation_lock);
  if (!owner || owner == g_thread_self())
    return FALSE;
  GST_DEBUG_OBJECT(input, "another thread is linking this input");
  gint64 end = g_get_monotonic_time() + PATIENCE;
  g_mutex_lock(&reservation_lock);
  while (requester(input) && g_cond_wait_until(&reservation_ended, &reservation_lock, end))
    continue;
  g_mutex_unlock(&reservation_lock);
  sv_pad_end_reservation(input);
  return gst_pad_is_linked(input);
}
