// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import NIOCore
import NIOPosix

package struct OSCConfiguration: Sendable {
    /// The address on which the listener receives messages: an IP address or host name of this computer, or `0.0.0.0`
    /// or `::` for all addresses.
    package var address = "127.0.0.1"
    /// The UDP port of the listener; 0 for any free port.
    package var port = 0
    /// The key that each address must start with; nil if no key is necessary.
    package var key: String?
    /// Maximum average number of messages per second. For a short time, senders may send up to `burst` messages without
    /// this limit.
    package var rate = 1000.0
    package var burst = 1000.0

    package init() {}

    /// Minimum number of characters in the key if other computers can send messages.
    private static let minKeyLength = 16

    /// Checks the settings for the address on which the listener will receive messages.
    /// - Throws: `WebError` if the key is missing, malformed or too short.
    func check(_ listener: SocketAddress) throws(WebError) {
        guard let key else {
            guard listener.isLoopback else {
                throw WebError(
                    .badSettings,
                    "osc-address=\(address) allows messages from other computers, so a key is necessary. Set "
                        + "osc-key-file to a file with a key of \(Self.minKeyLength) characters or more.")
            }
            return
        }
        guard !key.isEmpty, key.utf8.allSatisfy(Self.isPartOfKey) else {
            throw WebError(
                .badSettings,
                "osc-key-file: the key is empty, or contains characters other than letters, digits, '-', '.', '_' and "
                    + "'~'. Write a key such as the output of \"openssl rand -hex 16\" to the first line.")
        }
        guard key.utf8.count < Self.minKeyLength, !listener.isLoopback else { return }
        throw WebError(
            .badSettings,
            "osc-key-file: the key has only \(key.utf8.count) characters and can be guessed. Use "
                + "\(Self.minKeyLength) characters or more. A shorter key is allowed only with osc-address=127.0.0.1.")
    }

    private static func isPartOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// Receives the allowed messages of a listener, and its reports about rejected messages.
package protocol OSCDelegate: AnyObject, Sendable {
    /// The listener calls this method on its thread, so the method must return quickly.
    func received(_ verdict: OSCGate.Verdict)
}

/// Receives OSC packets over UDP, and never replies. The listener has its own thread, which ends with `stop`.
package final class OSCListener: Sendable {
    /// The UDP port of the listener.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup

    /// Starts the listener.
    /// - Parameter delegate: the listener retains the delegate until `stop`.
    package init(_ configuration: OSCConfiguration, _ delegate: any OSCDelegate) throws(WebError) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let signals = BrokenPipes()
        defer { signals.restore() }
        do {
            let address = try SocketAddress.makeAddressResolvingHost(configuration.address, port: configuration.port)
            try configuration.check(address)
            // Do not set the option SO_REUSEADDR. With this option, another program could also receive on the same
            // port.
            let channel = try DatagramBootstrap(group: group)
                // A buffer for the largest UDP packet. The beginning of a truncated packet could also be a valid OSC
                // packet.
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1 << 16))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try WebServer.keepToItself(channel)
                        try channel.pipeline.syncOperations.addHandler(OSCHandler(configuration, delegate))
                    }
                }
                .bind(to: address).wait()
            port = channel.localAddress?.port ?? configuration.port
        } catch {
            try? group.syncShutdownGracefully()
            throw error as? WebError
                ?? WebError(error, address: configuration.address, port: configuration.port, prefix: "osc-")
        }
        self.group = group
    }

    /// Closes the socket and ends the thread. The delegate's method must not call this method.
    package func stop() { try? group.syncShutdownGracefully() }
}

private final class OSCHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private var gate: OSCGate
    private let delegate: any OSCDelegate

    init(_ configuration: OSCConfiguration, _ delegate: any OSCDelegate) {
        gate = OSCGate(
            key: configuration.key, rate: configuration.rate, burst: configuration.burst,
            at: NIODeadline.now().uptimeNanoseconds)
        self.delegate = delegate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let packet = Array(unwrapInboundIn(data).data.readableBytesView)
        for verdict in gate.verdicts(on: packet, at: NIODeadline.now().uptimeNanoseconds) {
            delegate.received(verdict)
        }
    }

    /// Ignores errors of the socket, so that the listener continues to receive packets.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
