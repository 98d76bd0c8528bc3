// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// A sheet of paper. The light comes from above, so the paper is darker at the bottom.
enum Paper {
    static func draw(on frame: FrameImage) {
        let (height, bands) = (frame.height, min(frame.height, 96))
        frame.fill(rows: { y in
            let band = ((y + 1) * bands - 1) / height
            return (1 - 0.16 * Double(band) / Double(bands)) * Color(240, 236, 228)
        })
    }
}

/// The light on the paper and on the objects.
package struct SceneLight: Sendable, Hashable {
    /// Length of hard shadows, as a fraction of the longer side of an object, 0…1. With length 0, shadows are soft, as
    /// under a cloudy sky.
    package var shadow: Double
    /// The direction of the shadows, in degrees clockwise from the right. The light decreases in the same direction.
    package var angle: Double
    /// Decrease of the light from one corner of the frame to the opposite corner, as a fraction, 0…1.
    package var falloff: Double

    /// Creates the light. Fractions are clamped to 0…1. An angle that is infinite or NaN becomes 0.
    package init(shadow: Double = 0, angle: Double = 45, falloff: Double = 0) {
        func share(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        self.shadow = share(shadow)
        self.angle = angle.isFinite ? angle : 0
        self.falloff = share(falloff)
    }
}

/// Draws hard shadows on the paper, before the objects.
final class CastShadows {
    /// Fraction of the light that a shadow removes.
    static let darkness = 0.45

    private let levels = OwnedImage(.gray8)

    /// Darkens the paper. A pixel in several shadows is darkened only once.
    /// - Parameter silhouettes: the coverage of each shadow as GRAY8, with the position of the shadow in the frame.
    func draw(_ silhouettes: [(levels: Image, x: Int, y: Int)], on frame: FrameImage) {
        levels.resize(width: frame.width, height: frame.height)
        let all = levels.image
        guard !all.isEmpty else { return }
        fill(all, color: 0)
        for (silhouette, x, y) in silhouettes {
            let part = all.bounds.intersection(
                Rectangle(x: x, y: y, width: silhouette.width, height: silhouette.height))
            for row in part.y..<part.y + max(0, part.height) {
                let (to, from) = (all.row(row), silhouette.row(row - y))
                for column in part.x..<part.x + max(0, part.width) {
                    to[column] = max(to[column], from[column - x])
                }
            }
        }
        frame.fill(all, color: Color.black.with(opacity: Self.darkness))
    }
}

/// Draws the decrease of the light across the frame.
final class FallingLight {
    private let levels = OwnedImage(.gray8)
    private var light = SceneLight()

    func draw(_ light: SceneLight, on frame: FrameImage) {
        guard light.falloff > 0 else { return }
        let isNew = light != self.light || levels.image.width != frame.width || levels.image.height != frame.height
        self.light = light
        levels.resize(width: frame.width, height: frame.height)
        if isNew { compute() }
        frame.fill(levels.image, color: .black)
    }

    /// Computes the decrease of the light for each pixel. The decrease is 0 at one corner and `falloff` at the opposite
    /// corner.
    private func compute() {
        let image = levels.image
        let (sine, cosine) = sineAndCosine(degrees: light.angle)
        let (across, down) = (cosine * Double(image.width), sine * Double(image.height))
        let length = max(1, abs(across) + abs(down))
        // The coordinate of the brightest corner along the direction of the light.
        let nearest = min(0, across) + min(0, down)
        for y in 0..<max(0, image.height) {
            let row = image.row(y)
            let start = sine * (Double(y) + 0.5) - nearest
            for x in 0..<image.width {
                row[x] = byte(255 * light.falloff * (start + cosine * (Double(x) + 0.5)) / length)
            }
        }
    }
}
