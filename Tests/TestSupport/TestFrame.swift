// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A frame in memory without padding. Tests create buffers from it, and compare frames with it.
package struct TestFrame: Equatable, Sendable {
    package let format: PixelFormat
    package let width: Int
    package let height: Int
    package var bytes: [UInt8]
    /// The pixel aspect ratio in the caps, such as `64/45`; nil for caps without a ratio.
    package var pixelAspect: String?

    /// - Parameter pixel: returns the bytes of the pixel at (x, y), in the order of the format.
    package init(_ format: PixelFormat, _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        self.format = format
        self.width = width
        self.height = height
        bytes = []
        bytes.reserveCapacity(width * height * format.bytesPerPixel)
        for y in 0..<height {
            for x in 0..<width { bytes += pixel(x, y) }
        }
    }

    package init(_ format: PixelFormat, _ width: Int, _ height: Int, color: Color) {
        let pixels = repeatElement(color.pixel(format), count: width * height)
        self.init(format, width, height, bytes: Array(pixels.joined()))
    }

    package init(_ format: PixelFormat, _ width: Int, _ height: Int, seed: UInt64) {
        var random = Random(seed: seed)
        self.init(format, width, height, bytes: (0..<width * height * format.bytesPerPixel).map { _ in random.byte() })
    }

    private init(_ format: PixelFormat, _ width: Int, _ height: Int, bytes: [UInt8]) {
        self.format = format
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Copies the pixels of an image, without padding.
    package init(_ image: Image) {
        format = image.format
        width = image.width
        height = image.height
        bytes = []
        for y in 0..<image.height {
            bytes += UnsafeBufferPointer(start: image.row(y), count: image.rowBytes)
        }
    }

    package subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * format.bytesPerPixel
        return Array(bytes[start..<start + format.bytesPerPixel])
    }

    package func color(_ x: Int, _ y: Int) -> Color {
        let pixel = self[x, y]
        return Color(
            red: pixel[format.red], green: pixel[format.green], blue: pixel[format.blue],
            alpha: format.alpha.map { pixel[$0] } ?? 255)
    }

    /// Returns a frame in which each pixel is replaced by the result of `change`, which gets the position and bytes of
    /// the pixel.
    package func map(_ change: (_ x: Int, _ y: Int, _ pixel: [UInt8]) -> [UInt8]) -> TestFrame {
        TestFrame(format, width, height) { change($0, $1, self[$0, $1]) }
    }

    /// Returns a frame in which each colour byte is replaced by the result of `change`. Alpha and padding bytes do not
    /// change.
    package func mapColors(_ change: (_ x: Int, _ y: Int, _ channel: Int, _ value: UInt8) -> UInt8) -> TestFrame {
        map { x, y, pixel in
            var pixel = pixel
            for channel in format.colorBytes { pixel[channel] = change(x, y, channel, pixel[channel]) }
            return pixel
        }
    }

    /// Returns the part of the frame with the top left corner (x, y).
    package func part(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> TestFrame {
        let rows = (y..<y + height).map { row in
            let start = (row * self.width + x) * format.bytesPerPixel
            return bytes[start..<start + width * format.bytesPerPixel]
        }
        return TestFrame(format, width, height, bytes: Array(rows.joined()))
    }

    /// Returns the maximum difference of bytes at the same position. Returns nil if the formats or sizes differ.
    package func distance(to other: TestFrame) -> Int? {
        guard format == other.format, width == other.width, height == other.height else { return nil }
        return zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    package func caps(rate: String = "25/1") -> String {
        "video/x-raw,format=\(format.name),width=\(width),height=\(height),framerate=\(rate)"
            + (pixelAspect.map { ",pixel-aspect-ratio=\($0)" } ?? "")
    }
}

extension Color {
    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.init(Double(red), Double(green), Double(blue), opacity: Double(alpha) / 255)
    }

    package init(gray: UInt8, alpha: UInt8 = 255) {
        self.init(red: gray, green: gray, blue: gray, alpha: alpha)
    }

    /// Returns the bytes of the colour in a format. Padding bytes are 77, so that tests notice changes. Grey formats
    /// use red.
    package func pixel(_ format: PixelFormat) -> [UInt8] {
        var bytes = [UInt8](repeating: 77, count: format.bytesPerPixel)
        if !format.isGray {
            bytes[format.green] = UInt8(green)
            bytes[format.blue] = UInt8(blue)
        }
        bytes[format.red] = UInt8(red)
        if let place = format.alpha { bytes[place] = alpha }
        return bytes
    }
}

extension PixelFormat {
    /// The indices of the colour bytes in a pixel.
    package var colorBytes: [Int] { isGray ? [0] : [red, green, blue] }
}
