import CGStreamer
import Glibc

/// One pipeline to be measured.
struct StreamTask: Codable {
    static let framesPerSecond = 30

    /// A property that must have this value once the pipeline stands: gst-launch's parser drops some wrong ones silently.
    struct Expectation: Codable {
        var element: String
        var pad: String?
        var property: String
        var value: String
    }

    /// In gst-launch's language, with sources named `s0`, `s1` … and sinks named `out0`, `out1` ….
    var description: String
    var sources: [SourceKind]
    var sinks = 1
    var format: String
    var size: FrameSize
    var effort: Effort
    var expectations: [Expectation] = []

    /// The stream that all sources send. The colorimetry is spelled out so that nobody has reason to convert it.
    var caps: String {
        "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),"
            + "framerate=\(Self.framesPerSecond)/1,colorimetry=sRGB,pixel-aspect-ratio=1/1"
    }
}

struct StreamResult: Codable {
    var nanosecondsPerFrame: Double
    var peakKilobytes: Int
    var sample: [UInt8]
}

/// Runs the pipeline and measures it.
func measureStream(_ task: StreamTask) throws -> StreamResult {
    gst_init(nil, nil)
    let pipeline = try Pipeline(task.description)
    for (index, kind) in task.sources.enumerated() {
        let picture = Picture(size: task.size, count: task.frameCount, seed: UInt64(index) + 1)
        let total = task.effort.warmUp + task.effort.frames + 2
        try pipeline.feed("s\(index)", with: Footage(picture), as: kind, caps: task.caps, total: total)
    }
    let meter = FrameMeter(
        size: task.size, warmUp: task.effort.warmUp, frames: task.effort.frames, sinks: task.sinks)
    for index in 0..<task.sinks { try pipeline.withPad("sink", of: "out\(index)") { meter.watch($0) } }
    for expectation in task.expectations {
        try pipeline.check(expectation)
    }
    try pipeline.play()
    guard let time = meter.nanosecondsPerFrame else { throw Failure("the pipeline ended too early") }
    return StreamResult(nanosecondsPerFrame: time, peakKilobytes: Machine.peakKilobytes, sample: meter.sample)
}

extension StreamTask {
    /// Pictures per source, the same on both sides of a row: those of two sources are twice the last-level cache, and
    /// at least 8 each.
    fileprivate var frameCount: Int {
        min(max(8, Machine.lastLevelCache / size.byteCount + 1), 64)
    }
}

/// Writes the first picture that a second stream would carry to a PNG file.
func writePicture(to path: String, format: String, size: FrameSize) throws -> ChildResult {
    gst_init(nil, nil)
    let task = StreamTask(description: "", sources: [.still], format: format, size: size, effort: .quick)
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time ! videoconvert ! video/x-raw,format=RGB ! pngenc ! filesink location=\"\(path)\"")
    let picture = Picture(size: size, count: 1, seed: 2)
    try pipeline.feed("s0", with: Footage(picture), as: .still, caps: task.caps, total: 1)
    try pipeline.play()
    return .done
}

func probe(_ factories: [String]) -> ProbeResult {
    gst_init(nil, nil)
    var files: [String: String] = [:]
    for name in factories {
        guard let factory = gst_element_factory_find(name) else { continue }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        guard let plugin = gst_plugin_feature_get_plugin(factory) else { continue }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        files[name] = gst_plugin_get_filename(plugin).map { String(cString: $0) } ?? ""
    }
    guard let version = gst_version_string() else { return ProbeResult(version: "GStreamer", files: files) }
    defer { g_free(version) }
    return ProbeResult(version: String(cString: version), files: files)
}
