// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting
import Web

/// Controls the pipeline with OSC messages such as `/f/red 0.5`. Counts all messages, and sends no replies.
final class OSCControl: OSCDelegate {
    private let host: Host<WebSinkSettings>
    private let control: PipelineControl
    /// Applies the messages on its own thread, because elements may respond slowly. The requests of pages run on
    /// another thread, so OSC messages do not delay them.
    private let requests = Worker()
    /// Posts warnings. The listener's thread must not post them: the receiver of a warning may stop the pipeline, and
    /// `stop` would then wait forever for the listener's thread.
    private let worker: Worker
    private let listener = Monitor<OSCListener?>(nil)
    private let state = Monitor(State())

    private struct State: Sendable {
        var counts = Counts()
        /// The number of messages that wait for `requests`.
        var waiting = 0
        var reports = RefusalReports()
        var failures = FailedActions()
        /// The number of threads that are passing a warning to `worker`.
        var reporting = 0
        /// True after `stop`. The element may then no longer exist.
        var isOver = false
    }

    /// The numbers of messages since the start. `malformed` is a number of packets.
    struct Counts: Sendable, Equatable {
        var applied = 0
        var refused = 0
        var malformed = 0
        var dropped = 0

        var json: JSONValue {
            .table([
                ("applied", .whole(Int64(applied))), ("refused", .whole(Int64(refused))),
                ("malformed", .whole(Int64(malformed))), ("dropped", .whole(Int64(dropped))),
            ])
        }
    }

    /// Maximum number of messages that wait.
    private static let room = 1000

    init(_ host: Host<WebSinkSettings>, _ worker: Worker) {
        (self.host, self.worker) = (host, worker)
        // OSC messages cannot set properties to texts, so they need no access to files, even with files=any.
        control = PipelineControl(of: host, files: .uploads(in: nil)) { _ in }
    }

    /// Starts to receive messages.
    /// - Throws: `ElementError` if the key file cannot be read; `WebError` if the listener cannot start.
    func start(_ settings: WebSinkSettings) throws {
        var configuration = OSCConfiguration()
        configuration.address = settings.oscAddress ?? configuration.address
        configuration.port = settings.oscPort
        if let path = settings.oscKeyFile { configuration.key = try password(inFile: path, property: "osc-key-file") }
        let listener = try OSCListener(configuration, self)
        host.log(.info, "receiving OSC messages on UDP port \(listener.port) of \(configuration.address)")
        self.listener.change { $0 = listener }
    }

    /// Stops receiving messages, and skips the messages that wait. The caller must then finish the jobs of `worker`,
    /// which can contain warnings.
    func stop() {
        guard let listener = listener.change({ $0.take() }) else { return }
        listener.stop()
        state.change { $0.isOver = true }
        state.wait { $0.reporting == 0 }
        let counts = counts
        host.log(
            .info,
            "OSC messages: \(counts.applied) applied, \(counts.refused) refused, \(counts.malformed) malformed, "
                + "\(counts.dropped) dropped")
    }

    var counts: Counts { state.withLock { $0.counts } }

    func received(_ verdict: OSCGate.Verdict) {
        switch verdict {
        case .accepted(let message): queue(message)
        case .malformed(let fault): refuse(\.malformed, "not an OSC 1.0 packet: \(fault.rawValue)")
        case .wrongKey: refuse(\.refused, "the address does not start with the key in osc-key-file")
        case .tooMany: refuse(\.dropped, "too many messages per second")
        }
    }

    private func queue(_ message: OSCMessage) {
        let isQueued = state.withLock { state in
            guard state.waiting < Self.room else { return false }
            state.waiting += 1
            return true
        }
        guard isQueued else { return refuse(\.dropped, "the elements respond too slowly") }
        requests.run { [self] in
            state.withLock { $0.waiting -= 1 }
            apply(message)
        }
    }

    private func apply(_ message: OSCMessage) {
        let action = ([message.address] + message.arguments.compactMap(\.text)).joined(separator: "\n")
        let isPaused = state.withLock { state -> Bool? in
            state.isOver ? nil : !state.failures.mayRun(action, at: .now)
        }
        guard let isPaused else { return }
        let address = message.address.cut(toBytes: 100)
        guard !isPaused else { return refuse(\.dropped, "\(address): the action failed less than 1 s ago") }
        do throws(ControlError) {
            let path = String(message.address.dropFirst())
            // `apply` returns nil if the message is the release of a button. Such a message has no effect.
            guard let isDone = try control.apply(path, message.arguments.map { JSONValue($0) }) else { return }
            guard isDone else {
                state.withLock { $0.failures.add(action, at: .now) }
                return refuse(\.refused, "\(address): the action failed")
            }
            state.withLock { $0.counts.applied += 1 }
        } catch {
            refuse(\.refused, "\(address): \(error.reason)")
        }
    }

    /// Counts a message that is not applied. Posts a warning about the first such message, and then at most one warning
    /// per minute.
    private func refuse(_ count: WritableKeyPath<Counts, Int>, _ reason: String) {
        let number = state.withLock { state -> Int? in
            state.counts[keyPath: count] += 1
            guard !state.isOver, let number = state.reports.add(at: .now) else { return nil }
            state.reporting += 1
            return number
        }
        guard let number else { return }
        let messages = number == 1 ? "an OSC message" : "\(number) OSC messages. The last reason"
        let text = "svwebsink ignored \(messages): \(reason.cut(toBytes: 300))"
        worker.run { [host] in host.post(warning: ElementError(.failed, text)) }
        state.change { $0.reporting -= 1 }
    }
}

extension OSCValue {
    fileprivate var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

extension JSONValue {
    fileprivate init(_ value: OSCValue) {
        self =
            switch value {
            case .int(let number): .whole(Int64(number))
            case .long(let number): .whole(number)
            // Convert the float through its shortest decimal text. For example, 0.1 stays 0.1, and does not become
            // 0.10000000149.
            case .float(let number): .exact(Double("\(number)") ?? .nan)
            case .double(let number): .exact(number)
            case .text(let text): .text(text)
            case .truth(let isTrue): .truth(isTrue)
            case .blob, .null: .null
            }
    }
}
