// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CELEMENTS_H
#define SV_CELEMENTS_H

// Registers GObject classes that are implemented in Swift, and forwards their virtual methods to Swift. This layer
// contains only code that Swift cannot express: instance structs of GStreamer's base classes, calls of parent classes,
// and variadic functions. All other code is in ElementKit.
//
// Two opaque pointers pass through this layer. `class_info` describes a class and lives as long as the process.
// `instance` is the Swift object of a GObject. `create` returns this object, all other functions receive it, and
// `destroy` releases it when the GObject is finalized.

#include "../../CGStreamer/CGStreamer.h"

G_BEGIN_DECLS

/// Functions of all classes, for elements and pads.
typedef struct {
  /// Installs properties, signals, pad templates and metadata, once per class.
  void (*class_init)(const void *class_info, GObjectClass *object_class);
  void *(*create)(const void *class_info, GObject *object);
  void (*destroy)(void *instance);
  /// `id` is the number of the property, starting with 1.
  void (*set_property)(void *instance, guint id, const GValue *value);
  void (*get_property)(void *instance, guint id, GValue *value);
} SVObjectFunctions;

/// The reason why the threads of an element must stop waiting.
typedef enum {
  /// The element goes from PAUSED to READY.
  SV_INTERRUPTION_STOP,
  /// The stream is flushed.
  SV_INTERRUPTION_FLUSH,
  /// The base class needs the lock that the streaming thread holds (`GstBaseSinkClass.unlock`).
  SV_INTERRUPTION_UNLOCK,
} SVInterruption;

/// Functions of all elements.
typedef struct {
  SVObjectFunctions object;
  gboolean (*start)(void *instance);
  void (*stop)(void *instance);
  /// If `is_on` is TRUE, the element's threads must stop waiting. If `is_on` is FALSE, the threads may wait again.
  void (*interrupt)(void *instance, SVInterruption why, gboolean is_on);
  gboolean (*set_info)(void *instance, const GstVideoInfo *info);
  /// Handles an upstream event, such as a key press (transfer full). Returns the event to forward (transfer full).
  /// Returns NULL if the element has handled the event.
  GstEvent *(*src_event)(void *instance, GstEvent *event);
} SVElementFunctions;

/// Functions of a filter that changes frames in place (GstVideoFilter).
typedef struct {
  SVElementFunctions element;
  /// Called on the streaming thread before each buffer. The function may switch pass-through on or off.
  void (*before_transform)(void *instance, GstBuffer *buffer);
  /// Returns TRUE if `transform` only reads the current buffer.
  gboolean (*reads)(void *instance);
  GstFlowReturn (*transform)(void *instance, GstBuffer *buffer);
  /// Called after a flush or a new segment. The filter then discards the data of earlier frames.
  void (*discontinuity)(void *instance);
  /// Called at the end of the stream, before the event is forwarded.
  void (*end_of_stream)(void *instance);
} SVFilterFunctions;

/// Functions of a mixer (GstVideoAggregator).
typedef struct {
  SVElementFunctions element;
  /// On entry, `best` is the output format that the base class has chosen. The function may replace `best` by another
  /// format that downstream accepts.
  void (*choose_format)(void *instance, GstCaps *downstream, GstVideoInfo *best);
  /// Returns TRUE if downstream accepts a format that keeps the alpha of inputs.
  gboolean (*blends_alpha)(void *instance, GstCaps *downstream);
  /// Fixates caps (transfer full for argument and result).
  GstCaps *(*fixate_caps)(void *instance, GstCaps *caps);
  /// Returns TRUE while inputs are missing. The mixer must then not negotiate or mix. If `look` is FALSE, the function
  /// does not check the inputs, and returns the previous result.
  gboolean (*awaits_inputs)(void *instance, gboolean look);
  /// Called on the streaming thread when the base class starts (`begins` TRUE) or ends (`begins` FALSE) its search for
  /// the input frames of an output frame.
  void (*looking)(void *instance, gboolean begins);
  /// Called without locks if the mixer cannot output a frame yet. If inputs are missing, the function waits until the
  /// state of an input may have changed.
  void (*wait_for_inputs)(void *instance);
  /// Called after an input was added or removed. `added` is the Swift object of the added pad; NULL if an input was
  /// removed.
  void (*inputs_changed)(void *instance, void *added);
  GstFlowReturn (*aggregate)(void *instance, GstBuffer *output);
  /// Sends a navigation event to the inputs at the position of the event. Returns TRUE if an input has handled the
  /// event. Without this function, the base class would drop the event.
  gboolean (*navigate)(void *instance, GstEvent *event);
} SVAggregatorFunctions;

