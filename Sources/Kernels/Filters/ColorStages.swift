// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that change colours. Each pixel is computed only from the pixel at the same position.

package import KernelTypes

/// A tile of a row: the red, green and blue channels of `count` pixels as floats.
struct Tile {
    let base: UnsafeMutablePointer<Float>
    let plane: Int
    let count: Int

    @inline(__always)
    subscript(i: Int) -> RGB { RGB(red: base[i], green: base[i &+ plane], blue: base[i &+ 2 &* plane]) }

    /// Sets the colour of each pixel to the result of `color`.
    @inline(__always)
    func fill(_ color: (_ index: Int) -> RGB) {
        var i = 0
        while i < count {
            let color = color(i)
            base[i] = color.red
            base[i &+ plane] = color.green
            base[i &+ 2 &* plane] = color.blue
            i &+= 1
        }
    }

    /// Limits all channels to 0…255. This is a separate loop. In a loop with other comparisons, the compiler would
    /// merge the comparisons into slow branches.
    @inline(__always)
    func limit() {
        limitPlane(base)
        limitPlane(base + plane)
        limitPlane(base + 2 &* plane)
    }

    @inline(__always)
    private func limitPlane(_ values: UnsafeMutablePointer<Float>) {
        var i = 0
        while i < count {
            values[i] = limited(values[i])
            i &+= 1
        }
    }
}

extension RGB {
    /// Creates a grey colour with the same value in all channels.
    @inline(__always)
    init(gray: Float) { self.init(red: gray, green: gray, blue: gray) }

    @inline(__always)
    func map(_ change: (Float) -> Float) -> RGB { RGB(red: change(red), green: change(green), blue: change(blue)) }
}

extension RowKernels {
    /// Changes the colours of a tile by one stage of a filter.
    /// - Parameters:
    ///   - tile: the planes of red, green and blue, `plane` floats apart.
    ///   - mask: one float per pixel, usually 0…1. Must not overlap the tile.
    ///   - p: the parameters of the stage.
    @inline(never)
    package func runStage(
        _ kind: ColorStageKind, tile: UnsafeMutablePointer<Float>, plane: Int, mask: UnsafePointer<Float>,
        parameters p: UnsafePointer<Float>, count: Int
    ) {
        let tile = Tile(base: tile, plane: plane, count: count)
        switch kind {
        case .matrix:
            // The parameters are three rows, for red, green and blue. Each row has the factors of red, green and blue,
            // and a constant term.
            let (r0, r1, r2, r3) = (p[0], p[1], p[2], p[3])
            let (g0, g1, g2, g3) = (p[4], p[5], p[6], p[7])
            let (b0, b1, b2, b3) = (p[8], p[9], p[10], p[11])
            tile.fill { i in
                let c = tile[i]
                return RGB(
                    red: plus(plus(plus(r3, r0, c.red), r1, c.green), r2, c.blue),
                    green: plus(plus(plus(g3, g0, c.red), g1, c.green), g2, c.blue),
                    blue: plus(plus(plus(b3, b0, c.red), b1, c.green), b2, c.blue))
            }
        case .vibrance:
            // L + (c − L) · (1 + amount · (1 − saturation)), where c is a channel, L is luma, and the saturation is the
            // largest channel minus the smallest channel.
            let amount = p[0]
            tile.limit()
            tile.fill { i in
                let c = tile[i]
                let l = luma(c)
                let scale = 1 + amount * (1 - c.saturation * (1 / 255))
                return c.map { l + ($0 - l) * scale }
            }
        case .posterize:
            // min(1, ⌊v · levels⌋ / (levels − 1)), where v is a channel. Add 1/4096 before rounding down, because a
            // rounding error may make v · levels slightly too small.
            let (count, step) = (p[0] * (1 / 255), 255 / (p[0] - 1))
            tile.limit()
            tile.fill { i in
                tile[i].map { value in
                    let level = (value * count + (1 / 4096 - 0.5) + roundingBias) - roundingBias
                    return lesser(level * step, 255)
                }
            }
        case .solarize:
            // 1 − v if v is above the threshold, else v, where v is a channel.
            let threshold = p[0]
            tile.limit()
            tile.fill { i in tile[i].map { $0 > threshold ? 255 - $0 : $0 } }
        case .threshold:
            // 1 if the luma of the pixel is at least the threshold, else 0. If the threshold is 0 or less, every pixel
            // becomes 1, even if its luma is negative.
            let threshold = p[0] > 0 ? p[0] : -.greatestFiniteMagnitude
            tile.fill { i in RGB(gray: luma(tile[i]) >= threshold ? 255 : 0) }
        case .overlay:
            // v · (1 − fading · mask) + added · mask, where v is a channel and `added` is a colour. This draws the
            // colour over the image where the mask is above 0.
            let (fading, red, green, blue) = (p[0], p[1], p[2], p[3])
            tile.fill { i in
                let (c, share) = (tile[i], mask[i])
                let kept = 1 - fading * share
                return RGB(
                    red: c.red * kept + red * share, green: c.green * kept + green * share,
                    blue: c.blue * kept + blue * share)
            }
        case .screen:
            // (luma − mask) · sharpness + ½. The mask contains the pattern of a halftone print. The result is dark
            // where the image is darker than the mask.
            let sharpness = p[0]
            tile.limit()
            tile.fill { i in RGB(gray: (luma(tile[i]) - 255 * mask[i]) * sharpness + 127.5) }
        case .limit: tile.limit()
        }
    }

