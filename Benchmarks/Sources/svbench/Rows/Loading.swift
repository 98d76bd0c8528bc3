import FoundationEssentials

/// Time that `gst-inspect-1.0` takes for an element: the plugin's load time, seen from outside.
struct LoadMeasurement: Measurement {
    var registry: Inspection.Registry
    /// Largest wall time, in milliseconds.
    var limit: Double?

    private static let ours = "svblend"
    // The first round only brings the files into memory, and fills the warm registry.
    let rehearsals = 1
    var title: String {
        "Loading: gst-inspect-1.0 \(Self.ours) against gst-inspect-1.0 \(FaceDetectors.peer.factory), ms"
    }
    var name: String { "load/\(registry.rawValue)" }
    var elements: [String] { [Self.ours] }
    var peer: Peer? { FaceDetectors.peer }
    var runs: [Run] {
        [(Side.ours, Self.ours), (.peer, FaceDetectors.peer.factory)].map { side, factory in
            Run(side, Inspection(factory: factory, ours: Self.ours, registry: registry))
        }
    }

    var goal: Goal? {
        limit.map { limit in Goal("<\(limit.whole)ms") { $0.median(.ours, .wall) < limit * 1e6 } }
    }

    var columns: [Column] {
        func times(_ figure: Figure, _ title: String) -> [Column] {
            [
                Column("ours \(title)", \.milliseconds) { $0.comparison(figure).ours },
                Column("peer \(title)", \.milliseconds) { $0.comparison(figure).other },
                Column("ratio", \.hundredths) { $0.comparison(figure).ratio },
            ]
        }
        return times(.wall, "wall") + times(.cpu, "CPU")
            + [.peak("ours MB"), .peak("peer MB", .peer), .goal(goal)]
    }

    static func all(_ setting: Setting) -> [LoadMeasurement] {
        [
            LoadMeasurement(registry: .cold), LoadMeasurement(registry: .coldAlone),
            LoadMeasurement(registry: .warm, limit: 100),
        ]
    }
}

struct Inspection: Work {
    enum Registry: String {
        /// An empty registry; GStreamer looks at every plugin of the system.
        case cold
        /// An empty registry; GStreamer sees this one plugin only.
        case coldAlone = "cold-alone"
        case warm
    }

    var factory: String
    /// Our element, whose plugin is in the path where there is no other.
    var ours: String
    var registry: Registry

    func read(in session: Session) throws -> Reading {
        let registryFile = "\(session.folder.path)/\(registry).bin"
        if registry != .warm { try? FileManager.default.removeItem(atPath: registryFile) }
        var variables = ["GST_REGISTRY": registryFile]
        variables["GST_PLUGIN_PATH"] = try folder(of: registry == .coldAlone ? factory : ours, session)
        if registry == .coldAlone { variables["GST_PLUGIN_SYSTEM_PATH"] = "" }
        let outcome = try session.launcher.run(["gst-inspect-1.0", factory], adding: variables)
        if let complaint = outcome.complaint { throw Failure("gst-inspect-1.0 \(factory) \(complaint)") }
        return Reading(figures: [
            .wall: Double(outcome.wallNanoseconds), .cpu: Double(outcome.cpuNanoseconds),
            .peak: Double(outcome.peakKilobytes),
        ])
    }

    /// A folder with the plugin of that element alone: GStreamer walks through all that its plugin path holds, at every
    /// start, and a build folder holds much.
    private func folder(of factory: String, _ session: Session) throws -> String {
        let path = "\(session.folder.path)/\(factory)"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let file = session.elements.files[factory] ?? ""
        let name = file.split(separator: "/").last.map(String.init) ?? "plugin.so"
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: file)
        return path
    }
}
