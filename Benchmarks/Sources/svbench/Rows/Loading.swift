// SPDX-License-Identifier: LGPL-2.1-or-later
import FoundationEssentials

/// Rows of the time that `gst-inspect-1.0` takes for an element: the plugin's load time, seen from outside.
extension Catalogue {
    var loading: [Row] { [loading(.cold), loading(.coldAlone), loading(.warm, limit: 100)] }

    /// - Parameter limit: the largest wall time, in milliseconds.
    private func loading(_ registry: Inspection.Registry, limit: Double? = nil) -> Row {
        let (ours, peer) = ("svblend", Self.facePeer)
        func times(_ figure: Figure, _ title: String) -> [Column] {
            Column.comparison("ours \(title)", "peer \(title)") { $0.comparison(figure) }.dropLast()
        }
        return Row(
            title: "Loading: gst-inspect-1.0 \(ours) against gst-inspect-1.0 \(peer.factory), ms",
            name: "load/\(registry.rawValue)", peer: peer,
            runs: [(Side.ours, ours), (.peer, peer.factory)].map { side, factory in
                Run(side, Inspection(factory: factory, ours: ours, registry: registry))
            },
            // The first round only brings the files into memory, and fills the warm registry.
            rehearsals: 1,
            columns: times(.wall, "wall") + times(.cpu, "CPU") + [
                .peak("ours MB"), .peak("peer MB", .peer),
                .goal(limit.map { "<\($0.whole)ms" }) { $0.median(.ours, .wall) < (limit ?? 0) * 1e6 },
            ])
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

    var elements: [String] { [ours] }

    func read(in session: Session) throws -> Reading {
        let registryFile = "\(session.folder)/\(registry).bin"
        if registry != .warm { try? FileManager.default.removeItem(atPath: registryFile) }
        let folder = try folder(of: registry == .coldAlone ? factory : ours, session)
        var variables = ["GST_REGISTRY": registryFile, "GST_PLUGIN_PATH": folder]
        if registry == .coldAlone { variables["GST_PLUGIN_SYSTEM_PATH"] = "" }
        let (usage, complaint) = try session.launcher.run(["gst-inspect-1.0", factory], adding: variables)
        if let complaint { throw Failure("gst-inspect-1.0 \(factory) \(complaint)") }
        return usage
    }

    /// A folder with the plugin of that element alone: GStreamer walks through all that its plugin path holds, at every
    /// start, and a build folder holds much.
    private func folder(of factory: String, _ session: Session) throws -> String {
        let path = "\(session.folder)/\(factory)"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let file = session.files[factory] ?? ""
        let name = file.split(separator: "/").last ?? "plugin.so"
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: file)
        return path
    }
}
