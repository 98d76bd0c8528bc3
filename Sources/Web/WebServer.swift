// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Files
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A server of one page, which shows pictures as they come and sends messages: HTTP and WebSocket, on a thread of its own
/// that ends with `stop`. It knows nothing of where pictures come from and what messages mean: that is its delegate's.
package final class WebServer: Sendable {
    /// The port that it listens on.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let pages: Pages
    private let configuration: WebConfiguration

    /// Listens.
    /// - Parameter delegate: kept until `stop`.
    package init(_ configuration: WebConfiguration, _ delegate: any WebDelegate) throws(WebError) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let pages = Pages(configuration.limits, ServerThread(group.next()))
        let context = ServerContext(configuration, delegate, pages)
        let signals = BrokenPipes()
        defer { signals.restore() }
        do {
            let address = try SocketAddress.makeAddressResolvingHost(configuration.address, port: configuration.port)
            try configuration.check(address)
            // Whoever is gone while something is written to it.
            try group.next().submit { BrokenPipes.block() }.wait()
            let listener = try ServerBootstrap(group: group)
                // Connections that come faster than they are taken wait here, as many as the system allows: it drops further
                // ones, and the owner's would be among them.
                .serverChannelOption(.backlog, value: 4096)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // Nobody is heard before the port is known.
                .serverChannelOption(.autoRead, value: false)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try Self.keepToItself(channel) }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try Self.prepare(channel, context) }
                }
                .bind(to: address).wait()
            port = listener.localAddress?.port ?? configuration.port
            context.access.setPort(port)
            try listener.setOption(.autoRead, value: true).wait()
        } catch {
            try? group.syncShutdownGracefully()
            throw error as? WebError ?? WebError(error, configuration)
        }
        (self.group, self.configuration) = (group, configuration)
        self.pages = pages
        let interval = TimeAmount(seconds: configuration.limits.pingInterval)
        group.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in pages.ping() }
        group.next().scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak delegate] _ in
            if !pages.isEmpty { delegate?.secondPassed() }
        }
    }

    /// Keeps a socket from the programs that this one starts: with a copy in one of them a connection that is closed here would
    /// stay open, and the port taken. NIO makes its sockets without the flag.
    private static func keepToItself(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func prepare(_ channel: any Channel, _ context: ServerContext) throws {
        try keepToItself(channel)
        guard context.connections.admit(channel) else {
            channel.close(promise: nil)
            return
        }
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: context.configuration.limits.message,
            shouldUpgrade: { channel, head in
                guard context.mayOpenPage(head) else { return channel.eventLoop.makeSucceededFuture(nil) }
                context.connections.trust(channel)
                return channel.eventLoop.makeSucceededFuture(HTTPHeaders(ServerContext.headers))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    _ = pipeline.removeHandler(context: try pipeline.context(handlerType: RequestHandler.self))
                    let limit = context.configuration.limits.message
                    try pipeline.addHandlers([
                        FrameRules(),
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64, maxAccumulatedFrameSize: limit),
                        PageHandler(context),
                    ])
                }
            })
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 100
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: true,
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }), withErrorHandling: true,
            withOutboundHeaderValidation: true, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits
        )
        try channel.pipeline.syncOperations.addHandler(RequestHandler(context))
    }

    /// Closes every connection and ends the thread. Not for the delegate's methods.
    package func stop() {
        pages.thread.end()
        try? group.syncShutdownGracefully()
        pages.removeAll()
    }

    /// The address of the page, with its key: where it listens on all addresses, by one that others can reach.
    package var url: String {
        let key = configuration.key.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "-._~".unicodeScalars.contains(scalar))
            text += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        var host = configuration.address
        if ["0.0.0.0", "::", ""].contains(host) {
            let addresses = ((try? System.enumerateDevices()) ?? []).compactMap(\.address)
            let isUseful = { (address: SocketAddress) in
                address.protocol == .inet && address.ipAddress?.hasPrefix("127.") == false
            }
            host = addresses.first(where: isUseful)?.ipAddress ?? "127.0.0.1"
        }
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/?key=\(key)"
    }

    // MARK: - Pages

    /// The number of pages that are open.
    package var pageCount: Int { pages.count }

    /// Returns true if a page waits for another frame than the one of this number.
    package func wantsFrame(otherThan number: UInt32) -> Bool { pages.wantsFrame(otherThan: number) }

    /// Sends a frame to every page that waits for one.
    package func send(_ frame: WebFrame) { pages.send(frame) }

    /// Sends a message to every page. A page that does not take what it is sent is closed.
    package func broadcast(_ text: String) { pages.broadcast(text) }
}

