// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Synchronization
import TestSupport
import Testing
import Waiting

/// A sink for these tests. It notes its calls.
private final class Witness: VideoSink {
    static let metadata = ElementMetadata(
        name: "svwitness", longName: "Witness", category: .sink, description: "Tests the layer")
    static let takesJPEG = true
    static let isRegistered = GStreamer.isReady && register(Witness.self)

    struct Settings: ElementSettings {
        var level: Int32 = 1
        var fails = false
        var waits = false
    }

    static let properties: [Property<Settings>] = [
        Property("level", \.level, in: 0...100, "A number", flags: .animated),
        Property("fails", \.fails, "Throw"),
        Property("waits", \.waits, "Wait until interrupted"),
    ]
    static let actions: [Action<Witness>] = [
        Action("notes", "Answers what it was given since the last time") { (witness: Witness) in
            witness.notes.withLock { notes in
                defer { notes = [] }
                return notes.joined(separator: " ")
            }
        },
        Action("key", "Sends a key upstream") { (witness: Witness, key: String) in
            witness.host.send(.key(key, isPressed: true))
        },
    ]

    private let host: Host<Settings>
    private let notes = Mutex<[String]>([])

    init(host: Host<Settings>) { self.host = host }

    struct State { var count = 0 }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    func start(_ settings: Settings) throws -> State {
        if settings.fails { throw ElementError(.notFound, "nothing to start with") }
        note("start")
        return State()
    }

    func show(_ state: inout State, _ settings: Settings, frame: SharedFrame) throws {
        if settings.fails { throw ElementError(.streamFailed, "cannot be shown") }
        if settings.waits {
            note("waits")
            Monitor(false).wait(unless: host.interruption) { $0 }
        }
        state.count += 1
        let kind = frame.isJPEG ? "jpeg" : "raw"
        note(
            "\(kind)\(state.count):\(frame.size.width)x\(frame.size.height)@\(frame.time.runningTime?.nanoseconds ?? 0)"
                + "/\(settings.level)")
    }

    func discontinuity(_ state: inout State) { note("new") }
    func endOfStream(_ state: inout State) { note("end") }
    func stop(_ state: inout State) { note("stop") }
}

/// Tests which calls sinks receive, and when.
@Suite struct SinkTests {
    private static func pipeline(_ description: String) throws -> Pipeline {
        try #require(Witness.isRegistered)
        return try Pipeline(description)
    }

    private static func notes(_ pipeline: Pipeline) throws -> [String] {
        let notes: String? = try pipeline.element("w").ask("notes")
        return (notes ?? "").split(separator: " ").map(String.init)
    }

    private static let two = "videotestsrc num-buffers=2 ! video/x-raw,framerate=10/1,width=32,height=16"

    @Test(arguments: ["format=RGB", "format=I420", "format=v210", "format=P010_10LE"])
    func framesOfEveryFormatAreShownOnce(_ format: String) throws {
        let pipeline = try Self.pipeline("\(Self.two),\(format) ! svwitness name=w sync=false level=7")
        try pipeline.play()
        try pipeline.finish()
        try pipeline.reach(GST_STATE_NULL)
        #expect(
            try Self.notes(pipeline) == ["start", "new", "raw1:32x16@0/7", "raw2:32x16@100000000/7", "end", "stop"])
    }

    @Test func jpegIsTakenAsItIs() throws {
        let pipeline = try Self.pipeline("\(Self.two) ! jpegenc ! svwitness name=w sync=false")
        try pipeline.play()
        try pipeline.finish()
        #expect(try Self.notes(pipeline).contains("jpeg2:32x16@100000000/1"))
    }

    @Test func theFirstFrameIsShownWhilePaused() throws {
        let pipeline = try Self.pipeline("\(Self.two) ! svwitness name=w")
        try pipeline.reach(GST_STATE_PAUSED)
        #expect(try Self.notes(pipeline) == ["start", "new", "raw1:32x16@0/1"])
        try pipeline.play()
        try pipeline.finish()
        #expect(try Self.notes(pipeline) == ["raw2:32x16@100000000/1", "end"])
    }

    @Test func framesComeWhenTheirTimeHas() throws {
        let pipeline = try Self.pipeline("\(Self.two) ! svwitness name=w")
        let begin = ClockTime.now
        try pipeline.play()
        try pipeline.finish()
        #expect(try #require(ClockTime.now.since(begin)) >= ClockTime(nanoseconds: 150_000_000))
    }

    @Test func failuresStopThePipeline() throws {
        let failing = try Self.pipeline("\(Self.two) ! svwitness name=w fails=true")
        #expect(failing.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        #expect(failing.bus.wait(GST_MESSAGE_ERROR)?.isError(GST_RESOURCE_ERROR_NOT_FOUND) == true)
        let later = try Self.pipeline("videotestsrc is-live=true ! svwitness name=w")
        try later.play()
        try later.element("w").set("fails", "true")
        #expect(later.bus.wait(GST_MESSAGE_ERROR)?.text == "cannot be shown")
    }

    @Test("A pause and a stop end what a sink waits for", arguments: [GST_STATE_PAUSED, GST_STATE_NULL])
    func interruptedWait(_ state: GstState) throws {
        let pipeline = try Self.pipeline("videotestsrc is-live=true ! svwitness name=w waits=true")
        try pipeline.play()
        #expect(try eventually { try Self.notes(pipeline).contains("waits") })
        // The sink reaches PAUSED only with the next frame. The change of the state itself must not wait.
        #expect(pipeline.set(state) != GST_STATE_CHANGE_FAILURE)
        try pipeline.reach(GST_STATE_NULL)
    }

    @Test func itIsASinkLikeOthers() throws {
        let pipeline = try Self.pipeline("videotestsrc is-live=true ! queue ! svwitness name=w")
        let element = try pipeline.element("w")
        #expect(element.text("sync") == "true" && element.text("qos") == "true")
        try pipeline.reach(GST_STATE_PLAYING)
        var (isLive, latency) = (gboolean(0), GstClockTime(0))
        let query = try #require(gst_query_new_latency())
        defer { gst_query_unref(query) }
        #expect(gst_element_query(pipeline.handle.element, query) != 0)
        gst_query_parse_latency(query, &isLive, &latency, nil)
        #expect(isLive != 0 && latency > 0)
    }

    @Test func keysGoUpstream() throws {
        let pipeline = try Self.pipeline("videotestsrc is-live=true ! identity name=i ! svwitness name=w")
        try pipeline.reach(GST_STATE_PLAYING)
        let keys = KeyProbe(try pipeline.pad("i", "src"))
        try pipeline.element("w").emit("key", "space")
        #expect(eventually { keys.keys == ["space"] })
    }
}

/// Collects the keys that pass a pad in the upstream direction.
private final class KeyProbe {
    private let pad: Handle
    private let record = Record()
    private let id: gulong

    private final class Record: Sendable {
        let keys = Mutex<[String]>([])
    }

    init(_ pad: Handle) {
        self.pad = pad
        id = gst_pad_add_probe(
            pad.pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_NAVIGATION,
                    let data
                else { return GST_PAD_PROBE_OK }
                var key: UnsafePointer<CChar>?
                gst_navigation_event_parse_key_event(event, &key)
                let record = Unmanaged<Record>.fromOpaque(data).takeUnretainedValue()
                if let key { record.keys.withLock { $0.append(String(cString: key)) } }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(record).toOpaque(),
            { if let data = $0 { Unmanaged<Record>.fromOpaque(data).release() } })
    }

    deinit { gst_pad_remove_probe(pad.pad, id) }

    var keys: [String] { record.keys.withLock { $0 } }
}
