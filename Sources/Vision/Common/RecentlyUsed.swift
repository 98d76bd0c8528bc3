// SPDX-License-Identifier: LGPL-2.1-or-later
/// A cache of values by key, for example by track ID. Values that are not used for some time are removed.
package struct RecentlyUsed<Key: Equatable, Value> {
    /// After this number of turns without use, a value is removed.
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

    /// Ends a turn, for example a frame. Removes the values that were not used for `patience` turns.
    package mutating func endTurn() {
        entries.removeAll { turn &- $0.lastUse >= patience }
        turn &+= 1
    }

    package mutating func removeAll() { entries.removeAll() }
}
