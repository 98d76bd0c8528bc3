// SPDX-License-Identifier: LGPL-2.1-or-later
/// A cache with a limited number of values and a limited total cost. If a limit is exceeded, the cache removes the
/// least recently used values.
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

    /// Stores a value. If the cost of the value is higher than the cache's limit, does nothing.
    /// - Parameter cost: the cost of the value, 0 or more.
    mutating func store(_ value: Value, for key: Key, cost: Int) {
        guard maximumCount > 0, cost <= maximumCost else { return }
        remove(key)
        // A linear search is fast enough: the cache has few entries, and creating a value takes much longer.
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
