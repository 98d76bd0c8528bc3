// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Text

/// Shows one blob enlarged over the whole frame, with a caption.
struct ReviewView {
    private let patch = FramePatch()
    private let weights = OwnedImage(.gray8)
    private var painter: (painter: TextPainter, shape: FrameShape)?

    /// The space around the blob, as a fraction of the blob's longer side.
    private static let margin = 0.15
    /// The height of the caption's font, as a fraction of the frame's shorter side.
    private static let fontSize = 0.07
    private static let captionBackground: Color = 0xB000_0000

    /// Enlarges a blob and its surroundings to the size of the frame, and draws the result over the frame.
    /// - Parameters:
    ///   - box: the box of the blob, in pixels of the frame.
    ///   - stream: the format of the frame.
    mutating func draw(_ box: Rectangle, caption: String, on frame: FrameImage, stream: VideoFormat) throws {
        let part = Self.part(around: box, of: frame.size)
        guard !part.isEmpty, let room = VideoFormat(.bgrx, size: frame.size),
            let picture = Picture(copying: frame.cropped(to: part), format: stream)
        else { return }
        let enlarged = try picture.converted(picture.size.bounds, to: frame.size, like: room)
        patch.read(frame, frame.bounds)
        weights.resize(width: frame.width, height: frame.height)
        fill(weights.image, color: .white)
        enlarged.withImage { patch.image.copy(from: $0) }
        setAlpha(of: patch.image, to: weights.image)
        patch.mix(into: frame, weights: weights.image)
        try write(caption, on: frame)
    }

    /// Returns the smallest part of the frame that contains the box and the margin, and has the frame's aspect ratio.
    static func part(around box: Rectangle, of frame: PixelSize) -> Rectangle {
        guard frame.width > 0, frame.height > 0, !box.intersection(frame.bounds).isEmpty else { return frame.bounds }
        let visible = box.intersection(frame.bounds)
        let space = 2 * margin * Double(max(visible.width, visible.height))
        let scale = max(
            (Double(visible.width) + space) / Double(frame.width),
            (Double(visible.height) + space) / Double(frame.height))
        guard scale < 1 else { return frame.bounds }
        let width = max(1, Int((Double(frame.width) * scale).rounded()))
        let height = max(1, Int((Double(frame.height) * scale).rounded()))
        return Rectangle(
            x: min(max(0, visible.x + (visible.width - width) / 2), frame.width - width),
            y: min(max(0, visible.y + (visible.height - height) / 2), frame.height - height), width: width,
            height: height)
    }

    private mutating func write(_ caption: String, on frame: FrameImage) throws {
        if painter?.shape != frame.shape {
            let size = max(11, Self.fontSize * Double(min(frame.width, frame.height)))
            painter = TextPainter(font: "Sans Bold", usualSize: size, pixelAspect: frame.pixelAspect).map {
                ($0, frame.shape)
            }
        }
        guard let painter = painter?.painter,
            let stamp = painter.stamp(caption, color: .white, maximumWidth: frame.width * 9 / 10)
        else { return }
        let height = min(frame.height, stamp.bounds.height * 3 / 2)
        frame.fill(
            Rectangle(x: 0, y: frame.height - height, width: frame.width, height: height),
            color: Self.captionBackground)
        stamp.draw(
            on: frame, x: (frame.width - stamp.bounds.width) / 2,
            y: frame.height - (height + stamp.bounds.height) / 2)
    }
}
