// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Imaging
import TestScope
import TestSupport
import Testing

@Suite("Control: what changes in a pipeline", .serialized)
struct ControlWatchTests {
    private func watched(_ line: String) throws -> (Pipeline, ControlProbe) {
        let pipeline = try Pipeline(line)
        gst_object_set_name(pipeline.handle.gstObject, "line")
        let probe = ControlProbe(try pipeline.element("out"))
        guard probe.start() else { throw TestFailure("nothing was told") }
        return (pipeline, probe)
    }

    @Test("A property that anybody sets is told; many changes in a row as few, the last one always")
    func changes() throws {
        let (pipeline, probe) = try watched("videotestsrc name=a ! compositor name=m ! fakesink name=out")
        try pipeline.element("a").set("pattern", "ball")
        #expect(probe.waits(for: .text("ball"), of: "pattern", in: "line/a"))
        try pipeline.pad("m", "sink_0").set("xpos", "17")
        #expect(probe.waits(for: .whole(17), of: "xpos", in: "line/m/sink_0"))
        let before = probe.messages("property").count
        let source = try pipeline.element("a")
        for number in 0..<2000 { source.set("num-buffers", "\(number)") }
        #expect(probe.waits(for: .whole(1999), of: "num-buffers", in: "line/a"))
        #expect(probe.messages("property").count - before < 100)
    }

    @Test("A property that is set while elements come is told by itself, too")
    func changesBesideNewElements() throws {
        let (pipeline, probe) = try watched("videotestsrc name=a ! fakesink name=out ( name=inner identity )")
        let inner = try pipeline.element("inner")
        for number in 1...5 {
            // Both changes come immediately after each other, so that the control finds them in one pass.
            gst_bin_add(inner.cast(to: GstBin.self), try Handle(factory: "identity").element)
            try pipeline.element("a").set("num-buffers", "\(number)")
            #expect(probe.waits(for: .whole(Int64(number)), of: "num-buffers", in: "line/a"))
        }
    }

