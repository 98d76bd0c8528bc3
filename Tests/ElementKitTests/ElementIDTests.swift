// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import TestSupport
import Testing

@Suite("Control: short IDs of elements")
struct ElementIDTests {
    private func controlled(_ line: String) throws -> (Pipeline, ControlProbe) {
        let pipeline = try Pipeline(line)
        gst_object_set_name(pipeline.handle.gstObject, "line")
        return (pipeline, ControlProbe(try pipeline.element("out")))
    }

    @Test("The end of an ID is sufficient if only one ID ends with it", arguments: [false, true])
    func shortIDs(_ isWatching: Bool) throws {
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! ( name=box identity name=a2 ) ! compositor name=m ! fakesink name=out "
                + "videotestsrc name=b ! m. videotestsrc name=c ! compositor name=n ! fakesink")
        if isWatching { #expect(probe.start()) }
        #expect(probe.set("pattern", of: "a", to: .text("snow")) == nil)
        #expect(try pipeline.element("a").text("pattern") == "snow")
        #expect(probe.set("pattern", of: "line/a", to: .text("ball")) == nil)
        #expect(try pipeline.element("a").text("pattern") == "ball")
        #expect(probe.set("alpha", of: "m/sink_0", to: .exact(0.5)) == nil)
        #expect(
            probe.set("alpha", of: "sink_0", to: .exact(0.5))
                == "the pipeline has several elements \"sink_0\". Use one of: line/m/sink_0, line/n/sink_0.")
        #expect(probe.set("async-handling", of: "line", to: .truth(false)) == nil)
        for id in ["", "/", "/a", "ine/a", "line/", "nobody", "a/", "*"] {
            #expect(probe.set("pattern", of: id, to: .text("snow"))?.hasPrefix("the pipeline has no element") == true)
        }
        #expect(try pipeline.element("a").text("pattern") == "ball")
    }

    @Test("An exact ID has precedence over the end of another ID")
    func exactID() throws {
        let (pipeline, probe) = try controlled("videotestsrc name=line ! fakesink name=out")
        #expect(probe.set("pattern", of: "line", to: .text("snow"))?.contains("unknown property") == true)
        #expect(probe.set("pattern", of: "line/line", to: .text("snow")) == nil)
        #expect(try pipeline.element("line").text("pattern") == "snow")
    }
}
