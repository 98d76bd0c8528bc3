import FoundationEssentials

/// One run of the benchmark.
struct Session: ~Copyable {
    let options: Options
    let effort: Effort
    private let catalogue: Catalogue
    let folder: TemporaryFolder
    let launcher: Launcher

    init(_ options: Options) throws {
        self.options = options
        effort = options.isQuick ? .quick : .full
        catalogue = Catalogue(effort: effort)
        folder = try TemporaryFolder()
        launcher = Launcher(environment: Self.environment(folder.path), errorFile: "\(folder.path)/errors.txt")
    }

    /// The user's environment without what would slow GStreamer down, with a registry of our own.
    private static func environment(_ folder: String) -> [String: String] {
        var variables = ProcessInfo.processInfo.environment
        for name in ["GST_DEBUG", "GST_TRACERS", "GST_DEBUG_DUMP_DOT_DIR", "G_DEBUG", "G_MESSAGES_DEBUG"] {
            variables[name] = nil
        }
        variables["GST_REGISTRY"] = "\(folder)/registry.bin"
        if variables["GST_PLUGIN_PATH", default: ""].isEmpty {
            let executable = Machine.executable
            variables["GST_PLUGIN_PATH"] = executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "."
        }
        return variables
    }

    /// Measures and prints what the filter picks.
    /// - Returns: false if an element of ours was missing or failed.
    func run() throws -> Bool {
        let filter = options.filter
        let isGroup = catalogue.names.contains { $0.hasPrefix("\(filter)/") }
        func isWanted(_ name: String) -> Bool {
            filter.isEmpty || (isGroup ? name.hasPrefix("\(filter)/") : name.contains(filter))
        }
        let kernels = catalogue.kernels.filter { isWanted($0.name) }
        let streams = catalogue.streams.filter { isWanted($0.name) }
        let faces = catalogue.faces.filtered(isWanted)
        let marked = catalogue.marked.filter { isWanted($0.name) }
        let namings = catalogue.namings.filter { isWanted($0.name) }
        let blobs = catalogue.blobs.filter { isWanted($0.name) }
        let logos = catalogue.logos.filter { isWanted($0.name) }
        let loads = catalogue.loads.filter { isWanted($0.name) }
        guard
            !(kernels.isEmpty && streams.isEmpty && faces.names.isEmpty && marked.isEmpty && namings.isEmpty
                && blobs.isEmpty && logos.isEmpty && loads.isEmpty)
        else {
            throw UsageError(description: "no row's name contains \(filter); see svbench --list")
        }
        var factories = Set(streams.flatMap { [$0.ours.factory, $0.peer.factory] })
        if !faces.names.isEmpty { factories.formUnion([FaceRows.ours, FaceRows.peer]) }
        if !marked.isEmpty { factories.formUnion(MarkedRow.factories) }
        if !blobs.isEmpty { factories.formUnion(BlobRow.factories) }
        if !logos.isEmpty { factories.insert(LogoRow.factory) }
        if !loads.isEmpty { factories.formUnion([LoadRow.ours, LoadRow.peer]) }
        guard case .probe(let elements) = try launcher.perform(.probe(factories: factories.sorted())) else {
            throw Failure("GStreamer cannot be asked for its elements")
        }
        print("svbench: \(elements.version), \(Machine.date)")
        print("machine: \(Machine.processor)")
        print(
            "medians of \(options.repetitions) repetitions; ours and the peer in turn; "
                + "\(effort.frames) frames each after \(effort.warmUp) to warm up")

        let kernelsAreFine = try measure(kernels)
        let streamsAreFine = try measure(streams, elements)
        let facesAreFine = try measure(faces, elements)
        let markedAreFine = try measure(marked, elements)
        let namingsAreFine = measure(namings)
        let blobsAreFine = try measure(blobs, elements)
        let logosAreFine = try measure(logos, elements)
        let loadsAreFine = try measure(loads, elements)
        return kernelsAreFine && streamsAreFine && facesAreFine && markedAreFine && namingsAreFine && blobsAreFine
            && logosAreFine && loadsAreFine
    }

    // MARK: - Kernels

