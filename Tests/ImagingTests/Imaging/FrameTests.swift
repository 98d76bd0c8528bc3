// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing

@Suite("Frames")
struct FrameTests {
    @Test("formats by GStreamer's names")
    func formats() {
        #expect(
            FrameFormat.all.map(\.name) == [
                "BGRA", "RGBA", "BGRx", "RGBx", "ARGB", "ABGR", "xRGB", "xBGR", "BGR", "RGB", "GRAY8",
                "I420", "NV12", "YV12", "NV21", "YUY2", "UYVY", "Y42B", "Y444",
            ])
        for format in FrameFormat.all { #expect(FrameFormat(name: format.name) == format) }
        #expect(FrameFormat(name: "Y41B") == nil)
        #expect(FrameFormat.deep.map(\.name) == ["I420_10LE", "P010_10LE"])
        #expect(FrameFormat.all.filter(\.isYUV).count == 8)
        #expect(FrameFormat.all.compactMap(\.packed) == PixelFormat.all)
    }

    @Test("planes are as large as GStreamer's", arguments: FrameFormat.all)
    func planes(format: FrameFormat) {
        for (width, height) in [(1, 1), (2, 2), (7, 5), (8, 6), (1919, 1081)] {
            let sizes = Video.sizes(format, width, height)
            #expect(sizes.count == format.planes.count)
            for (layout, size) in zip(format.planes, sizes) {
                #expect(layout.units(width: width) * layout.unitBytes == size.rowBytes)
                #expect(layout.unitRows(height: height) == size.rows)
            }
        }
    }

