import CGStreamer
import Synchronization

/// A live stream with faces that goes through an element and is shown on time.
struct LiveTask: Codable {
    /// The element as gst-launch has it; nil for none.
    var element: String?
    var stream: FaceStream
    var frames: Int
}

struct LiveResult: Codable {
    /// Frames that the sink showed in time.
    var shown: Int
    /// How long each frame that left the element was inside of it.
    var stays: [Int]
    /// How long after their time frames came to the sink.
    var lags: [Int]
    /// The latency that the pipeline reports.
    var latency: Int
    var score: FaceScore
}

/// The sink is as strict as those that show video in a window: what comes 5 ms too late is not shown, and the element is
/// told to leave out frames.
func measureLive(_ task: LiveTask) throws -> LiveResult {
    gst_init(nil, nil)
    // Cameras report the time of a frame as their latency.
    let frame = 1_000_000_000 / StreamTask.framesPerSecond
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time is-live=true min-latency=\(frame) ! \(task.element ?? "identity silent=true") name=m "
            + "! fakesink name=out0 sync=true qos=true max-lateness=5000000 enable-last-sample=false")
    try pipeline.feed("s0", with: task.stream.footage(), as: .live, caps: task.stream.caps, total: task.frames)
    let passages = try PassageMeter("m", of: pipeline)
    let lags = LagMeter()
    let sink = try pipeline.element("out0")
    defer { gst_object_unref(sink) }
    try pipeline.withPad("sink", of: "out0") { lags.watch($0, of: sink) }
    var (latency, shown) = (0, 0)
    try pipeline.play {
        latency = reportedLatency($0)
        shown = try shownFrames(sink)
    }
    return LiveResult(
        shown: shown, stays: passages.passages.map(\.nanoseconds), lags: lags.nanoseconds, latency: latency,
        score: FaceScore(passages.finds(count: task.frames), in: task.stream))
}

/// Notes how late buffers come to a sink.
private final class LagMeter: Sendable {
    private let lags = Mutex<[Int]>([])

    var nanoseconds: [Int] { lags.withLock { $0 } }

    /// The sink must outlive the stream.
    func watch(_ pad: UnsafeMutablePointer<GstPad>, of sink: UnsafeMutablePointer<GstElement>) {
        pad.onBuffer { buffer in
            let now = Int(truncatingIfNeeded: gst_element_get_current_running_time(sink))
            let lag = now &- Int(truncatingIfNeeded: buffer.pointee.pts)
            self.lags.withLock { $0.append(lag) }
        }
    }
}

private func reportedLatency(_ pipeline: UnsafeMutablePointer<GstElement>) -> Int {
    guard let query = gst_query_new_latency() else { return 0 }
    defer { gst_query_unref(query) }
    var least: GstClockTime = 0
    if gst_element_query(pipeline, query) != 0 { gst_query_parse_latency(query, nil, &least, nil) }
    return Int(clamping: least)
}

/// What a sink says in its statistics.
private func shownFrames(_ sink: UnsafeMutablePointer<GstElement>) throws -> Int {
    var value = GValue()
    g_object_get_property(UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GObject.self), "stats", &value)
    defer { g_value_unset(&value) }
    var rendered: guint64 = 0
    guard let boxed = g_value_get_boxed(&value),
        gst_structure_get_uint64(boxed.assumingMemoryBound(to: GstStructure.self), "rendered", &rendered) != 0
    else { throw Failure("the sink does not tell how many frames it has shown") }
    return Int(clamping: rendered)
}
