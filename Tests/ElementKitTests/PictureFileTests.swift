// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Glibc
import Imaging
import TestSupport
import Testing

/// Returns the pixels of an image.
func frame(_ picture: Picture) throws -> TestFrame {
    try required(picture.withImage { TestFrame($0) }, "the picture cannot be mapped")
}

@Suite("Picture files")
struct PictureFileTests {
    private let folder: TemporaryFolder

    init() throws {
        #expect(GStreamer.isReady)
        folder = try TemporaryFolder()
    }

    /// Returns the error with which the loader rejects a file.
    private func refusal(_ path: String) throws -> ElementError {
        try #require(throws: ElementError.self) { try Picture.load(path) }
    }

    @Test("A PNG file comes out as it was", arguments: [(1, 1), (7, 5), (64, 33)])
    func png(_ width: Int, _ height: Int) throws {
        let drawn = TestFrame(.bgra, width, height, seed: 30).map { x, _, pixel in
            Array(pixel.prefix(3)) + [x == 0 ? 128 : 255]
        }
        let picture = try Picture.load(folder.write(drawn, "a.png"))
        #expect(try frame(picture) == drawn)
        #expect(picture.hasAlpha)
        #expect(picture.size == PixelSize(width: width, height: height))
    }

    @Test("Alpha that is opaque everywhere is none")
    func opaque() throws {
        let opaque = TestFrame(.bgra, 9, 4, seed: 31).map { _, _, pixel in Array(pixel.prefix(3)) + [255] }
        #expect(try !Picture.load(folder.write(opaque, "a.png")).hasAlpha)
        let almost = opaque.map { x, y, pixel in x == 8 && y == 3 ? Array(pixel.prefix(3)) + [254] : pixel }
        #expect(try Picture.load(folder.write(almost, "b.png")).hasAlpha)
        let noAlpha = TestFrame(.rgb, 9, 4, seed: 32)
        let picture = try Picture.load(folder.write(noAlpha, "c.png"))
        #expect(!picture.hasAlpha)
        for (x, y) in [(0, 0), (8, 3), (4, 2)] {
            #expect(try frame(picture).color(x, y) == noAlpha.color(x, y))
        }
    }

    @Test("A grey PNG file is read")
    func grayPNG() throws {
        let gray = TestFrame(.gray8, 6, 3) { x, y in [UInt8(x * 40 + y)] }
        let picture = try Picture.load(folder.write(gray, "g.png"))
        let expected = TestFrame(.bgra, 6, 3) { x, y in Color(gray: UInt8(x * 40 + y)).pixel(.bgra) }
        #expect(try #require(frame(picture).distance(to: expected)) <= 1)
    }

    @Test("A PNG file of 16 bits a channel has its colours, with alpha and without, grey too", arguments: 1...4)
    func deepPNG(_ channels: Int) throws {
        let colors: [[UInt8]] = [[32, 64, 160, 255], [250, 3, 90, 128], [0, 255, 17, 1], [129, 128, 127, 200]]
        func color(_ x: Int, _ y: Int) -> [UInt8] { colors[(x + 2 * y) % 4] }
        let bytes = TestSupport.deepPNG(5, 3) { x, y in
            let all = color(x, y)
            return ([[all[0]], [all[0], all[3]], Array(all.prefix(3)), all][channels - 1]).map { 257 * UInt16($0) }
        }
        let expected = TestFrame(.bgra, 5, 3) { x, y in
            let all = color(x, y)
            let alpha = channels.isMultiple(of: 2) ? all[3] : 255
            return channels < 3 ? [all[0], all[0], all[0], alpha] : [all[2], all[1], all[0], alpha]
        }
        let path = try folder.write(bytes, "deep.png")
        let picture = try Picture.load(path)
        #expect(try frame(picture) == expected)
        #expect(picture.hasAlpha == channels.isMultiple(of: 2))
        let cut = try folder.write(Array(bytes.dropLast(60)), "cut.png")
        #expect(try refusal(cut).message.contains(cut))
    }

    /// An image with four quarters of one colour each. The upper quarters are red and green, the lower quarters are
    /// blue and white.
    private static let quarters = TestFrame(.rgb, 32, 16) { x, y in
        switch (x < 16, y < 8) {
        case (true, true): [255, 0, 0]
        case (false, true): [0, 255, 0]
        case (true, false): [0, 0, 255]
        case (false, false): [255, 255, 255]
        }
    }

    /// Returns the first letter of each quarter's colour, from left to right and from top to bottom.
    private func letters(_ picture: TestFrame) -> String {
        let places = [(1, 1), (3, 1), (1, 3), (3, 3)]
        return places.map { x, y in
            let color = picture.color(picture.width * x / 4, picture.height * y / 4)
            return switch (color.red > 127, color.green > 127, color.blue > 127) {
            case (true, false, false): "R"
            case (false, true, false): "G"
            case (false, false, true): "B"
            case (true, true, true): "W"
            default: "?"
            }
        }.joined()
    }

    @Test("A JPEG file is read")
    func jpeg() throws {
        let picture = try Picture.load(folder.write(Self.quarters, "a.jpg", encoder: "jpegenc quality=95"))
        #expect(picture.size == PixelSize(width: 32, height: 16))
        #expect(!picture.hasAlpha)
        #expect(try letters(frame(picture)) == "RGBW")
    }