/// Functions of a sink (GstVideoSink).
typedef struct {
  SVElementFunctions element;
  /// Shows a buffer. Called on the streaming thread at the running time of the buffer.
  GstFlowReturn (*show)(void *instance, GstBuffer *buffer);
  /// Called after a flush or at a new segment.
  void (*discontinuity)(void *instance);
  /// Called at the end of the stream, before the sink posts the EOS message.
  void (*end_of_stream)(void *instance);
} SVSinkFunctions;

/// The name of the custom upstream event in which a mixer informs a source whether the mixer shows the source.
#define SV_VISIBILITY_EVENT "swiftvision-shown"

/// Functions of a source (GstPushSrc).
typedef struct {
  SVElementFunctions element;
  /// Waits on the streaming thread until a frame arrives or the element is interrupted.
  GstFlowReturn (*create)(void *instance, GstBuffer **buffer);
  /// Returns the maximum time between the timestamp of a frame and the output of the frame. Any thread may call this
  /// function.
  GstClockTime (*latency)(void *instance);
  /// Returns TRUE if the source is live.
  gboolean (*is_live)(void *instance);
  /// Handles a custom upstream event. Returns FALSE for an unknown event. Any thread may call this function.
  gboolean (*custom_event)(void *instance, const GstStructure *structure);
} SVSourceFunctions;

/// Functions of an element that passes buffers of any format from the pad `sink` to the pad `src` unchanged
/// (GstElement). A second input, the request pad `audio`, ends in the element.
typedef struct {
  SVElementFunctions element;
  /// Called on the streaming thread of the pad `sink` or `audio` for each buffer. The function must not change the
  /// buffer. If it returns GST_FLOW_OK, a buffer of the pad `sink` is pushed downstream.
  GstFlowReturn (*buffer)(void *instance, GstPad *pad, GstBuffer *buffer);
  /// Called for each downstream event at the pad `sink` or `audio`, before the event is forwarded. Returns FALSE to
  /// refuse the event.
  gboolean (*event)(void *instance, GstPad *pad, GstEvent *event);
  /// Called with TRUE before the pad `audio` is removed, so that its streaming thread stops waiting. Called with FALSE
  /// when the pad is gone.
  void (*audio_ended)(void *instance, gboolean begins);
} SVTapFunctions;

/// An event at an input of a mixer.
typedef enum {
  SV_ARRIVAL_BEGIN,  ///< a stream begins, or continues after a flush
  SV_ARRIVAL_FLUSH,  ///< a flush has emptied the queue
  SV_ARRIVAL_FRAME,  ///< a frame has arrived; it enters the queue when the queue has space
  SV_ARRIVAL_OTHER,  ///< a serialized event or query has arrived
  SV_ARRIVAL_QUEUED, ///< the last arrival is in the queue, or was handled
  SV_ARRIVAL_GAP,    ///< on the streaming thread: a gap event of `sv_aggregator_give_gap` has become an empty buffer
  SV_ARRIVAL_END,
} SVArrival;

/// Functions of an input of a mixer (GstVideoAggregatorParallelConvertPad).
typedef struct {
  SVObjectFunctions object;
  /// Called on the thread of the input. For SV_ARRIVAL_GAP, called on the streaming thread.
  void (*arrived)(void *instance, SVArrival arrival);
  /// Handles a custom downstream event, on the thread of the input. Returns FALSE for an unknown event.
  gboolean (*custom_event)(void *instance, const GstStructure *structure);
  /// Called on the streaming thread before the conversion of a frame. Returns the buffer to convert (transfer full).
  /// Returns NULL if the input is hidden.
  GstBuffer *(*prepare)(void *instance, GstBuffer *buffer);
  /// May change the format and size to which the input's frames are converted.
  void (*conversion_info)(void *instance, const GstVideoInfo *input, const GstVideoInfo *output, GstVideoInfo *info);
} SVPadFunctions;

/// Registers a class. `functions` and `class_info` must stay valid for the life of the process.
GType sv_register_filter(const char *type_name, const SVFilterFunctions *functions, const void *class_info);
GType sv_register_aggregator(const char *type_name, const SVAggregatorFunctions *functions, const void *class_info);
GType sv_register_sink(const char *type_name, const SVSinkFunctions *functions, const void *class_info);
GType sv_register_source(const char *type_name, const SVSourceFunctions *functions, const void *class_info);
GType sv_register_tap(const char *type_name, const SVTapFunctions *functions, const void *class_info);
GType sv_register_pad(const char *type_name, const SVPadFunctions *functions, const void *class_info);

