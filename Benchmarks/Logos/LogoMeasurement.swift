import CGStreamer
import Pixels

/// Drawn scenes with a logo, or without one, that go through an element as fast as it can.
struct LogoTask: Codable {
    /// As gst-launch has it; nil for none.
    var element: String?
    var stream: DrawnStream
    var effort: Effort
}

struct LogoResult: Codable {
    /// CPU time of the process without that of drawing the frames.
    var nanosecondsPerFrame: Double
    var peakKilobytes: Int
    /// Frames in which the logo's box shares at least half with what is drawn.
    var found: Int
    /// Frames with a box elsewhere.
    var wrong: Int
}

func measureLogos(_ task: LogoTask) throws -> LogoResult {
    gst_init(nil, nil)
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time ! \(task.element ?? "identity silent=true") name=m "
            + "! fakesink name=out0 sync=false enable-last-sample=false")
    let (stream, count) = (FaceStream.drawn(task.stream), task.effort.warmUp + task.effort.frames)
    try pipeline.feed("s0", with: stream.footage(), as: .writable, caps: stream.caps, total: count)
    let meter = FrameMeter(size: stream.size, warmUp: task.effort.warmUp, frames: task.effort.frames, sinks: 1)
    try pipeline.withPad("sink", of: "out0") { meter.watch($0) }
    let passages = try PassageMeter("m", of: pipeline)
    try pipeline.play()
    guard let time = meter.nanosecondsPerFrame else { throw Failure("the pipeline ended too early") }
    var result = LogoResult(
        nanosecondsPerFrame: time, peakKilobytes: Machine.peakKilobytes, found: 0, wrong: 0)
    let scene = task.stream.scene
    for (frame, finds) in passages.finds(count: count).enumerated() {
        let truth = scene.actors(at: StreamTask.seconds(frame)).first?.rectangle
        guard let find = finds.first else { continue }
        if let truth, find.box.similarity(truth) >= 0.5 { result.found += 1 } else { result.wrong += 1 }
    }
    return result
}

extension Rectangle {
    /// The common area as a share of the area of both together.
    fileprivate func similarity(_ other: Rectangle) -> Double {
        let common = intersection(other)
        let shared = common.width * common.height
        return Double(shared) / Double(max(1, width * height + other.width * other.height - shared))
    }
}
