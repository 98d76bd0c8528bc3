// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

// Operations on alpha, weights and single colours. The GStreamer elements call these functions once per foreground
// image, and not once per frame. So the functions need not be fast.

/// Multiplies the colours of each pixel by the pixel's alpha / 255, and rounds the products. If the format has no
/// alpha, does nothing.
package func premultiply(_ image: Image) {
    guard let alpha = image.format.alpha else { return }
    forEachPixel(of: image) { pixel in
        let weight = pixel[alpha]
        for channel in image.format.colors { pixel[channel] = product(pixel[channel], weight) }
    }
}

/// Divides the colours of each pixel by the pixel's alpha / 255. The results are rounded and limited to 255. If alpha
/// is 0, the colours become 0. If the format has no alpha, does nothing.
package func unpremultiply(_ image: Image) {
    guard let alpha = image.format.alpha else { return }
    forEachPixel(of: image) { pixel in
        let weight = UInt32(pixel[alpha])
        for channel in image.format.colors {
            let value = UInt32(pixel[channel]) * 255
            pixel[channel] = weight == 0 ? 0 : UInt8(min(255, (value + weight / 2) / weight))
        }
    }
}

/// Copies the alpha of `image` into `output`. If the format of `image` has no alpha, writes 255. If the sizes differ,
/// copies only the columns and rows that both images have. If `output` is not GRAY8, does nothing.
package func extractAlpha(
    from image: Image, into output: Image, kernels: any KernelSet = Processor.kernels
) {
    guard output.format.isGray else { return }
    let common = image.bounds.intersection(output.bounds)
    for y in 0..<common.height {
        if let alpha = image.format.alpha {
            kernels.extractByte(at: alpha, of: image.row(y), into: output.row(y), count: common.width)
        } else {
            output.row(y).update(repeating: 255, count: common.width)
        }
    }
}

/// Sets the alpha of `image` to the bytes of `weights`. If the sizes differ, sets only the columns and rows that both
/// images have. If the format of `image` has no alpha, or `weights` is not GRAY8, does nothing.
package func setAlpha(of image: Image, to weights: Image) {
    guard let alpha = image.format.alpha, weights.format.isGray else { return }
    let common = image.bounds.intersection(weights.bounds)
    for y in 0..<common.height {
        scatter(weights.row(y), to: image.row(y) + alpha, step: image.format.bytesPerPixel, count: common.width)
    }
}

/// Changes the first three bytes of each pixel to l² · (byte · factor + summand) + (1 − l²) · byte · `dark`, rounded
/// and limited to 0…255. l is the brightness of the pixel divided by `full`, at most 1. The brightness of the bytes a,
/// b and c is (a + 2 b + c) / 4. For dark pixels, `dark` has the largest effect. It is the same factor for all three
/// bytes, so black stays black and grey stays grey. If a pixel does not have four bytes, does nothing.
/// - Parameters:
///   - dark: the factor for dark pixels.
///   - full: the brightness from which `dark` has no effect.
package func scaleColors(
    of image: Image, by factors: SIMD3<Double>, adding sums: SIMD3<Double>, dark: Double, fullFrom full: Double,
    kernels: any KernelSet = Processor.kernels
) {
    guard image.format.bytesPerPixel == 4 else { return }
    let parameters = [factors.x, factors.y, factors.z, sums.x, sums.y, sums.z, dark, 1 / max(1, full)].map(Float.init)
    for y in 0..<image.height { kernels.scalePixels(image.row(y), parameters: parameters, count: image.width) }
}

/// Multiplies `weights` by `factors` / 255 in place, rounded. If the sizes differ, changes only the columns and rows
/// that both images have. If an image is not GRAY8, does nothing.
package func multiply(weights: Image, by factors: Image) {
    guard weights.format.isGray, factors.format.isGray else { return }
    let common = weights.bounds.intersection(factors.bounds)
    for y in 0..<common.height {
        let row = weights.row(y)
        let other = factors.row(y)
        for x in 0..<common.width { row[x] = product(row[x], other[x]) }
    }
}

/// Fills the image with one colour. A grey image is filled with the Rec.601 luma of the colour. Padding bytes become
/// 255.
package func fill(_ image: Image, color: Color) {
    guard !image.isEmpty else { return }
    let first = image.row(0)
    for (i, value) in image.format.bytes(of: color).enumerated() { first[i] = value }
    first.repeatBytes(image.format.bytesPerPixel, count: image.rowBytes)
    for y in 1..<max(1, image.height) { image.row(y).update(from: first, count: image.rowBytes) }
}

