// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

extension Detection {
    /// A copy of the detection for a hidden object, without names, landmarks and outline. For example, circles at the
    /// eyes of a hidden face would still look like a face.
    var anonymous: Detection {
        var anonymous = self
        anonymous.label = type.rawValue
        anonymous.classifications = []
        anonymous.landmarks = nil
        anonymous.outline = nil
        return anonymous
    }

    /// Returns the text of the label: the name, the other classifications, the confidence, the id and the angles,
    /// depending on the settings.
    func caption(_ settings: Overlay.Settings) -> String {
        let words = [naming?.label ?? label] + attributes.map(\.label) + [landmarks?.closedEyes?.words ?? ""]
        // Join the texts on one line. The Unicode isolates (U+2068, U+2069) keep the writing direction of each text,
        // and the order of the texts is always left to right.
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
    /// The label text if exactly one eye is closed; otherwise empty. If both eyes have the same state, the
    /// classification `eyes` provides the text.
    fileprivate var words: String { left == right ? "" : left ? "left eye closed" : "right eye closed" }
}

extension Overlay.Settings {
    /// Returns the text of the counter: the number of detections in total and for each name. Returns nil if the counter
    /// is off.
    func counterText(_ detections: [Detection]) -> String? {
        guard counter else { return nil }
        let counts = detections.counts
        func line(_ count: Int, _ name: String) -> String {
            "\(count) \u{2068}\(name.split(whereSeparator: \.isNewline).joined(separator: " "))\u{2069}"
        }
        var lines = counts.prefix(Self.maxNames).map { line($0.count, $0.name) }
        if counts.count > Self.maxNames { lines.append("…") }
        return (counts.count == 1 ? lines : [line(detections.count, "in all")] + lines).joined(separator: "\n")
    }

    /// Maximum number of names in the counter.
    private static var maxNames: Int { 20 }

    /// Returns the detection if the settings draw at least one part of it, such as the box or the label; otherwise nil.
    func drawn(_ detection: Detection) -> Detection? {
        boxes || labels || outlines && detection.outline != nil || landmarks && detection.landmarks != nil
            ? detection : nil
    }
}
