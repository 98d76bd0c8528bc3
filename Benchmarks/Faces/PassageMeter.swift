import CGStreamer
import Glibc
import Pixels
import Synchronization

/// Times how long each buffer is inside of an element, and reads the faces that it carries when it leaves.
final class PassageMeter: Sendable {
    struct Passage {
        var timestamp: GstClockTime
        /// From one pad to the other, on the wall's clock.
        var nanoseconds: Int
        var finds: [FaceFind]
    }

    private struct State {
        var entries: [GstClockTime: Int] = [:]
        var passages: [Passage] = []
    }

    private let state = Mutex(State())

    /// All buffers that have left, in their order.
    var passages: [Passage] { state.withLock { $0.passages } }

    init(_ name: String, of pipeline: Pipeline) throws {
        try pipeline.withPad("sink", of: name) { pad in
            pad.onBuffer { buffer in
                let (timestamp, now) = (buffer.pointee.pts, nanoseconds(CLOCK_MONOTONIC))
                self.state.withLock { $0.entries[timestamp] = now }
            }
        }
        try pipeline.withPad("src", of: name) { pad in
            pad.onBuffer { buffer in
                let (timestamp, now) = (buffer.pointee.pts, nanoseconds(CLOCK_MONOTONIC))
                let finds = buffer.faces
                self.state.withLock { state in
                    guard let entry = state.entries.removeValue(forKey: timestamp) else { return }
                    state.passages.append(Passage(timestamp: timestamp, nanoseconds: now - entry, finds: finds))
                }
            }
        }
    }

    /// What was found in each of the first `count` frames of the stream; nothing in those that did not come.
    func finds(count: Int) -> [[FaceFind]] {
        var frames = [[FaceFind]](repeating: [], count: count)
        for passage in passages {
            let second = 1_000_000_000.0
            let frame = Int((Double(passage.timestamp) / second * Double(StreamTask.framesPerSecond)).rounded())
            if frames.indices.contains(frame) { frames[frame] = passage.finds }
        }
        return frames
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// The faces in the buffer's regions of interest.
    fileprivate var faces: [FaceFind] {
        var faces: [FaceFind] = []
        var cursor: gpointer?
        while let meta = gst_buffer_iterate_meta_filtered(
            self, &cursor, gst_video_region_of_interest_meta_api_get_type())
        {
            let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
            guard let kind = Actor.Kind(roiType: region.pointee.roi_type) else { continue }
            let box = Rectangle(
                x: Int(region.pointee.x), y: Int(region.pointee.y), width: Int(region.pointee.w),
                height: Int(region.pointee.h))
            faces.append(FaceFind(kind: kind, box: box, id: Int(region.pointee.id)))
        }
        return faces
    }
}

extension Actor.Kind {
    fileprivate init?(roiType: GQuark) {
        switch g_quark_to_string(roiType).map({ String(cString: $0) }) {
        case "face": self = .human
        case "cat-face": self = .cat
        case "logo": self = .logo
        default: return nil
        }
    }
}
