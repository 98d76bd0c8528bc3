// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing

@Suite("Colours")
struct ColorTests {
    @Test("0xAARRGGBB there and back, all alphas", arguments: 0...255 as ClosedRange<UInt32>)
    func numbers(alpha: UInt32) {
        let number = alpha << 24 | (255 - alpha) << 16 | 0x1080 ^ alpha
        let color = Color(argb: number)
        #expect(color.argb == number && color.rounded == color && color.alpha == alpha)
        #expect(color.opacity == Double(alpha) / 255)
    }

    @Test("Levels may go anywhere while they are computed with, what is drawn may not")
    func levels() {
        let bright = 1.5 * Color(200, 100.2, 0.9, opacity: 0.5)
        #expect(bright == Color(300, 1.5 * 100.2, 1.5 * 0.9, opacity: 0.5))
        #expect(bright.rounded == 0x80FF_9601)
        #expect((-1 * bright).rounded == 0x8000_0000 && Color(.nan, .infinity, 0, opacity: .nan).argb == 0x0000_FF00)
        #expect(Color.gray(7).with(opacity: 0) == 0x0007_0707)
        #expect(Color.white == 0xFFFF_FFFF && Color.black == 0xFF00_0000)
    }

    @Test("Luma by hand")
    func luma() {
        #expect(Color(1000, 0, 0).luma == 299 && Color(0, 1000, 0).luma == 587 && Color(0, 0, 1000).luma == 114)
        #expect(Color.white.luma == 255 && Color.gray(127.5).luma == 127.5)
    }

    @Test("Filling reaches every byte of every row, and no other", arguments: PixelFormat.all)
    func fills(format: PixelFormat) {
        for (width, height) in [(1, 1), (2, 3), (33, 5)] {
            let picture = Picture(format, width: width, height: height, padding: 3)
            fill(picture.image, color: 0x40_FF_80_10)
            var pixel = [UInt8](repeating: format.isGray ? 153 : 255, count: format.bytesPerPixel)
            if !format.isGray {
                (pixel[format.red], pixel[format.green], pixel[format.blue]) = (255, 128, 16)
                if let alpha = format.alpha { pixel[alpha] = 64 }
            }
            let isFilled = (0..<height).allSatisfy { y in (0..<width).allSatisfy { picture[$0, y] == pixel } }
            #expect(isFilled && picture.isIntactAround)
        }
        fill(Picture(format, width: 0, height: 0).image, color: .white)
    }
}
