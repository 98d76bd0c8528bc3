// SPDX-License-Identifier: LGPL-2.1-or-later

/// The reason why no frames arrive.
enum LossReason: Equatable, Sendable {
    case noAnswer, stalled, refused, unreachable, unknownHost, unauthorized, notFound, closed, unsupported, failed

    /// The name of the reason in element messages and statistics.
    var word: String {
        switch self {
        case .noAnswer: "no-answer"
        case .stalled: "stalled"
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .unknownHost: "unknown-host"
        case .unauthorized: "unauthorized"
        case .notFound: "not-found"
        case .closed: "closed"
        case .unsupported: "unsupported"
        case .failed: "failed"
        }
    }

    /// The description of the reason for users.
    var text: String {
        switch self {
        case .noAnswer: "no answer"
        case .stalled: "the camera has stopped sending frames"
        case .refused: "connection refused"
        case .unreachable: "no route to the camera"
        case .unknownHost: "unknown host name"
        case .unauthorized: "wrong user name or password"
        case .notFound: "no such stream"
        case .closed: "the camera closed the connection"
        case .unsupported: "no decoder for this stream"
        case .failed: "the connection failed"
        }
    }

    /// True if only a user can solve the problem. Connection attempts are then rare, because some cameras lock out a
    /// client after repeated wrong passwords.
    var needsAttention: Bool { self == .unauthorized || self == .unsupported }
}
