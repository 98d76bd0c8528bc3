// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import TestSupport
import Testing

/// Tests of the labels of the inputs of svswitch and svmixer.
@Suite("Labels of inputs")
struct InputLabelTests {
    private func source(_ count: Int) -> String {
        "videotestsrc num-buffers=\(count) ! video/x-raw,format=BGRA,width=16,height=8,framerate=25/1 ! m. "
    }

    @Test("Messages of svswitch contain the labels, on one line and with at most 100 bytes")
    func messages() throws {
        let line = try pipeline(
            "svswitch name=m ! appsink name=out sync=false \(source(5)) \(source(10)) \(source(15))")
        for (index, label) in ["Stage\nleft", String(repeating: "x", count: 120)].enumerated() {
            try line.pad("m", "sink_\(index)").set("label", value: label)
        }
        try line.play()
        #expect(try line.pullAll().count == 15)
        let ends = line.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }.filter {
            $0.text("event") == "input-ended"
        }
        let cut = String(repeating: "x", count: 100)
        #expect(ends.map { $0.text("input_label") } == ["Stageleft", cut])
        #expect(ends.map { $0.text("to_label") } == [cut, nil])
    }

    @Test("Inputs of both mixers have labels", arguments: ["svswitch", "svmixer"])
    func property(_ mixer: String) throws {
        let line = try pipeline("\(mixer) name=m sink_0::label=Stage ! fakesink \(source(1))")
        let pad = try line.pad("m", "sink_0")
        #expect(pad.text("label") == "Stage")
        pad.set("label", value: NullText())
        #expect(pad.text("label") == nil)
    }
}
