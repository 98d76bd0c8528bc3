// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Synchronization
import TestSupport
import Testing

/// Tests of `DecodedStream` with other source elements in the place of a camera.
@Suite("Decoded streams of cameras")
struct CameraStreamTests {
    private struct Log: Sendable {
        var frames: [PixelSizeAndFormat] = []
        /// True if a frame uses memory of the source's buffer pool.
        var usesPool = false
        var isEnded = false
        var failures: [StreamFailure.Kind] = []
        var warnings: [String] = []
    }

    private struct PixelSizeAndFormat: Sendable, Equatable {
        var width: Int
        var height: Int
    }

    private final class Box: Sendable {
        let log = Mutex(Log())
        var now: Log { log.withLock { $0 } }
    }

    private func stream(_ camera: DecodedStream.Camera, _ box: Box) throws -> DecodedStream {
        _ = GStreamer.isReady
        let caps = try required(gst_caps_from_string("video/x-raw,format=BGRx"), "no caps")
        defer { gst_caps_unref(caps) }
        let clock = PipelineClock(try required(gst_system_clock_obtain(), "no clock"), base: 0)
        return DecodedStream(
            DecodedStream.Request(uri: "v4l2:///dev/null", properties: [], caps: StreamCaps(caps), camera: camera),
            clock: clock,
            DecodedStream.Events(
                frame: { frame in
                    let size = frame.caps.format?.size ?? .zero
                    let usesPool = Self.usesPool(frame)
                    box.log.withLock { log in
                        log.frames.append(PixelSizeAndFormat(width: size.width, height: size.height))
                        log.usesPool = log.usesPool || usesPool
                    }
                },
                latency: { _ in }, ended: { _ in box.log.withLock { $0.isEnded = true } },
                failed: { failure in box.log.withLock { $0.failures.append(failure.kind) } },
                warned: { text in box.log.withLock { $0.warnings.append(text) } }))
    }

    /// True if the buffer comes from a pool, or refers to a buffer of a pool.
    private static func usesPool(_ frame: StreamFrame) -> Bool {
        let buffer = frame.shared()
        defer { gst_buffer_unref(buffer) }
        return buffer.pointee.pool != nil || gst_buffer_get_meta(buffer, gst_parent_buffer_meta_api_get_type()) != nil
    }

    /// videotestsrc allocates its buffers from a pool, as v4l2src does, and this format needs no conversion. A frame that
    /// uses the pool keeps the device busy.
    @Test("A kept frame keeps no memory of the camera")
    func memory() throws {
        let camera = try DecodedStream.Camera(
            device: "x", controls: nil, caps: "video/x-raw,format=BGRx,width=64,height=32", element: "videotestsrc")
        let box = Box()
        let stream = try stream(camera, box)
        stream.open()
        #expect(eventually { box.now.frames.count > 3 })
        stream.close()
        #expect(!box.now.usesPool)
    }

    @Test("The mode of the camera is the mode in the caps")
    func mode() throws {
        let camera = try DecodedStream.Camera(
            device: "x", controls: nil, caps: "video/x-raw,width=64,height=32", element: "videotestsrc")
        let box = Box()
        let stream = try stream(camera, box)
        stream.open()
        #expect(eventually { box.now.frames.count > 3 })
        stream.close()
        #expect(box.now.frames.allSatisfy { $0 == PixelSizeAndFormat(width: 64, height: 32) })
        #expect(box.now.failures.isEmpty && stream.heard != nil)
    }

    /// The element posts a warning for each frame.
    @Test("The first warning of the camera's element is reported")
    func warning() throws {
        #expect(Probe.isRegistered)
        let camera = try DecodedStream.Camera(
            device: "x", controls: nil, caps: nil,
            element: "videotestsrc is-live=true ! videoconvert ! svprobe failing=warning")
        let box = Box()
        let stream = try stream(camera, box)
        stream.open()
        #expect(eventually { box.now.frames.count > 3 })
        stream.close()
        #expect(box.now.warnings == ["only a warning"] && box.now.failures.isEmpty)
    }

    @Test("Warnings of other elements are not reported")
    func otherWarning() throws {
        #expect(Probe.isRegistered)
        let camera = try DecodedStream.Camera(
            device: "x", controls: nil, caps: nil,
            element: "videotestsrc is-live=true ! videoconvert ! svprobe failing=warning ! identity")
        let box = Box()
        let stream = try stream(camera, box)
        stream.open()
        #expect(eventually { box.now.frames.count > 3 })
        stream.close()
        #expect(box.now.warnings.isEmpty)
    }

    @Test("A refused mode is a failure of the negotiation")
    func refused() throws {
        let camera = try DecodedStream.Camera(
            device: "x", controls: nil, caps: "video/x-h264,width=64", element: "videotestsrc")
        let box = Box()
        let stream = try stream(camera, box)
        stream.open()
        #expect(eventually { !box.now.failures.isEmpty })
        stream.close()
        #expect(box.now.failures.first == .negotiation)
    }
}
