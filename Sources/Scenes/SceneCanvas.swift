// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// Draws a scene on frames whose pixels are not square. The canvas draws an image with square pixels, and scales this
/// image to the frame.
package final class SceneCanvas {
    private let painter: ScenePainter
    private let canvas: OwnedImage
    private let weights = OwnedImage(.gray8)
    private let patch = FramePatch()

    /// - Parameters:
    ///   - width: width of the image with square pixels.
    ///   - height: height of the image with square pixels.
    package init(_ painter: ScenePainter, width: Int, height: Int) {
        self.painter = painter
        canvas = OwnedImage(.bgra, width: width, height: height)
    }

    /// Draws the scene like `ScenePainter.draw`.
    package func draw(on frame: FrameImage, at time: Double, light: SceneLight = SceneLight()) -> [SceneEntity] {
        let picture = canvas.image
        patch.read(frame, frame.bounds)
        let pixels = patch.image
        guard !picture.isEmpty, !pixels.isEmpty else { return [] }
        fill(picture, color: 0)
        let entities = painter.draw(on: FrameImage(picture), at: time, light: light)
        squeeze(picture, into: pixels)
        weights.resize(width: pixels.width, height: pixels.height)
        if painter.scene.kind.isOnPaper || painter.scene.kind.isBackdrop {
            fill(weights.image, color: .white)
        } else {
            extractAlpha(ofPixels: pixels, into: weights.image)
        }
        patch.mix(into: frame, weights: weights.image)
        let scale = Point(
            Double(pixels.width) / Double(picture.width), Double(pixels.height) / Double(picture.height))
        return entities.map { $0.squeezed(by: scale) }
    }

    /// Moves the alpha of premultiplied pixels to `weights`. The pixels become opaque, and their colours are no longer
    /// premultiplied.
    private func extractAlpha(ofPixels pixels: Image, into weights: Image) {
        for y in 0..<pixels.height {
            let (row, to) = (pixels.row(y), weights.row(y))
            for x in 0..<pixels.width {
                let (pixel, alpha) = (row + 4 * x, UInt32(row[4 * x + 3]))
                to[x] = UInt8(alpha)
                pixel[3] = 255
                guard 1..<255 ~= alpha else { continue }
                for channel in 0..<3 {
                    pixel[channel] = UInt8(min(255, (UInt32(pixel[channel]) * 255 + alpha / 2) / alpha))
                }
            }
        }
    }
}

/// Scales an image down. Each pixel of the result is the mean of the area that the pixel covers in `from`. Both images
/// have four bytes per pixel.
private func squeeze(_ from: Image, into to: Image) {
    let (columns, rows) = (Reduction(from.width, to.width), Reduction(from.height, to.height))
    for y in 0..<to.height {
        let row = to.row(y)
        for x in 0..<to.width {
            var sum = SIMD4<Float>()
            for line in rows.range(y) {
                let (source, share) = (from.row(line), rows.share(of: line, in: y))
                for column in columns.range(x) {
                    let pixel = source + 4 * column
                    sum +=
                        SIMD4(Float(pixel[0]), Float(pixel[1]), Float(pixel[2]), Float(pixel[3]))
                        * (share * columns.share(of: column, in: x))
                }
            }
            for byte in 0..<4 { row[4 * x + byte] = UInt8(min(255, sum[byte] + 0.5)) }
        }
    }
}

/// Scales a row of pixels down. For each pixel of the shorter row, computes the range of pixels of the longer row that
/// the pixel covers.
private struct Reduction {
    private let length: Int
    private let scale: Double

    init(_ length: Int, _ reduced: Int) {
        (self.length, scale) = (length, max(1, Double(length) / Double(max(1, reduced))))
    }

    func range(_ index: Int) -> Range<Int> {
        let first = min(length - 1, Int(Double(index) * scale))
        return first..<max(first + 1, min(length, Int((Double(index + 1) * scale).rounded(.up))))
    }

    /// Returns a weight: the fraction of pixel `index` in the shorter row that overlaps pixel `long` in the longer row.
    func share(of long: Int, in index: Int) -> Float {
        let (start, end) = (max(Double(long), Double(index) * scale), min(Double(long + 1), Double(index + 1) * scale))
        return Float(max(0, end - start) / scale)
    }
}

extension SceneEntity {
    fileprivate func squeezed(by scale: Point) -> SceneEntity {
        func squeezed(_ area: Rectangle) -> Rectangle {
            func rounded(_ length: Int, _ scale: Double) -> Int { Int((Double(length) * scale).rounded()) }
            let (x, y) = (rounded(area.x, scale.x), rounded(area.y, scale.y))
            return Rectangle(
                x: x, y: y, width: rounded(area.x + area.width, scale.x) - x,
                height: rounded(area.y + area.height, scale.y) - y)
        }
        return SceneEntity(
            id: id, kind: kind, object: object, person: person, rectangle: squeezed(rectangle), tilt: tilt,
            landmarks: landmarks.moved { Point($0.x * scale.x, $0.y * scale.y) }, sprite: squeezed(sprite),
            portrait: portrait)
    }
}
