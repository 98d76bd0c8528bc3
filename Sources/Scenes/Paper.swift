// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// A sheet of paper with light from above.
enum Paper {
    static func draw(on frame: FrameImage) {
        let (height, bands) = (frame.height, min(frame.height, 96))
        frame.fill(rows: { y in
            let band = ((y + 1) * bands - 1) / height
            return (1 - 0.16 * Double(band) / Double(bands)) * Color(240, 236, 228)
        })
    }
}

/// The light on paper and on the objects that lie on it.
package struct SceneLight: Sendable, Hashable {
    /// Length of hard shadows, as a fraction of the longer side of an object, 0…1. 0 gives soft shadows, as under a
    /// bright sky.
    package var shadow: Double
    /// The direction in which shadows fall and the light decreases, in degrees clockwise from the right.
    package var angle: Double
    /// Decrease of the light from a corner of the frame to the opposite corner, as a fraction, 0…1.
    package var falloff: Double

    /// Creates the light. Values out of range are clamped; NaN and infinite angles count as 0.
    package init(shadow: Double = 0, angle: Double = 45, falloff: Double = 0) {
        func share(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        self.shadow = share(shadow)
        self.angle = angle.isFinite ? angle : 0
        self.falloff = share(falloff)
    }
}

/// Hard shadows on the paper, below all objects.
final class CastShadows {
    /// Fraction of the light that a shadow removes.
    static let darkness = 0.45

    private let levels = OwnedImage(.gray8)

    /// Darkens the paper; overlapping shadows darken it only once.
    /// - Parameter silhouettes: GRAY8 coverage of each shadow, with its position in the frame.
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

/// Light that decreases across the frame.
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

    /// Computes the loss of light for each pixel: 0 at one corner, the full falloff at the opposite corner.
    private func compute() {
        let image = levels.image
        let (sine, cosine) = sineAndCosine(degrees: light.angle)
        let (across, down) = (cosine * Double(image.width), sine * Double(image.height))
        let length = max(1, abs(across) + abs(down))
        // Projection of the brightest corner onto the direction of the light.
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
