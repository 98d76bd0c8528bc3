import ElementKit
import Pixels
import Vision

extension FaceDetect {
    /// Settings that a preset sets are optional here: nil is the preset's value, in whatever order properties are set.
    struct Settings: ElementSettings {
        var preset = Preset.balanced
        private var own = Overrides()
        var species: SpeciesFlags = [.human, .cat]
        var features = Cascade.Features.haar
        var cascadeDirectory: String?
        var faceCascade: String?
        var catCascade: String?
        var leftEyeCascade: String?
        var rightEyeCascade: String?
        var openEyeCascade: String?
        var smileCascade: String?
        var region: Rectangle?
        var maxFaces: UInt32 = 0
        var landmarks: LandmarkFlags = [.eyes, .nose]
        var smile = false
        var eyesClosed = false
        var mode = SearchMode.auto
        var draw = true
        var message = ReportPolicy.onChange

        private struct Overrides {
            var scale: Double?
            var scaleFactor: Double?
            var minNeighbors: UInt32?
            var minSize: Double?
            var equalize: FaceSettings.Equalization?
            var interval: UInt32?
            var track: Bool?
            var threads: UInt32?
        }

        var scale: Double {
            get { own.scale ?? preset.settings.scale }
            set { own.scale = newValue }
        }
        var scaleFactor: Double {
            get { own.scaleFactor ?? preset.settings.human.scaleFactor }
            set { own.scaleFactor = newValue }
        }
        var minNeighbors: UInt32 {
            get { own.minNeighbors ?? UInt32(clamping: preset.settings.human.minNeighbors) }
            set { own.minNeighbors = newValue }
        }
        var minSize: Double {
            get { own.minSize ?? preset.settings.human.minSize }
            set { own.minSize = newValue }
        }
        var equalize: FaceSettings.Equalization {
            get { own.equalize ?? preset.settings.equalize }
            set { own.equalize = newValue }
        }
        var interval: UInt32 {
            get { own.interval ?? UInt32(clamping: preset.settings.interval) }
            set { own.interval = newValue }
        }
        var track: Bool {
            get { own.track ?? preset.settings.track }
            set { own.track = newValue }
        }
        var threads: UInt32 {
            get { own.threads ?? UInt32(clamping: preset.settings.threads) }
            set { own.threads = newValue }
        }

        /// The settings for the detector. Numbers set by the user apply to both species; the presets' may differ.
        var faces: FaceSettings {
            var faces = preset.settings
            faces.species = FaceSettings.SpeciesSet(species)
            faces.features = features
            faces.scale = scale
            if let factor = own.scaleFactor { (faces.human.scaleFactor, faces.cat.scaleFactor) = (factor, factor) }
            if let count = own.minNeighbors {
                (faces.human.minNeighbors, faces.cat.minNeighbors) = (Int(count), Int(count))
            }
            if let size = own.minSize { (faces.human.minSize, faces.cat.minSize) = (size, size) }
            faces.equalize = equalize
            faces.interval = Int(interval)
            faces.track = track
            faces.threads = Int(threads)
            if let name = faceCascade { faces.cascades.human = name }
            if let name = catCascade { faces.cascades.cat = name }
            if let name = leftEyeCascade { faces.cascades.leftEye = name }
            if let name = rightEyeCascade { faces.cascades.rightEye = name }
            if let name = openEyeCascade { faces.cascades.openEye = name }
            if let name = smileCascade { faces.cascades.smile = name }
            faces.region = region
            faces.maxFaces = Int(maxFaces)
            faces.landmarks = FaceSettings.Landmarks(landmarks)
            faces.smile = smile
            faces.eyesClosed = eyesClosed
            return faces
        }
    }

