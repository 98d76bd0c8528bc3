// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOWebSocket
import Synchronization

/// A frame, as all pages get it: 16 bytes of header, little endian (number, width, height, running time), then a JPEG.
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

/// The server's thread, for others: what they give it after its end is dropped.
final class ServerThread: Sendable {
    private let loop: any EventLoop
    private let isRunning = Mutex(true)

    init(_ loop: any EventLoop) { self.loop = loop }

    func run(_ body: @escaping @Sendable () -> Void) {
        isRunning.withLock { if $0 { loop.execute(body) } }
    }

    func end() { isRunning.withLock { $0 = false } }
}

/// A page that is open.
package final class WebPage: Sendable {
    private let channel: any Channel
    private let thread: ServerThread
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var isVisible = true
        /// The frame that was sent last, and whether the page has shown it.
        var frame: UInt32?
        var isShown = true
        /// The bytes that wait to be sent.
        var backlog = 0
        /// The last sign of life.
        var heard = NIODeadline.now()

        func isWaiting(otherThan number: UInt32) -> Bool { isVisible && isShown && frame != number }
    }

    init(_ channel: any Channel, _ thread: ServerThread, limit: Int) {
        (self.channel, self.thread, self.limit) = (channel, thread, limit)
    }

    /// False once the connection is closed.
    package var isOpen: Bool { channel.isActive }

    /// Sends a message.
    package func send(_ text: String) {
        let buffer = ByteBuffer(string: text)
        thread.run { self.write(buffer, .text) }
    }

    /// Called on the server's thread. The bytes are shared with whoever else gets them.
    func write(_ buffer: ByteBuffer, _ opcode: WebSocketOpcode) {
        let count = buffer.readableBytes
        let isTaken = state.withLock { state in
            state.backlog += count
            return state.backlog <= limit
        }
        // It does not read what it gets.
        guard isTaken else { return channel.close(promise: nil) }
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, data: buffer)).whenComplete { _ in
            self.state.withLock { $0.backlog -= count }
        }
    }

    /// Sends the frame, if the page waits for it.
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

    /// Called on the server's thread. Asks for a sign of life; closes the connection if there was none for long.
    func ping(_ interval: TimeAmount) {
        if NIODeadline.now() - state.withLock({ $0.heard }) > interval * 3 {
            channel.close(promise: nil)
        } else {
            write(ByteBuffer(), .ping)
        }
    }
}

/// The pages that are open.
final class Pages: Sendable {
    private let limits: WebLimits
    let thread: ServerThread
    private let pages = Mutex<[ObjectIdentifier: WebPage]>([:])
    /// The same as of `pages`, for each frame that comes while there are none.
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
