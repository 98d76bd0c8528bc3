// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Decides for each tracked detection whether `svoverlay` hides it.
///
/// A detection that matches `spare` stays hidden until enough frames have confirmed the match. A single contradiction
/// hides the detection again. A face is also hidden again after more than `patience` frames that do not confirm its
/// name. A new detection that a label in `hide` could match stays hidden until enough frames show that no label
/// matches.
struct HideTracks {
    /// Number of frames that must confirm the match with `spare`, or that must show that no word of `hide` matches,
    /// before a detection becomes visible.
    static let needed = 3
    /// A spared face is hidden again if more than this number of successive frames do not confirm its name.
    static let patience = 4

    fileprivate struct Entry {
        var type: Detection.Kind
        var box: Rectangle
        /// The name in the last match with `spare`.
        var name: String?
        /// The value of `HideRule.Evidence.confirmations` in the last frame.
        var reportedCount = 0
        /// The number of frames that have confirmed the match with `spare`, up to `needed`. Becomes 0 after a
        /// contradiction, or if the detection may be a different object than in the last frame.
        var confirmed = 0
        /// The number of successive frames that have not confirmed the name of a face.
        var unconfirmed = 0
        /// The number of consecutive frames in which no word of `hide` matches, up to `needed`.
        var clear = 0
        var wasHidden = false
    }

    private var entries: [Int32: Entry] = [:]

    /// Forgets all tracked detections.
    mutating func reset() { entries = [:] }

    /// Returns one value for each detection of the next frame, in the same order: true if the detection is hidden.
    mutating func hidden(_ detections: [Detection], by rule: HideRule, _ namers: Namers) -> [Bool] {
        guard !rule.isEmpty else {
            entries = [:]
            return detections.map { _ in false }
        }
        let counts = detections.reduce(into: [Int32: Int]()) { $0[$1.id, default: 0] += 1 }
        let faces = detections.filter(\.isFace).map(\.box)
        var new: [Int32: Entry] = [:]
        let result = detections.map { detection -> Bool in
            let verdict = rule.verdict(on: detection, namers)
            // A detection without a unique ID cannot be tracked, so only the current frame counts.
            guard detection.id != 0, counts[detection.id] == 1 else { return verdict != .no }
            var entry = entries[detection.id] ?? Entry(type: detection.type, box: detection.box)
            let isNew = entries[detection.id] == nil
            // While objects form one blob, the tracker can swap their IDs, so forget the earlier results.
            let isUnverified = detection.isEstimate && rule.needsClearing(detection)
            if isUnverified { (entry.confirmed, entry.wasHidden) = (0, true) }
            entry.clear = verdict == .no && !isUnverified ? min(entry.clear + 1, Self.needed) : 0
            let isHidden =
                verdict != .no
                || (entry.wasHidden || isNew && rule.needsClearing(detection)) && entry.clear < Self.needed
            entry.wasHidden = isHidden
            var isSpared = false
            if let evidence = rule.evidence(for: detection) {
                let isDoubtful =
                    detection.alternative != nil || !entry.isFollowed(by: detection)
                    || detection.isFace && faces.overlapping(detection.box) > 1
                isSpared = entry.spares(evidence, isDoubtful: isDoubtful)
            } else {
                entry.name = nil
            }
            (entry.type, entry.box) = (detection.type, detection.box)
            new[detection.id] = entry
            return isHidden && !isSpared
        }
        entries = new
        return result
    }
}

extension HideTracks.Entry {
    /// Returns true if the detection can be the same object as in the last frame. The type must be the same, and the
    /// size and the position must be similar.
    fileprivate func isFollowed(by detection: Detection) -> Bool {
        let common = box.intersection(detection.box).area
        let (smaller, larger) = (min(box.area, detection.box.area), max(box.area, detection.box.area))
        return detection.type == type && 2 * common >= smaller && larger <= 3 * smaller
    }

    /// Records the match with `spare` in the current frame. Returns true if there are enough confirmations to spare the
    /// detection.
    /// - Parameter isDoubtful: true if the detection may be a different object than in the last frame.
    fileprivate mutating func spares(_ evidence: HideRule.Evidence, isDoubtful: Bool) -> Bool {
        let isFirst = name != evidence.name
        name = evidence.name
        if isFirst || isDoubtful { confirmed = 0 }
        guard let count = evidence.confirmations else {
            confirmed = isDoubtful ? 0 : min(confirmed + 1, HideTracks.needed)
            return confirmed >= HideTracks.needed
        }
        // At the first match with a name, count only the confirmation by the current frame: svoverlay has not compared
        // the boxes of earlier frames. Do not count frames that may show a different object.
        if isFirst { reportedCount = max(0, count - 1) }
        // If the number of confirmations of the name is smaller than before, a frame has contradicted the name, and the
        // upstream element has started to count again.
        if count < reportedCount { (reportedCount, confirmed) = (0, 0) }
        if count > reportedCount, !isDoubtful {
            (confirmed, unconfirmed) = (min(confirmed + 1, HideTracks.needed), 0)
        } else {
            unconfirmed += 1
            if unconfirmed > HideTracks.patience { (confirmed, unconfirmed) = (0, 0) }
        }
        reportedCount = count
        return confirmed >= HideTracks.needed
    }
}

extension HideRule {
    /// Returns true if a new detection stays hidden until enough frames show that no word of `hide` matches it.
    fileprivate func needsClearing(_ detection: Detection) -> Bool {
        !hidden.labels.isEmpty || !hidden.people.isEmpty && detection.kinds.contains(.face)
    }
}

extension [Rectangle] {
    /// Returns the number of rectangles that overlap `other`.
    fileprivate func overlapping(_ other: Rectangle) -> Int { count { !$0.intersection(other).isEmpty } }
}
