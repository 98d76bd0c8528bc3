// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// A filter whose worker runs jobs of the test. Only these tests use it.
private final class Busy: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svbusy", longName: "Busy", category: .effect, description: "Has long jobs")
    static let formats = FrameFormat.allPacked
    static let isRegistered = GStreamer.isReady && register(Busy.self)

    struct Settings: ElementSettings {
        var jobs: Int32 = 0
        /// True if each frame takes until the element stops.
        var dawdles = false
    }

    static let properties: [Property<Settings>] = [
        Property("jobs", \.jobs, in: 0...Int32.max, "How many are done", flags: .animated),
        Property("dawdles", \.dawdles, "Whether frames take their time"),
    ]

    static let actions: [Action<Busy>] = [
        Action("wait", "Has a job wait until `isOpen`") { (busy: Busy) in
            busy.work { _ = eventually { Busy.isOpen.load(ordering: .acquiring) } }
        },
        Action("last", "Has a job wait until the element stops; counted only if it does") { (busy: Busy) in
            busy.work { [busy] in busy.last() }
        },
        Action("pass", "Has a job do nothing, or say that the element stops") { (busy: Busy) in
            busy.work { [host = busy.host] in
                if host.worker.isEnding { Busy.ended.add(1, ordering: .relaxed) }
            }
        },
    ]

    static let alive = Atomic(0)
    static let isOpen = Atomic(false)
    /// `lasting`: number of jobs and frames that wait for the end of the element. `ended`: number of them that have
    /// noticed the end.
    static let lasting = Atomic(0)
    static let ended = Atomic(0)

    private let host: Host<Settings>

    init(host: Host<Settings>) {
        self.host = host
        Self.alive.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    /// Uses all services of the host, as jobs do.
    private func work(_ body: @escaping @Sendable () -> Void) {
        host.worker.run { [host] in
            body()
            host.log(.debug, "a job is done")
            host.set(\.jobs, to: host.settings.jobs + 1)
            host.post(Structure("svbusy"))
        }
    }

    func transform(_ state: inout Void, _ settings: Settings, frame: Frame) {
        guard settings.dawdles else { return }
        last()
    }

    private func last() {
        Self.lasting.add(1, ordering: .relaxed)
        if eventually({ host.worker.isEnding }) { Self.ended.add(1, ordering: .relaxed) }
    }
}

@Suite("The life of jobs", .serialized)
struct JobLifeTests {
    init() throws {
        try #require(Busy.isRegistered)
        Busy.isOpen.store(false, ordering: .releasing)
        Busy.ended.store(0, ordering: .relaxed)
        Busy.lasting.store(0, ordering: .relaxed)
    }

    private func open() { Busy.isOpen.store(true, ordering: .releasing) }

    @Test("An element that nobody else has lives until its jobs are done, and ends in their thread")
    func outlived() throws {
        var busy: Handle? = try Handle(factory: "svbusy")
        let fate = try Fate(#require(busy))
        busy?.emit("wait")
        busy?.emit("pass")
        busy = nil
        #expect(!fate.isGone)
        open()
        #expect(eventually { fate.isGone })
        #expect(eventually { Busy.alive.load(ordering: .relaxed) == 0 })
    }

    @Test("Elements that are dropped while their jobs wait or run leave nothing")
    func dropped() throws {
        open()
        for round in 0..<200 {
            let busy = try Handle(factory: "svbusy")
            for _ in 0...round % 3 { busy.emit("wait") }
            if round % 2 == 0 { g_usleep(UInt(round)) }
        }
        #expect(eventually { Busy.alive.load(ordering: .relaxed) == 0 })
    }

    @Test("Jobs that are given in NULL and READY are done in any state, and hold up no change to another")
    func stopped() throws {
        let pipeline = try Pipeline("videotestsrc ! svbusy name=b ! fakesink")
        let busy = try pipeline.element("b")
        busy.emit("wait")
        try pipeline.reach(GST_STATE_READY)
        busy.emit("wait")
        try pipeline.reach(GST_STATE_NULL)
        #expect(busy.get("jobs") == Int32(0))
        try pipeline.reach(GST_STATE_PAUSED)
        open()
        try pipeline.reach(GST_STATE_NULL)
        // The element waits for its jobs when it stops.
        #expect(busy.get("jobs") == Int32(2))
    }

    @Test("A job, and a frame under way, learn at once that the element stops; what comes later does not")
    func ending() throws {
        let pipeline = try Pipeline("videotestsrc ! svbusy name=b ! fakesink")
        let busy = try pipeline.element("b")
        for round in 1...3 {
            busy.set("dawdles", value: false)
            try pipeline.reach(GST_STATE_PLAYING)
            busy.emit("last")
            busy.set("dawdles", value: true)
            #expect(eventually { Busy.lasting.load(ordering: .relaxed) == 2 * round })
            try pipeline.reach(round == 2 ? GST_STATE_READY : GST_STATE_NULL)
            #expect(Busy.ended.load(ordering: .relaxed) == 2 * round)
        }
        busy.emit("pass")
        #expect(eventually { busy.get("jobs") == Int32(4) })
        #expect(Busy.ended.load(ordering: .relaxed) == 6)
    }

    @Test("Who is told by a job may stop the pipeline then and there")
    func stoppedByJob() throws {
        for _ in 0..<20 {
            let pipeline = try Pipeline("videotestsrc ! svbusy name=b ! fakesink")
            let busy = try pipeline.element("b")
            // A handler stops the pipeline, in the thread that posts the element's first message.
            gst_bus_set_sync_handler(
                pipeline.bus.pointer,
                { _, message, data in
                    if message?.pointee.type == GST_MESSAGE_ELEMENT, let data {
                        let pipeline = data.assumingMemoryBound(to: GstElement.self)
                        gst_element_set_state(pipeline, GST_STATE_NULL)
                    }
                    return GST_BUS_PASS
                }, pipeline.handle.object, nil)
            try pipeline.reach(GST_STATE_PLAYING)
            for _ in 0..<3 { busy.emit("pass") }
            #expect(eventually { busy.get("jobs") == Int32(3) })
            #expect(eventually { pipeline.handle.element.pointee.current_state == GST_STATE_NULL })
            gst_bus_set_sync_handler(pipeline.bus.pointer, nil, nil, nil)
        }
    }

    @Test("States at random while threads give jobs")
    func random() throws {
        open()
        var random = Random(seed: 11)
        let pipeline = try Pipeline("videotestsrc is-live=true ! svbusy name=b ! fakesink")
        let busy = try pipeline.element("b")
        let threads = (0..<2).map { _ in
            BackgroundThread { round in
                busy.emit(round % 2 == 0 ? "pass" : "wait")
                g_usleep(500)
            }
        }
        let states = [GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING]
        for _ in 0..<150 { pipeline.set(states[Int(random.next() % 4)]) }
        // If the computer is busy, a thread may start late.
        #expect(eventually { threads.allSatisfy { $0.rounds > 0 } })
        for thread in threads { thread.stop() }
        pipeline.set(GST_STATE_NULL)
        #expect(pipeline.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }
}
