// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc
import Synchronization

/// A camera for tests. It sends 25 JPEG images per second to all clients, over HTTP (`multipart/x-mixed-replace`).
package final class FakeCamera: Sendable {
    package enum Behaviour: Sendable {
        case plays
        /// The camera accepts connections and keeps them open, but sends nothing.
        case isFrozen
        case refusesPassword
        /// Each image has a valid header, but the rest of its bytes is noise.
        case sendsBrokenImages
        /// Every second image is broken.
        case sendsSomeBrokenImages
    }

    package let port: UInt16
    /// The thread retains only the server and not the camera. So `deinit` of the camera never runs in the thread.
    private let server: Server
    private let thread: BackgroundThread

    /// - Parameter port: the TCP port; 0 for any free port.
    package init(port: UInt16 = 0, width: Int = 64, height: Int = 48) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isOpen else { throw TestFailure("port \(port) cannot be used") }
        self.port = UInt16(bigEndian: address.sin_port)
        let server = Server(listener)
        self.server = server
        thread = BackgroundThread { _ in server.serve() }
        try resize(width, height)
    }

    deinit { stop() }

    package var uri: String { "http://127.0.0.1:\(port)/camera" }

    package var behaviour: Behaviour {
        get { server.behaviour }
        set { server.state.withLock { $0.behaviour = newValue } }
    }

    package func resize(_ width: Int, _ height: Int) throws {
        let line = try Pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,width=\(width),height=\(height) ! jpegenc ! appsink name=out")
        try line.play()
        let sink = try line.element("out").cast(to: GstAppSink.self)
        let sample = try required(gst_app_sink_try_pull_sample(sink, GStreamer.patience), "no JPEG")
        defer { gst_sample_unref(sample) }
        let buffer = gst_sample_get_buffer(sample)
        let count = Int(gst_buffer_get_size(buffer))
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = Int(gst_buffer_extract(buffer, 0, bytes.baseAddress, gsize(count)))
        }
        server.state.withLock { $0.jpeg = bytes }
    }

    /// Closes all connections. The port stays open.
    package func drop() { server.drop() }

    package func stop() {
        thread.stop()
        server.close()
    }
}

private final class Server: Sendable {
    private let listener: Mutex<Int32>
    let state = Mutex(State())

    struct State {
        var behaviour = FakeCamera.Behaviour.plays
        var jpeg: [UInt8] = []
        var count = 0
        var clients: [Int32] = []
    }

    init(_ listener: Int32) { self.listener = Mutex(listener) }

    var behaviour: FakeCamera.Behaviour { state.withLock { $0.behaviour } }

    func drop() {
        state.withLock { state in
            for client in state.clients { Glibc.close(client) }
            state.clients = []
        }
    }

    func close() {
        listener.withLock { listener in
            if listener >= 0 { Glibc.close(listener) }
            listener = -1
        }
        drop()
    }

    func serve() {
        var entry = pollfd(fd: listener.withLock { $0 }, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 40) > 0, behaviour != .isFrozen {
            let client = accept(entry.fd, nil, nil)
            guard client >= 0 else { return }
            if behaviour == .refusesPassword {
                send("HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"camera\"\r\n\r\n", to: client)
                Glibc.close(client)
                return
            }
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(client, &request, request.count, 0)
            send(
                "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=frame\r\n\r\n--frame\r\n",
                to: client)
            state.withLock { $0.clients.append(client) }
        }
        guard [.plays, .sendsBrokenImages, .sendsSomeBrokenImages].contains(behaviour) else {
            g_usleep(1000)
            return
        }
        state.withLock { state in
            state.count += 1
            let isBroken =
                state.behaviour == .sendsBrokenImages
                || state.behaviour == .sendsSomeBrokenImages && state.count.isMultiple(of: 2)
            // The markers at both ends stay, so that the image remains one JPEG image for parsers.
            let jpeg =
                isBroken ? [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0x55, count: 400) + [0xFF, 0xD9] : state.jpeg
            state.clients.removeAll { client in
                let head = "Content-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n"
                let isSent = send(Array(head.utf8) + jpeg + Array("\r\n--frame\r\n".utf8), to: client)
                if !isSent { Glibc.close(client) }
                return !isSent
            }
        }
    }

    private func send(_ text: String, to client: Int32) { _ = send(Array(text.utf8), to: client) }

    @discardableResult
    private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
        Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