    static let properties: [Property<Settings>] = [
        .enumeration("preset", \.preset, nick: "Preset", blurb: "What the numbers below start from"),
        .flags("species", \.species, nick: "Species", blurb: "Whose faces are looked for"),
        .double(
            "scale", \.scale, in: 0...1, nick: "Scale",
            blurb: "Factor by which frames are reduced before the search; 0: as much as min-size allows",
            flags: .mutablePlaying),
        .double(
            "scale-factor", \.scaleFactor, in: 1.01...10, nick: "Scale factor",
            blurb: "Factor between the face sizes that are tried", flags: .mutablePlaying),
        .uint(
            "min-neighbors", \.minNeighbors, in: 0...1000, nick: "Minimum neighbours",
            blurb: "Finds that must overlap to count as a face; presets have another number for cats",
            flags: .mutablePlaying),
        .double(
            "min-size", \.minSize, in: 0...1, nick: "Minimum size",
            blurb: "Smallest face, as a share of the frame's shorter side", flags: .mutablePlaying),
        .enumeration("equalize", \.equalize, nick: "Equalize", blurb: "How contrast is evened out before the search"),
        .enumeration("features", \.features, nick: "Features", blurb: "Which kind of face cascades is used"),
        .string(
            "cascade-dir", \.cascadeDirectory, nick: "Cascade directory",
            blurb: "Folder that is looked in for cascade files before OpenCV's usual places"),
        .string(
            "face-cascade", \.faceCascade, nick: "Face cascade",
            blurb: "Cascade file for human faces, a path or a bare name; none: what suits features"),
        .string(
            "cat-cascade", \.catCascade, nick: "Cat cascade",
            blurb: "Cascade file for cat faces, a path or a bare name; none: what suits features"),
        .string(
            "left-eye-cascade", \.leftEyeCascade, nick: "Left eye cascade",
            blurb: "Cascade file for the eye on the viewer's left; none: haarcascade_lefteye_2splits"),
        .string(
            "right-eye-cascade", \.rightEyeCascade, nick: "Right eye cascade",
            blurb: "Cascade file for the eye on the viewer's right; none: haarcascade_righteye_2splits"),
        .string(
            "open-eye-cascade", \.openEyeCascade, nick: "Open eye cascade",
            blurb: "Cascade file for eyes-closed, which finds open eyes; none: haarcascade_eye"),
        .string(
            "smile-cascade", \.smileCascade, nick: "Smile cascade",
            blurb: "Cascade file for smiles and mouths; none: haarcascade_smile"),
        .rectangle(
            "region", \.region, nick: "Region",
            blurb: "The part of the frame that is searched, as x,y,width,height in pixels; none: all of it"),
        .uint(
            "max-faces", \.maxFaces, in: 0...1000, nick: "Maximum faces",
            blurb: "At most so many faces, the most confident ones; 0: all", flags: .mutablePlaying),
        .flags(
            "landmarks", \.landmarks, nick: "Landmarks",
            blurb: "What is searched for in a human face and drawn; metadata has all, what is not searched by geometry"),
        .boolean("smile", \.smile, nick: "Smile", blurb: "Tell whether humans smile"),
        .boolean("eyes-closed", \.eyesClosed, nick: "Eyes closed", blurb: "Tell whether humans have their eyes closed"),
        .uint(
            "interval", \.interval, in: 1...1000, nick: "Interval",
            blurb: "With track the whole frame is searched every so many frames", flags: .mutablePlaying),
        .boolean(
            "track", \.track, nick: "Track",
            blurb: "Follow faces from frame to frame, with one id, also where the search misses them; if not, every "
                + "frame is searched"),
        .uint(
            "threads", \.threads, in: 0...256, nick: "Threads",
            blurb:
                "Threads of a search, at most one per processor; 0: as OpenCV likes; more than 1 holds for all of the process",
            flags: .mutablePlaying),
        .enumeration("mode", \.mode, nick: "Mode", blurb: "Whether the stream waits for searches"),
        .boolean("draw", \.draw, nick: "Draw", blurb: "Draw what was found; if not, pixels are only read"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post element messages with the faces"),
    ]
}
