// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization
import Waiting

/// `svurisrc` plays the video of a network camera, and reconnects after a loss.
///
///     gst-launch-1.0 svurisrc uri=rtsp://camera/stream ! videoconvert ! autovideosink
final class URISource: VideoSource {
    static let metadata = ElementMetadata(
        name: "svurisrc", longName: "Network Camera Source", category: .source,
        description: "Plays the video of a network camera, and reconnects after a connection loss")

    private let host: Host<Settings>
    private let currentLatency = Mutex(ClockTime.zero)

    /// The source opens no new connection while more than this number of connections are closing.
    private static let maxClosing = 5

    struct State {
        let address: StreamAddress
        let uri: String
        let properties: [(name: String, value: String)]
        /// The camera of this machine; nil for other addresses.
        let camera: DecodedStream.Camera?
        /// Supervises the connections; nil until the pipeline is in the state PLAYING.
        var supervision: Supervision?
        var connections: [Int: CameraConnection] = [:]
        let inbox = Monitor(CameraInbox())
        var filler = Filler()
        /// The camera frames that are output next.
        var ready: [StreamFrame] = []
        var output = SourceOutputTimes()
        var isEnded = false
        var counts = SourceCounts()
    }

    init(host: Host<Settings>) { self.host = host }

    var latency: ClockTime { currentLatency.withLock { $0 } }

    func start(_ settings: Settings) throws -> State {
        let address = try settings.address()
        let (uri, properties) = try settings.reading(address, by: host.objectName)
        currentLatency.withLock { $0 = address.isRTSP ? settings.latency : .zero }
        host.set(\.status, to: .connecting)
        return State(address: address, uri: uri, properties: properties, camera: try settings.camera(address))
    }

    func stop(_ state: inout State) {
        for connection in state.connections.values { connection.close() }
        state.connections = [:]
        // Wait up to 500 ms. A connection that hangs closes later on its own thread.
        state.inbox.wait(until: .after(milliseconds: 500)) { $0.closing == 0 }
        host.set(\.status, to: .stopped)
    }

    // MARK: - The supervising thread

    func next(_ state: inout State, _ settings: Settings) throws -> SourceOutput {
        while !host.interruption.isSet, let clock = host.pipelineClock {
            for event in state.inbox.withLock({ $0.takeAll() }) { handle(event, &state, settings, clock) }
            let now = ClockTime.now
            advance(&state, settings, clock, to: now)
            state.counts.report(state, at: now, to: host)
            if !state.ready.isEmpty {
                let frame = state.ready.removeFirst()
                state.output.stamp(frame, by: clock, latency: latency)
                state.counts.frames += 1
                state.filler.note(frame, keeps: settings.onLoss == .lastFrame)
                return .frame(frame)
            }
            if state.isEnded { return .endOfStream }
            let isFilling = state.supervision?.reason != nil
            if isFilling, let frame = state.filler.frame(at: now, settings, state.supervision?.reason, host) {
                state.output.stamp(frame, by: clock, latency: nil)
                state.counts.fillers += 1
                return .frame(frame)
            }
            let due = min(
                state.supervision?.due ?? .max, isFilling ? state.filler.due(settings) : .max, state.counts.due)
            state.inbox.wait(
                until: .after(nanoseconds: due.since(now)?.nanoseconds ?? 0), unless: host.interruption
            ) { !$0.events.isEmpty }
        }
        return .interrupted
    }

    private func handle(
        _ event: CameraInbox.Event, _ state: inout State, _ settings: Settings, _ clock: PipelineClock
    ) {
        switch event {
        case .frame(let id, let frame, let time):
            guard let actions = state.supervision?.frame(from: id, at: time) else { return }
            perform(actions, &state, settings, clock)
            state.ready.append(frame)
        case .latency(let latency):
            let grows = currentLatency.withLock { known in
                guard latency > known else { return false }
                known = latency
                return true
            }
            if grows { host.latencyChanged() }
        case .warned(let text): host.post(warning: ElementError(.unsuitable, "\(state.address.server): \(text)"))
        case .opened(let id, let time): state.supervision?.opened(id, at: time)
        case .ended(let id, let isComplete):
            let actions = state.supervision?.ended(id, isComplete: isComplete, at: .now)
            perform(actions ?? [], &state, settings, clock)
        case .failed(let id, let reason, let details):
            host.log(.info, "connection attempt \(id) failed: \(reason.text)")
            host.log(.debug, details)
            perform(state.supervision?.failed(id, reason, at: .now) ?? [], &state, settings, clock)
        }
    }

    private func advance(_ state: inout State, _ settings: Settings, _ clock: PipelineClock, to time: ClockTime) {
        if state.supervision == nil {
            var limits = settings.limits
            limits.triesAnew = !state.address.isWaitedAt
            limits.isExclusive = state.address.isLocalCamera
            state.supervision = Supervision(limits, at: time)
        }
        let maxClosing = state.address.isLocalCamera ? 0 : Self.maxClosing
        let mayOpen = state.inbox.withLock { $0.closing } <= maxClosing
        let connections = state.connections
        let actions = state.supervision?.advance(to: time, mayOpen: mayOpen) { connections[$0]?.heard } ?? []
        perform(actions, &state, settings, clock)
    }

    private func perform(
        _ actions: [Supervision.Action], _ state: inout State, _ settings: Settings, _ clock: PipelineClock
    ) {
        for action in actions {
            switch action {
            case .open(let id):
                guard let caps = host.allowedCaps else { continue }
                host.log(.info, "connection attempt \(id) started")
                let connection = CameraConnection(
                    id, to: state.address,
                    DecodedStream.Request(
                        uri: state.uri, properties: state.properties, caps: caps, camera: state.camera), clock,
                    state.inbox)
                state.connections[id] = connection
                connection.open()
            case .close(let id): state.connections.removeValue(forKey: id)?.close()
            case .lost(let reason, let isNew):
                state.filler.reset()
                if isNew { state.counts.outages += 1 }
                host.set(\.status, to: .lost)
                host.post(event: "lost") { $0.set("reason", reason.word) }
                guard isNew else { continue }
                host.post(
                    warning: ElementError(
                        state.supervision?.hasFrames == true ? .read : .openRead,
                        "no frames from \(state.address.server): \(reason.text). Trying again."))
            case .back(let time):
                host.post(event: "back") { $0.set("outage", time.nanoseconds) }
                host.tell("frames from \(state.address.server) arrive again after \(time.tenths) s", isPrinted: false)
            case .endOfStream: state.isEnded = true
            }
        }
        if state.supervision?.hasFrames == true, state.supervision?.reason == nil {
            host.set(\.status, to: .playing, ifStill: host.settings.status)
        }
    }
}

extension ClockTime {
    /// The time in seconds, with one decimal.
    fileprivate var tenths: String {
        let tenths = (nanoseconds / 50_000_000 + 1) / 2
        return "\(tenths / 10).\(tenths % 10)"
    }
}
