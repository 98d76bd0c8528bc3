// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
import CGStreamer
import Synchronization
import TestSupport
import Testing
import Waiting

/// Tests of pipelines that elements run internally.
@Suite struct InnerPipelineTests {
    /// Holds the only reference to a pipeline until the pipeline ends.
    private final class Owner: Sendable {
        private let pipeline = Mutex<InnerPipeline?>(nil)
        private let isOwning = Atomic(false)
        let isLetGo = Atomic(false)
        let reason = Mutex<String?>(nil)

        func own(_ pipeline: consuming InnerPipeline) {
            self.pipeline.withLock { $0 = pipeline }
        }

        /// Allows the release. Call it after all other references are released.
        func allow() { isOwning.store(true, ordering: .releasing) }

        /// Releases the pipeline after the first report of its end. After an error, the end of the stream may also be
        /// reported.
        func letGo(_ reason: String?) {
            guard eventually({ isOwning.load(ordering: .acquiring) }) else { return }
            guard !isLetGo.load(ordering: .acquiring) else { return }
            self.reason.withLock { $0 = reason }
            pipeline.withLock { $0 = nil }
            isLetGo.store(true, ordering: .releasing)
        }
    }

    private static func owner(_ line: String) throws -> Owner {
        let owner = Owner()
        let pipeline = try InnerPipeline(line, InnerPipeline.Events(ended: { owner.letGo($0) }))
        pipeline.end()
        owner.own(pipeline)
        return owner
    }

    /// Supplies frames for a pipeline. The output of the pipeline blocks until `isOpen` is true.
    private final class Slow: Sendable {
        let isOpen = Monitor(false)
        let outputs = Monitor(0)
        let hasEnded = Monitor(false)

        func pipeline() throws -> InnerPipeline {
            try InnerPipeline(
                "appsrc name=in format=time ! appsink name=out sync=false async=false",
                InnerPipeline.Events(
                    output: { [self] _ in
                        outputs.change { $0 += 1 }
                        isOpen.wait { $0 }
                    },
                    ended: { [self] _ in hasEnded.change { $0 = true } }))
        }

        static func frame() throws -> SharedFrame {
            let buffer = try #require(gst_buffer_new_allocate(nil, 12, nil))
            defer { gst_buffer_unref(buffer) }
            var info = GstVideoInfo()
            gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 4, 3)
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            return SharedFrame(buffer, try #require(SharedFrame.Format(info)), FrameTime(buffer, segment: segment))
        }
    }

    @Test("Frames that wait are dropped on demand, and the end follows")
    func drops() throws {
        #expect(GStreamer.isReady)
        let slow = Slow()
        let pipeline = try slow.pipeline()
        let frame = try Slow.frame()
        for number in 0..<5 as Range<UInt64> { #expect(pipeline.push(frame, at: number * .second)) }
        slow.outputs.wait { $0 == 1 }
        pipeline.dropWaiting()
        pipeline.end()
        slow.isOpen.change { $0 = true }
        slow.hasEnded.wait { $0 }
        #expect(slow.outputs.withLock { $0 } == 1)
        #expect(!pipeline.push(frame))
    }

    @Test("A wait for room ends when a frame is taken, and when it is interrupted")
    func room() async throws {
        #expect(GStreamer.isReady)
        let slow = Slow()
        let pipeline = try slow.pipeline()
        let frame = try Slow.frame()
        for number in 0..<3 as Range<UInt64> { pipeline.push(frame, at: number * .second) }
        slow.outputs.wait { $0 == 1 }
        // Two frames wait.
        let interruption = Interruption()
        pipeline.waitForRoom(frames: 3, bytes: .max, unless: interruption)
        interruption.set(.pause)
        pipeline.waitForRoom(frames: 2, bytes: .max, unless: interruption)
        pipeline.waitForRoom(frames: .max, bytes: 24, unless: interruption)
        interruption.clear()
        let wait = Task.detached { pipeline.waitForRoom(frames: 2, bytes: .max, unless: interruption) }
        slow.isOpen.change { $0 = true }
        await wait.value
        pipeline.end()
        slow.hasEnded.wait { $0 }
    }

    @Test(arguments: [
        ("appsrc name=in format=time ! queue ! fakesink async=false", false),
        ("appsrc name=in ! fakesink async=false fakesrc ! identity error-after=3 ! fakesink async=false", true),
    ])
    func endsWhereItIsToldOfItsEnd(_ line: String, _ fails: Bool) throws {
        #expect(GStreamer.isReady)
        let owner = try Self.owner(line)
        owner.allow()
        // If the thread waited for its own end, the test would not reach this line.
        #expect(eventually { owner.isLetGo.load(ordering: .acquiring) })
        #expect(owner.reason.withLock { $0 != nil } == fails)
    }
}
