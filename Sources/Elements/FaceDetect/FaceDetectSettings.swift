// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension FaceDetect {
    struct Settings: SnapshotSettings {
        var preset = Preset.balanced
        // If one of the following values is nil, the value of the preset applies. So users can set `preset` and these
        // properties in any order.
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
        var possibleConfidence = FaceSettings.balanced.possibleConfidence
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
        var eyeShape = EyeShape.circle
        var smile = false
        var eyesClosed = false
        var mode = SearchMode.auto
        var draw = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }

        /// The settings for the detector. Numbers that the user has set apply to both species (humans and cats). The
        /// numbers of a preset may differ between the species.
        var faces: FaceSettings {
            var faces = preset.settings
            faces.species = species
            faces.minConfidence = minConfidence
            faces.possibleConfidence = possibleConfidence
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
            (.classic, "Search of every frame, as in the app ManyMasks"),
            (.fast, "Coarse search every 20 frames, and tracking between searches (misses small faces)"),
            (.balanced, "Search every 15 frames, and tracking between searches"),
            (.accurate, "Fine search every 4 frames, and tracking between searches (detects small faces)"),
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
        Property("preset", \.preset, "Set of default values for other properties"),
        Property("species", \.species, "Species to detect"),
        Property("detector", \.detector, "Detector of human faces. svfacedetect always uses cascades for cat faces"),
        Property(
            "model", \.model,
            "ONNX file of the network YuNet or CenterFace, for human faces (if not set: the installed YuNet)",
            text: .file(.network)),
        Property(
            "min-confidence", \.minConfidence, in: 0...1, "Minimum confidence of a face that the network detects"),
        Property(
            "possible-confidence", \.possibleConfidence, in: 0...1,
            "Minimum confidence of possible faces (type possible-face): weak detections by the network, which "
                + "svoverlay hides like faces. A value above min-confidence acts like min-confidence"),
        Property(
            "scale", \.scale, else: \.faces.scale, in: 0...1,
            "Scaling factor of the frame before the search, from 0.05 to 1, such as 0.5 for half the size (0 = "
                + "calculated from min-size)"),
        Property(
            "scale-factor", \.scaleFactor, else: \.faces.human.scaleFactor, in: 1.01...10,
            "Ratio between two successive face sizes in the cascade search"),
        Property(
            "min-neighbors", \.minNeighbors, else: \.faces.human.minNeighbors, in: 0...1000,
            "Minimum number of overlapping cascade detections for each face. A number that you set applies to human "
                + "faces and cat faces",
            nick: "Minimum neighbours"),
        Property(
            "min-size", \.minSize, else: \.faces.human.minSize, in: 0...1,
            "Minimum size of a reported face, as a fraction of the shorter side of the searched area"),
        Property("equalize", \.equalize, else: \.faces.equalize, "Contrast equalisation before the search"),
        Property("features", \.features, "Type of face cascades"),
        Property(
            "cascade-dir", \.cascadeDirectory,
            "Folder with cascade files. svfacedetect searches this folder before OpenCV's folders", text: .folder),
        Property(
            "face-cascade", \.faceCascade,
            "Cascade file for human faces, as a path or file name (if not set: OpenCV's Haar or LBP file, depending on "
                + "features)",
            text: .file(.cascade)),
        Property(
            "cat-cascade", \.catCascade,
            "Cascade file for cat faces, as a path or file name (if not set: OpenCV's Haar or LBP file, depending on "
                + "features)",
            text: .file(.cascade)),
        Property(
            "left-eye-cascade", \.leftEyeCascade,
            "Cascade file for the eye on the left side of the image (if not set: haarcascade_lefteye_2splits)",
            text: .file(.cascade)),
        Property(
            "right-eye-cascade", \.rightEyeCascade,
            "Cascade file for the eye on the right side of the image (if not set: haarcascade_righteye_2splits)",
            text: .file(.cascade)),
        Property(
            "open-eye-cascade", \.openEyeCascade,
            "Cascade file for open eyes (used only with eyes-closed=true; if not set: haarcascade_eye)",
            text: .file(.cascade)),
        Property(
            "smile-cascade", \.smileCascade, "Cascade file for smiles and mouths (if not set: haarcascade_smile)",
            text: .file(.cascade)),
        Property(
            "region", \.region,
            "Region of the frame to search, as x,y,width,height in pixels (if not set: whole frame)"),
        Property(
            "max-faces", \.maxFaces, in: 0...1000,
            "Maximum number of faces per frame (0 = unlimited). If a frame has more faces, svfacedetect drops the "
                + "faces with the lowest confidence"),
        Property(
            "landmarks", \.landmarks,
            "Landmarks to detect and draw in human faces. For all other landmarks, the metadata contain only "
                + "estimates"),
        Property("eye-shape", \.eyeShape, "Shape that marks the eyes of faces (used only with draw=true)"),
        Property("smile", \.smile, "Detect whether humans smile"),
        Property("eyes-closed", \.eyesClosed, "Detect whether the eyes of humans are closed"),
        Property(
            "interval", \.interval, else: \.faces.interval, in: 1...1000,
            "Interval between searches of the whole frame, in frames (1 = every frame; used only with track=true)"),
        Property(
            "track", \.track, else: \.faces.track,
            "Keep the id of each face from frame to frame, even if a search misses the face. With track=false, "
                + "svfacedetect searches every frame, and all ids change in every frame"),
        Property(
            "threads", \.threads, else: \.faces.threads, in: 0...256,
            "Threads per search (1 = one thread, any other value = one thread per processor)"
        ),
        Property(
            "mode", \.mode,
            "Mode of the search: the video waits for the search (sync), does not wait (async), or waits unless the "
                + "source is live (auto)"),
        Property("draw", \.draw, "Draw the detected faces (false = leave frames unchanged)"),
        Property("message", \.message, "When to post element messages about detected faces"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        .snapshotLocation,
    ]
}

extension LandmarkFlags {
    /// The landmarks that the detector can search for: eyes and mouth.
    var searched: FaceSettings.Landmarks {
        FaceSettings.Landmarks(contains(.eyes) ? [.eyes] : []).union(contains(.mouth) ? [.mouth] : [])
    }
}

extension FaceSettings.Equalization: PropertyEnum {
    package static var typeName: String { "GstSvEqualization" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No equalisation"), (.histogram, "Histogram equalisation of the whole frame"),
        (.clahe, "Histogram equalisation of parts of the frame, with limited contrast (CLAHE)"),
    ]
}

extension Cascade.Features: PropertyEnum {
    package static var typeName: String { "GstSvFaceFeatures" }

    package static let members: [(value: Self, blurb: String)] = [
        (.haar, "Haar wavelets"),
        (.lbp, "Local binary patterns, which are faster than Haar wavelets but miss more faces"),
    ]
}