    @Test(
        "A JPEG file is turned upright by its orientation tag",
        arguments: [
            (1, "RGBW"), (2, "GRWB"), (3, "WBGR"), (4, "BWRG"), (5, "RBGW"), (6, "BRWG"), (7, "WGBR"), (8, "GWRB"),
        ] as [(UInt8, String)])
    func orientation(_ tag: UInt8, _ expected: String) throws {
        let jpeg = try contents(of: folder.write(Self.quarters, "a.jpg", encoder: "jpegenc quality=95"))
        let picture = try Picture.load(folder.write(oriented(jpeg, tag), "b.jpg"))
        let isTurned = tag >= 5
        #expect(picture.size == PixelSize(width: isTurned ? 16 : 32, height: isTurned ? 32 : 16))
        #expect(try letters(frame(picture)) == expected)
    }

    @Test("Other formats are read by whatever decoder is installed", arguments: [("webpenc lossless=true", "webpdec")])
    func others(_ encoder: String, _ decoder: String) throws {
        guard gst_registry_check_feature_version(gst_registry_get(), decoder, 1, 0, 0) != 0 else { return }
        let picture = try Picture.load(folder.write(Self.quarters, "a.bin", encoder: encoder))
        #expect(picture.size == PixelSize(width: 32, height: 16))
        #expect(try letters(frame(picture)) == "RGBW")
    }

    // MARK: - Unreadable files

    @Test("A file that is not there")
    func missing() throws {
        let path = folder.file("none.png")
        let error = try refusal(path)
        #expect(error.message.contains(path))
        guard case .notFound = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("A folder")
    func isFolder() throws {
        let error = try refusal(folder.path)
        #expect(error.message.contains(folder.path))
        guard case .openRead = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("A file that may not be read", .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let path = try folder.write(Self.quarters, "a.png")
        chmod(path, 0)
        let error = try refusal(path)
        #expect(error.message.contains(path))
        guard case .openRead = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test(
        "What is no picture",
        arguments: [
            [], [0], [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            Array("just a text that goes on and on, and is no picture at all\n".utf8),
            [UInt8](repeating: 0, count: 5000), [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 3000),
        ] as [[UInt8]])
    func noPicture(_ bytes: [UInt8]) throws {
        let path = try folder.write(bytes, "a.png")
        let error = try refusal(path)
        #expect(error.message.contains(path))
        guard case .decode = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test(
        "A picture that is cut off", arguments: ["pngenc", "jpegenc"], [0.25, 0.5, 0.9])
    func truncated(_ encoder: String, _ part: Double) throws {
        let noise = TestFrame(.rgb, 120, 90, seed: 33)
        let whole = try contents(of: folder.write(noise, "whole", encoder: encoder))
        #expect(throws: Never.self) { try Picture.load(folder.file("whole")) }
        let path = try folder.write(Array(whole.prefix(Int(Double(whole.count) * part))), "cut")
        let error = try refusal(path)
        #expect(error.message.contains(path))
        guard case .decode = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("A sound file")
    func sound() throws {
        let path = folder.file("a.wav")
        let pipeline = try Pipeline("audiotestsrc num-buffers=5 ! wavenc ! filesink location=\(path)")
        try pipeline.play()
        try pipeline.finish()
        let error = try refusal(path)
        #expect(error.message.contains(path))
    }

    @Test("Too many pixels are refused before they are decoded", arguments: [(20_000, 20_000), (100_000_001, 1)])
    func huge(_ width: UInt32, _ height: UInt32) throws {
        let path = try folder.write(hollowPNG(width: width, height: height), "huge.png")
        let error = try refusal(path)
        #expect(error.message.contains(path))
        #expect(error.message.contains("\(width)x\(height)"))
        guard case .wrongType = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    // MARK: - LabelWriter

    @Test("What is written reads back as it was", arguments: PixelFormat.all)
    func roundTrip(_ format: PixelFormat) throws {
        let drawn = TestFrame(format, 13, 7, seed: 34)
        let picture = try #require(
            Picture(format, size: PixelSize(width: 13, height: 7), hasAlpha: format.alpha != nil) { image in
                for y in 0..<image.height {
                    for x in 0..<image.rowBytes { image.row(y)[x] = drawn.bytes[y * image.rowBytes + x] }
                }
            })
        let path = folder.file("round.png")
        try picture.writePNG(to: path)
        let expected = TestFrame(.bgra, 13, 7) { x, y in drawn.color(x, y).pixel(.bgra) }
        #expect(try decodePNG(path, as: .bgra) == expected)
    }

    @Test("A path that cannot be written is an error with the path")
    func unwritable() throws {
        let picture = try Picture.load(folder.write(Self.quarters, "a.png"))
        let path = folder.file("no/such/folder/a.png")
        let error = try #require(throws: ElementError.self) { try picture.writePNG(to: path) }
        #expect(error.message.contains(path))
        guard case .write = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }
}

/// These tests run alone, because allocations of other tests would also count.
@Suite("Memory", .serialized)
struct PictureMemoryTests {
    @Test("A picture of too many pixels takes no memory to refuse")
    func huge() throws {
        #expect(GStreamer.isReady)
        let folder = try TemporaryFolder()
        let path = try folder.write(hollowPNG(width: 20_000, height: 20_000), "huge.png")
        let before = try peakMemory()
        #expect(throws: ElementError.self) { try Picture.load(path) }
        // Decoded, the image would have 1.6 GB. Other tests run at the same time, but they need far less memory.
        #expect(try peakMemory() - before < 400_000)
    }

    /// Returns the peak memory of the process, in kilobytes.
    private func peakMemory() throws -> Int {
        let status = String(decoding: try contents(of: "/proc/self/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) })
    }
}
