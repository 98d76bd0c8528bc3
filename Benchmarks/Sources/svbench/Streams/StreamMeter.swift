// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc
import Synchronization

/// Collects data from buffers and elements while a pipeline plays.
final class StreamMeter: Sendable {
    private struct State {
        var arrived = 0
        var start = 0
        /// Times at which buffers reached the watched element.
        var entries: [GstClockTime: Int] = [:]
        var reading = Reading()
    }

    private let state = Mutex(State())

    var reading: Reading { state.withLock { $0.reading } }

    /// Counts the frames that arrive at all of the sinks, and reads the process's CPU clock at two of them, so that
    /// neither start-up nor shutdown is counted.
    func count(_ effort: Effort, of size: FrameSize, in pipeline: Pipeline, sinks: Int) throws {
        for index in 0..<sinks {
            try pipeline.onBuffer("sink", of: "out\(index)") { buffer in
                self.state.withLock { state in
                    state.arrived += 1
                    if state.arrived == sinks * effort.warmUp {
                        state.start = Self.spent()
                    } else if state.arrived == sinks * effort.total {
                        state.reading.figures[.cpu] = Double(Self.spent() - state.start) / Double(effort.frames)
                        state.reading.sample = buffer.sample(size)
                    }
                }
            }
        }
    }

    /// Returns the CPU time of the process without that spent by the sources on writing frames.
    private static func spent() -> Int {
        nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - FrameSource.refill.load(ordering: .relaxed)
    }

    /// Measures how long each buffer is inside an element, and reads the regions that it carries when it leaves.
    func watch(_ element: String, in pipeline: Pipeline) throws {
        try pipeline.onBuffer("sink", of: element) { buffer in
            let (timestamp, now) = (buffer.pointee.pts, nanoseconds(CLOCK_MONOTONIC))
            self.state.withLock { $0.entries[timestamp] = now }
        }
        try pipeline.onBuffer("src", of: element) { buffer in
            let (timestamp, now) = (buffer.pointee.pts, nanoseconds(CLOCK_MONOTONIC))
            let frame = Int((Double(timestamp) / 1e9 * Double(StreamJob.framesPerSecond)).rounded())
            let regions = buffer.regions
            self.state.withLock { state in
                guard let entry = state.entries.removeValue(forKey: timestamp) else { return }
                state.reading.passages.append(Passage(frame: frame, nanoseconds: now - entry, regions: regions))
            }
        }
    }

    /// Records the delays of buffers at the sink.
    func watchLags(in pipeline: Pipeline) throws {
        let sink = try pipeline.element("out0")
        try pipeline.onBuffer("sink", of: "out0") { buffer in
            let now = Int(truncatingIfNeeded: gst_element_get_current_running_time(sink))
            let lag = now &- Int(truncatingIfNeeded: buffer.pointee.pts)
            self.state.withLock { $0.reading.lags.append(Double(lag)) }
        }
    }

    /// Reads the latency that the pipeline reports, and the number of frames that the sink has shown.
    func readStatistics(of pipeline: Pipeline) throws {
        var latency: GstClockTime = 0
        if let query = gst_query_new_latency() {
            defer { gst_query_unref(query) }
            if gst_element_query(pipeline.element, query) != 0 { gst_query_parse_latency(query, nil, &latency, nil) }
        }
        var value = GValue()
        g_object_get_property(try pipeline.element("out0").cast(), "stats", &value)
        defer { g_value_unset(&value) }
        var shown: guint64 = 0
        guard let boxed = g_value_get_boxed(&value),
            gst_structure_get_uint64(boxed.assumingMemoryBound(to: GstStructure.self), "rendered", &shown) != 0
        else { throw Failure("the sink does not tell how many frames it has shown") }
        state.withLock { $0.reading.figures.merge([.latency: Double(latency), .shown: Double(shown)]) { $1 } }
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Returns the colours of 16 x 16 pixels of four bytes; none for other formats.
    fileprivate func sample(_ size: FrameSize) -> [UInt8] {
        guard gst_buffer_get_size(self) == size.byteCount else { return [] }
        return (0..<256).flatMap { index in
            let x = (index % 16 * 2 + 1) * size.width / 32
            let y = (index / 16 * 2 + 1) * size.height / 32
            var pixel: [UInt8] = [0, 0, 0]
            gst_buffer_extract(self, gsize((y * size.width + x) * 4), &pixel, 3)
            return pixel
        }
    }
}
