// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Files
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A server for a page that shows video frames and exchanges messages, over HTTP and WebSocket. The server has its own
/// thread, which ends with `stop`. The delegate supplies the frames and handles the messages.
package final class WebServer: Sendable {
    /// The TCP port on which the server listens.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let pages: Pages
    private let configuration: WebConfiguration

    /// Starts the server.
    /// - Parameter delegate: the server retains the delegate until `stop`.
    package init(_ configuration: WebConfiguration, _ delegate: any WebDelegate) throws(WebError) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let pages = Pages(configuration.limits, ServerThread(group.next()))
        let context = ServerContext(configuration, delegate, pages)
        let signals = BrokenPipes()
        defer { signals.restore() }
        do {
            let address = try SocketAddress.makeAddressResolvingHost(configuration.address, port: configuration.port)
            try configuration.check(address)
            // Block SIGPIPE on the server's thread, because writing to a closed connection raises this signal.
            try group.next().submit { BrokenPipes.block() }.wait()
            let listener = try ServerBootstrap(group: group)
                // If the queue of new connections is full, the system drops further connections, even of clients with
                // the key. So make the queue as long as the system allows.
                .serverChannelOption(.backlog, value: 4096)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // Do not accept connections before the port is known, because the name of the session cookie contains
                // the port.
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
            throw error as? WebError ?? WebError(error, address: configuration.address, port: configuration.port)
        }
        (self.group, self.configuration) = (group, configuration)
        self.pages = pages
        let interval = TimeAmount(seconds: configuration.limits.pingInterval)
        group.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in pages.ping() }
        group.next().scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak delegate] _ in
            if !pages.isEmpty { delegate?.secondPassed() }
        }
    }

    /// Sets the flag close-on-exec, which NIO does not set. Without this flag, child processes would inherit the
    /// socket. Closed connections would then stay open, and the port would stay in use.
    static func keepToItself(_ channel: any Channel) throws {
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

    /// Closes all connections and ends the thread. The delegate's methods must not call this method.
    package func stop() {
        pages.thread.end()
        try? group.syncShutdownGracefully()
        pages.removeAll()
    }

    /// The URL of the page, including the key. If the server listens on all addresses, the URL contains an address that
    /// other computers can reach.
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

    /// The number of open pages.
    package var pageCount: Int { pages.count }

    /// Returns true if a page waits for a frame, and the frame `number` is not the last frame that was sent to this
    /// page.
    package func wantsFrame(otherThan number: UInt32) -> Bool { pages.wantsFrame(otherThan: number) }

    /// Sends a frame to all pages that wait for a frame.
    package func send(_ frame: WebFrame) { pages.send(frame) }

    /// Sends a message to all pages. If a page reads too slowly, the server closes the connection of this page.
    package func broadcast(_ text: String) { pages.broadcast(text) }
}

/// The delegate of a server. The server calls all methods on the server's thread, so the methods must return quickly.
package protocol WebDelegate: AnyObject, Sendable {
    /// The server calls this method after a page was opened.
    func opened(_ page: WebPage)
    /// The server calls this method after a page was closed.
    func closed(_ page: WebPage)
    /// A page has sent a message whose type the server does not handle.
    func received(_ message: WebMessage, from page: WebPage)
    /// A page has started to wait for a frame.
    func frameWanted()
    /// The server calls this method once per second while pages are open. For example, the delegate can send
    /// statistics.
    func secondPassed()
    /// Calls `reply` with the newest frame as a PNG file. If there is no frame, calls `reply` with nil. `reply` may run
    /// on any thread.
    func picture(_ reply: @escaping @Sendable (WebBytes?) -> Void)
    /// Calls `reply` with the metrics in the text format of Prometheus. If the pipeline is stopping, calls `reply` with
    /// nil. `reply` may run on any thread.
    func metrics(_ reply: @escaping @Sendable (WebBytes?) -> Void)
    /// Returns the path of a finished recording. Returns nil if there is no such recording.
    func recording(named name: String) -> String?
    /// Calls `reply` with true if pages may read an image in the folder for uploads. The server only asks about images
    /// that no page has uploaded while the server runs. `reply` may run on any thread.
    func mayShow(image path: String, _ reply: @escaping @Sendable (Bool) -> Void)
    /// The server calls this method when an upload is complete.
    func uploaded(_ file: UploadedFile)
}

