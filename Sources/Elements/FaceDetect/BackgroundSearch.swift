import ElementKit
import Pixels
import Synchronization
import Vision

/// A search in another thread, one at a time, in a copy of the frame.
final class BackgroundSearch: Sendable {
    /// Detector and plane belong to the job while it is under way, else to the streaming thread.
    private final class Desk: @unchecked Sendable {
        // Unchecked because `phase` says who may touch it, and changes hands under the lock.
        var detector: FaceDetector?
        let plane = GrayPlane()
    }

    private enum Phase {
        case idle
        case underWay
        case done(Result<FaceFindings, any Error>)
    }

    private let recipe: FaceFinder.Recipe
    private let desk = Desk()
    private let phase = Mutex(Phase.idle)

    init(_ recipe: FaceFinder.Recipe) { self.recipe = recipe }

    var isIdle: Bool {
        phase.withLock { phase in
            if case .idle = phase { return true }
            return false
        }
    }

    /// Starts a search in a copy of `plane`. It must be idle.
    func begin(_ search: FaceSearch, in plane: Image, on worker: Worker) {
        desk.plane.copy(plane)
        phase.withLock { $0 = .underWay }
        worker.run { [self] in
            // At the end of the stream nobody waits for it.
            let result = Result { worker.isEnding ? nil : try self.search(search) }
            phase.withLock { phase in
                switch result {
                case .success(nil): phase = .idle
                case .success(.some(let findings)): phase = .done(.success(findings))
                case .failure(let error): phase = .done(.failure(error))
                }
            }
        }
    }

    private func search(_ search: FaceSearch) throws -> FaceFindings {
        let detector = try desk.detector ?? FaceDetector(settings: recipe.faces, library: recipe.library)
        desk.detector = detector
        return try detector.search(desk.plane.image, search)
    }

    /// Hands what was found, with the plane where it was found, to `body`, if a search has ended.
    func takeResult(_ body: (FaceFindings, Image) throws -> Void) throws {
        let result: Result<FaceFindings, any Error>? = phase.withLock { phase in
            guard case .done(let result) = phase else { return nil }
            phase = .idle
            return result
        }
        guard let result else { return }
        try body(try result.get(), desk.plane.image)
    }
}
