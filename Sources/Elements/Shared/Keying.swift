// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging

extension Key.Kind: PropertyEnum {
    package static var typeName: String { "GstSvKeying" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No keying"),
        (.chroma, "Pixels with the hue of the key colour at any brightness, for example a green wall"),
        (.luma, "Pixels with the brightness of the key colour"),
    ]
}

/// The user's settings for keying. Keying makes pixels that match the key colour transparent.
struct KeySettings: ElementSettings, Equatable {
    var kind = Key.Kind.none
    var ownColor: Color?
    var isAutomatic = false
    var ownRange: Double?
    var ownSoftness: Double?
    var spill = 1.0
    var choke = 0.0

    var color: Color { ownColor ?? (kind == .luma ? 0xFF00_0000 : 0xFF00_FF00) }
    var range: Double { range(isGiven: isAutomatic) }
    var softness: Double { softness(isGiven: isAutomatic) }

    /// - Parameter isGiven: true if the key colour was detected at the border of the image. A colour that was detected,
    ///   or set by the user, needs a smaller range than the default colour, green, which must match any green wall.
    private func range(isGiven: Bool) -> Double {
        ownRange ?? (kind == .luma ? 0.1 : isGiven || ownColor != nil ? 0.2 : 0.6)
    }

    private func softness(isGiven: Bool) -> Double {
        ownSoftness ?? (kind == .luma ? 0.1 : isGiven || ownColor != nil ? 0.5 : 0.2)
    }

    /// Returns the key that results from the settings.
    /// - Parameter borderColor: the detected colour at the border of the image; nil if no colour was detected.
    func key(borderColor: Color? = nil) -> Key {
        let borderColor = isAutomatic ? borderColor : nil
        return Key(
            kind, color: borderColor ?? color, range: range(isGiven: borderColor != nil),
            softness: softness(isGiven: borderColor != nil),
            spill: spill)
    }

    /// Returns the keyer for an image; nil if keying is off.
    /// - Parameter border: tracks the colour at the border of the image over time, for key-auto.
    func keyer(for picture: FrameImage, _ border: BorderColor) -> Keyer? {
        guard kind != .none else { return nil }
        let borderColor = isAutomatic ? border.follow(picture, for: kind) : nil
        return Keyer(key(borderColor: borderColor), colorimetry: picture.colorimetry)
    }
}

/// Settings that include keying.
protocol KeyedSettings: ElementSettings {
    var key: KeySettings { get set }
}

extension Property where Settings: KeyedSettings {
    /// Returns the properties for keying.
    /// - Parameter picture: the name of the keyed image in the blurbs, such as "input".
    static func keying(of picture: String) -> [Property] {
        [
            Property("keying", \.key.kind, "Make pixels of the \(picture) transparent, by colour or by brightness"),
            Property(
                "key-color", \.key.ownColor, else: { $0.key.color },
                "Colour that becomes transparent (big-endian ARGB). The default colour is black with keying=luma, and "
                    + "green with keying=chroma",
                flags: .animated),
            Property(
                "key-auto", \.key.isAutomatic,
                "Detect the key colour at the border of the \(picture)"),
            Property(
                "key-range", \.key.ownRange, else: { $0.key.range }, in: 0...1,
                "Maximum distance from the key colour at which pixels are fully transparent. The default of key-range "
                    + "depends on keying and key-color", flags: .animated),
            Property(
                "key-softness", \.key.ownSoftness, else: { $0.key.softness }, in: 0...1,
                "Width of the soft edge. Opacity rises from 0 to 1 between the distances key-range and key-range + "
                    + "key-softness. The default of key-softness depends on keying and key-color", flags: .animated),
            Property(
                "spill", \.key.spill, in: 0...2,
                "Strength with which keying=chroma removes the reflected key colour (spill) from visible pixels. With "
                    + "spill=2, pixels with the hue of the key colour become grey", flags: .animated),
            Property(
                "choke", \.key.choke, in: 0...MatteChoke.maxRadius,
                "Distance by which the edges of the keyed \(picture) move inwards, in pixels", flags: .animated),
        ]
    }
}
