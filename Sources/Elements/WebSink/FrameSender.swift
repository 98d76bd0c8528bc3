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
    /// For encoders that are made and that end, which takes long: the stream and the server's thread do not wait for it.
    private let worker = Worker()

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
        worker.finish()
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Ends the encoder, outside the lock, which its thread may wait for, and without waiting for its frame.
        last.encoder?.pipeline.abandon()
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
        enum Step { case send(WebFrame), encode(SharedFrame) }
        let step = state.withLock { state -> Step? in
            guard let frame = state.newest, server.wantsFrame(otherThan: state.number) else { return nil }
            if let sent = state.sent, sent.number == state.number { return .send(sent) }
            guard state.encoding == nil, state.failure != frame.size || frame.isJPEG else { return nil }
            state.encoding = (state.number, frame)
            return .encode(frame)
        }
        switch step {
        case .send(let frame): server.send(frame)
        case .encode(let frame) where frame.isJPEG:
            if frame.withBytes({ finish($0) }) == nil { state.withLock { $0.encoding = nil } }
        case .encode(let frame): encode(frame)
        case nil: break
        }
    }

    private func encode(_ frame: SharedFrame) {
        let quality = host.settings.quality
        // With the lock, so that another thread that takes the encoder away does not leave its end to this one.
        let isPushed = state.withLock { state in
            guard let encoder = state.encoder, encoder.quality == quality else { return false }
            encoder.pipeline.push(frame)
            return true
        }
        if !isPushed { worker.run { [self] in encode(frame, quality) } }
    }

    /// Makes an encoder and gives it its first frame.
    private func encode(_ frame: SharedFrame, _ quality: Int) {
        guard server.withLock({ $0 != nil }) else { return }
        do throws(ElementError) {
            let encoder = try InnerPipeline(
                "appsrc name=in format=time ! videoconvert ! jpegenc quality=\(quality) ! appsink name=out sync=false async=false",
                InnerPipeline.Events(
                    output: { [weak self] output in self?.finish(output.bytes) },
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
        // The frame is let go without the lock: whoever has made its memory may take long to take it back.
        guard let (number, frame) = state.withLock({ $0.encoding }) else { return }
        let sent = WebFrame(
            number: number, width: frame.size.width, height: frame.size.height,
            runningTime: frame.time.runningTime?.nanoseconds ?? 0, jpeg: jpeg)
        let isWanted = state.withLock { state in
            guard state.encoding?.number == number else { return false }
            (state.encoding, state.sent) = (nil, sent)
            return true
        }
        if isWanted { server.withLock { $0 }?.send(sent) }
    }

    private func fail(_ reason: String) {
        let last = state.withLock { state in
            let last = state
            (state.encoding, state.encoder) = (nil, nil)
            state.failure = last.encoding?.frame.size ?? last.newest?.size
            return last
        }
        // Without the lock, as above.
        _ = consume last
        host.post(
            warning: ElementError(.failed, "cannot encode frames as JPEG, so pages show no video", details: reason))
    }
}
