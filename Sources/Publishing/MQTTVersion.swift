// SPDX-License-Identifier: LGPL-2.1-or-later

/// Selects the MQTT version: 5, or 3.1.1 if the broker does not support 5. Only MQTT 5 reports refused messages.
///
/// Some old brokers close an MQTT 5 connection without an answer. A load balancer does the same while its broker is
/// down. So the client then tries 3.1.1 once. If the broker accepts 3.1.1 and afterwards closes an MQTT 5 connection
/// again, the client stays with 3.1.1.
struct MQTTVersion: Sendable {
    private enum Stage {
        case five, trial, settled
    }

    private var stage: Stage
    /// True if the broker has accepted 3.1.1 since it closed an MQTT 5 connection.
    private var hasAnsweredTrial = false

    /// - Parameter knowsFive: true if the library supports MQTT 5.
    init(knowsFive: Bool) { stage = knowsFive ? .five : .settled }

    var isFive: Bool { stage == .five }

    /// True if the client stays with 3.1.1.
    var isSettled: Bool { stage == .settled }

    /// Handles a connection that the broker has accepted.
    /// - Returns: false if the connection was a trial of 3.1.1, so the client must connect again with MQTT 5.
    mutating func wasAccepted() -> Bool {
        hasAnsweredTrial = stage == .trial
        guard stage == .trial else { return true }
        stage = .five
        return false
    }

    /// Handles the broker's answer that it does not support the version.
    /// - Returns: true if the client can try another version.
    mutating func wasRefused() -> Bool {
        guard stage == .five else { return false }
        stage = .settled
        return true
    }

    /// Handles a connection that the broker has closed without an answer.
    mutating func wasIgnored() {
        switch stage {
        case .five: stage = hasAnsweredTrial ? .settled : .trial
        case .trial: stage = .five
        case .settled: break
        }
    }
}
