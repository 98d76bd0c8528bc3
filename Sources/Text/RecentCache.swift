// SPDX-License-Identifier: LGPL-2.1-or-later
/// A cache that limits the number of values and their total cost. It removes the least recently used value first.
struct RecentCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let cost: Int
        var lastUse: UInt64
    }

    private let maximumCount: Int
    private let maximumCost: Int
    private var entries: [Key: Entry] = [:]
    private var totalCost = 0
    private var uses: UInt64 = 0

    init(maximumCount: Int, maximumCost: Int) {
        self.maximumCount = maximumCount
        self.maximumCost = maximumCost
    }

    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses &+= 1
        entries.values[index].lastUse = uses
        return entries.values[index].value
    }

    /// Stores a value, unless its cost exceeds the limit.
    /// - Parameter cost: at least 0.
    mutating func store(_ value: Value, for key: Key, cost: Int) {
        guard maximumCount > 0, cost <= maximumCost else { return }
        remove(key)
        // A linear search for the oldest entry is fast enough: there are few entries, and creating a value takes far
        // longer.
        while entries.count >= maximumCount || totalCost > maximumCost - cost,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            remove(oldest.key)
        }
        uses &+= 1
        entries[key] = Entry(value: value, cost: cost, lastUse: uses)
        totalCost += cost
    }

    private mutating func remove(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { totalCost -= entry.cost }
    }
}
