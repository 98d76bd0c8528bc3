import ElementKit
import Imaging
import Vision

/// Finds faces according to some settings, in the calling thread or with background searches.
final class FaceFinder {
    /// The settings that a finder follows from; a new one is made when one of these changes.
    struct Configuration: Hashable {
        var faces: FaceSettings
        var library: CascadeLibrary

        init(_ settings: FaceDetect.Settings) {
            faces = settings.faces
            library = CascadeLibrary(directory: settings.cascadeDirectory)
        }
    }

    let configuration: Configuration
    private let tracker: FaceTracker
    private let search: BackgroundSearch<FaceDetector, FaceSearch, FaceFindings>

    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        tracker = try FaceTracker(settings: configuration.faces, library: configuration.library) {
            Int(Detection.newID())
        }
        search = BackgroundSearch {
            try FaceDetector(settings: configuration.faces, library: configuration.library)
        } search: { detector, plane, search in
            try detector.search(plane, search)
        }
    }

    /// The types that are searched for.
    var types: [Detection.Kind] {
        Species.allCases.filter { configuration.faces.species.contains(FaceSettings.SpeciesSet($0)) }.map(
            \.detectionType)
    }

    /// Returns whether a search has covered the whole frame since the beginning, the last cut or `reset`, and nothing
    /// that it found was left out.
    /// - Parameter count: the number of faces that are reported.
    func hasSearchedAll(finding count: Int) -> Bool {
        let isLimited = configuration.faces.maxFaces > 0 && count >= configuration.faces.maxFaces
        return tracker.hasSearched && configuration.faces.region == nil && !isLimited
    }

    func reset() { tracker.reset() }

    /// Returns the faces in a grey plane, searched or tracked according to the interval.
    func faces(in plane: Image, frame: Int) throws -> [Face] {
        try tracker.faces(in: plane, frame: frame)
    }

    /// Returns the faces in a grey plane as known so far, tracked; searches run on `worker`.
    func faces(in plane: Image, frame: Int, searchingOn worker: Worker) throws -> [Face] {
        try search.takeResult { findings, plane in try tracker.add(findings, seenIn: plane) }
        let faces = try tracker.faces(in: plane, frame: frame, searching: search.isIdle ? .elsewhere : .later)
        if let due = tracker.dueSearch { search.begin(due, in: plane, on: worker) }
        return faces
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
