// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// The part of a frame that has to be hidden so that no face is seen.
enum FaceCover {
    case heads([Rectangle])
    /// All of it, since it is not known where faces are.
    case frame

    var isEmpty: Bool {
        if case .heads(let heads) = self { heads.isEmpty } else { false }
    }

    /// Hides the area. In 36 drawn faces of all sizes, none of OpenCV's cascades for faces found one in the result:
    /// neither in ovals that are blurred by a quarter of their height (by a sixth they found 3), nor in rectangles of 4
    /// cells (in ovals of 3 cells they found 5). Both are far coarser than what people need to recognise a face.
    func hide(on frame: FrameImage, pixelating: Bool) {
        switch self {
        case .heads(let heads):
            for head in heads { Self.hide(pixelating ? .rectangle(head) : .ellipse(head), on: frame, pixelating) }
        case .frame:
            Self.hide(.rectangle(frame.bounds), on: frame, pixelating)
        }
    }

    private static func hide(_ region: Region, on frame: FrameImage, _ pixelating: Bool) {
        if pixelating {
            frame.pixelate(region, cells: 4)
        } else {
            frame.blur(region, radius: max(2, max(region.bounds.width, region.bounds.height) / 4))
        }
    }

    /// The error if there was no sign of a detector.
    static let undetected = ElementError(
        .streamFailed,
        "blur-faces, pixelate-faces: no element has searched the frames for faces, so they cannot be hidden; put "
            + "svfacedetect before svoverlay, with species=human+cat")
}

/// Determines from the frames of a stream whether an element upstream looks for faces.
struct FaceSearchMonitor {
    private enum Detector {
        /// Reports which frames it has searched, as svfacedetect does.
        case telling
        /// Only puts regions on the frames, as other vendors' detectors do.
        case silent
    }

    private var detector: Detector?
    private var loss = LossReport()

    /// Takes note of a frame.
    /// - Parameter isHiding: true if faces are to be hidden; if so and it cannot be known where they are, a warning
    ///   says why, once.
    /// - Returns: what has to be hidden of it; nil while there is no sign of a detector.
    mutating func cover(
        of frame: borrowing InputFrame, _ detections: [Detection], isHiding: Bool, _ host: Host<Overlay.Settings>
    ) -> FaceCover? {
        let hasFace = detections.contains { $0.type == .face }
        let state = frame.searchForFaces
        if state.isMarked {
            detector = .telling
        } else if hasFace, detector == nil {
            detector = .silent
        } else if isHiding, detector == nil, frame.searchTypes.isEmpty, host.upstreamPath(to: "svfacedetect") != nil {
            // Its marks have been lost from the first frame on.
            detector = .telling
        }
        let isKnown: Bool
        switch detector {
        case .telling:
            isKnown = state == .searched
            if isHiding, state == .lost || !state.isMarked {
                loss.warn(of: "svfacedetect", "frames are hidden as a whole", on: host)
            }
        // A frame without faces looks like one that was not searched.
        case .silent: isKnown = hasFace
        case nil: return nil
        }
        return isKnown ? .heads(detections.filter(\.isFace).map(\.head)) : .frame
    }
}

extension InputFrame {
    /// The state of all kinds of faces together: each kind must have been searched.
    fileprivate var searchForFaces: SearchState {
        let states = Detection.faceTypes.map { search(for: $0) }
        if states.contains(.lost) { return .lost }
        let humans = states.first ?? .unmarked
        return humans == .searched && states.contains(.unsearched) ? .unsearched : humans
    }
}

extension Detection {
    /// True if blur-faces and pixelate-faces hide it.
    var isFace: Bool { Self.faceTypes.contains(type) }

    fileprivate static let faceTypes: [Kind] = [.face, .catFace, .hybridFace]

    /// The area that is hidden for a face. The detectors' boxes go from the forehead to the chin and from cheek to
    /// cheek; hair, ears and chin, by which people are recognised too, lie at their edge or outside, especially if a
    /// box lags behind.
    var head: Rectangle {
        let size = max(box.width, box.height)
        let (side, above, below) = (size / 4, size * 2 / 5, size / 4)
        return Rectangle(
            x: box.x - side, y: box.y - above, width: box.width + 2 * side, height: box.height + above + below)
    }
}
