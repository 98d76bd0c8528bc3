// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CELEMENTS_H
#define SV_CELEMENTS_H

// Registers GObject classes whose behaviour is written in Swift, and forwards their virtual methods.
// Only what Swift cannot do is here: instance structs behind GStreamer's base classes, chaining up to a parent class,
// and variadic functions. Everything else is in ElementKit.
//
// Two opaque pointers go through this layer. `class_info` describes one class and lives as long as the process.
// `instance` is the Swift object of one GObject: made by `create` while the GObject is initialised, passed to every
// other function, and released by `destroy` when the GObject is finalized.

#include "../../CGStreamer/CGStreamer.h"

G_BEGIN_DECLS

/// The functions that every class needs, element or pad.
typedef struct {
  /// Installs properties, signals, pad templates and metadata. Called once per class.
  void (*class_init)(const void *class_info, GObjectClass *object_class);
  void *(*create)(const void *class_info, GObject *object);
  void (*destroy)(void *instance);
  /// `id` is the number, from 1, with which the property was installed.
  void (*set_property)(void *instance, guint id, const GValue *value);
  void (*get_property)(void *instance, guint id, GValue *value);
} SVObjectFunctions;

/// Why threads of an element should stop waiting.
typedef enum {
  /// The element goes from PAUSED to READY.
  SV_INTERRUPTION_STOP,
  /// The stream is flushed.
  SV_INTERRUPTION_FLUSH,
  /// The base class wants the lock that the streaming thread holds (`GstBaseSinkClass.unlock`).
  SV_INTERRUPTION_UNLOCK,
} SVInterruption;

/// The functions that every element needs.
typedef struct {
  SVObjectFunctions object;
  gboolean (*start)(void *instance);
  void (*stop)(void *instance);
  /// TRUE from when threads of the element should stop waiting, and FALSE when they may wait again.
  void (*interrupt)(void *instance, SVInterruption why, gboolean is_on);
  gboolean (*set_info)(void *instance, const GstVideoInfo *info);
  /// Handles an event that travels upstream, such as a key press (transfer full). Returns what goes on (transfer full);
  /// NULL if it ends here.
  GstEvent *(*src_event)(void *instance, GstEvent *event);
} SVElementFunctions;

/// An in-place filter over GstVideoFilter.
typedef struct {
  SVElementFunctions element;
  /// Called before each buffer, on the streaming thread. The place to switch pass-through.
  void (*before_transform)(void *instance, GstBuffer *buffer);
  /// Returns TRUE if the buffer that `before_transform` saw is only read.
  gboolean (*reads)(void *instance);
  GstFlowReturn (*transform)(void *instance, GstBuffer *buffer);
  /// Called after a flush or a new segment: what was kept of earlier frames is stale.
  void (*discontinuity)(void *instance);
  /// Called at the end of the stream, before the event goes on.
  void (*end_of_stream)(void *instance);
} SVFilterFunctions;

/// A mixer over GstVideoAggregator.
typedef struct {
  SVElementFunctions element;
  /// May change the format that the base class has chosen for the output to another that downstream takes.
  void (*choose_format)(void *instance, GstCaps *downstream, GstVideoInfo *best);
  /// Returns TRUE if downstream takes a format over which inputs keep their alpha.
  gboolean (*blends_alpha)(void *instance, GstCaps *downstream);
  /// Takes caps that may not be fixed yet and returns fixed ones (transfer full both ways).
  GstCaps *(*fixate_caps)(void *instance, GstCaps *caps);
  /// Returns TRUE as long as nothing is to be negotiated and mixed: inputs are still missing, as of the last time that
  /// `look` was TRUE.
  gboolean (*awaits_inputs)(void *instance, gboolean look);
  /// Called before and after the base class looks for frames, on the streaming thread.
  void (*looking)(void *instance, gboolean begins);
  /// Called when no frame can be made yet, without any lock: sleeps until something may have changed, if inputs are
  /// missing.
  void (*wait_for_inputs)(void *instance);
  /// Called when an input has come, with the instance of its pad, or has gone, with NULL.
  void (*inputs_changed)(void *instance, void *added);
  GstFlowReturn (*aggregate)(void *instance, GstBuffer *output);
  /// Sends a navigation event to the inputs that it concerns: the base class drops it. Returns whether any took it.
  gboolean (*navigate)(void *instance, GstEvent *event);
} SVAggregatorFunctions;

