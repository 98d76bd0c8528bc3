// SPDX-License-Identifier: LGPL-2.1-or-later

/// Selects the MQTT version. The client prefers version 5, because only version 5 reports refused messages. If the
/// broker does not support version 5, the client uses version 3.1.1.
///
/// Some old brokers close an MQTT 5 connection without an answer. Load balancers also do this while their broker is
/// down. To distinguish these cases, the client connects with version 3.1.1 after such a close. If the broker accepts
/// version 3.1.1, the client tries version 5 a second time. If the broker closes the second MQTT 5 connection without
/// an answer too, the client continues with version 3.1.1.
struct MQTTVersion: Sendable {
    private enum Stage {
        case five, trial, settled
    }

    private var stage: Stage
    /// True if the broker has accepted MQTT 3.1.1 after the broker had closed an MQTT 5 connection without an answer.
    private var hasAnsweredTrial = false

    /// - Parameter knowsFive: true if libmosquitto supports MQTT 5.
    init(knowsFive: Bool) { stage = knowsFive ? .five : .settled }

    var isFive: Bool { stage == .five }

    /// True if the client will not try MQTT 5 again, but continues with MQTT 3.1.1.
    var isSettled: Bool { stage == .settled }

    /// Records that the broker has accepted the connection.
    /// - Returns: false if this connection was only a trial of MQTT 3.1.1. The client must then connect again with MQTT
    ///   5.
    mutating func wasAccepted() -> Bool {
        hasAnsweredTrial = stage == .trial
        guard stage == .trial else { return true }
        stage = .five
        return false
    }

    /// Records that the broker does not support the MQTT version of the connection.
    /// - Returns: true if the client can try another version.
    mutating func wasRefused() -> Bool {
        guard stage == .five else { return false }
        stage = .settled
        return true
    }

    /// Records that the broker has closed the connection without an answer.
    mutating func wasIgnored() {
        switch stage {
        case .five: stage = hasAnsweredTrial ? .settled : .trial
        case .trial: stage = .five
        case .settled: break
        }
    }
}