    /// Combines the tile v of an image with the tile o of another image, and writes the result to v. Usually o is a
    /// filtered copy of v.
    /// - Parameters:
    ///   - tile: the planes of red, green and blue of v, then of o, `plane` floats apart.
    ///   - p: the parameters of the combination.
    @inline(never)
    package func combineTiles(
        _ kind: CombinationKind, tile: UnsafeMutablePointer<Float>, plane: Int, parameters p: UnsafePointer<Float>,
        count: Int
    ) {
        let other = Tile(base: tile + 3 &* plane, plane: plane, count: count)
        let tile = Tile(base: tile, plane: plane, count: count)
        /// Calls `change` with a channel of v and the same channel of o, and writes the result to v.
        @inline(__always) func combine(_ change: (_ value: Float, _ other: Float) -> Float) {
            tile.fill { i in
                let (c, o) = (tile[i], other[i])
                return RGB(red: change(c.red, o.red), green: change(c.green, o.green), blue: change(c.blue, o.blue))
            }
        }
        switch kind {
        case .unsharp:
            // v + amount · (v − o) if |v − o| is above the threshold, else v. v is a channel of the image, and o is the
            // same channel of the blurred image.
            let (amount, threshold) = (p[0], p[1])
            combine { value, other in
                let detail = value - other
                let size = detail < 0 ? -detail : detail
                return value + (size > threshold ? amount : 0) * detail
            }
        case .sharpLuma:
            // v + amount · (luma(image) − luma(blurred image)), where v is a channel of the image.
            let amount = p[0]
            tile.fill { i in
                let c = tile[i]
                let detail = amount * (luma(c) - luma(other[i]))
                return c.map { $0 + detail }
            }
        case .screen:
            // 1 − (1 − v) (1 − intensity · o), where v is a channel of the image and o is the same channel of the
            // filtered image.
            let intensity = p[0] * (1 / 255)
            combine { value, other in value + (255 - value) * other * intensity }
        case .darken:
            // v + intensity · (min(v, o) − v), where v is a channel of the image and o is the same channel of the
            // filtered image.
            let intensity = p[0]
            combine { value, other in value + lesser(other - value, 0) * intensity }
        case .sketch:
            // 1 − strength · (1 − luma(v) / luma(o)), limited to 0…1, where v is the image and o is the blurred image.
            // This draws pencil strokes where a pixel is darker than its surroundings.
            let strength = p[0]
            tile.fill { i in
                let ratio = lesser(luma(tile[i]) / greater(luma(other[i]), 1), 1)
                return RGB(gray: 255 * lesser(greater(0, 1 - (1 - ratio) * strength), 1))
            }
        }
    }
}
