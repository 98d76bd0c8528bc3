// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension FaceDetect {
    struct Settings: ElementSettings {
        var preset = Preset.balanced
        // What a preset sets is nil until it is set itself, in whatever order.
        var scale: Double?
        var scaleFactor: Double?
        var minNeighbors: Int?
        var minSize: Double?
        var equalize: FaceSettings.Equalization?
        var interval: Int?
        var track: Bool?
        var threads: Int?
        var detector = HumanDetector.auto
        var model: String?
        var minConfidence = FaceSettings.balanced.minConfidence
        var species: FaceSettings.SpeciesSet = [.human, .cat]
        var features = Cascade.Features.haar
        var cascadeDirectory: String?
        var faceCascade: String?
        var catCascade: String?
        var leftEyeCascade: String?
        var rightEyeCascade: String?
        var openEyeCascade: String?
        var smileCascade: String?
        var region: Rectangle?
        var maxFaces = 0
        var landmarks: LandmarkFlags = [.eyes, .nose]
        var smile = false
        var eyesClosed = false
        var mode = SearchMode.auto
        var draw = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()

        /// The settings for the detector. Numbers set by the user apply to both species; the presets' may differ.
        var faces: FaceSettings {
            var faces = preset.settings
            faces.species = species
            faces.minConfidence = minConfidence
            faces.features = features
            if let scale { faces.scale = scale }
            if let scaleFactor { (faces.human.scaleFactor, faces.cat.scaleFactor) = (scaleFactor, scaleFactor) }
            if let minNeighbors { (faces.human.minNeighbors, faces.cat.minNeighbors) = (minNeighbors, minNeighbors) }
            if let minSize {
                (faces.human.minSize, faces.cat.minSize) = (minSize, minSize)
                faces.minReportedSize = minSize
            }
            if let equalize { faces.equalize = equalize }
            if let interval { faces.interval = interval }
            if let track { faces.track = track }
            if let threads { faces.threads = threads }
            if let faceCascade { faces.cascades.human = faceCascade }
            if let catCascade { faces.cascades.cat = catCascade }
            if let leftEyeCascade { faces.cascades.leftEye = leftEyeCascade }
            if let rightEyeCascade { faces.cascades.rightEye = rightEyeCascade }
            if let openEyeCascade { faces.cascades.openEye = openEyeCascade }
            if let smileCascade { faces.cascades.smile = smileCascade }
            faces.region = region
            faces.maxFaces = maxFaces
            faces.landmarks = landmarks.searched
            faces.smile = smile
            faces.eyesClosed = eyesClosed
            return faces
        }
    }

    enum Preset: Int32, PropertyEnum {
        case classic, fast, balanced, accurate
        static let typeName = "GstSvFacePreset"

        static let members: [(value: Self, blurb: String)] = [
            (.classic, "Every frame on its own, by the numbers of ManyMasks"),
            (.fast, "For small machines: coarse, no small faces, tracked"),
            (.balanced, "Searched now and then, tracked in between"),
            (.accurate, "Small faces too, in fine steps, tracked"),
        ]

        var settings: FaceSettings {
            switch self {
            case .classic: .classic
            case .fast: .fast
            case .balanced: .balanced
            case .accurate: .accurate
            }
        }
    }

    static let properties: [Property<Settings>] = [
        Property("preset", \.preset, "What the numbers below start from"),
        Property("species", \.species, "Whose faces are looked for"),
        Property("detector", \.detector, "How human faces are found; cats are found by cascades"),
        Property(
            "model", \.model,
            "Network file that finds human faces (YuNet, ONNX); none: a known one where models are installed",
            text: .file(.network)),
        Property(
            "min-confidence", \.minConfidence, in: 0...1, "Confidence from which what the network sees is a face"),
        Property(
            "scale", \.scale, else: \.faces.scale, in: 0...1,
            "Factor by which frames are reduced before the search; 0: as much as min-size allows"),
        Property(
            "scale-factor", \.scaleFactor, else: \.faces.human.scaleFactor, in: 1.01...10,
            "Factor between the face sizes that are tried"),
        Property(
            "min-neighbors", \.minNeighbors, else: \.faces.human.minNeighbors, in: 0...1000,
            "Finds that must overlap to count as a face; presets have another number for cats",
            nick: "Minimum neighbours"),
        Property(
            "min-size", \.minSize, else: \.faces.human.minSize, in: 0...1,
            "Minimum size of a face that is reported, as a fraction of the shorter side of the frame or region"),
        Property("equalize", \.equalize, else: \.faces.equalize, "How contrast is evened out before the search"),
        Property("features", \.features, "Which kind of face cascades is used"),
        Property(
            "cascade-dir", \.cascadeDirectory,
            "Folder that is looked in for cascade files before OpenCV's usual places", text: .folder),
        Property(
            "face-cascade", \.faceCascade,
            "Cascade file for human faces, a path or a bare name; none: what suits features", text: .file(.cascade)),
        Property(
            "cat-cascade", \.catCascade,
            "Cascade file for cat faces, a path or a bare name; none: what suits features", text: .file(.cascade)),
        Property(
            "left-eye-cascade", \.leftEyeCascade,
            "Cascade file for the eye on the viewer's left; none: haarcascade_lefteye_2splits", text: .file(.cascade)),
        Property(
            "right-eye-cascade", \.rightEyeCascade,
            "Cascade file for the eye on the viewer's right; none: haarcascade_righteye_2splits", text: .file(.cascade)),
        Property(
            "open-eye-cascade", \.openEyeCascade,
            "Cascade file for eyes-closed, which finds open eyes; none: haarcascade_eye", text: .file(.cascade)),
        Property(
            "smile-cascade", \.smileCascade, "Cascade file for smiles and mouths; none: haarcascade_smile",
            text: .file(.cascade)),
        Property(
            "region", \.region,
            "The part of the frame that is searched, as x,y,width,height in pixels; none: all of it"),
        Property("max-faces", \.maxFaces, in: 0...1000, "At most so many faces, the most confident ones; 0: all"),
        Property(
            "landmarks", \.landmarks,
            "What is searched for in a human face and drawn; metadata has all, what is not searched by geometry"),
        Property("smile", \.smile, "Tell whether humans smile"),
        Property("eyes-closed", \.eyesClosed, "Tell whether humans have their eyes closed"),
        Property(
            "interval", \.interval, else: \.faces.interval, in: 1...1000,
            "With track the whole frame is searched every so many frames"),
        Property(
            "track", \.track, else: \.faces.track,
            "Follow faces from frame to frame, with one id, also where the search misses them; if not, every "
                + "frame is searched"),
        Property(
            "threads", \.threads, else: \.faces.threads, in: 0...256,
            "1: a search stays in one thread; else it is divided among OpenCV's threads, one for each processor"
        ),
        Property("mode", \.mode, "Whether the stream waits for searches"),
        Property("draw", \.draw, "Draw what was found; if not, pixels are only read"),
        Property("message", \.message, "When to post element messages with the faces"),
        Property(
            "message-location", \.messageLocation,
            "File to which messages are written, too, as lines of JSON; -: the standard output; none: nowhere"),
    ]
}

extension LandmarkFlags {
    /// Those of them that are searched for.
    var searched: FaceSettings.Landmarks {
        FaceSettings.Landmarks(contains(.eyes) ? [.eyes] : []).union(contains(.mouth) ? [.mouth] : [])
    }
}

extension FaceSettings.Equalization: PropertyEnum {
    package static var typeName: String { "GstSvEqualization" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "As it is"), (.histogram, "Histogram of the whole frame"),
        (.clahe, "Histograms of tiles, limited in contrast (CLAHE)"),
    ]
}

extension Cascade.Features: PropertyEnum {
    package static var typeName: String { "GstSvFaceFeatures" }

    package static let members: [(value: Self, blurb: String)] = [
        (.haar, "Haar wavelets"), (.lbp, "Local binary patterns: faster, misses more"),
    ]
}
