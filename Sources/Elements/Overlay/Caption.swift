// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

extension Detection {
    /// The same without what must not be told of something hidden: its names; circles for eyes, which would look like a
    /// face; and its outline.
    var anonymous: Detection {
        var told = self
        told.label = type.rawValue
        told.classifications = []
        told.landmarks = nil
        told.outline = nil
        return told
    }

    /// Returns the text of the label: the name and other answers, the confidence, the number.
    func caption(_ settings: Overlay.Settings) -> String {
        let words = [naming?.label ?? label] + attributes.map(\.label) + [landmarks?.closedEyes?.words ?? ""]
        // On one line; each word runs in its own direction, but their order is from left to right.
        let lines = words.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        var text = "\u{200E}" + lines.filter { !$0.isEmpty }.map { "\u{2068}\($0)\u{2069}" }.joined(separator: " ")
        if settings.confidence, let share = naming.map(\.confidence) ?? confidence {
            text += " \(Int(min(1, max(0, share)) * 100 + 0.5))%"
        }
        if settings.ids, id > 0 { text += " #\(id)" }
        if settings.angles, let pose = landmarks?.pose {
            let angles = [("roll", pose.roll), ("yaw", pose.yaw), ("pitch", pose.pitch)]
            for (name, angle) in angles { text += " \(name) \(Int(max(-360, min(360, angle)).rounded()))°" }
        }
        return text
    }
}

extension ClosedEyes {
    /// The words for one closed eye; the classification `eyes` has a word for both.
    fileprivate var words: String { left == right ? "" : left ? "left eye closed" : "right eye closed" }
}

extension Overlay.Settings {
    /// Returns how many there are, and of each name; nil if that is not to be drawn.
    func counterText(_ detections: [Detection]) -> String? {
        guard counter else { return nil }
        let counts = detections.counts
        func line(_ count: Int, _ name: String) -> String {
            "\(count) \u{2068}\(name.split(whereSeparator: \.isNewline).joined(separator: " "))\u{2069}"
        }
        var lines = counts.prefix(Self.mostNames).map { line($0.count, $0.name) }
        if counts.count > Self.mostNames { lines.append("…") }
        return (counts.count == 1 ? lines : [line(detections.count, "in all")] + lines).joined(separator: "\n")
    }

    /// The most names that are counted in the picture.
    private static var mostNames: Int { 20 }

    /// Returns the detection if anything of it is to be drawn.
    func drawn(_ detection: Detection) -> Detection? {
        boxes || labels || outlines && detection.outline != nil || landmarks && detection.landmarks != nil
            ? detection : nil
    }
}
