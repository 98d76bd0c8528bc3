import ElementKit
import Pixels
import Vision

/// A search in another thread, one at a time, in a copy of the frame.
final class BackgroundSearch: Sendable {
    /// Detector and plane belong to the job while it is under way, else to the streaming thread.
    private final class Desk: @unchecked Sendable {
        // Unchecked because `job` says who may touch it, and changes hands under its lock.
        var detector: FaceDetector?
        let plane = GrayPlane()
    }

    private let recipe: FaceFinder.Recipe
    private let desk = Desk()
    private let job = BackgroundJob<FaceFindings>()

    init(_ recipe: FaceFinder.Recipe) { self.recipe = recipe }

    var isIdle: Bool { job.isIdle }

    /// Starts a search in a copy of `plane`. It must be idle.
    func begin(_ search: FaceSearch, in plane: Image, on worker: Worker) {
        desk.plane.copy(plane)
        job.begin(on: worker) { [self] in
            let detector = try desk.detector ?? FaceDetector(settings: recipe.faces, library: recipe.library)
            desk.detector = detector
            return try detector.search(desk.plane.image, search)
        }
    }

    /// Hands what was found, with the plane where it was found, to `body`, if a search has ended.
    func takeResult(_ body: (FaceFindings, Image) throws -> Void) throws {
        if let findings = try job.take() { try body(findings, desk.plane.image) }
    }
}
