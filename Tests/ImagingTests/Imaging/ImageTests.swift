// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing
import KernelTypes

@Suite("Images and rectangles")
struct ImageTests {
    @Test(
        "intersections",
        arguments: [
            (Rectangle(x: 0, y: 0, width: 10, height: 10), Rectangle(x: 5, y: 6, width: 10, height: 2), [5, 6, 5, 2]),
            (Rectangle(width: 10, height: 10), Rectangle(x: -5, y: -5, width: 8, height: 6), [0, 0, 3, 1]),
            (Rectangle(width: 10, height: 10), Rectangle(x: 10, y: 0, width: 1, height: 1), [10, 0, 0, 0]),
            (Rectangle(width: 10, height: 10), Rectangle(x: 2, y: 2, width: -3, height: 5), [2, 2, 0, 0]),
            (
                Rectangle(width: 10, height: 10), Rectangle(x: 3, y: 4, width: .max, height: .max), [3, 4, 7, 6]
            ),
            (
                Rectangle(x: .min, y: .min, width: .max, height: .max), Rectangle(width: 10, height: 10), [0, 0, 0, 0]
            ),
            (
                Rectangle(x: .max, y: .max, width: .max, height: .max),
                Rectangle(x: .max - 2, y: .max - 1, width: 5, height: 5), [.max, .max, 0, 0]
            ),
            (
                Rectangle(x: .min, y: 0, width: .max, height: 1), Rectangle(x: .min, y: 0, width: .max, height: 1),
                [.min, 0, .max, 1]
            ),
        ] as [(Rectangle, Rectangle, [Int])])
    func intersections(a: Rectangle, b: Rectangle, expected: [Int]) {
        for both in [a.intersection(b), b.intersection(a)] {
            #expect([both.x, both.y, both.width, both.height] == expected)
        }
    }

    @Test("a crop shows the same pixels")
    func crop() {
        let picture = Picture(.rgb, width: 7, height: 5, padding: 2)
        picture.fill { x, y in UInt8(10 * x + y) }
        let part = picture.image.cropped(to: Rectangle(x: 2, y: 1, width: 100, height: 2))
        #expect([part.width, part.height, part.stride] == [5, 2, 23])
        #expect(part.row(1)[4] == picture.image.row(2)[10])
    }

    @Test(
        "crops outside of the image are empty",
        arguments: [
            Rectangle(x: 7, y: 0, width: 1, height: 1), Rectangle(x: .max, y: .max, width: .max, height: .max),
            Rectangle(x: .min, y: .min, width: .max, height: .max), Rectangle(x: 1, y: 1, width: 0, height: 3),
        ])
    func emptyCrop(rectangle: Rectangle) {
        let picture = Picture(.rgb, width: 7, height: 5)
        #expect(picture.image.cropped(to: rectangle).isEmpty)
    }

    @Test(
        "sizes that make no sense give an empty image",
        arguments: [
            (-1, 5, 100), (5, -1, 100), (0, 5, 100), (5, 0, 100), (5, 5, 14), (5, 5, -15), (.max, 1, .max),
            (5, .max, 15), (.max, .max, .max), (.min, .min, .min),
        ])
    func senseless(width: Int, height: Int, stride: Int) {
        let picture = Picture(.rgb, width: 5, height: 5)
        let image = Image(base: picture.image.base, width: width, height: height, stride: stride, format: .rgb)
        #expect(image.isEmpty && image.width == 0 && image.rowBytes == 0)
    }

    @Test("formats by GStreamer's names and bytes")
    func formats() {
        #expect(
            PixelFormat.all.map(\.name) == [
                "BGRA", "RGBA", "BGRx", "RGBx", "ARGB", "ABGR", "xRGB", "xBGR", "BGR", "RGB", "GRAY8",
            ])
        let bgra = PixelFormat.bgra
        #expect([bgra.blue, bgra.green, bgra.red, bgra.alpha, bgra.padding] == [0, 1, 2, 3, nil])
        let xrgb = PixelFormat.xrgb
        #expect([xrgb.padding, xrgb.red, xrgb.green, xrgb.blue, xrgb.alpha] == [0, 1, 2, 3, nil])
        #expect(PixelFormat.all.map(\.bytesPerPixel) == [4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 1])
        for format in PixelFormat.all { #expect(PixelFormat(name: format.name) == format) }
        #expect(PixelFormat(name: "I420") == nil)
        #expect(PixelFormat.bgra.hasColors(as: .bgrx) && !PixelFormat.bgra.hasColors(as: .rgba))
        #expect(!PixelFormat.bgr.hasColors(as: .bgrx))
    }

    @Test("blend modes: order, nicks, blurbs")
    func blendModes() {
        // Programs use these names and numbers. So new modes must come after them.
        #expect(
            BlendMode.allCases.map(\.nick).joined(separator: " ").hasPrefix(
                """
                none average multiply screen hud normal darken lighten color-dodge color-burn hard-light soft-light \
                overlay difference exclusion hue saturation color luminosity add subtract divide grain-extract \
                grain-merge value linear-burn linear-light vivid-light pin-light hard-mix darker-color lighter-color \
                negation reflect glow
                """))
        #expect(BlendMode.allCases.map(\.rawValue) == BlendMode.allCases.indices.map(Int32.init))
        for mode in BlendMode.allCases {
            #expect(BlendMode(nick: mode.nick) == mode)
            #expect(!mode.blurb.isEmpty && !mode.blurb.contains("\n"))
        }
        #expect(BlendMode(nick: "dissolve") == nil)
    }
}
