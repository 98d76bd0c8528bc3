// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport

func overlayHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svoverlay", properties, like: frame)
}

/// Properties that turn off all drawing. Tests turn on the parts that they need.
let nothingDrawn = [("boxes", "false"), ("landmarks", "false"), ("labels", "false")]

extension TestFrame {
    /// Returns a buffer with detections, as a detector attaches them.
    func buffer(
        with detections: [Detection], searched: [Detection.Kind] = [], unsearched: [Detection.Kind] = [],
        at pts: UInt64? = 0
    ) throws -> Buffer {
        let buffer = try buffer(at: pts)
        DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: width, height: height))
            .attach(detections, searched: searched, unsearched: unsearched)
        return buffer
    }

    /// Returns the smallest rectangle around all pixels that differ from `other`.
    func change(from other: TestFrame) -> Rectangle {
        var (left, top, right, bottom) = (Int.max, Int.max, Int.min, Int.min)
        let row = width * format.bytesPerPixel
        for y in 0..<height where bytes[y * row..<(y + 1) * row] != other.bytes[y * row..<(y + 1) * row] {
            for x in 0..<width where self[x, y] != other[x, y] {
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
            }
        }
        guard left <= right else { return Rectangle(width: 0, height: 0) }
        return Rectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

extension Harness {
    /// Pushes a frame with detections, and pulls the result.
    func process(_ input: TestFrame, _ detections: [Detection], searched: [Detection.Kind] = []) throws -> TestFrame {
        try shown(process(giving: input.buffer(with: detections, searched: searched).reference))
    }
}

extension Rectangle {
    func contains(_ x: Int, _ y: Int) -> Bool {
        x >= self.x && x < self.x + width && y >= self.y && y < self.y + height
    }

    func inset(_ border: Int) -> Rectangle {
        Rectangle(x: x + border, y: y + border, width: width - 2 * border, height: height - 2 * border)
    }
}

extension Detection {
    /// Returns a face with landmarks at their usual positions.
    static func face(_ box: Rectangle, id: Int32 = 1, type: Detection.Kind = "face") -> Detection {
        func place(_ x: Double, _ y: Double) -> Point {
            Point(Double(box.x) + x * Double(box.width), Double(box.y) + y * Double(box.height))
        }
        return Detection(
            type: type, id: id, box: box, confidence: 0.93,
            landmarks: FaceLandmarks(
                leftEye: place(0.3, 0.4), rightEye: place(0.7, 0.4), nose: place(0.5, 0.6), mouthLeft: place(0.35, 0.8),
                mouthRight: place(0.65, 0.8)))
    }
}
