// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Decoded sound: consecutive samples of all channels. Immutable.
package final class SoundPacket: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `buffer` is a pointer. This object holds a reference to the buffer,
    // so no other owner of the buffer may write to the buffer.
    fileprivate let buffer: UnsafeMutablePointer<GstBuffer>
    /// The position of the first sample in the file; nil if unknown.
    package let position: ClockTime?
    /// The number of samples per channel.
    package let count: Int

    /// The number of samples per second.
    package static let rate = 48000
    static let caps = "audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=2"
    /// The number of bytes of one sample, for all channels together.
    fileprivate static let bytesPerSample = 8

    init(_ buffer: UnsafeMutablePointer<GstBuffer>, at position: ClockTime?) {
        self.buffer = gst_buffer_ref(buffer)
        self.position = position
        count = Int(clamping: gst_buffer_get_size(buffer)) / Self.bytesPerSample
    }

    /// Creates a packet of silence with `count` samples. Returns nil if `count` is not positive, or if there is not
    /// enough memory.
    package init?(silence count: Int) {
        let (size, overflow) = count.multipliedReportingOverflow(by: Self.bytesPerSample)
        guard count > 0, !overflow, let buffer = gst_buffer_new_allocate(nil, gsize(size), nil) else { return nil }
        gst_buffer_memset(buffer, 0, 0, gsize(size))
        buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue
        (self.buffer, position, self.count) = (buffer, nil, count)
    }

    deinit { gst_buffer_unref(buffer) }

    /// Returns a new buffer with some of the samples. The buffer shares the memory of the packet.
    fileprivate func copy(_ range: Range<Int>) -> UnsafeMutablePointer<GstBuffer>? {
        let part = range.clamped(to: 0..<count)
        guard !part.isEmpty else { return nil }
        let flags = GstBufferCopyFlags(rawValue: GST_BUFFER_COPY_MEMORY.rawValue)
        let copy = gst_buffer_copy_region(
            buffer, flags, gsize(part.lowerBound * Self.bytesPerSample), gsize(part.count * Self.bytesPerSample))
        copy?.pointee.mini_object.flags |= buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue
        return copy
    }
}

extension Host {
    /// Finds the element `appsrc` with this name in the same pipeline. The sound ends when the stream of the calling
    /// element ends.
    /// - Parameter wanted: called in a thread of the appsrc when its queue is empty. May run until shortly after the
    ///   returned object is released.
    package func soundInput(
        _ name: String, wanted: @escaping @Sendable () -> Void
    ) throws(ElementError) -> SoundInput {
        guard let element = neighbour(name) else {
            throw ElementError(
                .notFound,
                "sound=\"\(name)\": the pipeline has no element \"\(name)\". Set sound to the name of an element appsrc."
            )
        }
        guard g_type_check_instance_is_a(element.pointer.cast(), gst_app_src_get_type()) != 0 else {
            throw ElementError(
                .settings,
                "sound=\"\(name)\": this element is not an appsrc. Set sound to the name of an element appsrc.")
        }
        return SoundInput(element, Held(gst_element_get_static_pad(self.element, "src")), wanted)
    }
}

/// A GStreamer element `appsrc` into which another element pushes sound. No function of this class blocks.
package final class SoundInput: Sendable {
    private let element: WeakObject
    private let connection: SignalConnection
    private let pad: WeakObject?
    private let probe: gulong

    private final class Context: Sendable {
        let element: WeakObject
        let wanted: @Sendable () -> Void

        init(_ element: WeakObject, _ wanted: @escaping @Sendable () -> Void) {
            (self.element, self.wanted) = (element, wanted)
        }
    }

    package enum Outcome: Sendable {
        case sent
        /// The appsrc is not started, has ended, or is no longer in the pipeline.
        case refused
        /// The queue of the appsrc is full.
        case full
    }

    /// The default of the property `max-bytes` of appsrc.
    private static let defaultBytes: guint64 = 200_000
    /// The capacity of an appsrc whose property `max-bytes` has its default value: five seconds of sound.
    private static let capacity = guint64(5 * SoundPacket.rate * SoundPacket.bytesPerSample)

    /// - Parameter pad: the source pad of the calling element. The sound ends when the stream of this pad ends.
    fileprivate init(
        _ element: Held<GstElement>, _ pad: Held<GstPad>?, _ wanted: @escaping @Sendable () -> Void
    ) {
        self.element = WeakObject(element.pointer.cast())
        for (property, value) in [("format", "time"), ("block", "false"), ("caps", SoundPacket.caps)] {
            gst_util_set_object_arg(element.pointer.cast(), property, value)
        }
        let source = element.pointer.cast(to: GstAppSrc.self)
        if gst_app_src_get_max_bytes(source) == Self.defaultBytes { gst_app_src_set_max_bytes(source, Self.capacity) }
        let callback: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, _, data in
            if let data { Unmanaged<Context>.fromOpaque(data).takeUnretainedValue().wanted() }
        }
        let context = Context(self.element, wanted)
        connection = SignalConnection(
            element.pointer.cast(), "need-data", unsafeBitCast(callback, to: GCallback.self), context)
        self.pad = pad.map { WeakObject($0.pointer.cast()) }
        // The probe ends the sound if the base class ends the stream without a call of `end`, for example with
        // num-buffers.
        probe =
            pad.map {
                gst_pad_add_probe(
                    $0.pointer, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    { _, info, data in
                        if let info, let data, let event = gst_pad_probe_info_get_event(info),
                            event.pointee.type == GST_EVENT_EOS
                        {
                            SoundInput.end(Unmanaged<Context>.fromOpaque(data).takeUnretainedValue().element)
                        }
                        return GST_PAD_PROBE_OK
                    }, Unmanaged.passRetained(context).toOpaque(),
                    { if let data = $0 { Unmanaged<Context>.fromOpaque(data).release() } })
            } ?? 0
    }

    deinit {
        connection.disconnect()
        if probe != 0, let pad = pad?.object { gst_pad_remove_probe(pad.pointer.cast(), probe) }
    }

    private static func source(_ element: WeakObject) -> Held<GstAppSrc>? {
        element.object.flatMap { Held(gst_object_ref($0.pointer)?.assumingMemoryBound(to: GstAppSrc.self)) }
    }

    /// Adds samples of a packet.
    /// - Parameters:
    ///   - time: the running time of the first sample.
    ///   - isDiscontinuous: true if samples before these samples are missing.
    package func push(
        _ packet: SoundPacket, _ range: Range<Int>, at time: ClockTime, lasting duration: ClockTime,
        isDiscontinuous: Bool
    ) -> Outcome {
        guard let source = Self.source(element) else { return .refused }
        let capacity = gst_app_src_get_max_bytes(source.pointer)
        guard capacity == 0 || gst_app_src_get_current_level_bytes(source.pointer) < capacity else { return .full }
        guard let buffer = packet.copy(range) else { return .sent }
        buffer.pointee.pts = GstClockTime(time.nanoseconds)
        buffer.pointee.duration = GstClockTime(duration.nanoseconds)
        if isDiscontinuous { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue }
        return gst_app_src_push_buffer(source.pointer, buffer) == GST_FLOW_OK ? .sent : .refused
    }

    /// Ends the sound.
    package func end() { Self.end(element) }

    private static func end(_ element: WeakObject) {
        if let source = source(element) { gst_app_src_end_of_stream(source.pointer) }
    }
}
