// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing

private let withAlpha = PixelFormat.all.filter { $0.alpha != nil }

@Suite("Alpha and weights")
struct AlphaTests {
    @Test("premultiply and unpremultiply, every pair", arguments: withAlpha)
    func premultiplied(format: PixelFormat) {
        guard let alpha = format.alpha else { return }
        let picture = Picture(format, width: 256, height: 256, padding: 3)
        let reset = {
            for y in 0..<256 {
                for x in 0..<256 {
                    var pixel = [UInt8](repeating: UInt8(x), count: 4)
                    pixel[alpha] = UInt8(y)
                    picture[x, y] = pixel
                }
            }
        }
        reset()
        premultiply(picture.image)
        #expect(wrong(picture, alpha) { c, a in c * a / 255 } == nil)
        reset()
        unpremultiply(picture.image)
        #expect(wrong(picture, alpha) { c, a in a == 0 ? 0 : min(255, c * 255 / a) } == nil)
        #expect(picture.isIntactAround)
    }

    @Test("formats without alpha stay as they are", arguments: PixelFormat.all.filter { $0.alpha == nil })
    func withoutAlpha(format: PixelFormat) {
        let picture = Picture(format, width: 5, height: 2)
        picture.fill { x, y in UInt8(x + 40 * y) }
        let before = picture.bytes
        premultiply(picture.image)
        unpremultiply(picture.image)
        #expect(picture.bytes == before)
        let alpha = Picture(.gray8, width: 5, height: 2)
        extractAlpha(from: picture.image, into: alpha.image)
        #expect(alpha[4, 1] == [255])
    }

    @Test("alpha is extracted", arguments: withAlpha)
    func extracted(format: PixelFormat) {
        let picture = Picture(format, width: 5, height: 3, padding: 1)
        picture.fill { x, y in UInt8(x + 40 * y) }
        let alpha = Picture(.gray8, width: 9, height: 2, padding: 4)
        extractAlpha(from: picture.image, into: alpha.image)
        #expect(alpha[4, 1] == [UInt8(16 + 40 + (format.alpha ?? 0))])
        #expect(alpha[5, 1] == [Picture.filler])
        #expect(alpha.isIntactAround)
        extractAlpha(from: alpha.image, into: picture.image)
        #expect(picture[0, 0] == [0, 1, 2, 3])
    }

    @Test("weights multiply, every pair")
    func multiplied() {
        let weights = Picture(.gray8, width: 256, height: 256, padding: 2)
        let factors = Picture(.gray8, width: 256, height: 256)
        weights.fill { x, _ in UInt8(x) }
        factors.fill { _, y in UInt8(y) }
        multiply(weights: weights.image, by: factors.image)
        let wrong = (0..<65536).first { index in
            let (x, y) = (index % 256, index / 256)
            return abs(Double(weights[x, y][0]) - Double(x * y) / 255) > 0.5
        }
        #expect(wrong == nil)
        #expect(weights.isIntactAround)
        let color = Picture(.rgb, width: 2, height: 2)
        multiply(weights: color.image, by: factors.image)
        #expect(color[0, 0] == [Picture.filler, Picture.filler, Picture.filler])
    }

    @Test("fill", arguments: PixelFormat.all)
    func filled(format: PixelFormat) {
        let picture = Picture(format, width: 3, height: 2, padding: 3)
        fill(picture.image, color: 0x40_FF_80_10)
        let pixel = picture[2, 1]
        if format.isGray {
            // .299 · 255 + .587 · 128 + .114 · 16 = 153.2
            #expect(pixel == [153])
        } else {
            #expect([pixel[format.red], pixel[format.green], pixel[format.blue]] == [255, 128, 16])
        }
        if let alpha = format.alpha { #expect(pixel[alpha] == 0x40) }
        if let padding = format.padding { #expect(pixel[padding] == 255) }
        #expect(picture.isIntactAround)
    }

    @Test("tint", arguments: PixelFormat.all)
    func tinted(format: PixelFormat) {
        let picture = Picture(format, width: 3, height: 2, padding: 3)
        picture.fill { _, _ in 200 }
        tint(stencil: picture.image, color: 0xFF_80_FF_00)
        let pixel = picture[2, 1]
        if format.isGray {
            #expect(pixel == [200])
        } else {
            // 200 · 128 / 255 = 100.4
            #expect([pixel[format.red], pixel[format.green], pixel[format.blue]] == [100, 200, 0])
        }
        for kept in [format.alpha, format.padding] {
            if let kept { #expect(pixel[kept] == 200) }
        }
        #expect(picture.isIntactAround)
    }

    /// Returns the first pixel whose colours are not the rounded values of `formula` or whose alpha has changed.
    private func wrong(_ picture: Picture, _ alpha: Int, _ formula: (Double, Double) -> Double) -> String? {
        for y in 0..<256 {
            for x in 0..<256 {
                let pixel = picture[x, y]
                let right = formula(Double(x), Double(y))
                for (offset, byte) in pixel.enumerated() {
                    let isWrong = offset == alpha ? byte != UInt8(y) : abs(Double(byte) - right) > 0.5 + 1e-9
                    if isWrong { return "\(x) \(y): \(pixel), not \(right)" }
                }
            }
        }
        return nil
    }
}
