// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Answers the requests of a connection, one after another.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let server: ServerContext
    /// The head of the current request.
    private var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    /// True if the server has received the whole request.
    private var isComplete = true
    private var upload: Upload?
    /// True if the server has started to send a reply.
    private var isAnswered = false
    /// True if the connection has sent a valid key or session.
    private var isTrusted = false
    /// True if the reply to the current request sets the session cookie.
    private var beginsSession = false
    /// True if the server will close the connection after the reply. The server then ignores further requests.
    private var isClosing = false
    /// The only scheduled task of this connection: a timeout that closes the connection, or a delayed answer to a wrong
    /// key.
    private var deadline: Scheduled<Void>?

    init(_ server: ServerContext) { self.server = server }

    func handlerAdded(context: ChannelHandlerContext) { expect(within: server.configuration.limits.patience, context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        upload = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        upload = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !isClosing else { return }
            (self.head, isComplete, isAnswered, beginsSession) = (head, false, false, false)
            expect(within: server.configuration.limits.patience, context)
            begin(context)
        case .body(let part):
            guard let upload else { return }
            expect(within: server.configuration.limits.patience, context)
            do throws(UploadError) {
                try upload.append(part)
            } catch {
                self.upload = nil
                refuse(error, context)
            }
        case .end:
            isComplete = true
            if let upload = self.upload.take() { finish(upload, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // NIO has not upgraded the connection to a WebSocket. NIO also passes the request to `channelRead`, which
        // answers it.
        if error is NIOWebSocketUpgradeError || error is HTTPServerUpgradeErrors { return }
        context.close(promise: nil)
    }

    /// Starts a timeout that closes the connection after `seconds`. A later call of this method cancels the timeout and
    /// starts a new one.
    func expect(within seconds: Double, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(seconds: seconds)) { channel.close(promise: nil) }
    }

    // MARK: - Requests

    private func begin(_ context: ChannelHandlerContext) {
        let judgement = server.judge(head)
        switch judgement {
        case .granted, .wrongMethod: trust(context)
        case .wrongKey: isTrusted = false
        case .refused, .noKey: break
        }
        if !isTrusted { server.connections.refuse(context.channel) }
        switch judgement {
        case .refused(let status, let reason): refuse(status, reason, context)
        case .noKey: deny("the address has no key. Open the address that svwebsink printed.", context)
        case .wrongKey:
            denyLate("the key in the address is wrong. Open the address that svwebsink printed.", context)
        case .wrongMethod(let methods):
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            refuse(
                .methodNotAllowed, "this address allows only the method \(allowed)", with: [("Allow", allowed)], context
            )
        case .granted(let route, let byKey):
            if byKey, case .file = route { beginsSession = true }
            respond(route, context)
        }
    }

    private func trust(_ context: ChannelHandlerContext) {
        guard !isTrusted else { return }
        isTrusted = true
        server.connections.trust(context.channel)
    }

    /// Refuses a request with a wrong key. The delay increases with the number of wrong keys.
    private func denyLate(_ reason: String, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(seconds: server.delayOfWrongKey())) {
            bound.value.0.deny(reason, bound.value.1)
        }
    }

    private func respond(_ route: Route, _ context: ChannelHandlerContext) {
        switch route {
        case .file(let file):
            let headers = [("ETag", file.tag), ("Cache-Control", "private, no-cache")]
            if head.headers[canonicalForm: "If-None-Match"].contains(where: { $0 == file.tag || $0 == "*" }) {
                respond(.notModified, headers, nil, context)
            } else {
                respond(.ok, [("Content-Type", mediaType(of: file.name))] + headers, file.bytes, context)
            }
        case .picture:
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let thread = server.pages.thread
            server.delegate.picture { bytes in thread.run { bound.value.0.respond(picture: bytes, bound.value.1) } }
        case .metrics:
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let thread = server.pages.thread
            server.delegate.metrics { bytes in thread.run { bound.value.0.respond(metrics: bytes, bound.value.1) } }
        case .upload(let name) where head.method == .PUT: begin(uploadOf: name, context)
        case .upload(let name): respond(imageNamed: name, context)
        case .recording(let name):
            if let path = server.delegate.recording(named: name), let download = Download(path, head.headers) {
                respond(download, name, caching: "private, no-cache", context)
            } else {
                refuse(.notFound, "no such recording", context)
            }
        case .socket:
            if server.pages.hasRoom {
                refuse(
                    .upgradeRequired, "this address is only for WebSockets", with: [("Upgrade", "websocket")], context)
            } else {
                refuse(.serviceUnavailable, "too many open pages. Close a page.", context)
            }
        }
    }

    private func respond(picture: WebBytes?, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard let picture else { return refuse(.notFound, "no frame has arrived yet", context) }
        respond(.ok, [("Content-Type", "image/png"), ("Cache-Control", "no-store")], picture.buffer, context)
    }

    /// Sends an image from the folder for uploads. The folder can contain other images of the user, which pages must
    /// not read. So the image must have been uploaded while the server runs, or the delegate must allow it.
    private func respond(imageNamed name: String, _ context: ChannelHandlerContext) {
        guard let path = pathOfImage(name), let download = Download(path, head.headers) else {
            return respond(nil, name, context)
        }
        if server.uploads.hasStored(path, download.status) { return respond(download, name, context) }
        let bound = NIOLoopBound((self, context, download), eventLoop: context.eventLoop)
        let thread = server.pages.thread
        server.delegate.mayShow(image: path) { isAllowed in
            thread.run {
                let (handler, context, download) = bound.value
                handler.respond(isAllowed ? download : nil, name, context)
            }
        }
    }

    /// - Parameter image: the image; nil if pages may not read the file, or the file does not exist.
    private func respond(_ image: Download?, _ name: String, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard let image else { return refuse(.notFound, "no such image", context) }
        // The browser must not cache the image, because a later image can have the same URL.
        respond(image, name, caching: "no-store", context)
    }

    private func respond(metrics: WebBytes?, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard let metrics else { return refuse(.serviceUnavailable, "the pipeline is stopping", context) }
        respond(
            .ok, [("Content-Type", PrometheusMetric.mediaType), ("Cache-Control", "no-store")], metrics.buffer, context)
    }

    /// Refuses a request without a valid key. The reply explains how to get the key. Browsers receive a page, and other
    /// clients receive text.
    private func deny(_ reason: String, _ context: ChannelHandlerContext) {
        let readsPages = head.headers["Accept"].contains { $0.includes("text/html") }
        guard readsPages, let page = server.file("denied.html") else { return refuse(.forbidden, reason, context) }
        respond(.forbidden, [("Content-Type", mediaType(of: page.name))], page.bytes, context)
    }

    // MARK: - Uploads

    private func begin(uploadOf name: String, _ context: ChannelHandlerContext) {
        do throws(UploadError) {
            guard let folder = server.configuration.uploads else {
                throw UploadError(status: .forbidden, reason: "the page cannot upload files, because control=false")
            }
            upload = try Upload(
                name, in: folder, head.headers.first(name: "Content-Length").flatMap { Int($0) },
                server.configuration.limits, server.uploads)
        } catch {
            return refuse(error, context)
        }
        guard head.headers[canonicalForm: "Expect"].contains(where: { $0.lowercased() == "100-continue" }) else {
            return
        }
        // Send 100 Continue directly to the encoder. NIO's other handlers allow only one reply per request, but 100
        // Continue is an interim response before the reply (RFC 9110, section 10.1.1).
        if let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self) {
            let text = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            encoder.writeAndFlush(NIOAny(IOData.byteBuffer(text)), promise: nil)
        }
    }

    /// Returns the path of an image in the folder for uploads. Returns nil for files of other types, because a browser
    /// could run scripts in these files.
    private func pathOfImage(_ name: String) -> String? {
        guard let folder = server.configuration.uploads, imageType(of: name) != nil, name.fileName(atMost: 200) == name
        else { return nil }
        return "\(folder)/\(name)"
    }

    private func finish(_ upload: Upload, _ context: ChannelHandlerContext) {
        do throws(UploadError) {
            let file = try upload.finish()
            server.delegate.uploaded(file)
            respond(
                .created, [("Content-Type", "application/json")],
                ByteBuffer(
                    string: JSONValue.table([("name", .text(file.name)), ("bytes", .whole(Int64(file.bytes)))]).line),
                context)
        } catch {
            refuse(error, context)
        }
    }

    private func refuse(_ error: UploadError, _ context: ChannelHandlerContext) {
        respond(
            error.status, [("Content-Type", "application/json")],
            ByteBuffer(string: JSONValue.table([("reason", .text(error.reason))]).line), context)
    }

    // MARK: - Replies

    private func refuse(
        _ status: HTTPResponseStatus, _ reason: String, with headers: [(String, String)] = [],
        _ context: ChannelHandlerContext
    ) {
        respond(
            status, headers + [("Content-Type", "text/plain; charset=utf-8")],
            ByteBuffer(string: "\(status.code): \(reason)\n"), context)
    }

    private func respond(
        _ status: HTTPResponseStatus, _ headers: [(String, String)], _ body: ByteBuffer?,
        _ context: ChannelHandlerContext
    ) {
        guard write(status, headers, length: body?.readableBytes ?? 0, context) else { return }
        if let body, head.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        end(context)
    }

    /// Writes the head of a reply. Returns false if a reply has already been started.
    private func write(
        _ status: HTTPResponseStatus, _ headers: [(String, String)], length: Int, _ context: ChannelHandlerContext
    ) -> Bool {
        guard !isAnswered, context.channel.isActive else { return false }
        isAnswered = true
        expect(within: server.configuration.limits.patience, context)
        var all = HTTPHeaders(ServerContext.headers + headers)
        if beginsSession { all.add(name: "Set-Cookie", value: server.access.makeCookie()) }
        if status != .notModified { all.add(name: "Content-Length", value: "\(length)") }
        // Close the connection after the reply if the client requests this, if the body of the request is incomplete,
        // or if the connection has not sent a valid key or session.
        isClosing = !head.isKeepAlive || !isTrusted || (hasBody && !isComplete)
        if isClosing { all.add(name: "Connection", value: "close") }
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: all))), promise: nil)
        return true
    }

    private var hasBody: Bool {
        head.headers.contains(name: "Transfer-Encoding")
            || head.headers[canonicalForm: "Content-Length"].contains { $0 != "0" }
    }

    private func end(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (handler, context) = bound.value
            guard context.channel.isActive else { return }
            if !handler.isClosing {
                handler.expect(within: handler.server.configuration.limits.keepAlive, context)
            } else {
                // First close only the output. If the server closed the whole connection while the client is still
                // sending, TCP would reset the connection. The client could then lose the reply.
                context.close(mode: .output, promise: nil)
                handler.expect(within: 1, context)
            }
        }
    }

    // MARK: - Recordings and images

    private func respond(
        _ download: Download, _ name: String, caching: String, _ context: ChannelHandlerContext
    ) {
        let headers = [
            ("Content-Type", mediaType(of: name)), ("Accept-Ranges", "bytes"), ("ETag", download.tag),
            ("Cache-Control", caching),
            ("Content-Disposition", "attachment; filename=\"\(name.filter { $0 != "\"" && $0.isASCII })\""),
        ]
        switch download.part {
        case .unsatisfiable:
            let range = [("Content-Range", "bytes */\(download.size)")]
            respond(.rangeNotSatisfiable, headers + range, nil, context)
        case .whole, .range:
            let range = download.range
            var all = headers
            if case .range = download.part {
                all.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(download.size)"))
            }
            let status: HTTPResponseStatus = if case .range = download.part { .partialContent } else { .ok }
            guard write(status, all, length: range.count, context) else { return }
            if head.method == .HEAD { end(context) } else { pump(download, context) }
        }
    }

    /// Sends the next piece of a file. After the piece is sent, continues with the following piece.
    private func pump(_ download: Download, _ context: ChannelHandlerContext) {
        guard let piece = download.next() else {
            // If the file has become shorter than the Content-Length in the reply, close the connection, because the
            // reply cannot be completed.
            if !download.isAtEnd { context.close(promise: nil) } else { end(context) }
            return
        }
        expect(within: server.configuration.limits.patience, context)
        let bound = NIOLoopBound((self, context, download), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).whenSuccess {
            let (handler, context, download) = bound.value
            if context.channel.isActive { handler.pump(download, context) }
        }
    }
}

/// Returns the media type for the extension of a file name.
private func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "webmanifest": "application/manifest+json"
    case "mp4": "video/mp4"
    case "webm": "video/webm"
    case "mkv": "video/x-matroska"
    default: imageType(of: name) ?? "application/octet-stream"
    }
}

/// Returns the media type of an image that all browsers can show and that cannot contain scripts. Returns nil for other
/// extensions.
private func imageType(of name: String) -> String? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return switch name[name.index(after: dot)...].lowercased() {
    case "png": "image/png"
    case "jpg", "jpeg", "jpe", "jfif": "image/jpeg"
    case "webp": "image/webp"
    case "gif": "image/gif"
    case "bmp": "image/bmp"
    case "avif": "image/avif"
    default: nil
    }
}
