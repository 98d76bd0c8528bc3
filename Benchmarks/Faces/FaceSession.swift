import FoundationEssentials

/// The part of a run that measures the rows of faces; see `FaceTables.swift` for what it prints.
struct FaceSession {
    let launcher: Launcher
    let repetitions: Int
    private let elements: ProbeResult
    /// The carphone clip as a file of raw frames, if it is there.
    let clip: Result<String, Skip>

    /// - Parameter folder: for files of this run.
    init(launcher: Launcher, folder: String, repetitions: Int, elements: ProbeResult) {
        self.launcher = launcher
        self.repetitions = repetitions
        self.elements = elements
        clip = Self.decodedClip(launcher, folder)
    }

    /// Measures and prints.
    /// - Returns: false if something of ours was missing or failed.
    func run(_ rows: FaceRows) throws -> Bool {
        if case .failure(let skip) = clip {
            print("\(skip.reason): for speed, a drawn scene of its size takes its place")
        }
        let results = [
            try printSpeeds(rows.speeds), try printClip(rows.accuracies.filter(\.streams.isEmpty)),
            try printScenes(rows.accuracies.filter { !$0.streams.isEmpty }), try printLives(rows.lives),
        ]
        return results.allSatisfy { $0 }
    }

    /// From where the tests have it: `SWIFTVISION_DATA`, else `../shared/data` beside the repository.
    private static func decodedClip(_ launcher: Launcher, _ folder: String) -> Result<String, Skip> {
        let data = ProcessInfo.processInfo.environment["SWIFTVISION_DATA"] ?? "\(Machine.repository)/../shared/data"
        let (file, output) = ("\(data)/clips/carphone.mp4", "\(folder)/carphone.rgb")
        guard FileManager.default.fileExists(atPath: file) else {
            return .failure(Skip(reason: "the carphone clip is absent (\(file))"))
        }
        do {
            _ = try launcher.perform(.decode(file: file, output: output))
            return .success(output)
        } catch {
            return .failure(Skip(reason: "the carphone clip cannot be decoded: \(error)"))
        }
    }

    /// A drawn stream, or the clip; where that is absent, a drawn stream of its size.
    func stream(_ drawn: DrawnStream?) -> FaceStream {
        switch (drawn, clip) {
        case (let drawn?, _): .drawn(drawn)
        case (nil, .success(let file)): .carphone(file: file)
        case (nil, .failure):
            .drawn(DrawnStream(kind: "faces", count: 1, size: .carphone, ground: .waves))
        }
    }

    /// Prints what `cells` gives for each row, or why it gives nothing.
    /// - Returns: false if something of ours was missing or failed.
    func each<Row>(
        _ rows: [Row], in table: Table, name: (Row) -> String, cells: (Row) throws -> [String]
    ) throws -> Bool {
        var isFine = true
        for row in rows {
            do {
                guard elements.files[FaceRows.ours] != nil else {
                    throw Failure("no element \(FaceRows.ours); is GST_PLUGIN_PATH right?")
                }
                guard elements.files[FaceRows.peer] != nil else {
                    throw Skip(reason: "the peer \(FaceRows.peer) is absent (install \(FaceRows.peerPackage))")
                }
                table.print(name(row), try cells(row))
            } catch let skip as Skip {
                try Interruption.check()
                table.print(name(row), note: "skipped: \(skip.reason)")
            } catch {
                try Interruption.check()
                table.print(name(row), note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    func ours(_ task: FaceTask) throws -> FaceResult {
        guard case .faces(let result) = try launcher.perform(.faces(task)) else { throw Failure("no result") }
        return result
    }

    func peer(_ task: FaceTask) throws -> FaceResult { try asPeer { try ours(task) } }

    /// What fails for the peer is no failure of the run.
    func asPeer<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw Skip(reason: "the peer \(FaceRows.peer) fails: \(error)")
        }
    }
}

/// Why a row is left out though nothing of ours has failed.
struct Skip: Error {
    let reason: String
}