/// Returns the Swift object of an element or pad whose class is registered here.
void *sv_object_instance(GObject *object);

/// Returns TRUE for the request pad of a tap.
gboolean sv_tap_is_audio(GstPad *pad);

/// Queues a gap (an empty frame) at an input that has no frame, so that the mixer does not wait for this input. Any
/// thread may call this function. The function never blocks.
/// - Parameters:
///   - start: the running time of the gap.
///   - keeps_picture: TRUE to continue to show the input's last frame.
void sv_aggregator_give_gap(GstAggregator *aggregator, GstAggregatorPad *pad, GstClockTime start,
                            gboolean keeps_picture);

/// If the first item in an input's queue is a gap from `sv_aggregator_give_gap`, drops this gap.
void sv_aggregator_pad_drop_gap(GstAggregatorPad *pad);

/// Drops the input's frames that end at or before the running time `start`. Call this function only on the streaming
/// thread, while the base class searches the queues for the frames of the next output frame.
void sv_aggregator_pad_drop_before(GstAggregatorPad *pad, GstClockTime start);

/// Returns TRUE if the input cannot get a newer frame for an output frame. There are three cases: the current frame
/// lasts until the end of the output frame; the next queued frame begins later; the stream has ended. Call this
/// function only on the streaming thread, after the base class has searched the queues for the frames of the output
/// frame.
/// - Parameters: `start` and `end` are the running times of the output frame.
gboolean sv_video_aggregator_pad_is_complete(GstVideoAggregatorPad *pad, GstClockTime start, GstClockTime end);

/// Returns TRUE if an input's stream and its last frame have ended, and the pad does not repeat the last frame. Call
/// this function only on the streaming thread.
/// - Parameter start: the running time of the output frame.
gboolean sv_video_aggregator_pad_is_over(GstVideoAggregatorPad *pad, GstClockTime start);

/// The macro GST_AGGREGATOR_FLOW_NEED_DATA. If `aggregate` returns this value, the base class calls `aggregate` again
/// for the same time.
extern const GstFlowReturn sv_flow_need_data;

/// Wraps gst_debug_log, which is variadic.
void sv_log(GstDebugCategory *category, GstDebugLevel level, const char *file, const char *function, int line,
            GObject *object, const char *message);

/// Returns the format with this name. GStreamer declares `gst_video_format_from_string` with G_GNUC_CONST, as a
/// function that reads no memory. So Swift's optimiser could free the string before the call.
GstVideoFormat sv_video_format(const char *name);

/// Swift cannot import macros, so these functions call the macros.
GstCaps *sv_caps_make_writable(GstCaps *caps);
GstBuffer *sv_buffer_make_writable(GstBuffer *buffer);
gboolean sv_meta_transform_is_copy(GQuark type);

/// The `G_TYPE_…` constants of fundamental types. Swift cannot import these macros.
extern const GType sv_type_none, sv_type_boolean, sv_type_int, sv_type_uint, sv_type_int64, sv_type_uint64,
    sv_type_double, sv_type_string, sv_type_variant;

/// The `GST_PARAM_…` constants. Swift cannot import these macros.
extern const guint32 sv_param_controllable, sv_param_mutable_playing, sv_param_mutable_paused, sv_param_mutable_ready,
    sv_param_show_default;

/// The kind of the type of a GValue. The kind determines how JSON represents the value.
typedef enum {
  SV_VALUE_NONE, ///< an object, a pointer, or a boxed value without a text form
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
  SV_VALUE_TEXT, ///< serialized by gst_value_serialize: caps, fractions, ranges
} SVValueKind;

SVValueKind sv_value_kind(GType type);

/// Read a number from a GValue of a signed or an unsigned type. Return 0 for other types.
gint64 sv_value_get_signed(const GValue *value);
guint64 sv_value_get_unsigned(const GValue *value);

/// Write a number to a GValue. Return FALSE if the type of the GValue cannot represent the number.
gboolean sv_value_set_signed(GValue *value, gint64 number);
gboolean sv_value_set_unsigned(GValue *value, guint64 number);

/// Returns an item of an array or list; NULL if the index is out of range.
const GValue *sv_value_get_item(const GValue *list, guint index);

/// Initialises `minimum` and `maximum` with the range of a numeric property. If the property has no range, returns
/// FALSE and changes nothing.
gboolean sv_param_get_range(const GParamSpec *spec, GValue *minimum, GValue *maximum);

GObjectClass *sv_object_get_class(GObject *object);
GType sv_object_get_type(GObject *object);
gboolean sv_object_is(const GObject *object, GType type);

G_END_DECLS

#endif
