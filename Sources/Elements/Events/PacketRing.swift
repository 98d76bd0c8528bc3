// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// An item of a `PacketRing`, such as an encoded packet.
protocol RingItem {
    /// The running time, in nanoseconds.
    var time: Int64? { get }
    /// True if a decoder can start with this item.
    var isKey: Bool { get }
    var bytes: Int { get }
}

extension StreamPacket: RingItem {}

/// The last seconds of an encoded stream, in groups that begin with a keyframe.
struct PacketRing<Item: RingItem> {
    private struct Group {
        let start: Int64
        var items: [Item]
        var bytes: Int
    }

    private var groups: [Group] = []
    private(set) var bytes = 0
    /// The time of the newest item.
    private(set) var latest: Int64?

    /// The time of the oldest item.
    var earliest: Int64? { groups.first?.start }

    var count: Int { groups.reduce(0) { $0 + $1.items.count } }

    /// Adds an item, and removes the groups that are no longer necessary. Items before the first keyframe are ignored.
    /// - Parameters:
    ///   - span: the ring keeps the group that contains the time `span` before the newest item, and all later groups.
    ///   - limit: the maximum number of bytes. The ring removes whole groups, so it can become empty.
    /// - Returns: false if the ring has removed items of the last `span` because of `limit`.
    mutating func append(_ item: Item, keeping span: Int64, atMost limit: Int) -> Bool {
        guard let time = item.time else { return true }
        if item.isKey {
            groups.append(Group(start: time, items: [item], bytes: item.bytes))
        } else if let last = groups.indices.last {
            groups[last].items.append(item)
            groups[last].bytes += item.bytes
        } else {
            return true
        }
        bytes += item.bytes
        latest = max(latest ?? time, time)
        let (start, overflows) = time.subtractingReportingOverflow(span)
        drop(before: overflows ? .min : start)
        var isWhole = true
        while bytes > limit, !groups.isEmpty {
            removeFirst()
            isWhole = false
        }
        return isWhole
    }

    /// Removes the groups that end before a time.
    mutating func drop(before time: Int64) {
        while groups.count > 1, groups[1].start <= time { removeFirst() }
    }

    private mutating func removeFirst() { bytes -= groups.removeFirst().bytes }

    mutating func removeAll() { self = PacketRing() }

    /// Returns all items from the last keyframe at or before a time. If there is no such keyframe, returns all items.
    func items(from time: Int64) -> [Item] {
        let first = groups.lastIndex { $0.start <= time } ?? groups.startIndex
        return groups[first...].flatMap(\.items)
    }
}
