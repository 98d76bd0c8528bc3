import COpenCV
import Files
import Pixels

/// A trained cascade of weak classifiers, OpenCV's `CascadeClassifier`. One thread at a time may use it.
package final class Cascade {
    /// Kinds of features.
    package enum Features: Int32, Sendable, CaseIterable {
        case haar
        case lbp
    }

    /// Purposes of a cascade, which its window's proportions must suit.
    package enum Purpose: Sendable, Hashable {
        case face
        case eye
        case smile
    }

    /// Parameters of a search, as OpenCV's `detectMultiScale` takes them; lengths in pixels, 0 is no limit.
    package struct Search: Sendable, Hashable {
        package var scaleFactor: Double
        package var minNeighbors: Int
        package var minSize: Int
        package var maxSize: Int
        /// True if OpenCV may divide the work among its threads.
        package var usesThreads: Bool

        package init(
            scaleFactor: Double, minNeighbors: Int, minSize: Int, maxSize: Int = 0, usesThreads: Bool = false
        ) {
            self.scaleFactor = scaleFactor
            self.minNeighbors = minNeighbors
            self.minSize = minSize
            self.maxSize = maxSize
            self.usesThreads = usesThreads
        }
    }

    /// Something that was found, in pixels of the searched plane.
    package struct Find: Sendable, Hashable {
        package var rectangle: Rectangle
        /// Number of overlapping candidates that make it up.
        package var neighbors: Int
        /// Sum of the last stage, if single candidates were requested.
        package var weight: Double
    }

    package let path: String
    /// Size of the pictures that it was trained with.
    package let window: (width: Int, height: Int)
    package let features: Features
    private let handle: OpaquePointer

    /// Loads the cascade at `path`, an XML file.
    package init(path: String, purpose: Purpose) throws(CascadeError) {
        let file = try Self.read(path)
        var text = [CChar](repeating: 0, count: Int(sv_cv_error_size))
        guard let handle = sv_cv_cascade_make(file.text, &text) else {
            throw .unusable(path: path, reason: message(text))
        }
        self.path = path
        self.handle = handle
        window = (file.width, file.height)
        features = file.kind == .lbp ? .lbp : .haar
        // Trained windows are square for faces and eyes, twice as wide as high for smiles.
        let isSquare = file.width == file.height
        if isSquare == (purpose == .smile) {
            throw .unsuitable(
                path: path, reason: "its window of \(file.width)x\(file.height) is not right for finding a \(purpose)")
        }
    }

    deinit {
        sv_cv_cascade_free(handle)
    }

    private static func read(_ path: String) throws(CascadeError) -> CascadeFile {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: CascadeFile.largestFile)
        } catch {
            guard error.cause == .missing else { throw .unusable(path: path, reason: "\(error)") }
            throw .missing(name: path, folders: [])
        }
        do {
            return try CascadeFile(bytes)
        } catch {
            switch error {
            case .unusable(let reason): throw .unusable(path: path, reason: reason)
            case .unsupported(let kind): throw .unsuitable(path: path, reason: "features of the kind \(kind)")
            }
        }
    }

    /// Searches `plane` and groups what overlaps: exactly OpenCV's rectangles and counts of neighbours.
    package func detect(in plane: Image, _ search: Search) throws(VisionError) -> [Find] {
        try detect(in: plane, search, candidates: false)
    }

    /// Returns every single candidate, with its weight; `minNeighbors` is ignored.
    package func candidates(in plane: Image, _ search: Search) throws(VisionError) -> [Find] {
        try detect(in: plane, search, candidates: true)
    }

    private func detect(in plane: Image, _ search: Search, candidates: Bool) throws(VisionError) -> [Find] {
        guard plane.width >= window.width, plane.height >= window.height else { return [] }
        let numbers = SVCVSearch(
            scaleFactor: search.scaleFactor, minNeighbors: Int32(clamping: search.minNeighbors),
            minWidth: Int32(clamping: search.minSize), minHeight: Int32(clamping: search.minSize),
            maxWidth: Int32(clamping: search.maxSize), maxHeight: Int32(clamping: search.maxSize),
            candidates: candidates ? 1 : 0, singleThreaded: search.usesThreads ? 0 : 1)
        var finds: UnsafePointer<SVCVFind>?
        var count: Int32 = 0
        try check { sv_cv_cascade_detect(handle, plane.openCV, numbers, &finds, &count, $0) }
        return UnsafeBufferPointer(start: finds, count: Int(count)).map { find in
            Find(
                rectangle: Rectangle(
                    x: Int(find.x), y: Int(find.y), width: Int(find.width), height: Int(find.height)),
                neighbors: Int(find.neighbors), weight: find.weight)
        }
    }
}
