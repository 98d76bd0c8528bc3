// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Requests to `layout=studio`, from actions, keys and clicks on any thread.
struct MergeRequests: Mail {
    /// Indices of the slots that get the largest face of the frame.
    var slots: Set<Int> = []
    /// True if the slot should get a face that differs from the face in the first slot, provided that the frame has
    /// such a face.
    var wantsAnother = false
    var merges = false
    var clears = false
    /// Positions of clicks, in order, in pixels of the frame.
    var clicks: [Point] = []
    var saves: [SnapshotTarget] = []

    /// True if a user has requested to select, merge or clear.
    var areByHand: Bool { !slots.isEmpty || merges || clears || !clicks.isEmpty }
}

/// The state of `layout=studio`, by which requests are accepted or refused.
struct MergeStatus: Mail {
    var hasFace = false
    var filled: Set<Int> = []
    var hasHybrid = false
}

extension Mailbox<MergeRequests, MergeStatus> {
    /// Requests that a slot gets the largest face.
    /// - Parameter slot: 1 or 2.
    /// - Returns: false if the last frame has no face, or the slot is invalid.
    func select(_ slot: UInt32) -> Bool {
        request { requests, status in
            guard status.hasFace, (1...2).contains(slot) else { return false }
            requests.slots.insert(Int(slot) - 1)
            return true
        }
    }

    /// Requests the handling of a click; see `MergeSession.click`.
    func click(_ point: Point) { request { requests, _ in requests.clicks.append(point) } }

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
