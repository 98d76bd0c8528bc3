// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import NIOCore
import NIOWebSocket

/// A message from a page (a JSON object).
package struct WebMessage: Sendable {
    /// The value of the member `type`.
    package let type: String
    package let value: JSONValue

    /// Returns nil if the text is not a JSON object, has no text member `type`, or exceeds the parsing limits.
    init?(_ text: [UInt8]) {
        guard let value = try? JSONValue(reading: text, limits: Self.limits), let type = value["type"]?.text else {
            return nil
        }
        (self.type, self.value) = (type, value)
    }

    private static let limits = ParsingLimits(depth: 8, values: 1000)
}

/// Rejects WebSocket frames without a mask and frames with reserved bits. RFC 6455 (sections 5.1 and 5.2) forbids such
/// frames, but NIO accepts them.
final class FrameRules: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    struct Violation: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 {
            context.fireChannelRead(data)
        } else {
            context.fireErrorCaught(Violation())
        }
    }
}

/// Handles the WebSocket frames of a page.
final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let server: ServerContext
    private var page: WebPage?
    private var bucket: TokenBucket
    /// True after the server has sent the close frame. The server ignores all later frames from the page.
    private var isClosing = false

    init(_ server: ServerContext) {
        self.server = server
        let limits = server.configuration.limits
        bucket = TokenBucket(rate: limits.messageRate, size: limits.burst)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Check the number of pages again. Another page may have connected since the check before the upgrade to a
        // WebSocket.
        guard server.pages.hasRoom else { return close(.init(codeNumber: 1013), context) }
        let page = WebPage(context.channel, server.pages.thread, limit: server.configuration.limits.backlog)
        self.page = page
        server.pages.add(page)
        server.delegate.opened(page)
        server.delegate.frameWanted()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        guard let page = page.take() else { return }
        server.pages.remove(page)
        server.delegate.closed(page)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard let page, !isClosing else { return }
        page.hear()
        switch frame.opcode {
        case .text:
            guard bucket.take() else { return close(.policyViolation, context) }
            take(frame.unmaskedData, from: page, context)
        case .binary: close(.unacceptableData, context)
        case .ping:
            guard bucket.take() else { return close(.policyViolation, context) }
            page.write(frame.unmaskedData, .pong)
        case .pong: break
        case .connectionClose: close(.normalClosure, context)
        default: close(.protocolError, context)
        }
    }

    private func take(_ data: ByteBuffer, from page: WebPage, _ context: ChannelHandlerContext) {
        let bytes = Array(data.readableBytesView)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return close(.dataInconsistentWithMessage, context)
        }
        guard let message = WebMessage(bytes) else { return close(.unacceptableData, context) }
        switch message.type {
        case "ack":
            guard let number = message.value["frame"]?.integer else { return }
            page.acknowledge(number)
            server.delegate.frameWanted()
        case "visible":
            guard let isVisible = message.value["visible"]?.truth else { return }
            page.setVisible(isVisible)
            if isVisible { server.delegate.frameWanted() }
        default: server.delegate.received(message, from: page)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a protocol error, NIO's error handler has already sent a close frame.
        if error is NIOWebSocketError { return context.close(promise: nil) }
        close(error is NIOWebSocketFrameAggregator.Error ? .messageTooLarge : .protocolError, context)
    }

    private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        leave()
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
            .whenComplete { _ in channel.close(promise: nil) }
        // If the client reads nothing, the close frame is not sent completely. So close the connection after two
        // seconds in any case.
        context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }
}
