// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
import Synchronization
import TestSupport
import Testing

/// Pipelines that elements run inside.
@Suite struct InnerPipelineTests {
    /// Has the only reference to a pipeline, up to its end.
    private final class Owner: Sendable {
        private let pipeline = Mutex<InnerPipeline?>(nil)
        private let isOwning = Atomic(false)
        let isLetGo = Atomic(false)
        let reason = Mutex<String?>(nil)

        func own(_ pipeline: consuming InnerPipeline) {
            self.pipeline.withLock { $0 = pipeline }
        }

        /// Allows the end, once nobody else has a reference.
        func allow() { isOwning.store(true, ordering: .releasing) }

        /// Lets it go when its end is told for the first time: after an error, that of the stream may follow.
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

    @Test(arguments: [
        ("appsrc name=in format=time ! queue ! fakesink async=false", false),
        ("appsrc name=in ! fakesink async=false fakesrc ! identity error-after=3 ! fakesink async=false", true),
    ])
    func endsWhereItIsToldOfItsEnd(_ line: String, _ fails: Bool) throws {
        #expect(GStreamer.isReady)
        let owner = try Self.owner(line)
        owner.allow()
        // A thread that waited for its own end would not come here.
        #expect(eventually { owner.isLetGo.load(ordering: .acquiring) })
        #expect(owner.reason.withLock { $0 != nil } == fails)
    }
}