extension FrameImage {
    /// Fills the frame with one colour. This includes chroma samples that the frame shares with adjacent pixels. Alpha
    /// and padding become 255.
    package func fill(_ color: Color) {
        guard !isEmpty else { return }
        let color = color.rounded
        for (layout, plane) in zip(format.planes, planes) {
            let (x, y) = (window.x / layout.columns, window.y / layout.rows)
            let count = layout.unitBytes * (layout.units(width: window.x + width) - x)
            let first = (plane.base + (y * plane.stride + x * layout.unitBytes)).assumingMemoryBound(to: UInt8.self)
            let unit = format.unit(of: layout, color, colorimetry)
            for i in layout.samples.indices.prefix(4) {
                guard let shift = format.shift else {
                    first[i] = unit[i]
                    continue
                }
                let word = UInt16(unit[i]) << UInt16(truncatingIfNeeded: shift)
                (first[2 * i], first[2 * i + 1]) = (UInt8(truncatingIfNeeded: word), UInt8(word >> 8))
            }
            first.repeatBytes(layout.unitBytes, count: count)
            for row in 1..<max(1, layout.unitRows(height: window.y + height) - y) {
                (first + row * plane.stride).update(from: first, count: count)
            }
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Fills `count` bytes: repeats the pattern in the first `unit` bytes.
    package func repeatBytes(_ unit: Int, count: Int) {
        var filled = unit
        while filled < count {
            let more = min(filled, count - filled)
            (self + filled).update(from: self, count: more)
            filled += more
        }
    }
}

/// Multiplies each colour channel by the same channel of `color` / 255, rounded. The blend mode `hud` colours its
/// foreground image (the stencil) with this function. Alpha, padding and grey images do not change.
/// - Parameter color: the colour. Its opacity is ignored.
package func tint(stencil: Image, color: Color) {
    let format = stencil.format
    guard !format.isGray else { return }
    let (red, green, blue) = (byte(color.red), byte(color.green), byte(color.blue))
    forEachPixel(of: stencil) { pixel in
        pixel[format.red] = product(pixel[format.red], red)
        pixel[format.green] = product(pixel[format.green], green)
        pixel[format.blue] = product(pixel[format.blue], blue)
    }
}

private func forEachPixel(of image: Image, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    for y in 0..<image.height {
        let row = image.row(y)
        for x in 0..<image.width { body(row + x &* image.format.bytesPerPixel) }
    }
}

/// Returns a · b / 255, rounded.
private func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    let t = UInt16(a) &* UInt16(b) &+ 128
    return UInt8(truncatingIfNeeded: (t &+ (t >> 8)) >> 8)
}

extension PixelFormat {
    fileprivate var colors: [Int] { [red, green, blue] }

    /// Returns the bytes of a pixel with this colour in this format. In grey formats, the byte is the luma of the
    /// colour. Padding is 255.
    package func bytes(of color: Color) -> [UInt8] {
        guard !isGray else { return [byte(color.rounded.luma)] }
        var bytes = [UInt8](repeating: 255, count: bytesPerPixel)
        (bytes[red], bytes[green], bytes[blue]) = (byte(color.red), byte(color.green), byte(color.blue))
        if let alpha { bytes[alpha] = color.alpha }
        return bytes
    }
}

extension Image {
    /// Returns true if alpha is 255 in all pixels, or if the format has no alpha.
    package func isOpaque(kernels: any KernelSet = Processor.kernels) -> Bool {
        guard let alpha = format.alpha else { return true }
        let opaque = UInt32(255) << UInt32(8 * alpha)
        for y in 0..<height where kernels.commonBits(of: row(y), count: width) & opaque != opaque { return false }
        return true
    }

    /// Sets alpha to 255 in all pixels. If the format has no alpha, does nothing.
    package func makeOpaque() {
        guard let alpha = format.alpha else { return }
        forEachPixel(of: self) { $0[alpha] = 255 }
    }

    /// Copies the pixels of `other`. If the sizes differ, copies only the columns and rows that both images have. If
    /// the formats differ in the number of bytes per pixel, does nothing.
    package func copy(from other: Image) {
        guard format.bytesPerPixel == other.format.bytesPerPixel else { return }
        for y in 0..<min(height, other.height) {
            row(y).update(from: other.row(y), count: min(rowBytes, other.rowBytes))
        }
    }
}
