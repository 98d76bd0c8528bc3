import ArgumentParser
import FoundationEssentials

/// One run of the benchmark.
final class Session {
    let folder: TemporaryFolder
    let launcher: Launcher
    private let rows: [any Measurement]
    private let repetitions: Int
    private let effort: Effort
    /// Elements that exist.
    let elements: Probe.Outcome
    private var shared: [Shared: Reading] = [:]

    /// Work whose reading several rows use.
    private struct Shared: Hashable {
        let work: AnyHashable
        let repetition: Int
    }

    init(_ options: Svbench) throws {
        (repetitions, effort) = (options.repetitions, options.effort)
        folder = try TemporaryFolder()
        launcher = Launcher(
            environment: Self.environment(folder.path), outputFile: "\(folder.path)/output.txt",
            errorFile: "\(folder.path)/errors.txt")
        rows = try Self.rows(Setting(effort: effort, folder: folder.path), options.filter)
        let factories = Set(rows.flatMap { $0.elements + ($0.peer.map { [$0.factory] } ?? []) })
        elements = try launcher.perform(Probe(factories: factories.sorted()))
    }

    /// Returns the rows that match the filter.
    private static func rows(_ setting: Setting, _ filter: String) throws -> [any Measurement] {
        let all = Catalogue.rows(setting)
        let isGroup = all.contains { $0.name.hasPrefix("\(filter)/") }
        let wanted = all.filter {
            filter.isEmpty || (isGroup ? $0.name.hasPrefix("\(filter)/") : $0.name.contains(filter))
        }
        guard !wanted.isEmpty else {
            throw ValidationError("no row's name contains \(filter); see svbench --list")
        }
        return wanted
    }

    /// Returns the user's environment without variables that slow GStreamer down, with a registry of our own.
    private static func environment(_ folder: String) -> [String: String] {
        var variables = ProcessInfo.processInfo.environment
        for name in ["GST_DEBUG", "GST_TRACERS", "GST_DEBUG_DUMP_DOT_DIR", "G_DEBUG", "G_MESSAGES_DEBUG"] {
            variables[name] = nil
        }
        variables["GST_REGISTRY"] = "\(folder)/registry.bin"
        if variables["GST_PLUGIN_PATH", default: ""].isEmpty {
            variables["GST_PLUGIN_PATH"] = "\(Machine.repository)/.build/release"
        }
        return variables
    }

    /// Measures and prints.
    /// - Returns: false if an element of ours was missing or failed.
    func run() throws -> Bool {
        print("svbench: \(elements.version), \(Machine.date)")
        print("machine: \(Machine.processor)")
        print(
            "medians of \(repetitions) repetitions; ours and the peer in turn; "
                + "\(effort.frames) frames each after \(effort.warmUp) to warm up")
        var isFine = true
        var table: Table?
        for row in rows {
            if table?.title != row.title {
                let names = rows.filter { $0.title == row.title }.map(\.name)
                table = Table(title: row.title, names: names, columns: row.columns.map(\.title))
            }
            do {
                let readings = try readings(of: row)
                table?.print(row.name, row.columns.map { $0.cell(readings) })
            } catch {
                try Interruption.check()
                table?.print(row.name, note: error is Skip ? "skipped: \(error)" : "FAILED: \(error)")
                isFine = isFine && error is Skip
            }
        }
        return isFine
    }

    private func readings(of row: any Measurement) throws -> Readings {
        if let missing = row.elements.first(where: { elements.files[$0] == nil }) {
            throw Failure("no element \(missing); is GST_PLUGIN_PATH right?")
        }
        if let peer = row.peer, elements.files[peer.factory] == nil {
            throw Skip(description: "the peer \(peer.factory) is absent (install \(peer.package))")
        }
        for preparation in row.preparations { _ = try reading(preparation, of: row, repetition: 0) }
        var readings = Readings()
        for repetition in -row.rehearsals..<(row.isRepeated ? repetitions : 1) {
            var runs = row.runs
            if runs.count > 1, !repetition.isMultiple(of: 2) { runs.swapAt(0, 1) }
            for run in runs {
                let reading = try reading(run, of: row, repetition: repetition)
                if repetition >= 0 { readings[run.side].append(reading) }
            }
        }
        try row.check(readings)
        return readings
    }

    private func reading(_ run: Run, of row: any Measurement, repetition: Int) throws -> Reading {
        let key = Shared(work: AnyHashable(run.work), repetition: repetition)
        if run.isShared, let known = shared[key] { return known }
        do {
            let reading = try run.work.read(in: self)
            if run.isShared { shared[key] = reading }
            return reading
        } catch  where run.side == .peer && row.peer != nil {
            throw Skip(description: "the peer \(row.peer?.factory ?? "") fails: \(error)")
        } catch  where run.side == .clip {
            throw Skip(description: "the carphone clip cannot be read: \(error)")
        }
    }
}

/// Reason for skipping a row although nothing of ours has failed.
struct Skip: Error, CustomStringConvertible {
    let description: String
}
