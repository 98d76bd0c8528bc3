// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

extension Blender {
    /// Blends `foreground` over a YUV frame as `blend(_:onto:)` does over RGB: strip by strip, in the colours of the
    /// frame's own matrix and range. Luma of pixels that have no weight stays as it is, and chroma if none of the pixels
    /// that share it has; chroma of the others is that of their mean.
    /// - Parameters:
    ///   - x: place of the foreground's left edge in the frame; `y` likewise of its top edge.
    ///   - opacity: clipped to 0…1; not a number counts as 0.
    ///   - weights: a GRAY8 picture, as large as the foreground; if sizes differ, the common part is blended.
    package func blend(
        _ foreground: PlanarImage, onto frame: FrameImage, x: Int, y: Int, mode: BlendMode, opacity: Double,
        weights: Image? = nil
    ) {
        let opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        guard mode != .none, opacity > 0, weights?.format.isGray ?? true else { return }
        var part = foreground.bounds
        if let weights { part = part.intersection(weights.bounds) }
        (part.x, part.y) = (x, y)
        part = part.intersection(frame.bounds)
        guard !part.isEmpty else { return }
        let weight = UInt8(opacity * 255 + 0.5)
        guard weights != nil || weight > 0 else { return }
        prepareBytes(weight: weight)
        // The frame's place of the foreground's first pixel, in pixels of the planes.
        let (left, top) = (frame.window.x + x, frame.window.y + y)
        let columns = frame.window.x + part.x..<frame.window.x + part.x + part.width
        let rows = frame.window.y + part.y..<frame.window.y + part.y + part.height
        let strips = strips
        /// Fills the weights of a strip's row. Returns bounds of those within the foreground.
        func fillWeights(_ strip: FrameImage.Strip, _ row: Int) -> (least: UInt8, most: UInt8) {
            let values = strips.weights(row)
            let line = strip.row(row)
            values.update(repeating: 0, count: strip.width)
            guard rows.contains(line) else { return (0, 0) }
            let (first, last) = (max(strip.x, columns.lowerBound), min(strip.x + strip.width, columns.upperBound))
            let inside = values + (first - strip.x)
            guard let weights else {
                inside.update(repeating: weight, count: last - first)
                return (weight, weight)
            }
            inside.update(from: weights.row(line - top) + (first - left), count: last - first)
            if opacity < 1 { kernels.scaleWeights(inside, opacity: opacity, count: last - first) }
            return kernels.rangeOfWeights(inside, count: last - first)
        }
        frame.forEachStrip(of: part) { strip in
            let (first, last) = (max(strip.x, columns.lowerBound), min(strip.x + strip.width, columns.upperBound))
            let (offset, count) = (first - strip.x, last - first)
            let isWhole = count == strip.width && strip.rowsLie(in: rows)
            let isMasked = weights != nil || !isWhole
            var most: (UInt8, UInt8) = (weight, weight)
            var least = most
            if isMasked {
                (least.0, most.0) = fillWeights(strip, 0)
                (least.1, most.1) = strip.rowCount == 2 ? fillWeights(strip, 1) : (0, 0)
            }
            guard most.0 | most.1 > 0 else { return }
            strips.load(strip, of: frame)
            func blendRow(_ row: Int, least: UInt8) {
                blendColors(
                    strips.colors(row) + offset, plane: YUVStrip.plane,
                    with: foreground.row(strip.row(row) - top, from: first - left),
                    weights: weights == nil ? nil : strips.weights(row) + offset, isFull: least == 255, mode,
                    count: count)
            }
            if most.0 > 0 { blendRow(0, least: least.0) }
            if most.1 > 0, strip.rowCount == 2 { blendRow(1, least: least.1) }
            strips.store(strip, into: frame, masked: isMasked)
        }
    }
}
