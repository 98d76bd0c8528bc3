// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging
import Synchronization

/// Takes single frames at a sink pad, and encodes them as small JPEG images. The streaming thread only takes a
/// reference to the frame. All other functions run on the worker of `InputThumbnails`, one after another.
final class ThumbnailTap: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because only the thread of the worker uses `encoder`, `failure` and `age`,
    // and only thread-safe functions of GStreamer use `pad`.
    let id: String
    let pad: Held<GstPad>
    /// Distinguishes the thumbnails of this tap from thumbnails of earlier taps with the same ID.
    let key = Key()
    private let probe: gulong
    private let slot: Slot
    private let send: @Sendable (Thumbnail) -> Void
    private let warn: @Sendable (String) -> Void
    private var encoder: (pipeline: InnerPipeline, queue: StatusQueue, caps: UnsafeMutablePointer<GstCaps>)?
    /// The caps of frames that could not be encoded. Frames with these caps get no thumbnail.
    private var failure: UnsafeMutablePointer<GstCaps>?
    /// The number of successive calls of `request` that had no effect, because the previous thumbnail was not complete.
    private var age = 0

    /// The size of the largest thumbnail, in pixels.
    private static let limit = PixelSize(width: 160, height: 90)
    private static let quality = 70
    /// If `age` is greater than this number, the tap discards the encoder, and no longer waits for the previous
    /// thumbnail.
    private static let patience = 20

    final class Key: Sendable {}

    /// An encoded frame.
    struct Thumbnail: Sendable {
        let size: PixelSize
        let jpeg: [UInt8]
        /// The `HidingStatus` at the time when the frame was requested.
        let status: HidingStatus
        let key: Key
    }

    /// The `HidingStatus` of each frame in an encoder, in order. If the encoder loses a frame, the later frames get the
    /// status of an earlier frame. So a frame never gets a status that is newer than the frame.
    private final class StatusQueue: Sendable {
        private let list = Mutex<[HidingStatus]>([])

        func add(_ status: HidingStatus) { list.withLock { $0.append(status) } }

        func next() -> HidingStatus? { list.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    /// The state that the streaming thread, the encoder's thread and the worker use.
    private final class Slot: Sendable {
        enum Phase: Sendable {
            case idle, busy
            /// A frame is requested. The value is the `HidingStatus` from before the request.
            case wanted(HidingStatus)
        }
        struct State: Sendable {
            var phase = Phase.idle
            weak var tap: ThumbnailTap?
        }
        private let state = Mutex(State())
        private let worker: Worker

        init(_ worker: Worker) { self.worker = worker }

        func set(_ phase: Phase) { state.withLock { $0.phase = phase } }

        func connect(_ tap: ThumbnailTap) { state.withLock { $0.tap = tap } }

        /// - Returns: false if the previous thumbnail is not complete.
        func request(_ status: HidingStatus) -> Bool {
            state.withLock { state in
                if case .busy = state.phase { return false }
                state.phase = .wanted(status)
                return true
            }
        }

        /// Gives a requested frame to the worker.
        func take(_ buffer: UnsafeMutablePointer<GstBuffer>, at pad: UnsafeMutablePointer<GstPad>) {
            guard gst_buffer_get_size(buffer) > 0 else { return }
            let status = state.withLock { state -> HidingStatus? in
                guard case .wanted(let status) = state.phase else { return nil }
                state.phase = .busy
                return status
            }
            guard let status else { return }
            guard let caps = gst_pad_get_current_caps(pad) else { return set(.idle) }
            let taken = Taken(buffer, caps, status)
            worker.run { [self] in state.withLock { $0.tap }?.encode(taken) }
        }
    }

    /// A frame with its caps, and the `HidingStatus` at the time when the frame was requested.
    private final class Taken: @unchecked Sendable {
        // The class is `@unchecked Sendable`, because it has pointers. This object holds references, and nobody writes
        // to shared buffers and caps.
        let buffer: UnsafeMutablePointer<GstBuffer>
        let caps: UnsafeMutablePointer<GstCaps>
        let status: HidingStatus

        init(
            _ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: UnsafeMutablePointer<GstCaps>, _ status: HidingStatus
        ) {
            (self.buffer, self.caps, self.status) = (gst_buffer_ref(buffer), caps, status)
        }

        deinit {
            gst_buffer_unref(buffer)
            gst_caps_unref(caps)
        }
    }

    /// - Parameters:
    ///   - worker: runs the encoding.
    ///   - send: receives each thumbnail, on the thread of the encoder.
    ///   - warn: receives the text of a warning if frames cannot be encoded.
    init(
        _ id: String, _ pad: Held<GstPad>, _ worker: Worker,
        send: @escaping @Sendable (Thumbnail) -> Void, warn: @escaping @Sendable (String) -> Void
    ) {
        let slot = Slot(worker)
        (self.id, self.pad, self.slot, self.send, self.warn) = (id, pad, slot, send, warn)
        probe = gst_pad_add_probe(
            pad.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                if let pad, let data, let info, let buffer = gst_pad_probe_info_get_buffer(info) {
                    Unmanaged<Slot>.fromOpaque(data).takeUnretainedValue().take(buffer, at: pad)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(slot).toOpaque(),
            { if let data = $0 { Unmanaged<Slot>.fromOpaque(data).release() } })
        slot.connect(self)
    }

    deinit {
        gst_pad_remove_probe(pad.pointer, probe)
        if let encoder { gst_caps_unref(encoder.caps) }
        if let failure { gst_caps_unref(failure) }
    }

    /// Requests a thumbnail of the next frame. Ignores the request if the previous thumbnail is not complete yet.
    /// - Parameter status: the current status.
    func request(_ status: HidingStatus) {
        age = slot.request(status) ? 0 : age + 1
        guard age > Self.patience else { return }
        removeEncoder()
        slot.set(.idle)
    }

    private func removeEncoder() {
        guard let old = encoder.take() else { return }
        gst_caps_unref(old.caps)
        old.pipeline.abandon()
    }

    private func encode(_ taken: Taken) {
        age = 0
        var info = GstVideoInfo()
        guard gst_caps_is_fixed(taken.caps) != 0, gst_video_info_from_caps(&info, taken.caps) != 0,
            let format = SharedFrame.Format(info), !format.isJPEG, !isRefused(taken.caps)
        else { return slot.set(.idle) }
        guard let buffer = Self.visible(taken.buffer, info.frameSize) else { return slot.set(.idle) }
        defer { gst_buffer_unref(buffer) }
        if let encoder, gst_caps_is_equal(encoder.caps, taken.caps) == 0 { removeEncoder() }
        if encoder == nil {
            let size = format.shape.thumbnail(in: Self.limit)
            do throws(ElementError) {
                let queue = StatusQueue()
                encoder = (try makeEncoder(size, queue), queue, gst_caps_ref(taken.caps))
            } catch {
                return refuse(taken.caps, error.message)
            }
        }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        let frame = SharedFrame(buffer, format, FrameTime(buffer, segment: segment))
        encoder?.queue.add(taken.status)
        if encoder?.pipeline.push(frame) != true { refuse(taken.caps, "the encoder has failed") }
    }

    /// Returns the visible part of a frame (transfer full). The thumbnail must not show the parts outside the crop
    /// rectangle. Returns nil if no part with the size in the caps can be determined.
    private static func visible(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ size: PixelSize
    ) -> UnsafeMutablePointer<GstBuffer>? {
        if let part = buffer.visiblePart(size) { return part }
        let extent = FrameExtent(buffer, size: size)
        return extent.isUncropped && extent.full == size ? gst_buffer_ref(buffer) : nil
    }

    private func isRefused(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        failure.map { gst_caps_is_equal($0, caps) != 0 } ?? false
    }

    private func refuse(_ caps: UnsafeMutablePointer<GstCaps>, _ reason: String) {
        warn("no thumbnails of \(id): \(reason)")
        removeEncoder()
        if let failure { gst_caps_unref(failure) }
        failure = gst_caps_ref(caps)
        slot.set(.idle)
    }

    /// Returns a pipeline that scales frames in two steps, so that each pixel of the thumbnail is the mean of several
    /// pixels. A single step with method=bilinear reads only two pixels per direction, and other methods need nine
    /// times as much time.
    private func makeEncoder(_ size: PixelSize, _ queue: StatusQueue) throws(ElementError) -> InnerPipeline {
        func caps(_ factor: Int) -> String {
            "video/x-raw,width=\(size.width * factor),height=\(size.height * factor),pixel-aspect-ratio=1/1"
        }
        let scale = "videoscale method=bilinear add-borders=false n-threads=1"
        let (slot, send, key) = (slot, send, key)
        return try InnerPipeline(
            "appsrc name=in format=time ! \(scale) ! \(caps(2)) ! \(scale) ! \(caps(1)) ! videoconvert n-threads=1 ! "
                + "jpegenc quality=\(Self.quality) ! appsink name=out sync=false async=false",
            InnerPipeline.Events(
                output: { output in
                    let status = queue.next()
                    slot.set(.idle)
                    guard let status else { return }
                    send(Thumbnail(size: size, jpeg: Array(output.bytes), status: status, key: key))
                },
                // After this callback, the encoder accepts no more frames, so the tap will replace the encoder.
                ended: { _ in slot.set(.idle) }))
    }
}

extension FrameShape {
    /// Returns the largest size of a thumbnail with the aspect ratio of the frame. Each side has at least 8 pixels.
    fileprivate func thumbnail(in limit: PixelSize) -> PixelSize {
        let shown = self.size(in: .square)
        guard shown.width > 0, shown.height > 0 else { return limit }
        let scale = min(
            Double(limit.width) / Double(shown.width), Double(limit.height) / Double(shown.height))
        func side(_ length: Int, _ most: Int) -> Int { min(max(Int((Double(length) * scale).rounded()), 8), most) }
        return PixelSize(width: side(shown.width, limit.width), height: side(shown.height, limit.height))
    }
}
