import ElementKit
import Pixels

extension FrameImage {
    /// Draws a face in the colours of ManyMasks: its box, and circles for landmarks.
    func draw(_ face: Detection, _ landmarks: FaceDetect.LandmarkFlags) {
        outline(face.box, lineWidth: lineWidth, color: face.type == "cat-face" ? 0xFFFF_FFFF : 0xFFFF_FF00)
        guard let points = face.landmarks else { return }
        let size = Double(min(face.box.width, face.box.height))
        func mark(_ point: Point, _ radius: Double, _ color: UInt32) {
            circle(point, radius: max(2, radius * size), lineWidth: Double(lineWidth), color: color)
        }
        if landmarks.contains(.eyes) {
            mark(points.leftEye, 0.08, 0xFFFF_0000)
            mark(points.rightEye, 0.08, 0xFF00_FF00)
        }
        if landmarks.contains(.nose) { mark(points.nose, 0.06, 0xFF00_00FF) }
        if landmarks.contains(.mouth) {
            mark(points.mouthLeft, 0.03, 0xFFFF_00FF)
            mark(points.mouthRight, 0.03, 0xFFFF_00FF)
        }
    }

    /// A line that is well seen and hides little: about a 240th of the frame's shorter side, at least one pixel.
    private var lineWidth: Int { max(1, (min(width, height) + 120) / 240) }
}
