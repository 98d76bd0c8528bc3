// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport

/// A way to a broker on which answers may get lost. One connection at a time.
final class Relay: Sendable {
    let port: Int
    private let target: Int
    private let listener: Int32
    private let losesAnswers = Atomic(false)
    private let lostBytes = Atomic(0)
    private let isCut = Atomic(false)
    private let thread = Mutex<BackgroundThread?>(nil)

    init(to target: Int) throws {
        self.target = target
        (port, listener) = try listenOnFreePort()
        let thread = BackgroundThread { [weak self] _ in self?.serve() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread; nothing is passed on afterwards.
    func stop() {
        cut()
        thread.withLock { $0.take() }?.stop()
        close(listener)
    }

    /// Takes what the broker sends, and does not pass it on.
    func loseAnswers() { losesAnswers.store(true, ordering: .releasing) }

    var hasLostAnswers: Bool { lostBytes.load(ordering: .acquiring) > 0 }

    /// Ends the connection. The next one loses nothing.
    func cut() { isCut.store(true, ordering: .releasing) }

    /// Waits a little for a connection, and serves it to its end.
    private func serve() {
        guard canRead(listener) else { return }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        guard let broker = connected(to: target) else { return }
        defer { close(broker) }
        isCut.store(false, ordering: .releasing)
        while !isCut.load(ordering: .acquiring) {
            if canRead(client) {
                guard pass(from: client, to: broker) else { return }
            }
            if canRead(broker) {
                let to = losesAnswers.load(ordering: .acquiring) ? nil : client
                guard pass(from: broker, to: to) else { return }
            }
        }
        losesAnswers.store(false, ordering: .releasing)
    }

    /// Waits a little.
    private func canRead(_ file: Int32) -> Bool {
        var descriptor = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 2) > 0
    }

    private func pass(from: Int32, to: Int32?) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(from, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        guard let to else {
            lostBytes.add(count, ordering: .releasing)
            return true
        }
        var sent = 0
        while sent < count {
            let step = bytes[sent..<count].withUnsafeBytes {
                send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard step > 0 else { return false }
            sent += step
        }
        return true
    }
}
