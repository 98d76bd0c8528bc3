// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// The colours of faces and landmarks, as in the program ManyMasks.
enum FaceColors {
    static let human: Color = 0xFFFF_FF00
    static let cat: Color = 0xFFFF_FFFF
    static let leftEye: Color = 0xFFFF_0000
    static let rightEye: Color = 0xFF00_FF00
    static let nose: Color = 0xFF00_00FF
    static let mouth: Color = 0xFFFF_00FF
}

/// Selection of the landmarks to draw.
struct LandmarkFlags: PropertyFlagSet {
    let rawValue: UInt32
    static let eyes = LandmarkFlags(rawValue: 1)
    static let nose = LandmarkFlags(rawValue: 2)
    static let mouth = LandmarkFlags(rawValue: 4)
    static let typeName = "GstSvFaceLandmarks"
    static let members: [(value: LandmarkFlags, nick: String, blurb: String)] = [
        (.eyes, "eyes", "Eyes"), (.nose, "nose", "Tip of the nose, estimated from the eyes"),
        (.mouth, "mouth", "Corners of the mouth"),
    ]
}

extension FrameImage {
    /// Draws circles around the selected landmarks of a face.
    func drawLandmarks(of face: Detection, _ landmarks: LandmarkFlags, lineWidth: Int) {
        guard let points = face.landmarks else { return }
        let size = min(Double(face.box.width) * pixelAspect.ratio, Double(face.box.height))
        func mark(_ point: Point, _ radius: Double, _ color: Color) {
            circle(point, radius: max(2, radius * size), lineWidth: Double(lineWidth), color: color)
        }
        if landmarks.contains(.eyes) {
            mark(points.leftEye, 0.08, FaceColors.leftEye)
            mark(points.rightEye, 0.08, FaceColors.rightEye)
        }
        if landmarks.contains(.nose) { mark(points.nose, 0.06, FaceColors.nose) }
        if landmarks.contains(.mouth) {
            mark(points.mouthLeft, 0.03, FaceColors.mouth)
            mark(points.mouthRight, 0.03, FaceColors.mouth)
        }
    }
}
