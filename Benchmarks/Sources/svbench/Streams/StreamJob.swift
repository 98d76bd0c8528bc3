// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Pipeline that is played to its end, and measured if it has sinks named `out0`, `out1` ….
struct StreamJob: Job {
    static let framesPerSecond = 30

    /// Content that an `appsrc` sends.
    struct Source: Codable, Hashable {
        var kind: SourceKind
        var content: Content
    }

    /// Pipeline in gst-launch's syntax.
    var description: String
    /// Sources of `s0`, `s1` ….
    var sources: [Source] = []
    var effort = Effort.full
    /// Properties of the element `m`, and of its pads, such as `sink_1::alpha`.
    var properties: [String: String] = [:]
    /// True if the buffers that pass the element `m` are watched.
    var isWatched = false

    private var isLive: Bool { sources.first?.kind == .live }

    var elements: [String] {
        description.split(separator: " ").filter { $0.hasPrefix("sv") && $0.allSatisfy(\.isLetter) }.map(String.init)
    }

    /// Returns the time of a frame, in seconds.
    static func seconds(_ frame: Int) -> Double { Double(frame) / Double(framesPerSecond) }

    func perform() throws -> Reading {
        gst_init(nil, nil)
        let pipeline = try Pipeline(description)
        // Two frames more than are counted for mixers, which may keep some.
        let total = effort.total + (isWatched ? 0 : 2)
        for (index, source) in sources.enumerated() {
            try FrameSource(source, total: total, into: pipeline.element("s\(index)"))
        }
        for (name, value) in properties { try pipeline.set("m::\(name)", to: value) }
        let meter = StreamMeter()
        let sinks = (0...1).count { description.contains("name=out\($0)") }
        try meter.count(effort, of: sources.first?.content.size ?? .vga, in: pipeline, sinks: sinks)
        if isWatched { try meter.watch("m", in: pipeline) }
        if isLive { try meter.watchLags(in: pipeline) }
        try pipeline.play { if isLive { try meter.readStatistics(of: pipeline) } }
        var reading = meter.reading
        guard sinks == 0 || isLive || reading.figures[.cpu] != nil else {
            throw Failure("the pipeline ended too early")
        }
        reading.figures[.peak] = Double(Machine.peakKilobytes)
        return reading
    }
}

// MARK: - Pipelines

extension StreamJob {
    static func source(_ index: Int) -> String { "appsrc name=s\(index) format=time" }

    static func sink(_ index: Int) -> String { "fakesink name=out\(index) sync=false enable-last-sample=false" }

    /// Creates a job that sends the content through elements as fast as possible; the last of them may be watched.
    /// - Parameter elements: the elements in gst-launch's syntax; nil for none.
    init(_ elements: String?, on content: Content, _ effort: Effort, isWatched: Bool = true) {
        let elements = elements ?? "identity silent=true"
        self.init(
            description: "\(Self.source(0)) ! \(elements)\(isWatched ? " name=m" : "") ! \(Self.sink(0))",
            sources: [Source(kind: .writable, content: content)], effort: effort, isWatched: isWatched)
    }

    /// Sends the content at the pace of a camera, which reports the time of a frame as its latency. The sink is as
    /// strict as those that show video in a window: a frame that is 5 ms late is not shown, and the element is told to
    /// skip frames.
    init(live elements: String?, on content: Content, frames: Int) {
        let latency = 1_000_000_000 / Self.framesPerSecond
        self.init(
            description: "\(Self.source(0)) is-live=true min-latency=\(latency) "
                + "! \(elements ?? "identity silent=true") name=m "
                + "! fakesink name=out0 sync=true qos=true max-lateness=5000000 enable-last-sample=false",
            sources: [Source(kind: .live, content: content)], effort: Effort(warmUp: 0, frames: frames),
            isWatched: true)
    }

    /// Job with the bare pipeline: the same sources with nothing behind them.
    var carrier: StreamJob {
        let branches = sources.indices.map { "\(Self.source($0)) ! \(Self.sink($0))" }
        return StreamJob(description: branches.joined(separator: "  "), sources: sources, effort: effort)
    }
}

// MARK: - Elements

/// Looks for elements. Also fills the registry for the children that follow.
struct Probe: Job {
    var factories: [String]

    func perform() -> Reading {
        gst_init(nil, nil)
        var reading = Reading()
        for name in factories {
            guard let factory = gst_element_factory_find(name) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
            guard let plugin = gst_plugin_feature_get_plugin(factory) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
            reading.files[name] = gst_plugin_get_filename(plugin).map { String(cString: $0) } ?? ""
        }
        return reading
    }
}
