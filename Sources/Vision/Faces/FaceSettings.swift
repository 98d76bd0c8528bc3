// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Settings of `FaceDetector` and `FaceTracker`. Both classes replace invalid values (see `sanitized`), so that no
/// setting causes an error.
package struct FaceSettings: Sendable, Hashable {
    package struct SpeciesSet: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package init(_ species: Species) { self = species == .human ? .human : .cat }
        package static let human = SpeciesSet(rawValue: 1)
        package static let cat = SpeciesSet(rawValue: 2)

        var all: [Species] { Species.allCases.filter { contains(SpeciesSet($0)) } }
    }

    /// Landmarks that the detector searches for in a face. The detector estimates the positions of all other landmarks
    /// from the geometry of the face. Without a network, the detector always estimates the position of the nose.
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

    /// Parameters of a search for faces or eyes by a cascade.
    package struct Search: Sendable, Hashable {
        /// A cascade searches for objects of several sizes. This value is the ratio of two consecutive sizes, 1.01…10.
        package var scaleFactor: Double
        /// Minimum number of overlapping single detections that form one detection, 0…1000.
        package var minNeighbors: Int
        /// Minimum size of a detection, 0…1. For faces, the size is a fraction of the frame's shorter side. For eyes,
        /// the size is a fraction of the face's width.
        package var minSize: Double

        package init(scaleFactor: Double, minNeighbors: Int, minSize: Double) {
            (self.scaleFactor, self.minNeighbors, self.minSize) = (scaleFactor, minNeighbors, minSize)
        }
    }

    /// Names or paths of the cascade files. If `human` or `cat` is nil, the detector uses the default file for the
    /// setting `features` (Haar or LBP).
    package struct Cascades: Sendable, Hashable {
        package var human: String?
        package var cat: String?
        package var leftEye = "haarcascade_lefteye_2splits"
        package var rightEye = "haarcascade_righteye_2splits"
        package var openEye = "haarcascade_eye"
        package var smile = "haarcascade_smile"

        package init() {}
    }

    /// Rule for conflicting detections of humans, cats and eyes.
    package enum Decision: Sendable, Hashable {
        /// The detector discards cats that intersect a human. For each eye, it uses only the cascade that was trained
        /// for this eye (left or right).
        case classic
        /// If a human and a cat are detected at the same position, the more confident detection wins. For each eye, the
        /// detector uses the cascade for this eye, and if necessary also the cascade for the other eye.
        case confidence
    }

    package var species: SpeciesSet = [.human, .cat]
    /// Scale of the frames in which the detector searches, 0.05…1. If 0, the detector uses the smallest scale at which
    /// it can still detect the smallest requested face.
    package var scale = 0.0
    package var human: Search
    package var cat: Search
    /// Minimum size of a reported face, as a fraction of the shorter side of the searched region; 0 for no minimum. A
    /// search also detects faces that are up to a third smaller than the minimum size of the search. This setting can
    /// exclude these faces. With `Decision.classic`, this setting has no effect, because such a search returns no faces
    /// below its minimum size.
    package var minReportedSize = 0.0
    package var eye = Search(scaleFactor: 1.2, minNeighbors: 2, minSize: 0.1)
    package var equalize = Equalization.none
    package var features = Cascade.Features.haar
    package var cascades = Cascades()
    package var decision = Decision.confidence
    /// Minimum confidence of a face that the network detects, 0…1.
    package var minConfidence = 0.55
    /// Minimum confidence of a possible face (`Face.isPossible`) that the network detects, 0…1; at most
    /// `minConfidence`.
    package var possibleConfidence = 0.55
    /// If true, the network verifies each detection of a search. If false, the network verifies only doubtful and
    /// rotated faces.
    package var examinesAll = true
    /// The searched region of the frame, in pixels; nil for the whole frame.
    package var region: Rectangle?
    /// Maximum number of reported faces, the most confident first; 0 for all.
    package var maxFaces = 0
    package var landmarks: Landmarks = [.eyes]
    /// True to search for smiles.
    package var smile = false
    /// True to search for closed eyes.
    package var eyesClosed = false
    /// Interval between searches for new faces, 1…1000 frames. Between two searches, the detector only follows known
    /// faces. Without tracking, every frame is searched.
    package var interval = 1
    /// Maximum number of candidates that are verified per frame if faces are tracked, at least 1. The detector verifies
    /// the remaining candidates in the next frames. The limit saves time for textures, which may cause hundreds of
    /// candidates.
    package var candidatesPerFrame = 200
    /// If true, each face keeps its ID from frame to frame. If a search misses a face, a pattern match follows the
    /// face. If false, every frame is searched.
    package var track = true
    /// Number of threads of a search. With 1, a search runs in the calling thread. With any other value, OpenCV divides
    /// the search among its threads. This setting does not change the size of OpenCV's thread pool. All code of the
    /// process shares this pool.
    package var threads = 1

    // MARK: - Presets

    /// Settings with which the detector works like the app ManyMasks, without tracking.
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

    /// Settings for slow computers: large ratios between the searched sizes, long intervals, no small faces.
    package static let fast = tracking(scaleFactor: 1.3, minSize: 0.12, interval: 20)
    /// The default settings.
    package static let balanced = tracking(scaleFactor: 1.25, minSize: 0.08, interval: 15)
    /// Settings that also detect small faces: small ratios between the searched sizes, short intervals, and OpenCV's
    /// threads.
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

    /// The settings with each value limited to its range. Defaults replace NaN.
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

    /// If the network's confidence is at least this value, a face is reported without further verifications, at least
    /// as a possible face.
    var strongConfidence: Double { max(minConfidence, 0.75) }

    /// If the network's confidence is at least this value, the face counts as human, even if the cascade clearly
    /// detects a cat. In a test, the cascade for cats also detected a cat in 39 real human faces. For 38 of these
    /// faces, the network's confidence is at least 0.868. In 9 of 10 verifications of a drawn cat, the confidence is
    /// below 0.86.
    var sureConfidence: Double { max(minConfidence, 0.86) }

    /// Minimum confidence of the network in a verification of a tracked face. If the confidence is lower, the
    /// verification counts as a miss.
    var keptConfidence: Double { max(0.3, possibleConfidence - 0.2) }

    func search(for species: Species) -> Search { species == .human ? human : cat }

    /// Returns the name or path of the cascade for the faces of `species`.
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
