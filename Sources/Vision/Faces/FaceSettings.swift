// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Settings of `FaceDetector` and `FaceTracker`. Values that make no sense are replaced by sensible ones where they are
/// used (`sanitized`), so that nothing a user types can fail.
package struct FaceSettings: Sendable, Hashable {
    package struct SpeciesSet: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package init(_ species: Species) { self = species == .human ? .human : .cat }
        package static let human = SpeciesSet(rawValue: 1)
        package static let cat = SpeciesSet(rawValue: 2)

        /// The species in it.
        var all: [Species] { Species.allCases.filter { contains(SpeciesSet($0)) } }
    }

    /// Landmarks searched for in a face; the others are placed by geometry. A nose always is.
    package struct Landmarks: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let eyes = Landmarks(rawValue: 1)
        package static let mouth = Landmarks(rawValue: 2)
    }

    package enum Equalization: Int32, Sendable, CaseIterable {
        case none
        case histogram
        case clahe
    }

    /// Parameters of one kind of search.
    package struct Search: Sendable, Hashable {
        /// Factor between search sizes, 1.01…10.
        package var scaleFactor: Double
        /// Minimum number of overlapping candidates, 0…1000.
        package var minNeighbors: Int
        /// Minimum size: of a face as a fraction of the frame's shorter side, of an eye as one of the face's width.
        package var minSize: Double

        package init(scaleFactor: Double, minNeighbors: Int, minSize: Double) {
            (self.scaleFactor, self.minNeighbors, self.minSize) = (scaleFactor, minNeighbors, minSize)
        }
    }

    /// Cascade files to use: names or paths. Nil for what suits `features`.
    package struct Cascades: Sendable, Hashable {
        package var human: String?
        package var cat: String?
        package var leftEye = "haarcascade_lefteye_2splits"
        package var rightEye = "haarcascade_righteye_2splits"
        package var openEye = "haarcascade_eye"
        package var smile = "haarcascade_smile"

        package init() {}
    }

    /// Ways of deciding between finds.
    package enum Decision: Sendable, Hashable {
        /// Cats that intersect a human are discarded; the left eye is searched with the left eye's cascade alone.
        case classic
        /// The more confident find wins if both species are found; both eye cascades are used for each eye.
        case confidence
    }

    package var species: SpeciesSet = [.human, .cat]
    /// Factor by which frames are reduced before they are searched, 0.05…1; 0 for as much as the smallest face allows.
    package var scale = 0.0
    package var human: Search
    package var cat: Search
    /// Minimum size of a face that is reported, as a fraction of the shorter side of what is searched. The minimum size of a
    /// search is not exact: it finds faces that are up to a third smaller, which count unless this forbids it. The
    /// original algorithm's sizes are exact, and it does without.
    package var minReportedSize = 0.0
    package var eye = Search(scaleFactor: 1.2, minNeighbors: 2, minSize: 0.1)
    package var equalize = Equalization.none
    package var features = Cascade.Features.haar
    package var cascades = Cascades()
    package var decision = Decision.confidence
    /// Minimum confidence of a face that the network finds, 0…1.
    package var minConfidence = 0.55
    /// Minimum confidence of a possible face that the network finds, 0…1; at most `minConfidence`.
    package var possibleConfidence = 0.55
    /// True if the network looks closely at each face that a search finds; false if only at those that are doubtful or turned.
    package var examinesAll = true
    /// Part of the frame that is searched, in pixels; nil for all of it.
    package var region: Rectangle?
    /// Maximum number of faces; the most confident ones are kept. 0 for all.
    package var maxFaces = 0
    package var landmarks: Landmarks = [.eyes]
    /// True if smiles are searched for.
    package var smile = false
    /// True if closed eyes are searched for.
    package var eyesClosed = false
    /// Number of frames from one search for faces to the next if they are tracked, 1…1000; in between known ones are
    /// followed.
    package var interval = 1
    /// Maximum number of candidates that are examined in one frame if faces are tracked, 1 or more; the others follow in
    /// the next frames. Textures may lead to hundreds of them.
    package var candidatesPerFrame = 200
    /// True if faces keep their number from frame to frame and are followed where the search misses them; if false,
    /// every frame is searched.
    package var track = true
    /// Number of threads. 1: a search stays in the calling thread. Else OpenCV divides it among its threads, of which all of
    /// the process has one set: their number cannot be changed while another thread uses them, so it is never changed here.
    package var threads = 1

    // MARK: - Presets

    /// The numbers of the original algorithm (ManyMasks), with every frame on its own.
    package static let classic: FaceSettings = {
        var settings = FaceSettings(
            human: Search(scaleFactor: 1.4, minNeighbors: 4, minSize: 0.25),
            cat: Search(scaleFactor: 1.4, minNeighbors: 6, minSize: 0.2))
        settings.scale = 0.5
        settings.equalize = .histogram
        settings.decision = .classic
        settings.cascades.human = "haarcascade_frontalface_alt"
        settings.track = false
        return settings
    }()

    /// Settings for small machines: coarse, rarely, no small faces.
    package static let fast = tracking(scaleFactor: 1.3, minSize: 0.12, interval: 20)
    /// The default.
    package static let balanced = tracking(scaleFactor: 1.25, minSize: 0.08, interval: 15)
    /// Settings for small faces, too, in fine steps, divided among OpenCV's threads.
    package static let accurate: FaceSettings = {
        var settings = tracking(scaleFactor: 1.1, minSize: 0.05, interval: 4)
        settings.threads = 0
        return settings
    }()

    private static func tracking(scaleFactor: Double, minSize: Double, interval: Int) -> FaceSettings {
        var settings = FaceSettings(
            human: Search(scaleFactor: scaleFactor, minNeighbors: 3, minSize: minSize),
            cat: Search(scaleFactor: scaleFactor, minNeighbors: 2, minSize: minSize),
            eye: Search(scaleFactor: 1.15, minNeighbors: 2, minSize: 0.25))
        settings.interval = interval
        return settings
    }

    // MARK: - Values in use

    /// The settings with every number in its range; a NaN becomes the value of `classic`.
    package var sanitized: FaceSettings {
        var settings = self
        settings.scale = scale.isFinite && scale > 0 ? min(1, max(0.05, scale)) : 0
        settings.human = human.sanitized(Self.classic.human)
        settings.cat = cat.sanitized(Self.classic.cat)
        settings.eye = eye.sanitized(Self.classic.eye)
        settings.minReportedSize =
            decision == .confidence && minReportedSize.isFinite ? min(1, max(0, minReportedSize)) : 0
        settings.minConfidence =
            minConfidence.isFinite ? min(1, max(0, minConfidence)) : FaceSettings.balanced.minConfidence
        settings.possibleConfidence =
            possibleConfidence.isFinite
            ? min(settings.minConfidence, max(0, possibleConfidence)) : settings.minConfidence
        settings.maxFaces = max(0, maxFaces)
        settings.interval = min(1000, max(1, interval))
        settings.candidatesPerFrame = max(1, candidatesPerFrame)
        settings.threads = min(256, max(0, threads))
        return settings
    }

    /// Confidence with which a face that the network finds is reported at once, at least as a possible face.
    var strongConfidence: Double { max(minConfidence, 0.75) }

    /// Confidence of the network that outweighs a cat that is seen clearly: that of real humans in whose place a cat's cascade
    /// sees one, too, is 0.868 and more but for one of 39, nine of ten looks at a drawn cat give less than 0.86.
    var sureConfidence: Double { max(minConfidence, 0.86) }

    /// Confidence with which the network still sees a known face.
    var keptConfidence: Double { max(0.3, possibleConfidence - 0.2) }

    /// Returns the parameters for the faces of `species`.
    func search(for species: Species) -> Search { species == .human ? human : cat }

    /// Returns the name of the cascade for the faces of `species`.
    package func faceCascade(of species: Species) -> String {
        switch (species, features) {
        case (.human, .haar): cascades.human ?? "haarcascade_frontalface_alt"
        case (.human, .lbp): cascades.human ?? "lbpcascade_frontalface_improved"
        case (.cat, .haar): cascades.cat ?? "haarcascade_frontalcatface_extended"
        case (.cat, .lbp): cascades.cat ?? "lbpcascade_frontalcatface"
        }
    }
}

extension FaceSettings.Search {
    func sanitized(_ other: FaceSettings.Search) -> FaceSettings.Search {
        FaceSettings.Search(
            scaleFactor: scaleFactor.isFinite ? min(10, max(1.01, scaleFactor)) : other.scaleFactor,
            minNeighbors: min(1000, max(0, minNeighbors)),
            minSize: minSize.isFinite ? min(1, max(0, minSize)) : other.minSize)
    }
}
