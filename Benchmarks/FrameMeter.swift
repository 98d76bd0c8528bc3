import CGStreamer
import Glibc
import Synchronization

/// Counts the frames that arrive at the end of a pipeline, and reads the process's CPU clock at two of them, so that
/// neither start-up nor shutdown is counted.
final class FrameMeter: Sendable {
    private struct State {
        var arrived = 0
        var start = 0
        var stop: Int?
        var sample: [UInt8] = []
    }

    private let size: FrameSize
    private let warmUp: Int
    private let frames: Int
    private let sinks: Int
    private let state = Mutex(State())

    /// - Parameter sinks: the number of pads that it watches; a frame counts when it has arrived at all of them.
    init(size: FrameSize, warmUp: Int, frames: Int, sinks: Int) {
        self.size = size
        self.warmUp = warmUp
        self.frames = frames
        self.sinks = sinks
    }

    /// CPU time of the process per frame, without what the sources spent on writing frames; `nil` if the pipeline ended
    /// before its time.
    var nanosecondsPerFrame: Double? {
        state.withLock { state in state.stop.map { Double($0 - state.start) / Double(frames) } }
    }

    /// Bytes from all over the last frame, to compare the pictures of both sides.
    var sample: [UInt8] { state.withLock { $0.sample } }

    func watch(_ pad: UnsafeMutablePointer<GstPad>) {
        pad.onBuffer { self.count($0) }
    }

    private func count(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        state.withLock { state in
            state.arrived += 1
            if state.arrived == sinks * warmUp {
                state.start = Self.spent()
            } else if state.arrived == sinks * (warmUp + frames) {
                state.stop = Self.spent()
                state.sample = sampled(buffer)
            }
        }
    }

    private static func spent() -> Int {
        nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - FrameSource.refill.load(ordering: .relaxed)
    }

    /// The colours of 16 x 16 pixels.
    private func sampled(_ buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8] {
        guard gst_buffer_get_size(buffer) == size.byteCount else { return [] }
        let bytes = try? buffer.withMapped(GST_MAP_READ) { data in
            (0..<256).flatMap { index in
                let x = (index % 16 * 2 + 1) * size.width / 32
                let y = (index / 16 * 2 + 1) * size.height / 32
                return (0..<3).map { data.load(fromByteOffset: (y * size.width + x) * 4 + $0, as: UInt8.self) }
            }
        }
        return bytes ?? []
    }
}
