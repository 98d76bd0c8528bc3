// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
@testable import Publishing
import Synchronization
import TestSupport
import Waiting

/// Collects the events of a publisher.
final class Events: Sendable {
    private let events = Mutex<[PublisherEvent]>([])

    func add(_ event: PublisherEvent) { events.withLock { $0.append(event) } }
    var all: [PublisherEvent] { events.withLock { $0 } }
    func count(_ event: PublisherEvent) -> Int { all.count { $0 == event } }

    var losses: [String] { all.compactMap { if case .lost(let reason, _) = $0 { reason } else { nil } } }
    /// The reasons of the losses at the beginning of an outage.
    var outages: [String] { all.compactMap { if case .lost(let reason, true) = $0 { reason } else { nil } } }
    var limits: [String] { all.compactMap { if case .limited(let reason) = $0 { reason } else { nil } } }
    var refusalReasons: [String] { all.compactMap { if case .refused(_, _, let reason) = $0 { reason } else { nil } } }
    var announcementRefusals: [String] {
        all.compactMap { if case .announcementRefused(let reason) = $0 { reason } else { nil } }
    }
    var damages: [SpoolDamage] { all.compactMap { if case .spoolDamaged(let damage) = $0 { damage } else { nil } } }
    var refusals: [Int] { all.compactMap { if case .refused(_, let bytes, _) = $0 { bytes } else { nil } } }
}

/// Returns a message with a number.
func message(_ number: Int, padding: Int = 0) -> [UInt8] {
    Array("{\"n\":\(number),\"p\":\"\(String(repeating: "x", count: padding))\"}".utf8)
}

/// Returns the numbers of the messages in a text, one message per line. If a line is not valid JSON, its number is −1.
func numbers(in text: String) -> [Int] {
    text.split(separator: "\n").compactMap { line in
        guard let table = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return -1 }
        return table["n"] as? Int
    }
}

func limits(_ messages: Int = 10_000, bytes: Int = 64_000_000, _ overflow: Overflow = .dropOldest) -> QueueLimits {
    QueueLimits(messages: messages, bytes: bytes, overflow: overflow)
}

/// Returns settings with short intervals between connection attempts.
func quick(_ limits: QueueLimits = limits(), spool: String? = nil) -> PublisherSettings {
    var settings = PublisherSettings(limits: limits)
    settings.reconnectInterval = 50
    settings.maximumReconnectInterval = 100
    settings.spoolPath = spool
    return settings
}

/// Returns a deadline of 60 s. Only a hanging test exceeds it.
func patience() -> Deadline { .after(milliseconds: 60_000) }