    @Test("Elements and pads that come and go are told, and watched")
    func comingAndGoing() throws {
        let (pipeline, probe) = try watched(
            "videotestsrc name=a ! compositor name=m ! fakesink name=out ( name=inner identity name=i )")
        func has(_ id: String) -> Bool { probe.messages("pipeline").last?["elements"]?.ids.contains(id) == true }
        let inner = try pipeline.element("inner")
        let added = try Handle(factory: "gamma")
        gst_object_set_name(added.gstObject, "late")
        gst_bin_add(inner.cast(to: GstBin.self), added.element)
        #expect(eventually { has("line/inner/late") })
        added.set("gamma", "2")
        #expect(probe.waits(for: .exact(2), of: "gamma", in: "line/inner/late"))
        let mixer = try pipeline.element("m")
        let pad = try required(gst_element_request_pad_simple(mixer.element, "sink_%u"), "no pad")
        #expect(eventually { has("line/m/sink_1") })
        gst_element_release_request_pad(mixer.element, pad)
        gst_object_unref(pad)
        #expect(eventually { !has("line/m/sink_1") })
        gst_bin_remove(inner.cast(to: GstBin.self), added.element)
        #expect(eventually { !has("line/inner/late") })
        #expect(
            probe.set("gamma", of: "line/inner/late", to: .whole(1))?.hasPrefix("the pipeline has no element") == true)
        // The control has removed its signal handler.
        #expect(eventually { g_signal_has_handler_pending(added.object, notify, 0, 0) == 0 })
    }

    private var notify: guint { g_signal_lookup("notify", g_type_from_name("GObject")) }

    @Test("decodebin is followed while it builds itself")
    func decodebin() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(TestFrame(.bgra, 64, 48, seed: 3), "a.png")
        let (pipeline, probe) = try watched(
            "filesrc location=\(path) ! decodebin name=d ! fakesink name=out sync=false")
        try pipeline.play()
        try pipeline.finish()
        #expect(
            eventually {
                probe.messages("pipeline").last?["elements"]?.ids.contains { $0.hasPrefix("line/d/pngdec") } == true
            })
        #expect(eventually { probe.messages("message").contains { $0["kind"]?.text == "eos" } })
    }

    @Test("Messages come with their fields; the application still gets all of them")
    func messages() throws {
        _ = Probe.isRegistered
        let (pipeline, probe) = try watched("videotestsrc ! svprobe name=p failing=warning ! fakesink name=out")
        try pipeline.reach(GST_STATE_PLAYING)
        try pipeline.element("p").emit("say", "größer")
        func told(_ kind: String) -> JSONValue? { probe.messages("message").last { $0["kind"]?.text == kind } }
        #expect(eventually { told("element") != nil && told("warning") != nil })
        let message = try required(told("element"), "no message")
        #expect(message["element"]?.text == "line/p" && message["name"]?.text == "svprobe")
        let fields = try required(message["fields"], "no fields")
        #expect(fields["text"]?.text == "größer" && fields["on"] == .truth(true) && fields["double"] == .exact(0.1))
        #expect(fields["int"] == .whole(-2_147_483_648) && fields["uint64"]?.text == "18446744073709551615")
        #expect(told("warning")?["text"]?.text == "only a warning")
        #expect(probe.messages("message").contains { $0["kind"]?.text == "state" && $0["text"]?.text == "PLAYING" })
        let pending = pipeline.bus.pending(GST_MESSAGE_ELEMENT, GST_MESSAGE_WARNING)
        #expect(Set(pending.map(\.type.rawValue)).count == 2)
    }

    @Test("Structures within lists become tables")
    func structures() throws {
        let (pipeline, probe) = try watched("fakesrc ! fakesink name=out")
        let text =
            "found, objects=(structure)< [face, x=(int)3, share=(double)0.5], [face, x=(int)4] >, rate=(fraction)30/1"
        let structure = gst_structure_from_string(text, nil)
        gst_element_post_message(
            try pipeline.element("out").element,
            gst_message_new_element(try pipeline.element("out").gstObject, structure))
        #expect(eventually { probe.messages("message").contains { $0["name"]?.text == "found" } })
        let fields = probe.messages("message").first { $0["name"]?.text == "found" }?["fields"]
        let objects = fields?["objects"]?.list
        #expect(objects?.count == 2 && objects?.first?["type"]?.text == "face" && objects?.first?["x"] == .whole(3))
        #expect(fields?["rate"]?.text == "30/1")
    }

    @Test("After a stop nothing is told and nothing is connected; it can begin again")
    func stopping() throws {
        let (pipeline, probe) = try watched("videotestsrc name=a ! fakesink name=out")
        let source = try pipeline.element("a")
        #expect(g_signal_has_handler_pending(source.object, notify, 0, 0) != 0)
        probe.control.stop()
        #expect(g_signal_has_handler_pending(source.object, notify, 0, 0) == 0)
        g_usleep(150_000)
        let count = probe.count
        source.set("pattern", "ball")
        try pipeline.reach(GST_STATE_PAUSED)
        g_usleep(150_000)
        #expect(probe.count == count)
        #expect(probe.start())
        source.set("pattern", "snow")
        #expect(probe.waits(for: .text("snow"), of: "pattern", in: "line/a"))
    }

    @Test("The control keeps nothing alive, whether it ends before the pipeline or after it")
    func lives() throws {
        for endsFirst in [true, false] {
            var weak: WeakObject?
            var probe: ControlProbe?
            do {
                let (pipeline, made) = try watched("videotestsrc name=a ! compositor ! fakesink name=out sync=false")
                try pipeline.reach(GST_STATE_PLAYING)
                weak = WeakObject(try pipeline.element("a").object)
                probe = made
                if endsFirst { probe = nil }
            }
            #expect(eventually { weak?.object == nil })
            #expect(probe?.control.elements() ?? .list([]) == .list([]))
            probe = nil
        }
    }

    @Test("Hundreds of settings from several threads while it plays, and bins that come and go")
    func churn() throws {
        _ = Probe.isRegistered
        // The line has no videobox. If its borders are set while it plays, videobox writes beyond its frame.
        let (pipeline, probe) = try watched(
            "videotestsrc name=a is-live=true ! video/x-raw,width=32,height=24,framerate=100/1 ! svprobe name=p ! "
                + "videobalance name=balance ! compositor name=m ! fakesink name=out")
        try pipeline.play()
        let ids = ["line/a", "line/p", "line/balance", "line/m", "line/m/sink_0", "line/out", "line"]
        let threads = (0..<4).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(4 * round + seed))
                let id = ids[Int(random.next() % UInt64(ids.count))]
                guard let properties = (try? probe.element(id))?["properties"]?.list, !properties.isEmpty else {
                    return
                }
                let property = properties[Int(random.next() % UInt64(properties.count))]
                // Properties that stop the stream are not the subject of this test.
                guard let name = property["name"]?.text,
                    !["num-buffers", "failing", "state-error", "sync", "is-live"].contains(name)
                else { return }
                let values: [JSONValue] = [
                    .whole(Int64(random.byte())), .exact(Double(random.byte()) / 255), .truth(random.byte() > 127),
                    .text("x"), .list([]), .text("-9223372036854775808"), property["default"] ?? .whole(0),
                    .exact(-1e300), .table([]),
                ]
                _ = probe.set(name, of: id, to: values[Int(random.next() % UInt64(values.count))])
            }
        }
        for number in 0..<30 {
            let bin = try required(gst_bin_new("bin\(number)"), "no bin")
            gst_bin_add(bin.cast(to: GstBin.self), gst_element_factory_make("identity", nil))
            gst_object_ref(bin)
            gst_bin_add(pipeline.handle.cast(to: GstBin.self), bin)
            g_usleep(10_000)
            _ = probe.control.elements()
            gst_element_set_state(bin, GST_STATE_NULL)
            gst_bin_remove(pipeline.handle.cast(to: GstBin.self), bin)
            gst_object_unref(bin)
        }
        #expect(eventually { threads.allSatisfy { $0.rounds >= TestScope.choose(100, all: 250) } })
        for thread in threads { thread.stop() }
        #expect(
            eventually {
                probe.messages("pipeline").last?["elements"]?.ids.contains { $0.hasPrefix("line/bin") } == false
            })
        // The control still receives notifications.
        try pipeline.element("balance").set("hue", "0.5")
        #expect(probe.waits(for: .exact(0.5), of: "hue", in: "line/balance"))
    }
}