    @Test("channels show the samples of every pixel, cropped anywhere", arguments: FrameFormat.all)
    func channels(format: FrameFormat) {
        let names: [(FrameFormat.Sample, Character)] = [
            (.red, "R"), (.green, "G"), (.blue, "B"), (.alpha, "A"), (.luma, "Y"), (.chromaBlue, "U"),
            (.chromaRed, "V"),
        ]
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 3)] {
            for (width, height) in [(5, 3), (4, 4), (1, 1)] {
                let crop = Rectangle(x: x, y: y, width: width, height: height)
                let video = Video(format, width: 7, height: 7, padding: 3, crop: crop)
                video.fillAtRandom()
                for (sample, letter) in names {
                    guard let channel = video.frame.channel(sample) else {
                        #expect(!video.letters.contains(letter))
                        continue
                    }
                    let (columns, rows) = video.sharing(letter)
                    #expect([channel.columns, channel.rows] == [columns, rows])
                    #expect(channel.width == (x + width - 1) / columns - x / columns + 1)
                    #expect(channel.height == (y + height - 1) / rows - y / rows + 1)
                    for row in 0..<height {
                        for column in 0..<width {
                            let (i, j) = ((x + column) / columns - x / columns, (y + row) / rows - y / rows)
                            #expect(channel.row(j)[i * channel.step] == video[letter, column, row])
                        }
                    }
                }
            }
        }
    }

    @Test("luma, stored and worked out", arguments: FrameFormat.all)
    func luma(format: FrameFormat) {
        let video = Video(format, width: 9, height: 6, padding: 2, crop: Rectangle(x: 1, y: 1, width: 7, height: 5))
        video.fillAtRandom()
        let copy = Picture(.gray8, width: 7, height: 5, padding: 1)
        video.frame.copyLuma(into: copy.image)
        for y in 0..<5 {
            for x in 0..<7 {
                if let stored = video["Y", x, y] {
                    #expect(copy[x, y] == [stored])
                } else if let r = video["R", x, y], let g = video["G", x, y], let b = video["B", x, y] {
                    let luma = 0.299 * Double(r) + 0.587 * Double(g) + 0.114 * Double(b)
                    #expect(abs(Double(copy[x, y][0]) - luma) < 0.51)
                }
            }
        }
        #expect(copy.isIntactAround)
        let isPlane = !["YUY2", "UYVY"].contains(format.name) && (format.isYUV || format.isGray)
        #expect((video.frame.luma != nil) == isPlane)
        #expect(video.frame.luma?.row(2)[3] == (isPlane ? video["Y", 3, 2] : nil))
        let color = Picture(.rgb, width: 7, height: 5)
        video.frame.copyLuma(into: color.image)
        #expect(color[0, 0] == [Picture.filler, Picture.filler, Picture.filler])
    }

    @Test("a packed picture is a frame, and the other way", arguments: PixelFormat.all)
    func packed(format: PixelFormat) {
        let picture = Picture(format, width: 6, height: 5, padding: 1)
        let frame = FrameImage(picture.image).cropped(to: Rectangle(x: 1, y: 2, width: 9, height: 2))
        let back = frame.packed
        #expect(back?.base == picture.image.cropped(to: Rectangle(x: 1, y: 2, width: 9, height: 2)).base)
        #expect(back.map { [$0.width, $0.height, $0.stride] } == [5, 2, picture.image.stride])
        #expect(Video(.i420, width: 4, height: 4).frame.packed == nil)
    }

    @Test("sizes that make no sense give an empty frame", arguments: FrameFormat.all)
    func senseless(format: FrameFormat) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 1)
        defer { memory.deallocate() }
        for (width, height, stride, planes) in [
            (-1, 2, 100, 3), (2, -1, 100, 3), (0, 2, 100, 3), (2, 0, 100, 3), (200, 2, 100, 3), (2, 2, -100, 3),
            (2, 2, 100, 0), (.max, 2, .max, 3), (2, .max, 100, 3), (.max, .max, .max, 3), (.min, .min, .min, 3),
        ] {
            let all = [FrameImage.Plane](repeating: .init(base: memory, stride: stride), count: planes)
            let frame = FrameImage(format, width: width, height: height, planes: all)
            #expect(frame.isEmpty && frame.width == 0 && frame.packed?.isEmpty ?? true)
            #expect(frame.channel(.luma)?.isEmpty ?? true)
        }
    }

    /// Published values of colour bars in 8 bits: limited range from ITU-R BT.601-7 and BT.709-6, full range from JFIF.
    @Test(
        "colours in YUV",
        arguments: [
            (0xFF_FF_FF_FF, Colorimetry(.bt601), [235, 128, 128]),
            (0xFF_00_00_00, Colorimetry(.bt601), [16, 128, 128]),
            (0xFF_FF_00_00, Colorimetry(.bt601), [81, 90, 240]), (0xFF_00_FF_00, Colorimetry(.bt601), [145, 54, 34]),
            (0xFF_00_00_FF, Colorimetry(.bt601), [41, 240, 110]), (0xFF_FF_00_00, Colorimetry(.bt709), [63, 102, 240]),
            (0xFF_00_FF_00, Colorimetry(.bt709), [173, 42, 26]), (0xFF_00_00_FF, Colorimetry(.bt709), [32, 240, 118]),
            (0xFF_FF_00_00, Colorimetry(.bt601, isFullRange: true), [76, 85, 255]),
            (0xFF_00_FF_00, Colorimetry(.bt601, isFullRange: true), [150, 44, 21]),
            (0xFF_FF_FF_FF, Colorimetry(.bt709, isFullRange: true), [255, 128, 128]),
        ] as [(UInt32, Colorimetry, [UInt8])])
    func colors(color: UInt32, colorimetry: Colorimetry, expected: [UInt8]) {
        for format in FrameFormat.all where format.isYUV {
            let video = Video(format, width: 3, height: 3, padding: 1, colorimetry: colorimetry)
            video.frame.fill(video.frame.bounds, color: Color(argb: color))
            for y in 0..<3 { for x in 0..<3 { #expect(["Y", "U", "V"].map { video[$0, x, y] } == expected) } }
        }
    }

    @Test("grey frames are full range by themselves, as fill(_:color:) has it")
    func gray() {
        let video = Video(.init(.gray8), width: 3, height: 2)
        video.frame.fill(video.frame.bounds, color: 0xFF_FF_80_10)
        #expect(video["Y", 2, 1] == 153)
    }
}
