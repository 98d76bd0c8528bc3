import CGStreamer
import ElementKit
import Pixels

/// What of a frame has to be hidden so that no face is seen.
enum FaceCover {
    case regions([Region])
    /// All of it, since nobody knows where faces are.
    case frame

    var isEmpty: Bool {
        if case .regions(let regions) = self { regions.isEmpty } else { false }
    }

    func hide(on frame: FrameImage, pixelating: Bool) {
        let regions: [Region] =
            switch self {
            case .regions(let regions): regions
            case .frame: [.rectangle(frame.bounds)]
            }
        for region in regions {
            if pixelating { frame.pixelate(region) } else { frame.blur(region) }
        }
    }

    /// Where no sign of a detector was seen.
    static let undetected = ElementError(
        .stream(GST_STREAM_ERROR_FAILED),
        "blur-faces, pixelate-faces: no element has searched the frames for faces, so they cannot be hidden; put "
            + "svfacedetect before svoverlay, with species=human+cat")
}

/// Finds out from the frames of a stream whether somebody upstream looks for faces.
struct FaceWatch {
    private enum Detector {
        /// Tells which frames it has searched, as svfacedetect does.
        case telling
        /// Only puts regions on the frames, as the detectors of others do.
        case silent
    }

    private var detector: Detector?

    /// Takes notice of a frame.
    /// - Returns: what has to be hidden of it; nil while there is no sign of a detector.
    mutating func cover(of frame: borrowing InputFrame, _ detections: [Detection]) -> FaceCover? {
        let hasFace = detections.contains { $0.type == "face" }
        if frame.isSearched(for: "face") {
            detector = .telling
        } else if hasFace, detector == nil {
            detector = .silent
        }
        let isKnown: Bool
        switch detector {
        case .telling: isKnown = frame.wasSearched(for: "face")
        // A frame without faces looks like one that was not searched.
        case .silent: isKnown = hasFace
        case nil: return nil
        }
        return isKnown ? .regions(detections.filter(\.isFace).map(\.head)) : .frame
    }
}

extension Detection {
    /// Whether blur-faces and pixelate-faces hide it.
    var isFace: Bool { type == "face" || type == "cat-face" || type == "hybrid-face" }

    /// What is hidden of a face: the head. The detectors' boxes go from the brows to below the mouth and from cheek to
    /// cheek; hair, chin and ears, by which people are known too, lie outside.
    var head: Region {
        let size = max(box.width, box.height)
        let (side, above, below) = (size / 4, size * 2 / 5, size / 4)
        return .ellipse(
            Rectangle(
                x: box.x - side, y: box.y - above, width: box.width + 2 * side, height: box.height + above + below))
    }
}
