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

/// Pictures of one size that a source shows in turn.
struct Footage {
    var byteCount: Int
    /// Number of pictures.
    var count: Int
    /// Writes picture `index`, 0 ..< `count`.
    var write: (_ index: Int, _ destination: UnsafeMutableRawPointer) throws -> Void
    /// Draws over the picture in frame `number` of the stream. Only writable frames are drawn on.
    var draw: ((_ number: Int, _ frame: UnsafeMutableRawPointer) throws -> Void)?
    /// Puts metadata on the buffer of frame `number`. Only writable frames are marked.
    var mark: ((_ number: Int, _ buffer: UnsafeMutablePointer<GstBuffer>) -> Void)?
}

/// Feeds one `appsrc` from its own streaming thread, at almost no cost.
///
/// Only that thread uses the mutable state, except for `refill`, which is atomic.
final class FrameSource {
    /// Thread time spent by all the sources of this process on writing and marking frames in pool buffers.
    static let refill = Atomic<Int>(0)
    static let poolSize = 4

    private let kind: SourceKind
    private let total: Int
    private let frames: [UnsafeMutablePointer<GstBuffer>]
    private let pool: UnsafeMutablePointer<GstBufferPool>?
    private let draw: ((_ number: Int, _ frame: UnsafeMutableRawPointer) throws -> Void)?
    private let mark: ((_ number: Int, _ buffer: UnsafeMutablePointer<GstBuffer>) -> Void)?
    private var sent = 0

    init(kind: SourceKind, showing footage: Footage, caps: UnsafeMutablePointer<GstCaps>, total: Int) throws {
        self.kind = kind
        self.total = total
        frames = try (0..<(kind == .still ? 1 : footage.count)).map { index in
            let buffer = gst_buffer_new_allocate(nil, gsize(footage.byteCount), nil)
            guard let buffer else { throw Failure("no memory for the frames") }
            try buffer.withMapped(GST_MAP_WRITE) { try footage.write(index, $0) }
            return buffer
        }
        pool = kind == .writable || kind == .live ? try Self.makePool(caps, bytes: footage.byteCount) : nil
        draw = footage.draw
        mark = footage.mark
    }

    deinit {
        frames.forEach { gst_buffer_unref($0) }
        if let pool {
            gst_buffer_pool_set_active(pool, 0)
            gst_object_unref(pool)
        }
    }

    private static func makePool(
        _ caps: UnsafeMutablePointer<GstCaps>, bytes: Int
    ) throws -> UnsafeMutablePointer<GstBufferPool> {
        guard let pool = gst_buffer_pool_new() else { throw Failure("no buffer pool") }
        let configuration = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(configuration, caps, guint(bytes), guint(poolSize), 0)
        guard gst_buffer_pool_set_config(pool, configuration) != 0, gst_buffer_pool_set_active(pool, 1) != 0 else {
            throw Failure("the buffer pool refuses its settings")
        }
        return pool
    }

    /// Connects the source to an `appsrc`, which keeps it alive.
    func attach(to element: UnsafeMutablePointer<GstElement>) {
        var callbacks = GstAppSrcCallbacks()
        callbacks.need_data = { appsrc, _, user in
            guard let appsrc, let user else { return }
            Unmanaged<FrameSource>.fromOpaque(user).takeUnretainedValue().push(into: appsrc)
        }
        let appsrc = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstAppSrc.self)
        gst_app_src_set_callbacks(appsrc, &callbacks, Unmanaged.passRetained(self).toOpaque()) { user in
            guard let user else { return }
            Unmanaged<FrameSource>.fromOpaque(user).release()
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
            let element = UnsafeMutableRawPointer(appsrc).assumingMemoryBound(to: GstElement.self)
            let early = sent * frameDuration - Int(clamping: gst_element_get_current_running_time(element))
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
        try? frame.withMapped(GST_MAP_READ) { source in
            try buffer.withMapped(GST_MAP_WRITE) {
                memcpy($0, source, Int(gst_buffer_get_size(frame)))
                try draw?(sent, $0)
            }
        }
        mark?(sent, buffer)
        Self.refill.add(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start, ordering: .relaxed)
        return buffer
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Calls `body` with the bytes of the buffer.
    func withMapped<Result>(
        _ flags: GstMapFlags, _ body: (UnsafeMutableRawPointer) throws -> Result
    ) throws -> Result {
        var map = GstMapInfo()
        guard gst_buffer_map(self, &map, flags) != 0, let data = map.data else {
            throw Failure("a frame cannot be mapped")
        }
        defer { gst_buffer_unmap(self, &map) }
        return try body(data)
    }
}
