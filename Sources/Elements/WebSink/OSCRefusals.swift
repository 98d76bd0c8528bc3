// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Decides which ignored messages cause a warning: the first message, and then at most one message per minute.
struct RefusalReports: Sendable {
    private static let interval = 60 * ClockTime.second
    private var last: ClockTime?
    private var count = 0

    /// Counts an ignored message.
    /// - Returns: nil if there must be no warning now; otherwise the number of ignored messages since the last warning.
    mutating func add(at now: ClockTime) -> Int? {
        count += 1
        if let last, now.since(last).map({ $0 < Self.interval }) ?? true { return nil }
        defer { (last, count) = (now, 0) }
        return count
    }
}

/// The actions that have failed within the last second. These actions must pause, because an action can post a warning
/// when it fails, and each movement of a fader can request the action again.
struct FailedActions: Sendable {
    private static let pause = ClockTime.second
    private static let room = 64
    private var ends: [String: ClockTime] = [:]

    /// Returns true if the action has not failed within the last second. Returns false if too many actions have failed.
    mutating func mayRun(_ action: String, at now: ClockTime) -> Bool {
        guard !ends.isEmpty else { return true }
        ends = ends.filter { $0.value > now }
        return ends[action] == nil && ends.count < Self.room
    }

    mutating func add(_ action: String, at now: ClockTime) { ends[action] = now + Self.pause }
}
