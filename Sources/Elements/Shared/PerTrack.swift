// SPDX-License-Identifier: LGPL-2.1-or-later
/// A dictionary of values for tracked objects. New objects appear all the time, so the least recently used objects are
/// removed.
struct PerTrack<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, lastUse: Int)] = [:]
    private var lastUse = 0

    /// The maximum number of objects if the argument `moment` of `use` is nil.
    private static var maxCount: Int { 200 }

    /// The value of an object. Reading or changing the value through this subscript does not count as a use.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set { entries[key] = newValue.map { ($0, entries[key]?.lastUse ?? lastUse) } }
    }

    /// Calls `body` with the value of an object, and counts this call as a use of the object. If `moment` is nil and
    /// there are more than 200 objects, forgets the 100 least recently used objects.
    /// - Parameter moment: the time of the use, as a number that never decreases, such as the frame number. If nil, the
    ///   number of uses so far is the time.
    mutating func use<Result>(
        _ key: Key, at moment: Int? = nil, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        lastUse = moment ?? lastUse &+ 1
        var value = entries[key]?.value ?? initial()
        let result = body(&value)
        entries[key] = (value, lastUse)
        if entries.count > Self.maxCount, moment == nil {
            let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.maxCount / 2)
            for (key, _) in oldest { entries[key] = nil }
        }
        return result
    }

    /// Forgets the objects whose last use was before `moment`.
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
