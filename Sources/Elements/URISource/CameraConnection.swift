// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import Waiting

/// A queue of events and frames from the connections to a camera, for the thread that supervises the connections.
struct CameraInbox: Sendable {
    enum Event: Sendable {
        case frame(Int, StreamFrame, at: ClockTime)
        case latency(ClockTime)
        /// The text of a warning of the element that reads the camera.
        case warned(String)
        /// The connection is open.
        case opened(Int, at: ClockTime)
        case ended(Int, isComplete: Bool)
        case failed(Int, LossReason, details: String)
    }

    private(set) var events: [Event] = []
    private var frames = 0
    /// The number of frames that were dropped because the queue was full.
    private(set) var dropped: UInt64 = 0
    /// The number of connections that are closing.
    var closing = 0

    /// Maximum number of queued frames.
    private static let room = 4

    mutating func put(_ event: Event) {
        if case .frame = event {
            let isFrame = { (event: Event) in if case .frame = event { true } else { false } }
            if frames == Self.room, let oldest = events.firstIndex(where: isFrame) {
                events.remove(at: oldest)
                dropped += 1
            } else {
                frames += 1
            }
        }
        events.append(event)
    }

    mutating func takeAll() -> [Event] {
        defer { (events, frames) = ([], 0) }
        return events
    }
}

/// One connection to a camera. Opening and closing can take a long time, so a separate thread opens and closes the
/// connection, and no other thread waits.
final class CameraConnection: Sendable {
    private let id: Int
    private let worker = Worker()
    private let stream: DecodedStream
    private let inbox: Monitor<CameraInbox>

    init(
        _ id: Int, to address: StreamAddress, _ request: DecodedStream.Request, _ clock: PipelineClock,
        _ inbox: Monitor<CameraInbox>
    ) {
        (self.id, self.inbox) = (id, inbox)
        let worker = worker
        let hasFailed = Atomic(false)
        stream = DecodedStream(
            request, clock: clock,
            DecodedStream.Events(
                frame: { frame in inbox.change { $0.put(.frame(id, frame, at: .now)) } },
                latency: { latency in inbox.change { $0.put(.latency(latency)) } },
                ended: { isComplete in inbox.change { $0.put(.ended(id, isComplete: isComplete)) } },
                failed: { failure in
                    // Report only the first failure, because further failures are consequences of the first failure.
                    guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
                    worker.run {
                        let reason = failure.reason(at: address)
                        inbox.change { $0.put(.failed(id, reason, details: failure.text)) }
                    }
                },
                warned: { text in inbox.change { $0.put(.warned(text)) } }))
    }

    var heard: ClockTime? { stream.heard }

    func open() {
        worker.run { [id, stream, inbox] in
            stream.open()
            inbox.change { $0.put(.opened(id, at: .now)) }
        }
    }

    func close() {
        inbox.withLock { $0.closing += 1 }
        worker.run { [stream, inbox] in
            stream.close()
            inbox.change { $0.closing -= 1 }
        }
    }
}

extension StreamFailure {
    /// Returns the reason why the connection was lost. For a network error, probes the address. The probe can take up
    /// to 0.3 s, or longer if a name server is slow.
    fileprivate func reason(at address: StreamAddress) -> LossReason {
        if address.isLocalCamera { return localReason(address.path) }
        switch kind {
        case .unauthorized: return .unauthorized
        case .notFound: return .notFound
        case .missingPlugin: return .unsupported
        case .connection, .busy:
            guard let host = address.host, let port = address.port ?? Self.usualPorts[address.scheme] else {
                return .failed
            }
            return ConnectionProbe.reason(host: host, port: port) ?? .closed
        case .format, .negotiation, .other: return .failed
        }
    }

    /// Returns the reason for the failure of a camera of this machine.
    private func localReason(_ path: String) -> LossReason {
        guard access(path, F_OK) == 0 else { return kind == .notFound ? .noCamera : .unplugged }
        switch kind {
        case .busy: return .busy
        case .negotiation: return .modeRefused
        case .missingPlugin: return .unsupported
        case _ where access(path, R_OK | W_OK) != 0: return .noPermission
        case .unauthorized: return .noPermission
        case .notFound: return .noCamera
        case .connection, .format, .other: return .failed
        }
    }

    private static let usualPorts = ["rtsp": 554, "rtspt": 554, "rtsph": 554, "rtsps": 322, "http": 80, "https": 443]
}
