import CGStreamer

/// Pipeline that is played to its end, and measured if it has sinks named `out0`, `out1` ….
struct StreamJob: Job, Work {
    static let framesPerSecond = 30

    /// Content that an `appsrc` sends.
    struct Source: Codable, Hashable {
        var kind: SourceKind
        var content: Content
    }

    /// A property that must have this value once the pipeline is built: gst-launch's parser drops some wrong ones
    /// silently.
    struct Expectation: Codable, Hashable {
        var element = "m"
        var pad: String?
        var property: String
        var value: String
    }

    /// Pipeline in gst-launch's syntax.
    var description: String
    /// Sources of `s0`, `s1` ….
    var sources: [Source] = []
    var sinks = 1
    var effort = Effort.full
    var expectations: [Expectation] = []
    /// True if the buffers that pass the element `m` are watched.
    var isWatched = false

    private var isLive: Bool { sources.first?.kind == .live }

    /// Returns the time of a frame, in seconds.
    static func seconds(_ frame: Int) -> Double { Double(frame) / Double(framesPerSecond) }

    func perform() throws -> Reading {
        gst_init(nil, nil)
        let pipeline = try Pipeline(description)
        // Two frames more than are counted for mixers, which may keep some.
        let total = effort.total + (isWatched ? 0 : 2)
        for (index, source) in sources.enumerated() {
            let footage = try source.content.footage()
            try pipeline.feed("s\(index)", with: footage, as: source.kind, caps: source.content.caps, total: total)
        }
        let meter = StreamMeter()
        try meter.count(effort, of: sources.first?.content.size ?? .vga, in: pipeline, sinks: sinks)
        if isWatched { try meter.watch("m", in: pipeline) }
        if isLive { try meter.watchLags(in: pipeline) }
        for expectation in expectations { try pipeline.check(expectation) }
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
                + "! \(elements ?? "identity silent=true") name=m ! fakesink name=out0 sync=true qos=true max-lateness=5000000 enable-last-sample=false",
            sources: [Source(kind: .live, content: content)], effort: Effort(warmUp: 0, frames: frames),
            isWatched: true)
    }

    /// Creates a job that writes a file.
    init(writing description: String, from sources: [Source] = []) {
        self.init(description: description, sources: sources, sinks: 0)
    }

    /// Job with the bare pipeline: the same sources with nothing behind them.
    var carrier: StreamJob {
        let branches = sources.indices.map { "\(Self.source($0)) ! \(Self.sink($0))" }
        return StreamJob(
            description: branches.joined(separator: "  "), sources: sources, sinks: sources.count, effort: effort)
    }
}

// MARK: - Elements

/// Looks for elements. Also fills the registry for the children that follow.
struct Probe: Job {
    struct Outcome: Codable {
        var version: String
        /// Plugin file of each element that exists.
        var files: [String: String]
    }

    var factories: [String]

    func perform() -> Outcome {
        gst_init(nil, nil)
        var files: [String: String] = [:]
        for name in factories {
            guard let factory = gst_element_factory_find(name) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
            guard let plugin = gst_plugin_feature_get_plugin(factory) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
            files[name] = gst_plugin_get_filename(plugin).map { String(cString: $0) } ?? ""
        }
        let version = gst_version_string()
        defer { g_free(version) }
        return Outcome(version: version.map { String(cString: $0) } ?? "GStreamer", files: files)
    }
}
