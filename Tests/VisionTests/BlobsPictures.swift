// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Foundation
import Imaging
import Testing
import Vision

/// A BGRA or grey image with its own memory. The code that creates an image fills it before another thread uses it.
final class ColorPicture: @unchecked Sendable {
    let width: Int
    let height: Int
    let format: PixelFormat
    let stride: Int
    let pixels: UnsafeMutablePointer<UInt8>

    init(width: Int, height: Int, format: PixelFormat = .bgra, padding: Int = 0) {
        self.width = width
        self.height = height
        self.format = format
        stride = width * format.bytesPerPixel + padding
        pixels = .allocate(capacity: max(1, stride * height))
        pixels.initialize(repeating: 255, count: max(1, stride * height))
    }

    deinit {
        pixels.deallocate()
    }

    var image: Image { Image(base: pixels, width: width, height: height, stride: stride, format: format) }
    var frame: FrameImage { FrameImage(image) }

    /// Sets blue, green and red of a pixel.
    func set(_ x: Int, _ y: Int, _ color: SIMD3<Double>) {
        for channel in 0..<min(3, format.bytesPerPixel) {
            pixels[y * stride + x * format.bytesPerPixel + channel] = UInt8(max(0, min(255, color[channel])))
        }
    }

    /// Returns the image in another format.
    func converted(to format: PixelFormat, padding: Int = 0) -> ColorPicture {
        let result = ColorPicture(width: width, height: height, format: format, padding: padding)
        guard !format.isGray else {
            frame.copyLuma(into: result.image)
            return result
        }
        for y in 0..<height {
            let (from, to) = (image.row(y), result.image.row(y))
            for x in 0..<width {
                to[x * format.bytesPerPixel + format.blue] = from[4 * x]
                to[x * format.bytesPerPixel + format.green] = from[4 * x + 1]
                to[x * format.bytesPerPixel + format.red] = from[4 * x + 2]
            }
        }
        return result
    }
}

// A view does not retain its image. So the following functions extend the lifetime of the image.

extension BlobDetector {
    func blobs(in picture: ColorPicture) throws -> [Blob] {
        try withExtendedLifetime(picture) { try blobs(in: picture.frame) }
    }
}

extension BlobPicture {
    init(_ picture: ColorPicture) throws {
        self = try withExtendedLifetime(picture) { try BlobPicture(picture.image) }
    }

    init(_ blob: Blob, in picture: ColorPicture) throws {
        self = try withExtendedLifetime(picture) { try BlobPicture(blob, in: picture.frame) }
    }
}

extension Box {
    init(_ rectangle: SVCheckRectangle) {
        self.init(
            x: Double(rectangle.x), y: Double(rectangle.y), width: Double(rectangle.width),
            height: Double(rectangle.height))
    }
}

/// Random numbers that depend only on a seed (SplitMix64, https://prng.di.unimi.it/splitmix64.c).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func between(_ low: Double, _ high: Double) -> Double { .random(in: low..<high, using: &self) }
}

extension RealData {
    /// The training list of BeanCounter.
    static let beancounter: TrainingList? = folder.flatMap {
        let path = $0.appendingPathComponent("beancounter")
        guard let data = try? Data(contentsOf: path.appendingPathComponent("BlobClassifierTraining.plist")) else {
            return nil
        }
        return try? TrainingList([UInt8](data), folder: path.path)
    }

    /// Decodes an image file in the folder with the GStreamer element `decoder`.
    static func picture(_ path: String, _ decoder: String, width: Int, height: Int) -> ColorPicture? {
        guard let file = folder?.appendingPathComponent(path) else { return nil }
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).bgra")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "60", "gst-launch-1.0", "-q", "filesrc", "location=\(file.path)", "!", decoder, "!"]
            + ["videoconvert", "!", "video/x-raw,format=BGRA", "!", "filesink", "location=\(output.path)"]
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        guard let data = try? Data(contentsOf: output), data.count == width * height * 4 else { return nil }
        let picture = ColorPicture(width: width, height: height)
        data.copyBytes(to: picture.pixels, count: data.count)
        return picture
    }

    /// Decodes a PNG file in the folder. The file contains its size.
    static func png(_ path: String) -> ColorPicture? {
        guard let file = folder?.appendingPathComponent(path),
            let data = try? FileHandle(forReadingFrom: file).read(upToCount: 24), data.count == 24
        else { return nil }
        func number(_ place: Int) -> Int { data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return picture(path, "pngdec", width: number(16), height: number(20))
    }
}
