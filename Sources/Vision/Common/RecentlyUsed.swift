// SPDX-License-Identifier: LGPL-2.1-or-later
/// Values by key, such as a track's number, that are forgotten when nobody has asked for them for some time.
package struct RecentlyUsed<Key: Equatable, Value> {
    /// Number of turns after which unused values are forgotten.
    package let patience: Int
    // There are few at a time.
    private var entries: [(key: Key, value: Value, lastUse: Int)] = []
    private var turn = 0

    package init(patience: Int) { self.patience = patience }

    /// Returns the value of a key, which is made if there is none.
    package mutating func value(of key: Key, orMake make: () -> Value) -> Value {
        guard let index = entries.firstIndex(where: { $0.key == key }) else {
            entries.append((key, make(), turn))
            return entries[entries.count - 1].value
        }
        entries[index].lastUse = turn
        return entries[index].value
    }

    /// Ends a turn, such as a frame, and forgets what has not been used for long.
    package mutating func endTurn() {
        entries.removeAll { turn &- $0.lastUse >= patience }
        turn &+= 1
    }

    package mutating func removeAll() { entries.removeAll() }
}
