// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc
import Synchronization

/// Origin of a pipeline's frames.
enum SourceKind: String, Codable {
    /// Frames prepared beforehand, in turn, more than the caches hold. Each is sent as a new buffer over the same
    /// memory, as behind a `tee`: for elements that only read their inputs.
    case rotating
    /// Frames from a pool of recycled buffers, as cameras and decoders deliver them, so that an element that works in
    /// place may write to them. Writing the frame is the work of the camera: it is timed and subtracted, on every side
    /// of a comparison.
    case writable
    /// Frames like `writable` ones, each at its time.
    case live
    /// One picture, repeated.
    case still
}

/// Feeds one `appsrc` from its own streaming thread, at almost no cost.
///
/// Only that thread uses the mutable state, except for `refill`, which is atomic.
final class FrameSource {
    /// Thread time spent by all the sources of this process on writing and marking frames in pool buffers.
    static let refill = Atomic<Int>(0)
    private static let poolSize: guint = 4

    private let kind: SourceKind
    private let total: Int
    private let frames: [UnsafeMutablePointer<GstBuffer>]
    private let pool: UnsafeMutablePointer<GstBufferPool>?
    private let complete: Footage.Completion?
    private var sent = 0

    /// Makes an `appsrc`, which keeps the source alive, send `total` frames.
    @discardableResult
    init(_ source: StreamJob.Source, total: Int, into element: UnsafeMutablePointer<GstElement>) throws {
        let footage = try source.content.footage()
        guard let caps = gst_caps_from_string(source.content.caps) else {
            throw Failure("not caps: \(source.content.caps)")
        }
        defer { gst_caps_unref(caps) }
        kind = source.kind
        self.total = total
        frames = try (0..<(kind == .still ? 1 : footage.count)).map { index in
            let size = gsize(footage.byteCount)
            guard let bytes = g_malloc(size), let buffer = gst_buffer_new_wrapped(bytes, size) else {
                throw Failure("no memory for the frames")
            }
            try footage.write(index, bytes)
            // Frames of a pool are completed when they are sent.
            if source.kind == .rotating || source.kind == .still { footage.complete?(index, bytes, buffer) }
            return buffer
        }
        pool = kind == .writable || kind == .live ? gst_buffer_pool_new() : nil
        complete = footage.complete
        if let pool {
            let configuration = gst_buffer_pool_get_config(pool)
            gst_buffer_pool_config_set_params(configuration, caps, guint(footage.byteCount), Self.poolSize, 0)
            guard gst_buffer_pool_set_config(pool, configuration) != 0, gst_buffer_pool_set_active(pool, 1) != 0 else {
                throw Failure("the buffer pool refuses its settings")
            }
        }
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = { appsrc, _, user in
            guard let appsrc, let user else { return }
            Unmanaged<FrameSource>.fromOpaque(user).takeUnretainedValue().push(into: appsrc)
        }
        gst_app_src_set_caps(element.cast(), caps)
        gst_app_src_set_callbacks(element.cast(), &callbacks, Unmanaged.passRetained(self).toOpaque()) { user in
            if let user { Unmanaged<FrameSource>.fromOpaque(user).release() }
        }
    }

    deinit {
        frames.forEach { gst_buffer_unref($0) }
        if let pool {
            gst_buffer_pool_set_active(pool, 0)
            gst_object_unref(pool)
        }
    }

    private func push(into appsrc: UnsafeMutablePointer<GstAppSrc>) {
        guard sent < total, let buffer = next() else {
            gst_app_src_end_of_stream(appsrc)
            return
        }
        let frameDuration = 1_000_000_000 / StreamJob.framesPerSecond
        buffer.pointee.pts = guint64(sent * frameDuration)
        buffer.pointee.duration = guint64(frameDuration)
        if kind == .live {
            let now = Int(clamping: gst_element_get_current_running_time(appsrc.cast()))
            let early = sent * frameDuration - now
            if early > 0 { usleep(useconds_t(early / 1000)) }
        }
        sent += 1
        gst_app_src_push_buffer(appsrc, buffer)
    }

    private func next() -> UnsafeMutablePointer<GstBuffer>? {
        let frame = frames[sent % frames.count]
        guard let pool else {
            return gst_buffer_copy_region(frame, GST_BUFFER_COPY_MEMORY, 0, gsize.max)
        }
        var buffer: UnsafeMutablePointer<GstBuffer>?
        guard gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK, let buffer else { return nil }
        let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        var map = GstMapInfo()
        if gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0, let data = map.data {
            gst_buffer_extract(frame, 0, data, map.size)
            complete?(sent, data, buffer)
            gst_buffer_unmap(buffer, &map)
        }
        Self.refill.add(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start, ordering: .relaxed)
        return buffer
    }
}

extension UnsafeMutablePointer {
    /// Returns the same object as another of its types.
    func cast<Other>() -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}
