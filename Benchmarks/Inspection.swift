import FoundationEssentials

/// Times how long `gst-inspect-1.0` takes over an element: the plugin's load time, seen from outside.
struct Inspection {
    let launcher: Launcher
    let folder: String
    let repetitions: Int
    /// Our plugin's file.
    let ours: String
    /// The peer's.
    let peer: String

    struct Figures {
        fileprivate(set) var ours: [Launcher.Outcome] = []
        fileprivate(set) var peer: [Launcher.Outcome] = []

        func cells(goal: Goal) -> [String] {
            let wall = Comparison(ours.map { Double($0.wallNanoseconds) }, peer.map { Double($0.wallNanoseconds) })
            let cpu = Comparison(ours.map { Double($0.cpuNanoseconds) }, peer.map { Double($0.cpuNanoseconds) })
            return [
                wall.ours.milliseconds, wall.other.milliseconds, wall.ratio.fixed(2),
                cpu.ours.milliseconds, cpu.other.milliseconds, cpu.ratio.fixed(2),
                median(ours.map { Double($0.peakKilobytes) }).megabytes,
                median(peer.map { Double($0.peakKilobytes) }).megabytes,
                goal.verdict(wallMilliseconds: wall.ours / 1e6),
            ]
        }
    }

    func measure(_ registry: LoadRow.Registry) throws -> Figures {
        var figures = Figures()
        // The first round only brings the files into memory, and fills the registry that is to be warm.
        for round in 0...repetitions {
            let ourOutcome = try inspect(LoadRow.ours, in: ours, registry)
            let peerOutcome = try inspect(LoadRow.peer, in: peer, registry)
            if round > 0 {
                figures.ours.append(ourOutcome)
                figures.peer.append(peerOutcome)
            }
        }
        return figures
    }

    private func inspect(
        _ factory: String, in inspected: String, _ registry: LoadRow.Registry
    ) throws -> Launcher.Outcome {
        let registryFile = "\(folder)/\(registry).bin"
        if registry != .warm { try? FileManager.default.removeItem(atPath: registryFile) }
        var variables = ["GST_REGISTRY": registryFile]
        if registry == .coldAlone {
            variables["GST_PLUGIN_SYSTEM_PATH"] = ""
            variables["GST_PLUGIN_PATH"] = try lonely(inspected, factory)
        } else {
            variables["GST_PLUGIN_PATH"] = try lonely(ours, LoadRow.ours)
        }
        let outcome = try launcher.run(["gst-inspect-1.0", factory], adding: variables)
        if let complaint = outcome.complaint { throw Failure("gst-inspect-1.0 \(factory) \(complaint)") }
        return outcome
    }

    /// A folder with that one plugin in it: GStreamer walks through all that its plugin path holds, at every start, and a
    /// build folder holds much.
    private func lonely(_ file: String, _ factory: String) throws -> String {
        let path = "\(folder)/\(factory)"
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let name = file.split(separator: "/").last.map(String.init) ?? "plugin.so"
            try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: file)
        }
        return path
    }
}

extension Session {
    /// Measures and prints.
    /// - Returns: false if an element of ours was missing or failed.
    func measure(_ rows: [LoadRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["ours wall", "peer wall", "ratio", "ours CPU", "peer CPU", "ratio", "ours MB", "peer MB"]
        let table = Table(
            title: "Loading: gst-inspect-1.0 \(LoadRow.ours) against gst-inspect-1.0 \(LoadRow.peer), ms",
            names: rows.map(\.name), columns: columns + ["goal"])
        guard let ours = elements.files[LoadRow.ours] else {
            rows.forEach { table.print($0.name, note: "FAILED: no element \(LoadRow.ours)") }
            return false
        }
        guard let peer = elements.files[LoadRow.peer] else {
            rows.forEach { table.print($0.name, note: "skipped: the peer is absent (install gstreamer1.0-opencv)") }
            return true
        }
        var isFine = true
        let inspection = Inspection(
            launcher: launcher, folder: folder.path, repetitions: options.repetitions, ours: ours, peer: peer)
        for row in rows {
            do {
                let figures = try inspection.measure(row.registry)
                table.print(row.name, figures.cells(goal: row.goal))
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }
}
