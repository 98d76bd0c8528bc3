// SPDX-License-Identifier: LGPL-2.1-or-later

/// Which version of MQTT a client speaks: 5, or 3.1.1 where the broker knows no other. Only the answers of MQTT 5 say that a
/// message was refused.
///
/// Some old brokers close the connection instead of answering. So does anything whose broker is away just now, such as a
/// load balancer. So 3.1.1 is tried after that, and settled on if the broker answers to it and then not to MQTT 5 again.
struct MQTTVersion: Sendable {
    private enum Stage {
        case five, trial, settled
    }

    private var stage: Stage
    /// True if the broker has answered to 3.1.1 since it closed a connection of MQTT 5.
    private var hasAnsweredTrial = false

    /// - Parameter knowsFive: true if the library speaks MQTT 5.
    init(knowsFive: Bool) { stage = knowsFive ? .five : .settled }

    var isFive: Bool { stage == .five }

    /// True if 3.1.1 is the version from now on.
    var isSettled: Bool { stage == .settled }

    /// The broker has accepted the connection.
    /// - Returns: false if that was a trial, so that the next connection has to be of MQTT 5.
    mutating func wasAccepted() -> Bool {
        hasAnsweredTrial = stage == .trial
        guard stage == .trial else { return true }
        stage = .five
        return false
    }

    /// The broker has answered that it does not know the version.
    /// - Returns: true if there is another one to try.
    mutating func wasRefused() -> Bool {
        guard stage == .five else { return false }
        stage = .settled
        return true
    }

    /// The broker has closed the connection without an answer.
    mutating func wasIgnored() {
        switch stage {
        case .five: stage = hasAnsweredTrial ? .settled : .trial
        case .trial: stage = .five
        case .settled: break
        }
    }
}
