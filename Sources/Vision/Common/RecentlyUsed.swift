/// Values by key, such as a track's number, that are forgotten when nobody has asked for them for some time.
package struct RecentlyUsed<Key: Hashable, Value> {
    /// Number of turns after which unused values are forgotten.
    package let patience: Int
    private var entries: [Key: (value: Value, lastUse: Int)] = [:]
    private var turn = 0

    package init(patience: Int) { self.patience = patience }

    /// Returns the value of a key, which is made if there is none.
    package mutating func value(of key: Key, orMake make: () -> Value) -> Value {
        let value = entries[key]?.value ?? make()
        entries[key] = (value, turn)
        return value
    }

    /// Ends a turn, such as a frame, and forgets what has not been used for long.
    package mutating func endTurn() {
        entries = entries.filter { turn &- $0.value.lastUse < patience }
        turn &+= 1
    }

    package mutating func removeAll() { entries.removeAll() }
}
