import ElementKit
import Imaging
import Vision

/// A search of a copy of the frame in another thread, one at a time.
final class BackgroundSearch<Detector, Search: Sendable, Findings: Sendable>: Sendable {
    /// The detector and plane, which belong to the job while it is under way, else to the streaming thread.
    private final class Desk: @unchecked Sendable {
        // Unchecked because `job` determines who may touch it, and ownership changes under its lock.
        var detector: Detector?
        let plane = OwnedImage(.gray8)
    }

    private let makeDetector: @Sendable () throws -> Detector
    private let search: @Sendable (Detector, Image, Search) throws -> Findings
    private let desk = Desk()
    private let job = BackgroundJob<Findings>()

    /// - Parameters:
    ///   - makeDetector: makes the detector when it is first needed; runs in the other thread.
    ///   - search: searches a grey plane, in the other thread.
    init(
        _ makeDetector: @escaping @Sendable () throws -> Detector,
        search: @escaping @Sendable (Detector, Image, Search) throws -> Findings
    ) {
        self.makeDetector = makeDetector
        self.search = search
    }

    var isIdle: Bool { job.isIdle }

    /// Starts a search in a copy of `plane`. It must be idle.
    func begin(_ search: Search, in plane: Image, on worker: Worker) {
        desk.plane.copy(plane)
        job.begin(on: worker) { [self] in
            let detector = try desk.detector ?? makeDetector()
            desk.detector = detector
            return try self.search(detector, desk.plane.image, search)
        }
    }

    /// Passes the findings of a search that has ended, with the plane that was searched, to `body`.
    func takeResult(_ body: (Findings, Image) throws -> Void) throws {
        if let findings = try job.take() { try body(findings, desk.plane.image) }
    }
}
