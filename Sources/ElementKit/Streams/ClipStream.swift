// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization

/// The decoded video of a file. GStreamer elements decode the file in a separate pipeline with its own threads and bus.
///
/// The stream has one pass through the file, or several passes without a gap: at the end of a pass, the demuxer starts
/// again while the decoder still works on the last frames. The caller must call `close`.
package final class ClipStream: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `pipeline` is mutable and has no lock. Only the jobs of `worker` use
    // `pipeline`, and they run one after another. All other members are constant or atomic.
    private var pipeline: UnsafeMutablePointer<GstElement>?
    private let worker = Worker()
    private let request: Request
    private let events: Events
    private let hasPrerolled = Atomic(false)
    private let hasFailed = Atomic(false)
    /// True if the file supports no segment seeks (GST_SEEK_FLAG_SEGMENT). The stream then ends after one pass.
    private let isPlain = Atomic(false)
    private let lastCaps = Mutex<StreamCaps?>(nil)
    /// The position of the first frame, which is often not zero in an MPEG transport stream. `Request.start` is
    /// relative to this position.
    private let firstPosition = Mutex<ClockTime?>(nil)

    package struct Request: Sendable {
        let path: String
        /// The position in the file at which each pass starts.
        let start: ClockTime
        /// The target caps. Frames in other formats are converted.
        let caps: StreamCaps
        /// True to decode the sound, too.
        let hasSound: Bool

        package init(path: String, start: ClockTime, caps: StreamCaps, hasSound: Bool = false) {
            (self.path, self.start, self.caps, self.hasSound) = (path, start, caps, hasSound)
        }
    }

    /// The callbacks. They run in threads of the pipeline. None of them runs after `closed`.
    package struct Events: Sendable {
        /// Called for each frame. The frame's `time` is a position in the file. The function may block. If it
        /// blocks, the caller must unblock it before `rewind` or `close`.
        let frame: @Sendable (StreamFrame) -> Void
        /// Called after the last frame of a pass through the file.
        let passed: @Sendable () -> Void
        /// Called near the end of a pass through the file, before `passed`. Returns true to play the file again without
        /// a gap. Not called for files that support no segment seeks.
        let repeats: @Sendable () -> Bool
        /// Called if all frames received so far are outdated, for example after `rewind`.
        let flushed: @Sendable () -> Void
        /// Called once before the first frame, with the duration of the file.
        let duration: @Sendable (ClockTime?) -> Void
        /// Called for the first error. Later errors are not reported.
        let failed: @Sendable (StreamFailure) -> Void
        let closed: @Sendable () -> Void
        /// Called for the sound, in other threads than `frame`. The function may block, like `frame`.
        let sound: @Sendable (SoundEvent) -> Void

        package init(
            frame: @escaping @Sendable (StreamFrame) -> Void, passed: @escaping @Sendable () -> Void,
            repeats: @escaping @Sendable () -> Bool, flushed: @escaping @Sendable () -> Void,
            duration: @escaping @Sendable (ClockTime?) -> Void, failed: @escaping @Sendable (StreamFailure) -> Void,
            closed: @escaping @Sendable () -> Void, sound: @escaping @Sendable (SoundEvent) -> Void = { _ in }
        ) {
            (self.frame, self.passed, self.repeats, self.flushed) = (frame, passed, repeats, flushed)
            (self.duration, self.failed, self.closed, self.sound) = (duration, failed, closed, sound)
        }
    }

    package enum SoundEvent: Sendable {
        case packet(SoundPacket)
        /// A gap in the sound. The gap ends at this position in the file.
        case gap(until: ClockTime)
        /// A new segment of sound begins (GST_EVENT_SEGMENT), possibly at the start of the file again.
        case segment
        /// The sound has reached the end of the file. All its packets were reported before this event.
        case passed
        /// All packets received so far are outdated.
        case flushed
        /// The file has no sound.
        case absent
    }

    package init(_ request: Request, _ events: Events) { (self.request, self.events) = (request, events) }

    /// Opens the file. Returns immediately.
    package func open() { worker.run { [self] in start() } }

    /// True if the file supports seeks. Valid after the first frame.
    package var canRewind: Bool { !isPlain.load(ordering: .acquiring) }

    /// Plays the file from the start position again. Returns immediately. The callback `flushed` runs before the first
    /// frame. If the callback `frame` blocks, the caller must first unblock it.
    package func rewind() { worker.run { [self] in returnToStart(GST_SEEK_FLAG_FLUSH) } }

    /// Stops the pipeline. Returns immediately. If the callback `frame` blocks, the caller must first unblock it.
    package func close() {
        worker.run { [self] in
            stop()
            events.closed()
        }
    }

    // MARK: - The worker's thread

    private func start() {
        let rate = request.caps.fixesFrameRate ? "videorate skip-to-first=true ! " : ""
        let types = request.hasSound ? "\"video/x-raw(ANY);audio/x-raw(ANY)\"" : "video/x-raw(ANY)"
        let sink = "sync=false qos=false enable-last-sample=false wait-on-eos=false max-buffers=1"
        // With async=false, the pipeline does not wait for the first sound sample. A file without sound would otherwise
        // prevent the start.
        let voice =
            " in. ! audioconvert name=voice ! audioresample ! \(SoundPacket.caps) ! appsink name=sound async=false \(sink)"
        // videoflip rotates the frames as the file's orientation tag requires, for example in a video from a telephone.
        let description =
            "uridecodebin name=in caps=\(types) expose-all-streams=false ! videoconvert name=image ! "
            + "videoflip video-direction=auto ! videoconvert ! videoscale add-borders=true ! \(rate)appsink name=out "
            + sink + (request.hasSound ? voice : "")
        var error: UnsafeMutablePointer<GError>?
        let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        defer { g_clear_error(&error) }
        guard let parsed else {
            let text = error?.pointee.message.map { String(cString: $0) } ?? "unknown reason"
            return fail(StreamFailure(kind: .missingPlugin, text: text))
        }
        gst_object_ref_sink(parsed)
        pipeline = parsed
        guard let input = Held(gst_bin_get_by_name(parsed.cast(), "in")),
            let output = Held(gst_bin_get_by_name(parsed.cast(), "out")),
            let uri = gst_filename_to_uri(request.path, nil)
        else { return fail(StreamFailure(kind: .notFound, text: "no URI for this path")) }
        defer { g_free(uri) }
        gst_util_set_object_arg(input.pointer.cast(), "uri", uri)
        gst_app_sink_set_caps(output.pointer.cast(), request.caps.caps)
        watch(parsed, output.pointer)
        if let sound = Held(gst_bin_get_by_name(parsed.cast(), "sound")) { watchSound(sound.pointer) }
        let state = isPlain.load(ordering: .acquiring) ? GST_STATE_PLAYING : GST_STATE_PAUSED
        if gst_element_set_state(parsed, state) == GST_STATE_CHANGE_FAILURE {
            fail(StreamFailure(kind: .other, text: "cannot start the stream"))
        }
    }

    /// Starts the first pass through the file. Called once, when the pipeline has decoded its first frame.
    private func begin() {
        guard let pipeline else { return }
        var duration: gint64 = 0
        let isKnown = gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) != 0 && duration > 0
        events.duration(isKnown ? ClockTime(nanoseconds: UInt64(clamping: duration)) : nil)
        // The decoder has added the pads of all streams before the first frame, so no further sound stream can appear.
        if !hasStream("voice") { events.sound(.absent) }
        if request.start > .zero {
            let first = prerolledPosition
            firstPosition.withLock { $0 = first }
        }
        // Without a demuxer, the seek is not exact. For example, y4mdec accepts the seek, but then decodes only one
        // frame.
        guard hasDemuxer, seek(GST_SEEK_FLAG_FLUSH) else {
            // The file supports no exact segment seek. For example, tsdemux refuses the seek. This pipeline has already
            // lost its first frame, so a new pipeline decodes the file from the beginning.
            isPlain.store(true, ordering: .releasing)
            stop()
            events.flushed()
            events.sound(.flushed)
            return start()
        }
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
    }

    /// The position of the frame that the sink has received in the state PAUSED.
    private var prerolledPosition: ClockTime? {
        guard let pipeline, let output = Held(gst_bin_get_by_name(pipeline.cast(), "out")),
            let sample = gst_app_sink_try_pull_preroll(output.pointer.cast(), 0)
        else { return nil }
        defer { gst_sample_unref(sample) }
        return position(of: sample)
    }

    private func stop() {
        guard let pipeline else { return }
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(pipeline)
        self.pipeline = nil
    }

    /// Returns true if the decoder is linked to the converter with this name, so the file has a stream of this type.
    private func hasStream(_ converter: String) -> Bool {
        guard let pipeline, let element = Held(gst_bin_get_by_name(pipeline.cast(), converter)),
            let pad = Held(gst_element_get_static_pad(element.pointer, "sink"))
        else { return false }
        return gst_pad_is_linked(pad.pointer) != 0
    }

    private var hasDemuxer: Bool {
        guard let pipeline, let elements = gst_bin_iterate_recurse(pipeline.cast()) else { return false }
        defer { gst_iterator_free(elements) }
        var found = GValue()
        defer { if g_type_check_value(&found) != 0 { g_value_unset(&found) } }
        return gst_iterator_find_custom(
            elements,
            { value, _ in
                guard let value = value?.assumingMemoryBound(to: GValue.self), let object = g_value_get_object(value),
                    let kind = gst_element_class_get_metadata(
                        object.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.cast(),
                        GST_ELEMENT_METADATA_KLASS)
                else { return 1 }
                return String(cString: kind).includes("Demux") ? 0 : 1
            }, &found, nil) != 0
    }

    /// Sends the seek from the sink's pad. `gst_element_seek` could cause a deadlock: it holds the state lock while the
    /// demuxer waits for the sink. In a short file, the sink waits for the state PLAYING, and the change to PLAYING
    /// needs the same lock.
    private func seek(_ flag: GstSeekFlags? = nil) -> Bool {
        guard let pipeline, let output = Held(gst_bin_get_by_name(pipeline.cast(), "out")),
            let pad = Held(gst_element_get_static_pad(output.pointer, "sink"))
        else { return false }
        let flags = GST_SEEK_FLAG_SEGMENT.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue | (flag?.rawValue ?? 0)
        let start = request.start + (firstPosition.withLock { $0 } ?? .zero)
        let event = gst_event_new_seek(
            1, GST_FORMAT_TIME, GstSeekFlags(rawValue: flags), GST_SEEK_TYPE_SET, gint64(clamping: start.nanoseconds),
            GST_SEEK_TYPE_NONE, -1)
        return gst_pad_push_event(pad.pointer, event) != 0
    }

    private func returnToStart(_ flag: GstSeekFlags? = nil) {
        guard pipeline != nil, !seek(flag) else { return }
        fail(StreamFailure(kind: .other, text: "cannot return to the start of the file"))
    }

    private func fail(_ failure: StreamFailure) {
        if !hasFailed.exchange(true, ordering: .relaxed) { events.failed(failure) }
    }

    // MARK: - The pipeline's threads

    private static func of(_ data: gpointer?) -> ClipStream? {
        data.map { Unmanaged<ClipStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    private static let release: GDestroyNotify = {
        if let data = $0 { Unmanaged<ClipStream>.fromOpaque(data).release() }
    }

    private func watch(_ pipeline: UnsafeMutablePointer<GstElement>, _ output: UnsafeMutablePointer<GstElement>) {
        if let bus = gst_element_get_bus(pipeline) {
            gst_bus_set_sync_handler(
                bus,
                { _, message, data in
                    if let message {
                        ClipStream.of(data)?.take(message)
                        gst_message_unref(message)
                    }
                    return GST_BUS_DROP
                }, retained, Self.release)
            gst_object_unref(bus)
        }
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
            defer { gst_sample_unref(sample) }
            if let stream = ClipStream.of(data), let frame = stream.frame(of: sample) { stream.events.frame(frame) }
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(output.cast(), &callbacks, retained, Self.release)
        guard let pad = Held(gst_element_get_static_pad(output, "sink")) else { return }
        let types = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        gst_pad_add_probe(
            pad.pointer, GstPadProbeType(rawValue: types),
            { _, info, data in
                guard let info, let stream = ClipStream.of(data), let event = gst_pad_probe_info_get_event(info) else {
                    return GST_PAD_PROBE_OK
                }
                switch event.pointee.type {
                case GST_EVENT_SEGMENT_DONE, GST_EVENT_EOS: stream.events.passed()
                case GST_EVENT_FLUSH_STOP: stream.events.flushed()
                default: break
                }
                return GST_PAD_PROBE_OK
            }, retained, Self.release)
    }

    private func watchSound(_ output: UnsafeMutablePointer<GstElement>) {
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
            defer { gst_sample_unref(sample) }
            if let stream = ClipStream.of(data), let buffer = gst_sample_get_buffer(sample) {
                stream.events.sound(.packet(SoundPacket(buffer, at: stream.position(of: sample))))
            }
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(output.cast(), &callbacks, retained, Self.release)
        guard let pad = Held(gst_element_get_static_pad(output, "sink")) else { return }
        let types = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
        gst_pad_add_probe(
            pad.pointer, GstPadProbeType(rawValue: types),
            { pad, info, data in
                if let pad, let info, let stream = ClipStream.of(data), let event = gst_pad_probe_info_get_event(info) {
                    stream.takeSound(event, pad)
                }
                return GST_PAD_PROBE_OK
            }, retained, Self.release)
    }

    private func takeSound(_ event: UnsafeMutablePointer<GstEvent>, _ pad: UnsafeMutablePointer<GstPad>) {
        switch event.pointee.type {
        case GST_EVENT_SEGMENT: events.sound(.segment)
        case GST_EVENT_SEGMENT_DONE, GST_EVENT_EOS: events.sound(.passed)
        case GST_EVENT_FLUSH_STOP: events.sound(.flushed)
        case GST_EVENT_GAP:
            var (start, duration) = (GstClockTime(0), GstClockTime(0))
            gst_event_parse_gap(event, &start, &duration)
            var segment = GstSegment()
            guard duration != .max, let current = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return }
            gst_event_copy_segment(current, &segment)
            gst_event_unref(current)
            if let position = ClockTime(gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, start)) {
                events.sound(.gap(until: position + ClockTime(nanoseconds: UInt64(duration))))
            }
        default: break
        }
    }

    private func take(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: fail(StreamFailure(message))
        case GST_MESSAGE_WARNING where request.hasSound && message.pointee.src?.currentName == "in":
            // Detects a file without video. If no sound was requested, the decoder posts an error for such a file. If
            // sound was requested, the decoder plays only the sound. The delayed link from the decoder to the video
            // converter then fails, and gst_parse_launch's code posts a warning.
            worker.run { [self] in
                guard pipeline != nil, !hasPrerolled.load(ordering: .acquiring), !hasStream("image"), hasStream("voice")
                else { return }
                fail(StreamFailure(kind: .format, text: "no video"))
            }
        case GST_MESSAGE_ASYNC_DONE:
            guard !hasPrerolled.exchange(true, ordering: .relaxed) else { return }
            worker.run { [self] in begin() }
        case GST_MESSAGE_SEGMENT_DONE:
            guard events.repeats() else { return }
            worker.run { [self] in returnToStart() }
        default: break
        }
    }

    /// Returns the position of a sample in the file; nil if the sample has no timestamp.
    private func position(of sample: OpaquePointer) -> ClockTime? {
        guard let buffer = gst_sample_get_buffer(sample), let segment = gst_sample_get_segment(sample) else {
            return nil
        }
        return ClockTime(gst_segment_to_stream_time(segment, GST_FORMAT_TIME, buffer.pointee.pts))
    }

    /// Returns the frame of a sample; nil if the frame is before the start position.
    private func frame(of sample: OpaquePointer) -> StreamFrame? {
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample) else { return nil }
        let position = position(of: sample)
        if isPlain.load(ordering: .acquiring), request.start > .zero, let position {
            let first = firstPosition.withLock { first in
                first = first ?? position
                return first ?? position
            }
            if let passed = position.since(first), passed < request.start { return nil }
        }
        let known = lastCaps.withLock { last in
            if let last, last.caps == caps { return last }
            let new = StreamCaps(caps)
            last = new
            return new
        }
        guard let own = gst_buffer_ref(buffer) else { return nil }
        let frame = StreamFrame(own, known)
        frame.time = position
        return frame
    }
}