/// What the server asks of whom it works for. All is called on the server's thread, which it must not hold up.
package protocol WebDelegate: AnyObject, Sendable {
    /// Greets a page that was opened.
    func opened(_ page: WebPage)
    /// Takes note that a page was closed.
    func closed()
    /// Takes a message: a JSON object, of a type that is not the server's own.
    func received(_ message: WebMessage, from page: WebPage)
    /// Sees to a frame: a page has begun to wait for one.
    func frameWanted()
    /// Tells pages how things are; called once a second while there are any.
    func secondPassed()
    /// Gives the newest frame as a PNG file to `answer`, from any thread; nil if there is none.
    func picture(_ answer: @escaping @Sendable (WebBytes?) -> Void)
    /// Returns the path of a finished recording.
    func recording(named name: String) -> String?
    /// Takes note of a file that was uploaded.
    func uploaded(_ file: UploadedFile)
}

/// Settings of a server.
package struct WebConfiguration: Sendable {
    /// An IP address of this machine, `0.0.0.0` or `::` for all of them, or a name.
    package var address = "127.0.0.1"
    /// Zero for a free one.
    package var port = 0
    /// The text that the address of the page has to have.
    package let key: String
    /// Names of hosts, besides this machine's own addresses, by which the page may be reached. With a port (`name:port`),
    /// the pages of that server may use this one, too.
    package var hosts: [String] = []
    /// True if clients come by a proxy that speaks TLS with them.
    package var isBehindTLS = false
    /// The page's files; the first is the page.
    package var files: [WebFile] = []
    /// The folder to which files are uploaded; nil if none are taken.
    package let uploads: String?
    package var limits = WebLimits()
    /// Returns a signature in ASCII that nobody can make without its secret. Sessions are valid as long as that is the same.
    package let sign: @Sendable ([UInt8]) -> String

    package init(key: String, uploads: String?, sign: @escaping @Sendable ([UInt8]) -> String) {
        (self.key, self.uploads, self.sign) = (key, uploads, sign)
    }

    /// The least number of characters of a key that users of other machines can try.
    private static let leastKey = 16

    /// - Throws: `WebError` for a key that is too short for the address, and for malformed hosts.
    func check(_ listener: SocketAddress) throws(WebError) {
        if let host = hosts.first(where: { Authority($0) == nil }) {
            throw WebError(
                .badSettings,
                "hosts: \"\(host)\" is not a host. Use names or IP addresses, with or without a port, "
                    + "such as example.org or example.org:8443.")
        }
        guard key.count < Self.leastKey, !listener.isLoopback || isBehindTLS else { return }
        throw WebError(
            .badSettings,
            "key has only \(key.count) characters and can be guessed. Use \(Self.leastKey) characters or more, or "
                + "leave key unset for a random key. A shorter key is allowed only with address=127.0.0.1 and "
                + "without tls-proxy.")
    }
}

/// A file of the page.
package struct WebFile: Sendable {
    let name: String
    let bytes: ByteBuffer
    let tag: String

    /// - Parameter name: as in its address: `app.js`.
    package init(_ name: String, _ bytes: UnsafeRawBufferPointer) {
        self.name = name
        self.bytes = ByteBuffer(bytes: bytes)
        // FNV-1a of 64 bits (draft-eastlake-fnv): tells versions apart, no more.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        tag = "\"\(String(hash, radix: 16))-\(bytes.count)\""
    }
}

/// Bytes that are sent as they are.
package struct WebBytes: Sendable {
    let buffer: ByteBuffer
    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }
}

/// The reason why a server does not start.
package struct WebError: Error, Sendable {
    package enum Cause: Sendable {
        case portInUse, notPermitted, badAddress, badSettings, failed
    }
    package let cause: Cause
    /// The text for users.
    package let message: String

    init(_ cause: Cause, _ message: String) { (self.cause, self.message) = (cause, message) }

    init(_ error: any Error, _ configuration: WebConfiguration) {
        let (address, port) = (configuration.address, configuration.port)
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            cause = .portInUse
            message =
                "port \(port) of \(address) is in use by another program. Set another port, or port=0 for a free "
                + "port."
        case EACCES:
            cause = .notPermitted
            message = "no permission to use port \(port). Set port to 1024 or higher, or to 0 for a free port."
        case EADDRNOTAVAIL:
            cause = .badAddress
            message =
                "address=\(address) is not an address of this machine. Use an address of this machine, 127.0.0.1, "
                + "or 0.0.0.0 for all addresses."
        case nil where error is SocketAddressError:
            cause = .badAddress
            message = "address=\(address) is not an IP address. Use an IP address of this machine, such as 127.0.0.1."
        default:
            cause = .failed
            message = "cannot listen on port \(port) of \(address): \(error)"
        }
    }
}
