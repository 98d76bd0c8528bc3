// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Decides for each thing that is followed whether it is hidden: what is to be spared is hidden until it was confirmed, and
/// what words by label may mean until it is known that they do not. One doubt hides again, and so does a time without a
/// confirmation.
struct HideTracks {
    /// The number of looks that have to confirm, one after another.
    static let needed = 3
    /// The number of frames without a confirmation after which a thing is hidden again.
    static let patience = 4

    fileprivate struct Entry {
        var type: Detection.Kind
        var box: Rectangle
        /// Whom the looks have confirmed.
        var name: String?
        /// The number of confirmations that the last frame told, and the frames since the last doubt in which it has grown;
        /// or all of them, for evidence without a number.
        var told = 0
        var looks = 0
        /// The number of frames since the last confirmation.
        var unconfirmed = 0
        /// The number of frames in a row that have said that it is not to be hidden.
        var clear = 0
        var wasHidden = false
    }

    private var entries: [Int32: Entry] = [:]

    /// Forgets everything that was confirmed.
    mutating func reset() { entries = [:] }

    /// Returns for each thing of the next frame whether it is hidden.
    mutating func hidden(_ things: [Detection], by rule: HideRule, _ namers: Namers) -> [Bool] {
        guard !rule.isEmpty else {
            entries = [:]
            return things.map { _ in false }
        }
        let numbers = things.reduce(into: [Int32: Int]()) { $0[$1.id, default: 0] += 1 }
        let faces = things.filter(\.isFace).map(\.box)
        var new: [Int32: Entry] = [:]
        let result = things.map { thing -> Bool in
            let verdict = rule.verdict(on: thing, namers)
            // Nothing is known of the past of what has no number of its own.
            guard thing.id != 0, numbers[thing.id] == 1 else { return verdict != .no }
            var entry = entries[thing.id] ?? Entry(type: thing.type, box: thing.box)
            let isNew = entries[thing.id] == nil
            entry.clear = verdict == .no ? min(entry.clear + 1, Self.needed) : 0
            let isHidden =
                verdict != .no || (entry.wasHidden || isNew && rule.needsClearing(thing)) && entry.clear < Self.needed
            entry.wasHidden = isHidden
            var isSpared = false
            if let evidence = rule.evidence(for: thing) {
                let isDoubtful =
                    thing.alternative != nil || !entry.isFollowed(by: thing)
                    || thing.isFace && faces.overlapping(thing.box) > 1
                isSpared = entry.spares(evidence, isDoubtful: isDoubtful)
            } else {
                entry.name = nil
            }
            (entry.type, entry.box) = (thing.type, thing.box)
            new[thing.id] = entry
            return isHidden && !isSpared
        }
        entries = new
        return result
    }
}

extension HideTracks.Entry {
    /// Returns whether a thing of this number can be the one that was seen in the last frame: of the same type, about as
    /// large, and in about the same place.
    fileprivate func isFollowed(by thing: Detection) -> Bool {
        let common = box.intersection(thing.box).area
        let (smaller, larger) = (min(box.area, thing.box.area), max(box.area, thing.box.area))
        return thing.type == type && 2 * common >= smaller && larger <= 3 * smaller
    }

    /// Returns whether it is spared by what a frame says, and takes note of that.
    /// - Parameter isDoubtful: true if the frame leaves open whether it is the same thing.
    fileprivate mutating func spares(_ evidence: HideRule.Evidence, isDoubtful: Bool) -> Bool {
        let isFirst = name != evidence.name
        name = evidence.name
        if isFirst || isDoubtful { looks = 0 }
        guard let count = evidence.confirmations else {
            looks = isDoubtful ? 0 : min(looks + 1, HideTracks.needed)
            return looks >= HideTracks.needed
        }
        // What was confirmed before this element has seen it does not count, nor does a frame in doubt.
        if isFirst { told = max(0, count - 1) }
        // Whatever has spoken against the name has begun a new count.
        if count < told { (told, looks) = (0, 0) }
        if count > told, !isDoubtful {
            (looks, unconfirmed) = (min(looks + 1, HideTracks.needed), 0)
        } else {
            unconfirmed += 1
            if unconfirmed > HideTracks.patience { (looks, unconfirmed) = (0, 0) }
        }
        told = count
        return looks >= HideTracks.needed
    }
}

extension HideRule {
    /// Returns whether a thing is hidden from the beginning, until it is clear that no word means it.
    fileprivate func needsClearing(_ thing: Detection) -> Bool {
        !hidden.labels.isEmpty || !hidden.people.isEmpty && thing.kinds.contains(.face)
    }
}

extension [Rectangle] {
    /// Returns how many of them overlap a rectangle.
    fileprivate func overlapping(_ other: Rectangle) -> Int { count { !$0.intersection(other).isEmpty } }
}