    private func measure(_ rows: [KernelRow]) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["cold ms", "memcpy", "ratio", "range", "hot ms", "memcpy", "ratio"]
        let table = Table(
            title: "Kernels: one BGRA frame, cold (as in a stream) and hot (the same frame again)",
            names: rows.map(\.name), columns: columns + ["peak MB", "cold goal"])
        var isFine = true
        for row in rows {
            do {
                let results = try (0..<options.repetitions).map { _ in try kernelResult(.kernel(row.task)) }
                let cold = Comparison(results.map(\.cold.kernel), results.map(\.cold.copy))
                let hot = Comparison(results.map(\.hot.kernel), results.map(\.hot.copy))
                let peak = median(results.map { Double($0.peakKilobytes) })
                table.print(
                    row.name,
                    [
                        cold.ours.milliseconds, cold.other.milliseconds, cold.ratio.fixed(2), cold.range,
                        hot.ours.milliseconds, hot.other.milliseconds, hot.ratio.fixed(2), peak.megabytes,
                        row.goal.verdict(ratio: cold.ratio),
                    ])
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    func kernelResult(_ task: ChildTask) throws -> KernelResult {
        guard case .kernel(let result) = try launcher.perform(task) else { throw Failure("no result") }
        return result
    }

    // MARK: - Streams

    private func measure(_ rows: [StreamRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["ours ms", "peer ms", "ratio", "range", "net", "/memcpy", "ours MB", "peer MB"]
        let table = Table(
            title: "Elements: CPU per frame and peak memory of the whole process",
            names: rows.map(\.name), columns: columns + ["carrier", "differ", "CPU goal", "memory goal", "peer"])
        var isFine = true
        var stills: [String: String] = [:]
        for row in rows {
            if elements.files[row.ours.factory] == nil {
                table.print(row.name, note: "FAILED: no element \(row.ours.factory); is GST_PLUGIN_PATH right?")
                isFine = false
                continue
            }
            if elements.files[row.peer.factory] == nil {
                let package = row.peer.package ?? "the plugin"
                table.print(row.name, note: "skipped: the peer \(row.peer.factory) is absent (install \(package))")
                continue
            }
            do {
                let caps = row.ours.task.caps
                if row.isStill, stills[caps] == nil { stills[caps] = try makeStill(row.ours.task) }
                let figures = try StreamFigures(row, still: stills[caps], self)
                table.print(row.name, figures.cells(row))
            } catch let failure as PeerFailure {
                try Interruption.check()
                table.print(row.name, note: "skipped: the peer \(row.peer.factory) fails: \(failure.reason)")
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    /// Writes the picture that the peer gets as a second stream of this kind.
    private func makeStill(_ task: StreamTask) throws -> String {
        let path = "\(folder.path)/still-\(task.format)-\(task.size).png"
        _ = try launcher.perform(.picture(path: path, format: task.format, size: task.size))
        return path
    }

    /// A row's measurements, one repetition after the other; the order turns round each time.
    func repetitions(_ row: StreamRow, still: String?) throws -> [StreamRepetition] {
        var ours = row.ours.task
        if let still {
            ours.description = ours.description.replacing(Stage.stillFile, with: still)
        }
        return try (0..<options.repetitions).map { index in
            var ourResult: StreamResult?
            if index.isMultiple(of: 2) { ourResult = try streamResult(ours) }
            let peerResult: StreamResult
            do {
                peerResult = try streamResult(row.peer.task)
            } catch {
                throw PeerFailure(reason: "\(error)")
            }
            return StreamRepetition(
                ours: try ourResult ?? streamResult(ours), peer: peerResult,
                oursCarrier: try streamResult(row.oursCarrier), peerCarrier: try streamResult(row.peerCarrier),
                copy: try kernelResult(.copy(size: ours.size, rounds: effort.kernelRounds)))
        }
    }

    private func streamResult(_ task: StreamTask) throws -> StreamResult {
        guard case .stream(let result) = try launcher.perform(.stream(task)) else { throw Failure("no result") }
        return result
    }

    // MARK: - Faces

    private func measure(_ rows: FaceRows, _ elements: ProbeResult) throws -> Bool {
        guard !rows.names.isEmpty else { return true }
        return try FaceSession(
            launcher: launcher, folder: folder.path, repetitions: options.repetitions, elements: elements
        ).run(rows)
    }
}

struct PeerFailure: Error {
    let reason: String
}
