// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Requests to `layout=studio`, by actions and keys from any thread.
struct MergeRequests: Mail {
    /// Slots that take the largest face now.
    var slots: Set<Int> = []
    /// True if the second slot takes a different face from the first one's, if there is one.
    var wantsAnother = false
    var merges = false
    var clears = false
    /// Places that were clicked, in order.
    var clicks: [Point] = []
    var saves: [SnapshotTarget] = []

    /// True if somebody has chosen, merged or cleared.
    var areByHand: Bool { !slots.isEmpty || merges || clears || !clicks.isEmpty }
}

/// What `layout=studio` has, by which it answers.
struct MergeStatus: Mail {
    var hasFace = false
    var filled: Set<Int> = []
    var hasHybrid = false
}

extension Mailbox<MergeRequests, MergeStatus> {
    /// - Parameter slot: 1 or 2.
    func select(_ slot: UInt32) -> Bool {
        request { requests, status in
            guard status.hasFace, (1...2).contains(slot) else { return false }
            requests.slots.insert(Int(slot) - 1)
            return true
        }
    }

    /// Has the face at a place chosen, or what is shown there dropped.
    func click(_ place: Point) { request { requests, _ in requests.clicks.append(place) } }

    func merge() -> Bool {
        request { requests, status in
            guard status.filled.union(requests.slots).count == 2 else { return false }
            requests.merges = true
            return true
        }
    }

    func save(_ target: SnapshotTarget) -> Bool {
        request { requests, status in
            guard status.hasHybrid || requests.merges else { return false }
            requests.saves.append(target)
            return true
        }
    }

    func reset() {
        request { requests, status in
            requests = MergeRequests(clears: true)
            status = MergeStatus(hasFace: status.hasFace)
        }
    }
}
