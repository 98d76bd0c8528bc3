import ElementKit
import Pixels
import Synchronization
import Vision

/// A search in another thread, one at a time, in a copy of the frame.
final class BackgroundSearch<Detector, Search: Sendable, Findings: Sendable>: Sendable {
    /// Detector and plane belong to the job while it is under way, else to the streaming thread.
    private final class Desk: @unchecked Sendable {
        // Unchecked because `phase` says who may touch it, and changes hands under the lock.
        var detector: Detector?
        let plane = GrayPlane()
    }

    private enum Phase {
        case idle
        case underWay
        case done(Result<Findings, any Error>)
    }

    private let makeDetector: @Sendable () throws -> Detector
    private let search: @Sendable (Detector, Image, Search) throws -> Findings
    private let desk = Desk()
    private let phase = Mutex(Phase.idle)

    /// - Parameters:
    ///   - makeDetector: makes what searches, when it is first needed; runs in the other thread.
    ///   - search: searches a grey plane, in the other thread.
    init(
        _ makeDetector: @escaping @Sendable () throws -> Detector,
        search: @escaping @Sendable (Detector, Image, Search) throws -> Findings
    ) {
        self.makeDetector = makeDetector
        self.search = search
    }

    var isIdle: Bool {
        phase.withLock { phase in
            if case .idle = phase { return true }
            return false
        }
    }

    /// Starts a search in a copy of `plane`. It must be idle.
    func begin(_ search: Search, in plane: Image, on worker: Worker) {
        desk.plane.copy(plane)
        phase.withLock { $0 = .underWay }
        worker.run { [self] in
            // At the end of the stream nobody waits for it.
            let result = Result { worker.isEnding ? nil : try findings(search) }
            phase.withLock { phase in
                switch result {
                case .success(nil): phase = .idle
                case .success(.some(let findings)): phase = .done(.success(findings))
                case .failure(let error): phase = .done(.failure(error))
                }
            }
        }
    }

    private func findings(_ search: Search) throws -> Findings {
        let detector = try desk.detector ?? makeDetector()
        desk.detector = detector
        return try self.search(detector, desk.plane.image, search)
    }

    /// Hands what was found, with the plane where it was found, to `body`, if a search has ended.
    func takeResult(_ body: (Findings, Image) throws -> Void) throws {
        let result: Result<Findings, any Error>? = phase.withLock { phase in
            guard case .done(let result) = phase else { return nil }
            phase = .idle
            return result
        }
        guard let result else { return }
        try body(try result.get(), desk.plane.image)
    }
}