package struct WebConfiguration: Sendable {
    /// The address on which the server listens: an IP address or host name of this computer, or `0.0.0.0` or `::` for
    /// all addresses.
    package var address = "127.0.0.1"
    /// The TCP port on which the server listens; 0 for any free port.
    package var port = 0
    /// The key for access to the server. The URL of the page contains the key.
    package let key: String
    /// Host names of this server, in addition to the addresses of this computer. An entry with a port (`name:port`)
    /// also allows pages from this name and port to use this server.
    package var hosts: [String] = []
    /// True if clients connect through a TLS proxy.
    package var isBehindTLS = false
    /// True if the server provides metrics for Prometheus at the path `/metrics`.
    package var hasMetrics = false
    /// The files of the web page.
    package var files: [WebFile] = []
    /// The folder for uploads; nil if uploads are not allowed.
    package let uploads: String?
    package var limits = WebLimits()
    /// Returns a signature of bytes, as ASCII text. The signature requires a secret, so clients cannot forge it.
    /// Sessions stay valid as long as the secret stays the same.
    package let sign: @Sendable ([UInt8]) -> String

    package init(key: String, uploads: String?, sign: @escaping @Sendable ([UInt8]) -> String) {
        (self.key, self.uploads, self.sign) = (key, uploads, sign)
    }

    /// Minimum number of characters in the key if other computers can connect.
    private static let minKeyLength = 16

    /// Checks the settings for the address on which the server will listen.
    /// - Throws: `WebError` if the key is too short for this address, or an entry of `hosts` is malformed.
    func check(_ listener: SocketAddress) throws(WebError) {
        if let host = hosts.first(where: { Authority($0) == nil }) {
            throw WebError(
                .badSettings,
                "hosts: \"\(host)\" is not a host. Use names or IP addresses, with or without a port, "
                    + "such as example.org or example.org:8443.")
        }
        guard key.count < Self.minKeyLength, !listener.isLoopback || isBehindTLS else { return }
        throw WebError(
            .badSettings,
            "key has only \(key.count) characters and can be guessed. Use \(Self.minKeyLength) characters or more, or "
                + "leave key unset for a random key. A shorter key is allowed only with address=127.0.0.1 and "
                + "without tls-proxy.")
    }
}

/// A file of the web page.
package struct WebFile: Sendable {
    let name: String
    let bytes: ByteBuffer
    let tag: String

    /// - Parameter name: the name in the URL of the file, such as `app.js`.
    package init(_ name: String, _ bytes: UnsafeRawBufferPointer) {
        self.name = name
        self.bytes = ByteBuffer(bytes: bytes)
        // The entity tag only has to differ between versions of the file. So a non-cryptographic hash is sufficient
        // (64-bit FNV-1a, draft-eastlake-fnv).
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        tag = "\"\(String(hash, radix: 16))-\(bytes.count)\""
    }
}

/// Bytes that the server sends without changes.
package struct WebBytes: Sendable {
    let buffer: ByteBuffer
    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }
}

/// The reason why a server cannot start.
package struct WebError: Error, Sendable {
    package enum Cause: Sendable {
        case portInUse, notPermitted, badAddress, badSettings, failed
    }
    package let cause: Cause
    /// The error message for users.
    package let message: String

    init(_ cause: Cause, _ message: String) { (self.cause, self.message) = (cause, message) }

    /// - Parameters:
    ///   - error: the error of a listener on this address and port.
    ///   - prefix: the first part of the names of the properties for the address and the port.
    init(_ error: any Error, address: String, port: Int, prefix: String = "") {
        // The property `port` can be 0 for any free port. Properties with a prefix, such as `osc-port`, cannot.
        let isFree = prefix.isEmpty
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            cause = .portInUse
            message =
                "port \(port) of \(address) is in use by another program. Set another \(prefix)port"
                + (isFree ? ", or port=0 for a free port." : ".")
        case EACCES:
            cause = .notPermitted
            message =
                "no permission to use port \(port). Set \(prefix)port to 1024 or higher"
                + (isFree ? ", or to 0 for a free port." : ".")
        case EADDRNOTAVAIL:
            cause = .badAddress
            message =
                "\(prefix)address=\(address) is not an address of this machine. Use an address of this machine, "
                + "127.0.0.1, or 0.0.0.0 for all addresses."
        case nil where error is SocketAddressError:
            cause = .badAddress
            message =
                "\(prefix)address=\(address) is not an IP address. Use an IP address of this machine, such as "
                + "127.0.0.1."
        default:
            cause = .failed
            message = "cannot listen on port \(port) of \(address): \(error)"
        }
    }
}
