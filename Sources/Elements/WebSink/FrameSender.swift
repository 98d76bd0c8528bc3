// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Web

/// Sends the newest frame to the pages that wait for a frame. JPEG frames are sent unchanged. If a page waits for a raw
/// frame, `jpegenc` encodes the frame in a separate pipeline, once for all pages.
final class FrameSender: Sendable {
    private let host: Host<WebSinkSettings>
    private let state = Mutex(State())
    private let server = Mutex<WebServer?>(nil)
    /// Creates and ends encoders. Creating or ending an encoder takes a long time, so neither the streaming thread nor
    /// the server's thread waits.
    private let worker = Worker()

    private struct State {
        var newest: SharedFrame?
        /// The number of the newest frame; 0 before the first frame.
        var number: UInt32 = 0
        var sent: WebFrame?
        var encoding: (number: UInt32, frame: SharedFrame)?
        var encoder: (pipeline: InnerPipeline, quality: Int)?
        /// The size of a frame that the encoder could not encode. The sender then skips raw frames of this size.
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
        // End the encoder without waiting for its frame. Do this outside of the lock, because the thread of the encoder
        // may wait for the lock.
        last.encoder?.pipeline.abandon()
        _ = consume last
    }

    /// The newest frame; nil before the first frame.
    var newest: SharedFrame? { state.withLock { $0.newest } }

    /// The number of frames so far.
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

    /// Sends the newest frame if a page waits for a frame. If the frame must be encoded first, starts to encode the
    /// frame.
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
        // Hold the lock while pushing the frame, so that no other thread can replace the encoder. Otherwise, this
        // thread could hold the last reference to the old encoder, and would have to end it, which takes a long time.
        let isPushed = state.withLock { state in
            guard let encoder = state.encoder, encoder.quality == quality else { return false }
            encoder.pipeline.push(frame)
            return true
        }
        if !isPushed { worker.run { [self] in encode(frame, quality) } }
    }

    /// Creates an encoder, and encodes the first frame.
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

    /// Sends the encoded frame.
    private func finish(_ jpeg: UnsafeRawBufferPointer) {
        // The constant `frame` keeps the frame in memory until the lock is released. Otherwise, the lock would be held
        // while the memory is freed, which may take a long time.
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
        // Releases the frame and the encoder outside of the lock, because releasing these objects may take a long time.
        _ = consume last
        host.post(
            warning: ElementError(.failed, "cannot encode frames as JPEG, so pages show no video", details: reason))
    }
}
