// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Layout of the bytes of a picture's pixels: packed formats of 8 bits a channel.
package struct PixelFormat: Sendable, Hashable {
    /// A number and not a `String`, so that images are copied without counting references.
    private let key: Name
    /// GStreamer's name of the format.
    package var name: String { key.rawValue }
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

    /// The names, the preferred ones first: letters of the bytes in memory, first byte first.
    private enum Name: String, CaseIterable {
        case bgra = "BGRA"
        case rgba = "RGBA"
        case bgrx = "BGRx"
        case rgbx = "RGBx"
        case argb = "ARGB"
        case abgr = "ABGR"
        case xrgb = "xRGB"
        case xbgr = "xBGR"
        case bgr = "BGR"
        case rgb = "RGB"
        case gray8 = "GRAY8"
    }

    private init(_ key: Name) {
        let letters = key == .gray8 ? ["Y"] : Array(key.rawValue)
        self.key = key
        bytesPerPixel = letters.count
        red = letters.firstIndex(of: "R") ?? 0
        green = letters.firstIndex(of: "G") ?? 0
        blue = letters.firstIndex(of: "B") ?? 0
        alpha = letters.firstIndex(of: "A")
        padding = letters.firstIndex(of: "x")
    }

    package static let bgra = PixelFormat(.bgra)
    package static let rgba = PixelFormat(.rgba)
    package static let bgrx = PixelFormat(.bgrx)
    package static let rgbx = PixelFormat(.rgbx)
    package static let argb = PixelFormat(.argb)
    package static let abgr = PixelFormat(.abgr)
    package static let xrgb = PixelFormat(.xrgb)
    package static let xbgr = PixelFormat(.xbgr)
    package static let bgr = PixelFormat(.bgr)
    package static let rgb = PixelFormat(.rgb)
    package static let gray8 = PixelFormat(.gray8)

    /// Every format, the preferred ones first.
    package static let all = Name.allCases.map { PixelFormat($0) }

    /// The format of this name, if there is one.
    package init?(name: String) {
        guard let key = Name(rawValue: name) else { return nil }
        self.init(key)
    }
}

extension PixelFormat {
    /// Offsets of the colours in formats that are not grey.
    package var offsets: ChannelOffsets { ChannelOffsets(red: UInt32(red), green: UInt32(green), blue: UInt32(blue)) }

    /// The format that has alpha in place of padding; the same if there is no padding.
    package var withAlpha: PixelFormat {
        Self.all.first { padding != nil && $0.alpha == padding && $0.hasColors(as: self) } ?? self
    }

    /// 255 in each byte that is a colour, as a little-endian number.
    package var colorMask: UInt32 {
        var mask: UInt32 = .max
        for other in [alpha, padding] {
            if let other { mask &= ~(255 << UInt32(8 * other)) }
        }
        return mask
    }
}
