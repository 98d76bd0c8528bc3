// SPDX-License-Identifier: LGPL-2.1-or-later
/// A cache of values by key, for example by track ID. The cache removes values that were not used for some time.
package struct RecentlyUsed<Key: Equatable, Value> {
    /// The cache removes a value that was not used during this number of turns. A turn is, for example, the processing
    /// of one frame.
    package let patience: Int
    // An array is fast enough for the few entries of the cache.
    private var entries: [(key: Key, value: Value, lastUse: Int)] = []
    private var turn = 0

    package init(patience: Int) { self.patience = patience }

    /// Returns the value of a key. If the key has no value, stores and returns the result of `make`.
    package mutating func value(of key: Key, orMake make: () -> Value) -> Value {
        guard let index = entries.firstIndex(where: { $0.key == key }) else {
            entries.append((key, make(), turn))
            return entries[entries.count - 1].value
        }
        entries[index].lastUse = turn
        return entries[index].value
    }

    package var values: [Value] { entries.map(\.value) }
    /// The values that `value` has not returned in the current turn.
    package var idleValues: [Value] { entries.filter { $0.lastUse != turn }.map(\.value) }

    /// Ends a turn, for example after each frame. Removes the values that were not used in the last `patience` turns.
    package mutating func endTurn() {
        entries.removeAll { turn &- $0.lastUse >= patience }
        turn &+= 1
    }

    package mutating func removeAll() { entries.removeAll() }
}