/// A sink over GstVideoSink.
typedef struct {
  SVElementFunctions element;
  /// Shows a buffer, on the streaming thread, when its time has come.
  GstFlowReturn (*show)(void *instance, GstBuffer *buffer);
  /// Called after a flush or at a new segment.
  void (*discontinuity)(void *instance);
  /// Called at the end of the stream, before it is reported.
  void (*end_of_stream)(void *instance);
} SVSinkFunctions;

/// A live source over GstPushSrc.
typedef struct {
  SVElementFunctions element;
  /// Waits for the next frame, on the streaming thread, until it is interrupted.
  GstFlowReturn (*create)(void *instance, GstBuffer **buffer);
  /// Returns the time from a frame's timestamp to when it leaves the element, at most. May be called on any thread.
  GstClockTime (*latency)(void *instance);
} SVSourceFunctions;

/// What arrives at an input.
typedef enum {
  SV_ARRIVAL_BEGIN,  ///< a stream begins, or goes on after a flush
  SV_ARRIVAL_FLUSH,  ///< what was queued is gone
  SV_ARRIVAL_FRAME,  ///< a frame comes, and is queued as soon as there is room
  SV_ARRIVAL_OTHER,  ///< an event or a query comes that is queued in the order of the frames
  SV_ARRIVAL_QUEUED, ///< what came last is in the queue, or is dealt with
  SV_ARRIVAL_GAP,    ///< on the streaming thread: a gap of `sv_aggregator_give_gap` has taken the place of a frame
  SV_ARRIVAL_END,
} SVArrival;

/// An input of a mixer, over GstVideoAggregatorParallelConvertPad.
typedef struct {
  SVObjectFunctions object;
  /// Called on the thread of the input.
  void (*arrived)(void *instance, SVArrival arrival);
  /// Called before a frame is converted, on the streaming thread. Returns the buffer to convert instead (transfer
  /// full); NULL if nobody sees it.
  GstBuffer *(*prepare)(void *instance, GstBuffer *buffer);
  /// May change the format and the size to which the input is converted, for an output of another format.
  void (*conversion_info)(void *instance, const GstVideoInfo *input, const GstVideoInfo *output, GstVideoInfo *info);
} SVPadFunctions;

/// Registers a class; `functions` and `class_info` must stay valid for the life of the process.
GType sv_register_filter(const char *type_name, const SVFilterFunctions *functions, const void *class_info);
GType sv_register_aggregator(const char *type_name, const SVAggregatorFunctions *functions, const void *class_info);
GType sv_register_sink(const char *type_name, const SVSinkFunctions *functions, const void *class_info);
GType sv_register_source(const char *type_name, const SVSourceFunctions *functions, const void *class_info);
GType sv_register_pad(const char *type_name, const SVPadFunctions *functions, const void *class_info);

/// Returns the Swift object behind an element or pad of a class that was registered here.
void *sv_object_instance(GObject *object);

/// Queues a gap where an input has nothing, so that the others are not held up. May be called on any thread, and never
/// waits.
/// - Parameters:
///   - start: running time.
///   - keeps_picture: whether the input's last frame goes on being its picture.
void sv_aggregator_give_gap(GstAggregator *aggregator, GstAggregatorPad *pad, GstClockTime start,
                            gboolean keeps_picture);

/// Drops what is next in the queue of an input if it is a gap of `sv_aggregator_give_gap`.
void sv_aggregator_pad_drop_gap(GstAggregatorPad *pad);

