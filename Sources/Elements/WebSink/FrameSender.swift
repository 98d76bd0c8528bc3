// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Web

/// Sends the newest frame to the pages that wait for one. A frame is encoded, by `jpegenc` beside the stream, only when a
/// page waits for it, and once for all of them; a JPEG is sent as it is.
final class FrameSender: Sendable {
    private let host: Host<WebSinkSettings>
    private let state = Mutex(State())
    private let server = Mutex<WebServer?>(nil)

    private struct State {
        var newest: SharedFrame?
        /// The number of the newest frame; none has zero.
        var number: UInt32 = 0
        /// What was sent last.
        var sent: WebFrame?
        /// What is being encoded.
        var encoding: (number: UInt32, frame: SharedFrame)?
        var encoder: (pipeline: InnerPipeline, quality: Int)?
        /// True from when frames could not be encoded until they have another size or kind.
        var failure: PixelSize?
    }

    init(_ host: Host<WebSinkSettings>) { self.host = host }

    func start(_ server: WebServer) { self.server.withLock { $0 = server } }

    func stop() {
        server.withLock { $0 = nil }
        let last = state.withLock { state in
            defer { state = State() }
            return state.encoder
        }
        // Ends it, outside the lock, which its thread may wait for.
        _ = consume last
    }

    /// The newest frame.
    var newest: SharedFrame? { state.withLock { $0.newest } }

    /// The number of frames up to now.
    var count: Int { state.withLock { Int($0.number) } }

    func show(_ frame: SharedFrame) {
        let old = state.withLock { state in
            defer { state.newest = frame }
            state.number = max(1, state.number &+ 1)
            return state.newest
        }
        _ = consume old
        sendNewest()
    }

    /// Sends the newest frame, or has it encoded, if a page waits for it.
    func sendNewest() {
        guard let server = server.withLock({ $0 }), server.pageCount > 0 else { return }
        enum Step { case send(WebFrame), encode(SharedFrame, UInt32) }
        let step = state.withLock { state -> Step? in
            guard let frame = state.newest, server.wantsFrame(otherThan: state.number) else { return nil }
            if let sent = state.sent, sent.number == state.number { return .send(sent) }
            guard state.encoding == nil, state.failure != frame.size || frame.isJPEG else { return nil }
            state.encoding = (state.number, frame)
            return .encode(frame, state.number)
        }
        switch step {
        case .send(let frame): server.send(frame)
        case .encode(let frame, _) where frame.isJPEG:
            if frame.withBytes({ finish($0) }) == nil { state.withLock { $0.encoding = nil } }
        case .encode(let frame, _): encode(frame)
        case nil: break
        }
    }

    private func encode(_ frame: SharedFrame) {
        let quality = host.settings.quality
        do throws(ElementError) {
            if let encoder = state.withLock({ $0.encoder?.quality == quality ? $0.encoder?.pipeline : nil }) {
                encoder.push(frame)
                return
            }
            let encoder = try InnerPipeline(
                "appsrc name=in format=time ! videoconvert ! jpegenc quality=\(quality) ! appsink name=out sync=false",
                InnerPipeline.Events(
                    output: { [weak self] bytes in self?.finish(bytes) },
                    ended: { [weak self] error in if let error { self?.fail(error) } }))
            let old = state.withLock { state in
                defer { state.encoder = (encoder, quality) }
                return state.encoder
            }
            encoder.push(frame)
            _ = consume old
        } catch {
            fail(error.message)
        }
    }

    /// Sends what was encoded.
    private func finish(_ jpeg: UnsafeRawBufferPointer) {
        let frame = state.withLock { state -> WebFrame? in
            guard let (number, frame) = state.encoding else { return nil }
            state.encoding = nil
            let sent = WebFrame(
                number: number, width: frame.size.width, height: frame.size.height,
                runningTime: frame.time.runningTime?.nanoseconds ?? 0, jpeg: jpeg)
            state.sent = sent
            return sent
        }
        if let frame { server.withLock { $0 }?.send(frame) }
    }

    private func fail(_ reason: String) {
        let encoder = state.withLock { state in
            defer { (state.encoding, state.encoder) = (nil, nil) }
            state.failure = state.encoding?.frame.size ?? state.newest?.size
            return state.encoder
        }
        host.post(warning: ElementError(.failed, "the pages get no picture: frames cannot be encoded", details: reason))
        // Its own thread cannot end it.
        host.worker.run { withExtendedLifetime(encoder) {} }
    }
}
