import CGStreamer
import Pixels

/// A stream of faces that goes through an element as fast as it can.
struct FaceTask: Codable {
    /// The element as gst-launch has it; nil for none.
    var element: String?
    var stream: FaceStream
    var effort: Effort
    /// Whether what the element calls a face is a cat's: the peer knows one kind only.
    var findsCats = false
}

struct FaceResult: Codable {
    /// CPU time of the process without that of writing the frames.
    var nanosecondsPerFrame: Double
    var peakKilobytes: Int
    /// How long the first frame was inside of the element.
    var firstNanoseconds: Int
    /// The longest of the others.
    var longestNanoseconds: Int
    var score: FaceScore
}

func measureFaces(_ task: FaceTask) throws -> FaceResult {
    gst_init(nil, nil)
    let element = task.element ?? "identity silent=true"
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time ! \(element) name=m ! fakesink name=out0 sync=false enable-last-sample=false")
    let count = task.effort.warmUp + task.effort.frames
    try pipeline.feed("s0", with: task.stream.footage(), as: .writable, caps: task.stream.caps, total: count)
    let meter = FrameMeter(size: task.stream.size, warmUp: task.effort.warmUp, frames: task.effort.frames, sinks: 1)
    try pipeline.withPad("sink", of: "out0") { meter.watch($0) }
    let passages = try PassageMeter("m", of: pipeline)
    try pipeline.play()
    guard let time = meter.nanosecondsPerFrame else { throw Failure("the pipeline ended too early") }
    var finds = passages.finds(count: count)
    if task.findsCats {
        for frame in finds.indices { finds[frame].indices.forEach { finds[frame][$0].kind = .cat } }
    }
    let stays = passages.passages.map(\.nanoseconds)
    return FaceResult(
        nanosecondsPerFrame: time, peakKilobytes: Machine.peakKilobytes, firstNanoseconds: stays.first ?? 0,
        longestNanoseconds: stays.dropFirst().max() ?? 0,
        score: FaceScore(finds, in: task.stream))
}

/// Writes the frames of a video file to a file of raw RGB.
func decode(_ file: String, to output: String) throws -> ChildResult {
    gst_init(nil, nil)
    let pipeline = try Pipeline(
        "filesrc location=\"\(file)\" ! decodebin ! videoconvert ! video/x-raw,format=RGB ! filesink location=\"\(output)\""
    )
    try pipeline.play()
    return .done
}
