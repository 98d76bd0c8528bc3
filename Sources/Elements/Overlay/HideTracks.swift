// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Decides for each tracked detection whether `svoverlay` hides it.
///
/// A detection that matches `spare` stays hidden until enough frames have confirmed the match. A single contradiction,
/// or more than `patience` frames without a confirmation, hide the detection again. A new detection that a label in
/// `hide` could match stays hidden until enough frames show that no label matches.
struct HideTracks {
    /// Number of successive confirmations after which a detection becomes visible.
    static let needed = 3
    /// A spared detection is hidden again after more than this number of frames without a confirmation.
    static let patience = 4

    fileprivate struct Entry {
        var type: Detection.Kind
        var box: Rectangle
        /// The name in the last match with `spare`.
        var name: String?
        /// The value of `confirmations` in the last frame.
        var reportedCount = 0
        /// The number of frames with a confirmation since the last contradiction or doubtful frame, up to `needed`.
        var confirmed = 0
        /// The number of frames since the last confirmation.
        var unconfirmed = 0
        /// The number of consecutive frames in which no word of `hide` matches, up to `needed`.
        var clear = 0
        var wasHidden = false
    }

    private var entries: [Int32: Entry] = [:]

    /// Forgets all tracks and confirmations.
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
            // A detection without a unique id has no history, so only the current frame counts.
            guard detection.id != 0, counts[detection.id] == 1 else { return verdict != .no }
            var entry = entries[detection.id] ?? Entry(type: detection.type, box: detection.box)
            let isNew = entries[detection.id] == nil
            // After a split, the ID may belong to another object of the group.
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
        // Confirmations before the first frame that svoverlay has processed do not count. Frames that may show a
        // different object do not count either.
        if isFirst { reportedCount = max(0, count - 1) }
        // A smaller number of confirmations means that the upstream element has started to count again, because a frame
        // contradicted the name.
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
