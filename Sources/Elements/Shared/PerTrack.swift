// SPDX-License-Identifier: LGPL-2.1-or-later
/// Values that belong to objects which are followed. Objects come and go all day; those that have not been used for
/// longest are forgotten.
struct PerTrack<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, lastUse: Int)] = [:]
    private var lastUse = 0

    /// The number of objects that are kept at most, unless uses come with moments.
    private static var most: Int { 200 }

    /// The value of an object; neither reading nor changing it is a use.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set { entries[key] = newValue.map { ($0, entries[key]?.lastUse ?? lastUse) } }
    }

    /// Uses the value of an object. If there are more than 200 then, the 100 are forgotten whose use is longest ago.
    /// - Parameter moment: a number that does not go back, such as the frame's; one more with each use if it is nil.
    mutating func use<Result>(
        _ key: Key, at moment: Int? = nil, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        lastUse = moment ?? lastUse &+ 1
        var value = entries[key]?.value ?? initial()
        let result = body(&value)
        entries[key] = (value, lastUse)
        if entries.count > Self.most, moment == nil {
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.most / 2)
            for (key, _) in oldest { entries[key] = nil }
        }
        return result
    }

    /// Forgets the objects whose last use was before a moment.
    mutating func forget(before moment: Int) { entries = entries.filter { $0.value.lastUse >= moment } }

    mutating func changeAll(_ body: (inout Value) -> Void) {
        for key in entries.keys {
            guard var value = self[key] else { continue }
            body(&value)
            self[key] = value
        }
    }
}

extension PerTrack: Sendable where Key: Sendable, Value: Sendable {}
