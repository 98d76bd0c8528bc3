// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Vision

/// `svfacedetect` detects human and cat faces, and tracks them.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect ! videoconvert ! autovideosink
final class FaceDetect: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svfacedetect", longName: "Face Detector", category: .analyzer,
        description: "Detects and tracks human and cat faces, with eyes, nose and mouth")

    let host: Host<Settings>

    struct State {
        var finder: Made<Configuration, Finder<FaceTracker>>
        var reporter = DetectionReporter()
    }

    /// The settings that determine a `Finder`. If one of these settings changes, `makeFinder` makes a new `Finder`.
    struct Configuration: Hashable {
        let faces: FaceSettings
        let library: CascadeLibrary
        let detector: HumanDetector
        /// Path of the network file; nil if the user has set no path.
        let model: String?

        init(_ settings: Settings) {
            (faces, library) = (settings.faces, CascadeLibrary(directory: settings.cascadeDirectory))
            (detector, model) = (settings.detector, settings.model.flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        return State(finder: try Made(Configuration(settings), makeFinder))
    }

    /// Makes a finder, and reports which network or cascade detects human faces.
    private func makeFinder(_ configuration: Configuration) throws -> Finder<FaceTracker> {
        let model = try configuration.loadModel { host.post(warning: $0) }
        let finder = try Finder(configuration, model)
        if configuration.faces.species.contains(.human) {
            let cascade = configuration.faces.faceCascade(of: .human)
            // gst-launch-1.0 does not print this message if the cascade is used by default, or if the messages go to
            // the standard output.
            host.tell(
                "detector of human faces: "
                    + (model.map { "the network \"\($0.path)\"" } ?? "the cascade \(cascade)"),
                isPrinted: (model != nil || configuration.detector != .auto)
                    && host.settings.messageLocation.value != "-")
        }
        return finder
    }

    func configure(_ state: inout State, for video: VideoFormat) { state.finder.product.reset() }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        host.warning { try state.finder.follow(Configuration(settings), makeFinder) }
        return settings.draw ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let finder = state.finder.product
        let faces = try finder.objects(in: frame.pixels, settings.mode, host)
        let searched = state.finder.value.faces
        let isLimited = searched.region != nil || searched.maxFaces > 0 && faces.count >= searched.maxFaces
        let types = Species.allCases.filter { searched.species.contains(.init($0)) }.map(\.detectionType)
        let detections = frame.attach(
            faces.map { Detection($0, id: Int32(clamping: $0.id)) }, searchedFor: types + types.map(\.possible),
            isComplete: finder.tracker.hasSearched && !isLimited,
            by: [.face: finder.tracker.usesNetwork ? .network : .cascade, .catFace: .cascade]
        ).filter { !$0.type.isPossible }
        state.reporter.report(
            detections, areTracked: settings.faces.track, settings.message, at: frame.time, size: frame.visibleSize,
            host)
        if settings.draw {
            let width = frame.pixels.usualLineWidth
            for face in detections {
                frame.pixels.drawBox(
                    around: face.box, color: face.type == .catFace ? FaceColors.cat : FaceColors.human)
                frame.pixels.drawLandmarks(
                    of: face, settings.landmarks, eyes: settings.eyeShape, lineWidth: width)
            }
        }
    }

    func discontinuity(_ state: inout State) { state.finder.product.reset() }
}

extension FaceDetect.Configuration {
    /// Returns the network that detects human faces; nil if a cascade detects them, or if human faces are not searched.
    func loadModel(warn: (ElementError) -> Void) throws -> FaceModel? {
        guard faces.species.contains(.human) else { return nil }
        // The preset `classic` selects the cascade. A file that the user has set for human faces is a cascade, so it
        // also selects the cascade.
        let wantsCascade = faces.decision == .classic || faces.cascades.human != nil
        return try detector.model(at: model, unless: wantsCascade, warn: warn)
    }
}

extension Finder<FaceTracker> {
    fileprivate convenience init(_ configuration: FaceDetect.Configuration, _ model: FaceModel?) throws {
        let (faces, library) = (configuration.faces, configuration.library)
        self.init(try FaceTracker(settings: faces, library: library, model: model) { Int(Detection.newID()) }) {
            try FaceDetector(settings: faces, library: library, model: model).search
        }
    }
}

extension FaceTracker: ObjectTracker {
    func objects(in plane: Image, of pixels: FrameImage, frame: Int, searching: Searching) throws -> [Face] {
        try faces(in: plane, colors: pixels, frame: frame, searching: searching)
    }
}

extension CascadeError: ElementErrorConvertible {
    package var elementError: ElementError {
        let reason: ElementError.Reason =
            switch self {
            case .missing: .notFound
            case .unusable: .read
            case .unsuitable: .unsuitable
            }
        return ElementError(reason, description)
    }
}
