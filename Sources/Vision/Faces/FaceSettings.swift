import Pixels

/// What `FaceDetector` and `FaceTracker` look for and how. Values that make no sense are replaced by sensible ones where
/// they are used (`sound`), so that nothing that a user types can fail.
package struct FaceSettings: Sendable, Hashable {
    package struct SpeciesSet: OptionSet, Sendable, Hashable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let human = SpeciesSet(rawValue: 1)
        package static let cat = SpeciesSet(rawValue: 2)
    }

    /// What is searched for in a face; what is not is placed by geometry. A nose always is.
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

    /// The numbers of one kind of search.
    package struct Search: Sendable, Hashable {
        /// The factor between search sizes, 1.01…10.
        package var scaleFactor: Double
        /// How many candidates have to overlap, 0…1000.
        package var minNeighbors: Int
        /// The smallest size: of a face as a fraction of the frame's shorter side, of an eye as one of the face's width.
        package var minSize: Double

        package init(scaleFactor: Double, minNeighbors: Int, minSize: Double) {
            self.scaleFactor = scaleFactor
            self.minNeighbors = minNeighbors
            self.minSize = minSize
        }
    }

    /// Which cascade files are used: names or paths. Nil is what suits `features`.
    package struct Cascades: Sendable, Hashable {
        package var human: String?
        package var cat: String?
        package var leftEye = "haarcascade_lefteye_2splits"
        package var rightEye = "haarcascade_righteye_2splits"
        package var openEye = "haarcascade_eye"
        package var smile = "haarcascade_smile"

        package init() {}
    }

    /// How a search judges what it finds.
    package enum Judgement: Sendable, Hashable {
        /// Cats that intersect a human are discarded; the left eye is searched with the left eye's cascade alone.
        case classic
        /// Where both species are found, the more confident find wins; both eye cascades are used for each eye.
        case confidence
    }

    package var species: SpeciesSet = [.human, .cat]
    /// The factor by which frames are reduced before they are searched, 0.05…1; 0: as much as the smallest face allows.
    package var scale = 0.0
    package var human: Search
    package var cat: Search
    package var eye: Search
    package var equalize = Equalization.none
    package var features = Cascade.Features.haar
    package var cascades = Cascades()
    package var judgement = Judgement.confidence
    /// The part of the frame that is searched, in pixels; nil is all of it.
    package var region: Rectangle?
    /// At most so many faces, the most confident ones; 0: all.
    package var maxFaces = 0
    package var landmarks: Landmarks = [.eyes]
    /// Whether smiles are looked for.
    package var smile = false
    /// Whether closed eyes are looked for.
    package var eyesClosed = false
    /// Where faces are tracked, they are searched for every so many frames, 1…1000; in between known ones are followed.
    package var interval = 1
    /// Where faces are tracked, at most so many of the places that a search proposes are looked at closely in one frame, 1
    /// or more, and the others in the next ones. Textures may propose hundreds.
    package var looksPerFrame = 200
    /// Whether faces keep their number from frame to frame and are followed where the search misses them. If not, every
    /// frame is searched.
    package var track = true
    /// 1: a search stays in the calling thread. 0: OpenCV divides it as it likes. More: OpenCV uses so many threads,
    /// in the whole process.
    package var threads = 1

    // MARK: - Presets

    /// The numbers of the original algorithm (ManyMasks), every frame on its own.
    package static let classic: FaceSettings = {
        var settings = FaceSettings(
            human: Search(scaleFactor: 1.4, minNeighbors: 4, minSize: 0.25),
            cat: Search(scaleFactor: 1.4, minNeighbors: 6, minSize: 0.2))
        settings.scale = 0.5
        settings.equalize = .histogram
        settings.judgement = .classic
        settings.cascades.human = "haarcascade_frontalface_alt"
        settings.track = false
        return settings
    }()

    /// For small machines: coarse, rarely, no small faces.
    package static let fast = tracking(scaleFactor: 1.3, minSize: 0.12, interval: 20)
    /// The default.
    package static let balanced = tracking(scaleFactor: 1.25, minSize: 0.08, interval: 15)
    /// Small faces too, in fine steps, divided among OpenCV's threads.
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

    package init(
        human: Search, cat: Search, eye: Search = Search(scaleFactor: 1.2, minNeighbors: 2, minSize: 0.1)
    ) {
        self.human = human
        self.cat = cat
        self.eye = eye
    }

    // MARK: - What is used

    /// The settings with every number in its range; what is no number becomes that of `classic`.
    package var sound: FaceSettings {
        var settings = self
        settings.scale = scale.isFinite && scale > 0 ? min(1, max(0.05, scale)) : 0
        settings.human = human.sound(Self.classic.human)
        settings.cat = cat.sound(Self.classic.cat)
        settings.eye = eye.sound(Self.classic.eye)
        settings.maxFaces = max(0, maxFaces)
        settings.interval = min(1000, max(1, interval))
        settings.looksPerFrame = max(1, looksPerFrame)
        settings.threads = min(256, max(0, threads))
        return settings
    }

    /// The name of the cascade for the faces of `species`.
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
    func sound(_ other: FaceSettings.Search) -> FaceSettings.Search {
        FaceSettings.Search(
            scaleFactor: scaleFactor.isFinite ? min(10, max(1.01, scaleFactor)) : other.scaleFactor,
            minNeighbors: min(1000, max(0, minNeighbors)),
            minSize: minSize.isFinite ? min(1, max(0, minSize)) : other.minSize)
    }
}