/// Drops the frames of an input that end at a running time or before. For the streaming thread, while it looks for frames.
void sv_aggregator_pad_drop_before(GstAggregatorPad *pad, GstClockTime start);

/// Returns whether what an input has now is what it has for a frame: it reaches to the frame's end, the next that is
/// queued begins after it, or the stream has ended. For the streaming thread, after it has looked for frames.
/// - Parameters: running times.
gboolean sv_video_aggregator_pad_is_complete(GstVideoAggregatorPad *pad, GstClockTime start, GstClockTime end);

/// Returns whether the stream of an input has ended, and its last frame, too, unless that is repeated. For the streaming
/// thread.
/// - Parameter start: running time.
gboolean sv_video_aggregator_pad_is_over(GstVideoAggregatorPad *pad, GstClockTime start);

/// Wraps a macro: what `aggregate` returns if it wants to be called again, for the same time.
extern const GstFlowReturn sv_flow_need_data;

/// Wraps gst_debug_log, which is variadic.
void sv_log(GstDebugCategory *category, GstDebugLevel level, const char *file, const char *function, int line,
            GObject *object, const char *message);

/// Returns the format of this name. GStreamer declares `gst_video_format_from_string` as a function that reads no memory
/// (G_GNUC_CONST), so the optimiser of Swift may free the text before it calls that.
GstVideoFormat sv_video_format(const char *name);

/// Wraps macros.
GstCaps *sv_caps_make_writable(GstCaps *caps);
GstBuffer *sv_buffer_make_writable(GstBuffer *buffer);
gboolean sv_meta_transform_is_copy(GQuark type);

/// The `G_TYPE_…` of the fundamental types, which are macros with casts that Swift does not import.
extern const GType sv_type_none, sv_type_boolean, sv_type_int, sv_type_uint, sv_type_int64, sv_type_uint64,
    sv_type_double, sv_type_string, sv_type_variant;

/// The `GST_PARAM_…`, likewise.
extern const guint32 sv_param_controllable, sv_param_mutable_playing, sv_param_mutable_paused, sv_param_mutable_ready,
    sv_param_show_default;

/// What a GValue of a type holds, as far as it can be told in words and numbers.
typedef enum {
  SV_VALUE_NONE, ///< an object, a pointer, a boxed value that has no text
  SV_VALUE_BOOLEAN,
  SV_VALUE_SIGNED,   ///< gint, glong, gint64, gchar
  SV_VALUE_UNSIGNED, ///< guint, gulong, guint64, guchar
  SV_VALUE_FLOAT,
  SV_VALUE_DOUBLE,
  SV_VALUE_ENUM,
  SV_VALUE_FLAGS,
  SV_VALUE_STRING,
  SV_VALUE_STRUCTURE,
  SV_VALUE_LIST, ///< GstValueArray, GstValueList
  SV_VALUE_TEXT, ///< what gst_value_serialize writes: caps, fractions, ranges
} SVValueKind;

SVValueKind sv_value_kind(GType type);

/// Read a value of the kind.
gint64 sv_value_get_signed(const GValue *value);
guint64 sv_value_get_unsigned(const GValue *value);

/// Write a value of the kind. FALSE if the type cannot hold the number.
gboolean sv_value_set_signed(GValue *value, gint64 number);
gboolean sv_value_set_unsigned(GValue *value, guint64 number);

/// Returns the array's or list's item; NULL if there is none.
const GValue *sv_value_get_item(const GValue *list, guint index);

/// Writes the range of a numeric property into two values, which it initialises. FALSE, and nothing is initialised, if the
/// property has none.
gboolean sv_param_get_range(const GParamSpec *spec, GValue *minimum, GValue *maximum);

/// Wraps macros with casts.
GObjectClass *sv_object_get_class(GObject *object);
GType sv_object_get_type(GObject *object);
gboolean sv_object_is(const GObject *object, GType type);

G_END_DECLS

#endif
