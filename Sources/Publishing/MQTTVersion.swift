// SPDX-License-Identifier: LGPL-2.1-or-later

/// Selects the MQTT version. Version 5 is preferred, because only this version reports refused messages. If the broker
/// does not support it, the client uses 3.1.1.
///
/// Some old brokers close an MQTT 5 connection without an answer, but load balancers also do this while their broker is
/// down. So after such a close, the client tries 3.1.1 once. If the broker accepts 3.1.1 and then closes the next MQTT
/// 5 connection without an answer again, the client continues with 3.1.1.
struct MQTTVersion: Sendable {
    private enum Stage {
        case five, trial, settled
    }

    private var stage: Stage
    /// True if the broker has accepted 3.1.1 after it closed an MQTT 5 connection without an answer.
    private var hasAnsweredTrial = false

    /// - Parameter knowsFive: true if libmosquitto supports MQTT 5.
    init(knowsFive: Bool) { stage = knowsFive ? .five : .settled }

    var isFive: Bool { stage == .five }

    /// True if the client continues with 3.1.1.
    var isSettled: Bool { stage == .settled }

    /// Notes that the broker has accepted the connection.
    /// - Returns: false if this was only a trial of 3.1.1. The client must then connect again with MQTT 5.
    mutating func wasAccepted() -> Bool {
        hasAnsweredTrial = stage == .trial
        guard stage == .trial else { return true }
        stage = .five
        return false
    }

    /// Notes that the broker does not support the version.
    /// - Returns: true if the client can try another version.
    mutating func wasRefused() -> Bool {
        guard stage == .five else { return false }
        stage = .settled
        return true
    }

    /// Notes that the broker has closed the connection without an answer.
    mutating func wasIgnored() {
        switch stage {
        case .five: stage = hasAnsweredTrial ? .settled : .trial
        case .trial: stage = .five
        case .settled: break
        }
    }
}
