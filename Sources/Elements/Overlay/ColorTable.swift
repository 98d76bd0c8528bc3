// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Text

/// Maps detections to colours.
struct ColorTable: Equatable {
    /// The user's colours; the keys are types or labels.
    private var custom: [String: Color] = [:]

    /// - Parameter text: the user's colours, such as `face=yellow,Ada=#ff8000`; nil for the default colours.
    /// - Throws: an error that quotes the malformed part of the text.
    init(_ text: String?) throws(ElementError) {
        guard let text else { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: "=") else { throw Self.refusal(part, "\"=\" is missing") }
            let (name, color) = (part[..<sign].trimmed, part[part.index(after: sign)...].trimmed)
            guard !name.isEmpty else { throw Self.refusal(part, "the type or label before \"=\" is missing") }
            guard let value = Self.color(color) else {
                throw Self.refusal(part, "\"\(color)\" is not a colour. Use #rrggbb, #aarrggbb or a CSS name")
            }
            custom[name] = value
        }
    }

    private static func refusal(_ part: Substring, _ reason: String) -> ElementError {
        ElementError(
            .settings,
            "colors: cannot read \"\(part.trimmed)\": \(reason). svoverlay keeps its current colours.")
    }

    private static func color(_ text: String) -> Color? {
        guard text.hasPrefix("#") else { return Text.color(named: text) }
        let digits = text.dropFirst()
        guard [6, 8].contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt32(digits, radix: 16).map { Color(argb: digits.count == 6 ? 0xFF00_0000 | $0 : $0) }
    }

    /// Returns the colour of a detection. The user's colour for a classification has the highest priority, followed by
    /// the user's colours for the label and for the type. Without a user's colour, the type determines a default
    /// colour.
    /// - Parameter byType: true to ignore classifications and labels.
    func color(of detection: Detection, byType: Bool = false) -> Color {
        if !custom.isEmpty {
            let names = byType ? [] : detection.classifications.map(\.label) + [detection.label]
            if let color = (names + [detection.type.rawValue]).lazy.compactMap({ custom[$0] }).first { return color }
        }
        let type = detection.type.found.rawValue
        return custom[type] ?? Self.defaults[type]
            ?? Self.otherDefaults[Self.number(of: type, below: Self.otherDefaults.count)]
    }

    private static let defaults: [String: Color] = [
        "face": FaceColors.human, "cat-face": FaceColors.cat, "hybrid-face": 0xFFFF_8000, "blob": 0xFF00_FF00,
        "logo": 0xFF00_FF00, "person": 0xFF40_C0FF,
    ]

    /// Default colours of all other types. A hash of the type selects the colour.
    private static let otherDefaults: [Color] = [
        0xFFFF_40FF, 0xFF00_FFFF, 0xFFFF_5050, 0xFFA0_FF20, 0xFFA0_80FF, 0xFFFF_A0B0, 0xFF00_D0A0, 0xFFD0_A020,
        0xFF60_A0FF, 0xFFFF_D0A0, 0xFFC0_FFC0,
    ]

    /// Returns a hash of the text, in the range 0..<count. The hash (FNV-1a, 32 bits) is the same in each run of the
    /// program, unlike the hashes of Swift.
    private static func number(of text: String, below count: Int) -> Int {
        let hash = text.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return Int(hash) % count
    }
}

extension Substring {
    /// The text without blanks at the beginning and at the end.
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
