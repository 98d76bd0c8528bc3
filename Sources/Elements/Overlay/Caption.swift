// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Detection {
    /// The questions whose answer is the object's name: it replaces the detector's label.
    private static let names: Set = ["person", "blob-class", "logo"]

    /// Returns the text of the label: the name and other answers, the confidence, the number.
    func caption(_ settings: Overlay.Settings) -> String {
        let name = classifications.first { Self.names.contains($0.name) && !$0.label.isEmpty }
        var words = [name?.label ?? label]
        words += classifications.filter { !Self.names.contains($0.name) }.map(\.label)
        // On one line; each word runs in its own direction, but their order is from left to right.
        let lines = words.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        var text = "\u{200E}" + lines.filter { !$0.isEmpty }.map { "\u{2068}\($0)\u{2069}" }.joined(separator: " ")
        if settings.confidence, let share = name.map(\.confidence) ?? confidence {
            text += " \(Int(min(1, max(0, share)) * 100 + 0.5))%"
        }
        if settings.ids, id > 0 { text += " #\(id)" }
        return text
    }
}

extension Overlay.Settings {
    /// Returns the detection with only what is to be drawn of it; nil for nothing.
    func drawn(_ detection: Detection) -> Detection? {
        var drawn = detection
        if hidesFaces, detection.isFace {
            // Hidden faces are not named either, and circles for eyes would look like a face.
            drawn.label = detection.type.rawValue
            drawn.classifications = []
            drawn.landmarks = nil
            drawn.outline = nil
        }
        return boxes || labels || outlines && drawn.outline != nil || landmarks && drawn.landmarks != nil ? drawn : nil
    }
}
