package import KernelTypes

/// Layout of the bytes of a picture's pixels: packed formats of 8 bits a channel.
package struct PixelFormat: Sendable, Hashable {
    /// GStreamer's name of the format.
    package let name: String
    /// Bytes from one pixel to the next: 1, 3 or 4.
    package let bytesPerPixel: Int
    /// The red byte's place in the pixel; grey formats have all three colours in byte 0.
    package let red: Int
    /// The green byte's place in the pixel.
    package let green: Int
    /// The blue byte's place in the pixel.
    package let blue: Int
    /// The alpha byte's place in the pixel, if there is one. Alpha is straight unless a function says otherwise.
    package let alpha: Int?
    /// The place of the byte that means nothing (GStreamer's "x"), if there is one.
    package let padding: Int?

    /// True if the only channel is luma.
    @inlinable package var isGray: Bool { bytesPerPixel == 1 }

    /// Returns whether pixels of both formats have their colours in the same places, so that they differ at most in
    /// whether the fourth byte is alpha.
    @inlinable package func hasColors(as other: PixelFormat) -> Bool {
        bytesPerPixel == other.bytesPerPixel && red == other.red && green == other.green && blue == other.blue
    }

    /// A format named for its bytes in memory, first byte first.
    private init(bytes name: String) {
        let letters = Array(name)
        self.name = name
        bytesPerPixel = letters.count
        red = letters.firstIndex(of: "R") ?? 0
        green = letters.firstIndex(of: "G") ?? 0
        blue = letters.firstIndex(of: "B") ?? 0
        alpha = letters.firstIndex(of: "A")
        padding = letters.firstIndex(of: "x")
    }

    private init(gray name: String) {
        self.name = name
        bytesPerPixel = 1
        red = 0
        green = 0
        blue = 0
        alpha = nil
        padding = nil
    }

    package static let bgra = PixelFormat(bytes: "BGRA")
    package static let rgba = PixelFormat(bytes: "RGBA")
    package static let bgrx = PixelFormat(bytes: "BGRx")
    package static let rgbx = PixelFormat(bytes: "RGBx")
    package static let argb = PixelFormat(bytes: "ARGB")
    package static let abgr = PixelFormat(bytes: "ABGR")
    package static let xrgb = PixelFormat(bytes: "xRGB")
    package static let xbgr = PixelFormat(bytes: "xBGR")
    package static let bgr = PixelFormat(bytes: "BGR")
    package static let rgb = PixelFormat(bytes: "RGB")
    package static let gray8 = PixelFormat(gray: "GRAY8")

    /// Every format, the preferred ones first.
    package static let all = [bgra, rgba, bgrx, rgbx, argb, abgr, xrgb, xbgr, bgr, rgb, gray8]

    /// The format of this name, if there is one.
    package init?(name: String) {
        guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
        self = format
    }
}

extension PixelFormat {
    /// Offsets of the colours in formats that are not grey.
    package var offsets: ChannelOffsets { ChannelOffsets(red: UInt32(red), green: UInt32(green), blue: UInt32(blue)) }

    /// 255 in each byte that is a colour, as a little-endian number.
    package var colorMask: UInt32 {
        var mask: UInt32 = .max
        for other in [alpha, padding] {
            if let other { mask &= ~(255 << UInt32(8 * other)) }
        }
        return mask
    }
}
