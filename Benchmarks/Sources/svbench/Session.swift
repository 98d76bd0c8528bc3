// SPDX-License-Identifier: LGPL-2.1-or-later
import ArgumentParser
import CGStreamer
import FoundationEssentials

/// One run of the benchmark.
final class Session {
    /// Folder for files, which lasts as long as the run.
    let folder: String
    let launcher: Launcher
    /// Plugin file of each element that exists, of those that the rows name.
    private(set) var files: [String: String] = [:]
    private let rows: [Row]
    private let repetitions: Int
    private let effort: Effort
    /// Readings that several rows use, by work and repetition.
    private var shared: [[AnyHashable]: Reading] = [:]

    init(_ options: Svbench) throws {
        (repetitions, effort) = (options.repetitions, options.effort)
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        folder = "\(base)/svbench-\(UUID().uuidString)"
        launcher = Launcher(folder: folder)
        rows = try Self.rows(Catalogue(effort: effort, folder: folder), options.filter)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch { throw Failure("no temporary folder can be made in \(base)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns the rows that match the filter.
    private static func rows(_ catalogue: Catalogue, _ filter: String) throws -> [Row] {
        let group = catalogue.rows.filter { $0.name.hasPrefix("\(filter)/") }
        let wanted = group.isEmpty ? catalogue.rows.filter { filter.isEmpty || $0.name.contains(filter) } : group
        guard !wanted.isEmpty else { throw ValidationError("no row's name contains \(filter); see svbench --list") }
        return wanted
    }

    /// Measures and prints.
    /// - Returns: false if an element of ours was missing or failed.
    func run() throws -> Bool {
        let factories = Set(rows.flatMap { $0.elements + ($0.peer.map { [$0.factory] } ?? []) })
        files = try launcher.perform(Probe(factories: factories.sorted())).files
        let version = gst_version_string()
        defer { g_free(version) }
        print("svbench: \(version.map { String(cString: $0) } ?? "GStreamer"), \(Machine.date)")
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
                let isSkip = (error as? Failure)?.isSkip == true
                table?.print(row.name, ["\(isSkip ? "skipped" : "FAILED"): \(error)"])
                isFine = isFine && isSkip
            }
        }
        return isFine
    }

    private func readings(of row: Row) throws -> Readings {
        if let missing = row.elements.first(where: { files[$0] == nil }) {
            throw Failure("no element \(missing); is GST_PLUGIN_PATH right?")
        }
        if let peer = row.peer, files[peer.factory] == nil {
            throw Failure("the peer \(peer.factory) is absent (install \(peer.package))", isSkip: true)
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

    private func reading(_ run: Run, of row: Row, repetition: Int) throws -> Reading {
        let key: [AnyHashable] = [AnyHashable(run.work), repetition]
        if run.isShared, let known = shared[key] { return known }
        do {
            let reading = try run.work.read(in: self)
            if run.isShared { shared[key] = reading }
            return reading
        } catch  where run.side == .peer && row.peer != nil {
            throw Failure("the peer \(row.peer?.factory ?? "") fails: \(error)", isSkip: true)
        } catch  where run.side == .clip {
            throw Failure("the carphone clip cannot be read: \(error)", isSkip: true)
        }
    }
}
