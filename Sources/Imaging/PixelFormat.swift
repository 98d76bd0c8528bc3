// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Layout of the bytes of a pixel. The formats are packed, with 8 bits per channel.
package struct PixelFormat: Sendable, Hashable {
    /// The name of the format. The type is an enum and not a `String`, because Swift counts references when it copies a
    /// `String`.
    private let key: Name
    /// GStreamer's name of the format.
    package var name: String { key.rawValue }
    /// Number of bytes in a pixel: 1, 3 or 4.
    package let bytesPerPixel: Int
    /// Index of the red byte in the pixel. In grey formats, `red`, `green` and `blue` are 0.
    package let red: Int
    /// Index of the green byte in the pixel.
    package let green: Int
    /// Index of the blue byte in the pixel.
    package let blue: Int
    /// Index of the alpha byte in the pixel. Nil if the format has no alpha. Alpha is straight unless a function's
    /// documentation says otherwise.
    package let alpha: Int?
    /// Index of the unused byte (GStreamer's "x") in the pixel. Nil if the format has no unused byte.
    package let padding: Int?

    /// True if the only channel is luma.
    @inlinable package var isGray: Bool { bytesPerPixel == 1 }

    /// Returns true if both formats have the same number of bytes per pixel and the same order of colours. The fourth
    /// byte may be alpha in one format and padding in the other.
    @inlinable package func hasColors(as other: PixelFormat) -> Bool {
        bytesPerPixel == other.bytesPerPixel && red == other.red && green == other.green && blue == other.blue
    }

    /// The names of the formats, in order of preference. Each letter names a byte of the pixel, in memory order.
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

    /// All formats, in order of preference.
    package static let all = Name.allCases.map { PixelFormat($0) }

    /// Creates the format with this name. Returns nil if the name is unknown.
    package init?(name: String) {
        guard let key = Name(rawValue: name) else { return nil }
        self.init(key)
    }
}

extension PixelFormat {
    /// The indices of the colour bytes. Only for formats that are not grey.
    package var offsets: ChannelOffsets { ChannelOffsets(red: UInt32(red), green: UInt32(green), blue: UInt32(blue)) }

    /// The format with alpha instead of padding. If the format has no padding, the unchanged format.
    package var withAlpha: PixelFormat {
        Self.all.first { padding != nil && $0.alpha == padding && $0.hasColors(as: self) } ?? self
    }

    /// A little-endian 32-bit word for a pixel: 255 in each colour byte, and 0 in the other bytes.
    package var colorMask: UInt32 {
        var mask: UInt32 = .max
        for other in [alpha, padding] {
            if let other { mask &= ~(255 << UInt32(8 * other)) }
        }
        return mask
    }
}
