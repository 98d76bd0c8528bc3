// SPDX-License-Identifier: LGPL-2.1-or-later

/// The reason why no frames arrive.
enum LossReason: Equatable, Sendable {
    case noAnswer, stalled, refused, unreachable, unknownHost, unauthorized, notFound, closed, unsupported, failed
    /// The camera sends data, but no frame of it can be decoded.
    case undecodable
    /// Reasons that occur only with a camera of this machine.
    case noCamera, busy, noPermission, modeRefused, unplugged

    /// The name of the reason in the property `stats` and in the message `lost`.
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
        case .undecodable: "broken-frames"
        case .noCamera: "no-camera"
        case .busy: "busy"
        case .noPermission: "no-permission"
        case .modeRefused: "mode-refused"
        case .unplugged: "unplugged"
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
        case .undecodable: "the camera sends broken frames"
        case .noCamera: "no camera at this path. To list the cameras, run ./launch cameras"
        case .busy: "another program uses the camera"
        case .noPermission: "no permission for the camera. Add your user to the group video"
        case .modeRefused: "the camera does not support the mode. To list the modes, run ./launch cameras"
        case .unplugged: "the camera was disconnected"
        }
    }

    /// True if only a user can solve the problem. Connection attempts are then rare, because some cameras lock out a
    /// client after repeated wrong passwords.
    var needsAttention: Bool { [.unauthorized, .unsupported, .noPermission, .modeRefused].contains(self) }
}
