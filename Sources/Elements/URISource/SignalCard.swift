// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Text

/// The no-signal card: a dark image with a crossed-out camera, a heading, the name of the camera and the reason.
struct SignalCard: Equatable {
    var heading: String
    var name: String?
    var reason: String

    private static let paper: Color = 0xFF14_181D
    private static let ink: Color = 0xFFF1_F3F4
    private static let faint: Color = 0xFF9A_A4AE
    private static let signal: Color = 0xFFE0_6C5B

    /// Returns a frame with the card; nil if an allocation fails.
    func frame(_ caps: StreamCaps) -> StreamFrame? { StreamFrame(caps) { draw(on: $0) } }

    private func draw(on frame: FrameImage) {
        frame.fill(frame.bounds, color: Self.paper)
        let layout = Layout(frame)
        camera(on: frame, layout)
        // If no font is installed, the card shows only the camera.
        let lines: [(text: String?, font: String, size: Double, color: Color, y: Double)] = [
            (heading, "Sans Bold", 0.085, Self.ink, 0.6), (name, "Sans", 0.05, Self.ink, 0.72),
            (reason, "Sans", 0.042, Self.faint, name == nil ? 0.715 : 0.8),
        ]
        for line in lines {
            guard let text = line.text, !text.isEmpty,
                let painter = TextPainter(
                    font: line.font, usualSize: max(8, line.size * layout.side), pixelAspect: frame.pixelAspect,
                    cachedStamps: 1),
                let stamp = painter.stamp(text, color: line.color, maximumWidth: frame.width * 9 / 10)
            else { continue }
            let y = layout.point(0, line.y).y
            stamp.draw(on: frame, x: (frame.width - stamp.bounds.width) / 2, y: Int(y) - stamp.bounds.height / 2)
        }
    }

    /// Draws the side view of a camera, crossed out by a line.
    private func camera(on frame: FrameImage, _ layout: Layout) {
        let y = 0.36
        func shape(_ points: [(Double, Double)]) -> [Point] { points.map { layout.point($0.0, y + $0.1) } }
        frame.polygon(shape([(-0.17, -0.085), (0.08, -0.085), (0.08, 0.085), (-0.17, 0.085)]), color: Self.faint)
        frame.polygon(shape([(0.1, -0.025), (0.18, -0.08), (0.18, 0.08), (0.1, 0.025)]), color: Self.faint)
        let (from, to) = (layout.point(-0.19, y - 0.14), layout.point(0.19, y + 0.14))
        frame.line(from: from, to: to, width: 0.05 * layout.side, color: Self.paper)
        frame.line(from: from, to: to, width: 0.018 * layout.side, color: Self.signal)
    }

    /// Coordinates on the card. The unit is the shorter side of the displayed frame. The origin is the middle of the
    /// upper edge of the largest centred square.
    private struct Layout {
        private let middle: Point
        private let pixel: Double
        /// The shorter side of the displayed frame, in pixel rows of the frame.
        let side: Double

        init(_ frame: FrameImage) {
            pixel = max(1e-6, frame.pixelAspect.ratio)
            side = min(Double(frame.height), Double(frame.width) * pixel)
            middle = Point(Double(frame.width) / 2, Double(frame.height) / 2)
        }

        func point(_ x: Double, _ y: Double) -> Point {
            Point(middle.x + x * side / pixel, middle.y + (y - 0.5) * side)
        }
    }
}
