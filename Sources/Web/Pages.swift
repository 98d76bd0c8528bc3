// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOWebSocket
import Synchronization

/// A video frame as a message for pages. The message consists of a header with 16 bytes in little-endian order and a
/// JPEG image. The header contains the frame number (4 bytes), the width and height in pixels (2 bytes each), and the
/// running time in nanoseconds (8 bytes).
package struct WebFrame: Sendable {
    package let number: UInt32
    let message: ByteBuffer

    package init(number: UInt32, width: Int, height: Int, runningTime: UInt64, jpeg: UnsafeRawBufferPointer) {
        self.number = number
        var buffer = ByteBufferAllocator().buffer(capacity: 16 + jpeg.count)
        buffer.writeInteger(number, endianness: .little)
        buffer.writeInteger(UInt16(clamping: width), endianness: .little)
        buffer.writeInteger(UInt16(clamping: height), endianness: .little)
        buffer.writeInteger(runningTime, endianness: .little)
        buffer.writeBytes(jpeg)
        message = buffer
    }
}

/// Runs closures from other threads on the server's thread. After `end`, closures are ignored.
final class ServerThread: Sendable {
    private let loop: any EventLoop
    private let isRunning = Mutex(true)

    init(_ loop: any EventLoop) { self.loop = loop }

    func run(_ body: @escaping @Sendable () -> Void) {
        isRunning.withLock { if $0 { loop.execute(body) } }
    }

    func end() { isRunning.withLock { $0 = false } }
}

/// An open page.
package final class WebPage: Sendable {
    private let channel: any Channel
    private let thread: ServerThread
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var isVisible = true
        /// `frame`: the number of the last frame that was sent to the page. `isShown`: true if the page has
        /// acknowledged the last frame.
        var frame: UInt32?
        var isShown = true
        /// The number of bytes for this page that are not sent yet.
        var backlog = 0
        /// The time at which the server last received data from the page.
        var heard = NIODeadline.now()

        func isWaiting(otherThan number: UInt32) -> Bool { isVisible && isShown && frame != number }
    }

    init(_ channel: any Channel, _ thread: ServerThread, limit: Int) {
        (self.channel, self.thread, self.limit) = (channel, thread, limit)
    }

    /// True while the connection is open.
    package var isOpen: Bool { channel.isActive }

    /// Sends a text message. Any thread may call this method.
    package func send(_ text: String) {
        let buffer = ByteBuffer(string: text)
        thread.run { self.write(buffer, .text) }
    }

    /// If at least this number of bytes waits for a page, `offer` drops messages for the page.
    private static let slack = 64 << 10

    /// Sends a text message that may get lost: if too many bytes wait for the page, drops the message. Any thread may
    /// call this method.
    package func offer(_ text: String) {
        let buffer = ByteBuffer(string: text)
        thread.run {
            if self.state.withLock({ $0.backlog < Self.slack }) { self.write(buffer, .text) }
        }
    }

    /// Sends a WebSocket frame. Only the server's thread may call this method. Several pages can use the same `buffer`.
    func write(_ buffer: ByteBuffer, _ opcode: WebSocketOpcode) {
        let count = buffer.readableBytes
        let isTaken = state.withLock { state in
            state.backlog += count
            return state.backlog <= limit
        }
        // Too many bytes wait because the page reads too slowly, so close the connection.
        guard isTaken else { return channel.close(promise: nil) }
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, data: buffer)).whenComplete { _ in
            self.state.withLock { $0.backlog -= count }
        }
    }

    /// Sends the frame if the page waits for a frame.
    func offer(_ frame: WebFrame) {
        let isWanted = state.withLock { state in
            guard state.isWaiting(otherThan: frame.number) else { return false }
            (state.frame, state.isShown) = (frame.number, false)
            return true
        }
        if isWanted { write(frame.message, .binary) }
    }

    func waits(otherThan number: UInt32) -> Bool { state.withLock { $0.isWaiting(otherThan: number) } }

    func acknowledge(_ number: Int) {
        state.withLock { if $0.frame.map({ Int($0) }) == number { $0.isShown = true } }
    }

    func setVisible(_ isVisible: Bool) { state.withLock { $0.isVisible = isVisible } }

    func hear() { state.withLock { $0.heard = .now() } }

    /// Sends a ping to the page. If the page has sent nothing for three intervals, closes the connection instead. Only
    /// the server's thread may call this method.
    func ping(_ interval: TimeAmount) {
        if NIODeadline.now() - state.withLock({ $0.heard }) > interval * 3 {
            channel.close(promise: nil)
        } else {
            write(ByteBuffer(), .ping)
        }
    }
}

final class Pages: Sendable {
    private let limits: WebLimits
    let thread: ServerThread
    private let pages = Mutex<[ObjectIdentifier: WebPage]>([:])
    /// The number of open pages. The server reads this number for each frame, so use an atomic value instead of locking
    /// `pages`.
    private let number = Atomic(0)

    init(_ limits: WebLimits, _ thread: ServerThread) { (self.limits, self.thread) = (limits, thread) }

    var count: Int { number.load(ordering: .relaxed) }
    var isEmpty: Bool { count == 0 }
    var hasRoom: Bool { count < limits.pages }

    func add(_ page: WebPage) {
        pages.withLock {
            $0[ObjectIdentifier(page)] = page
            number.store($0.count, ordering: .relaxed)
        }
    }

    func remove(_ page: WebPage) {
        pages.withLock {
            $0[ObjectIdentifier(page)] = nil
            number.store($0.count, ordering: .relaxed)
        }
    }

    func removeAll() {
        pages.withLock { $0 = [:] }
        number.store(0, ordering: .relaxed)
    }

    private var all: [WebPage] { pages.withLock { Array($0.values) } }

    func wantsFrame(otherThan number: UInt32) -> Bool {
        !isEmpty && all.contains { $0.waits(otherThan: number) }
    }

    func send(_ frame: WebFrame) {
        thread.run { for page in self.all { page.offer(frame) } }
    }

    func broadcast(_ text: String) {
        guard !isEmpty else { return }
        let buffer = ByteBuffer(string: text)
        thread.run { for page in self.all { page.write(buffer, .text) } }
    }

    func ping() { for page in all { page.ping(TimeAmount(seconds: limits.pingInterval)) } }
}
