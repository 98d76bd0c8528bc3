// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// A face that was cut out of a frame.
struct CroppedFace {
    let sample: FaceSample
    /// The transformation from pixels of the frame to the aligned face; nil if the landmarks coincide or are too far
    /// apart.
    let alignment: FaceAlignment?
}

/// Cuts faces out of frames. The frames may have any pixel format.
final class FaceCropper {
    private let cutter = FaceCutter()
    private let luma = LumaPlane()
    /// The `PortraitCutter` for frames that are portraits. Nil until the first such frame, because creating a
    /// `PortraitCutter` loads a face detector.
    private var portraits: PortraitCutter?
    private let makePortraits: () throws -> PortraitCutter
    /// The `FaceDescriber` that has computed the last vector. If the network changes, a new `FaceDescriber` replaces
    /// this object.
    private var describer: FaceDescriber?

    /// - Parameter makePortraits: creates a `PortraitCutter`. The first input frame that is a portrait needs it.
    init(_ makePortraits: @escaping () throws -> PortraitCutter) { self.makePortraits = makePortraits }

    /// Returns the image and the alignment of a face. Returns nil if the landmarks are not usable, or if the face is
    /// outside the frame.
    /// - Parameters:
    ///   - wholeFrame: true if `face` stands for the whole frame, which is a small portrait of a person.
    ///   - eyesOnly: true if the eyes are the only landmarks that the detector measures.
    func crop(_ face: Detection, in frame: FrameImage, wholeFrame: Bool, eyesOnly: Bool) throws -> CroppedFace? {
        if wholeFrame {
            let cutter = try portraits ?? makePortraits()
            portraits = cutter
            return try cutter.portrait(in: luma.of(frame), colors: frame).map {
                CroppedFace(sample: $0.face, alignment: $0.alignment)
            }
        }
        guard let points = FacePoints(face), let sample = try sample(of: face, points, in: frame) else { return nil }
        let alignment = FaceAlignment(points.landmarks, eyesOnly: eyesOnly || face.landmarks == nil)
        return CroppedFace(sample: sample, alignment: alignment)
    }

    private func sample(of face: Detection, _ points: FacePoints, in frame: FrameImage) throws -> FaceSample? {
        let (left, right) = (points.leftEye, points.rightEye)
        if let plane = frame.luma { return try cutter.sample(of: plane, leftEye: left, rightEye: right) }
        // Without a luma plane, the frame must be converted to grey. Convert only the area around the face, to save
        // time.
        let (width, height) = (face.box.width, face.box.height)
        let part = frame.bounds.intersection(
            Rectangle(
                x: (face.box.x - width / 2) & ~1, y: (face.box.y - height / 2) & ~1, width: 2 * width + 2,
                height: 2 * height + 2))
        guard !part.isEmpty else { return nil }
        return try cutter.sample(
            of: luma.of(frame.cropped(to: part)), leftEye: left - part.corner, rightEye: right - part.corner)
    }

    /// Returns the image of a face. If the method has a network, returns the vector of the face instead. Returns nil if
    /// the face has no alignment, or if the network cannot describe the face.
    func knownFace(_ face: CroppedFace, in frame: FrameImage, for method: RecognitionMethod) throws -> KnownFace? {
        guard let model = method.model else { return .sample(face.sample) }
        var describer = describer
        if describer?.digest != model.digest { describer = try FaceDescriber(model) }
        self.describer = describer
        guard let describer, let alignment = face.alignment else { return nil }
        return try describer.embedding(of: frame, alignment).map { .embedding($0) }
    }
}

extension Recognizer {
    /// Returns the vote that results from a match. The vote has no name if the distance is above the threshold, or if
    /// users have rejected the name for the face.
    /// - Parameter threshold: the maximum distance; 0 for the threshold of the recogniser.
    func vote(_ match: Match, threshold: Double) -> PersonVotes.Vote {
        let threshold = threshold > 0 ? threshold : self.threshold
        let isKnown = match.distance <= threshold && !match.isExcluded
        return PersonVotes.Vote(
            name: isKnown ? match.name : nil, distance: match.distance,
            confidence: isKnown
                ? confidence(at: match.distance, threshold: threshold)
                : unknownConfidence(at: match.distance, threshold: threshold))
    }
}

extension Classification {
    /// Creates the classification of a face; nil if `recognition` and `stranger` are nil. The label id is 0 for people
    /// without a name.
    /// - Parameters:
    ///   - recognition: the vote, and the number of confirmations; see `Classification.confirmations`.
    ///   - stranger: the number of the stranger (a person without a name); nil if the face has no such number.
    init?(_ recognition: (vote: PersonVotes.Vote, confirmations: Int)?, _ stranger: Int?, _ recognizer: Recognizer?) {
        guard recognition != nil || stranger != nil else { return nil }
        let index = recognition?.vote.name.flatMap { recognizer?.names.firstIndex(of: $0) }
        let name = index.flatMap { recognizer?.names[$0] } ?? stranger.map { Strangers.label($0) }
        self.init(
            name: "person", label: name ?? "unknown", labelID: Int32(clamping: index.map { $0 + 1 } ?? 0),
            confidence: recognition?.vote.confidence, modelName: "\(recognizer?.algorithm ?? .embedding)",
            distance: recognition?.vote.distance, confirmations: recognition.map { Int32(clamping: $0.confirmations) })
    }
}
