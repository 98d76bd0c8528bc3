// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// The colours of faces and landmarks, as in the app ManyMasks (see docs/camera-and-light.md).
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

/// The shape that marks an eye.
enum EyeShape: Int32, PropertyEnum {
    case circle, rectangle
    static let typeName = "GstSvEyeShape"
    static let members: [(value: EyeShape, blurb: String)] = [
        (.circle, "Circle at the centre of the eye"), (.rectangle, "Rectangle around the eye"),
    ]
}

extension FrameImage {
    /// Marks the selected landmarks of a face.
    func drawLandmarks(
        of face: Detection, _ landmarks: LandmarkFlags, eyes: EyeShape = .circle, lineWidth: Int
    ) {
        guard let points = face.landmarks else { return }
        let size = min(Double(face.box.width) * pixelAspect.ratio, Double(face.box.height))
        func mark(_ point: Point, _ radius: Double, _ color: Color) {
            circle(point, radius: max(2, radius * size), lineWidth: Double(lineWidth), color: color)
        }
        if landmarks.contains(.eyes) {
            for (eye, color) in [(points.leftEye, FaceColors.leftEye), (points.rightEye, FaceColors.rightEye)] {
                switch eyes {
                case .circle: mark(eye, 0.08, color)
                case .rectangle: outline(eyeRectangle(eye, size), lineWidth: lineWidth, color: color)
                }
            }
        }
        if landmarks.contains(.nose) { mark(points.nose, 0.06, FaceColors.nose) }
        if landmarks.contains(.mouth) {
            mark(points.mouthLeft, 0.03, FaceColors.mouth)
            mark(points.mouthRight, 0.03, FaceColors.mouth)
        }
    }

    /// Returns a rectangle around an eye: 0.28 of the face's size wide, and 0.2 of the size high.
    private func eyeRectangle(_ eye: Point, _ size: Double) -> Rectangle {
        let (width, height) = (max(2, 0.28 * size / max(1e-6, pixelAspect.ratio)), max(2, 0.2 * size))
        return Rectangle(
            x: Int((eye.x - width / 2).rounded()), y: Int((eye.y - height / 2).rounded()), width: Int(width.rounded()),
            height: Int(height.rounded()))
    }
}
