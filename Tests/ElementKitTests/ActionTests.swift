// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("Actions, messages, keys")
struct ActionTests {
    @Test("An action without arguments, and one with")
    func arguments() throws {
        let probe = try makeProbe()
        probe.emit("none")
        probe.emit("one", "word")
        probe.emit("none")
        #expect(probe.ask("calls") == "none, one word, none")
        #expect(probe.ask("calls") == "")
    }

    @Test("Arguments of all types arrive, in order")
    func types() throws {
        let probe = try makeProbe()
        let answer = probe.ask(
            "every", true, Int32.min, UInt32.max, Int64.min, UInt64.max, -0.5, "größer", as: String.self)
        let expected = "true -2147483648 4294967295 -9223372036854775808 18446744073709551615 -0.5 größer"
        #expect(answer == expected)
    }

    @Test("Answers of other types")
    func answers() throws {
        let probe = try makeProbe()
        #expect(probe.ask("sum", Int32(-3), Int32(5)) == Int32(2))
        #expect(probe.ask("is-even", UInt32(4)) == true)
        #expect(probe.ask("is-even", UInt32(5)) == false)
        #expect(probe.ask("half", 3.0) == 1.5)
        #expect(probe.ask("wide", Int64.min) == UInt64(1) << 63)
    }

    @Test("An action with a text that is NULL is not carried out")
    func nullText() throws {
        let probe = try makeProbe()
        probe.emit("one", NullText())
        #expect(probe.ask("calls") == "")
        #expect(
            probe.ask("every", true, Int32(1), UInt32(1), Int64(1), UInt64(1), 1.0, NullText(), as: String.self) == nil)
        probe.emit("one", "")
        #expect(probe.ask("calls") == "one ")
    }

    @Test("An action may be emitted when nobody waits for the answer")
    func unheardAnswer() throws {
        let probe = try makeProbe()
        probe.emit("one", "a")
        probe.emit("sum", Int32(1), Int32(2))
        #expect(probe.ask("calls") == "one a")
    }

    @Test("A message carries a field of each type and reads back from its text")
    func messages() throws {
        let pipeline = try Pipeline("videotestsrc ! \(Probe.isRegistered ? "svprobe" : "") name=p ! fakesink")
        let probe = try pipeline.element("p")
        probe.emit("say", "a \"quoted\" text, größer; [1]")
        let message = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT))
        #expect(message.source == "p")
        let fields = try #require(Fields(message.structure))
        #expect(fields.name == "svprobe")
        #expect(fields.count == 7)
        #expect(fields.text("text") == "a \"quoted\" text, größer; [1]")
        #expect(fields.bool("on") == true)
        #expect(fields.int("int") == Int(Int32.min))
        #expect(fields.uint("uint") == .max)
        #expect(fields.int64("int64") == .min)
        #expect(fields.uint64("uint64") == .max)
        #expect(fields.double("double") == 0.1)
    }

    @Test("A key reaches the element and goes on upstream")
    func keys() throws {
        let frame = TestFrame(.bgra, 4, 4, seed: 1)
        let harness = try probeHarness(like: frame)
        _ = harness.element.ask("calls", as: String.self)
        while harness.takeUpstreamEvent() != nil {}
        harness.press("space")
        #expect(harness.element.ask("calls") == "key space")
        #expect(harness.takeUpstreamEvent() == GST_EVENT_NAVIGATION)
        #expect(harness.takeUpstreamEvent() == nil)
    }

    @Test("Other upstream events are no keys")
    func otherEvents() throws {
        let harness = try probeHarness(like: TestFrame(.bgra, 4, 4, seed: 1))
        _ = harness.element.ask("calls", as: String.self)
        while harness.takeUpstreamEvent() != nil {}
        harness.pushUpstream(gst_navigation_event_new_key_release("a", GST_NAVIGATION_MODIFIER_NONE))
        #expect(harness.takeUpstreamEvent() == GST_EVENT_NAVIGATION)
        #expect(harness.element.ask("calls") == "")
    }

    @Test(
        "The mouse reaches the element in pixels of its frame, and goes on to where these come from, unless it is taken"
    )
    func mouse() throws {
        let harness = try probeHarness(like: TestFrame(.bgra, 4, 4, seed: 1))
        _ = harness.element.ask("calls", as: String.self)
        while harness.takeUpstreamEvent() != nil {}
        let none = GST_NAVIGATION_MODIFIER_NONE
        for (event, call, place) in [
            (gst_navigation_event_new_mouse_button_press(1, 20, 5, none), "press(button: 1) 20.0,5.0", [30.0, 5]),
            (gst_navigation_event_new_mouse_button_release(3, 1.5, 2, none), "release(button: 3) 1.5,2.0", [11.5, 2]),
            (gst_navigation_event_new_mouse_move(-1, 2, none), "move -1.0,2.0", [9, 2]),
            (gst_navigation_event_new_touch_down(7, 3, 4, 0.5, none), "press(button: 1) 3.0,4.0", [13, 4]),
            (
                gst_navigation_event_new_mouse_scroll(3, 4, 0, -1, none), "scroll(across: 0.0, down: -1.0) 3.0,4.0",
                [13, 4]
            ),
            // The filter handles the first event. The second event has no position upstream. So both events are not
            // forwarded.
            (gst_navigation_event_new_mouse_button_press(2, 20, 5, none), "press(button: 2) 20.0,5.0", nil),
            (gst_navigation_event_new_mouse_move(150, 5, none), "move 150.0,5.0", nil),
            // The position is not a number, so the filter does not receive the event.
            (gst_navigation_event_new_mouse_move(.nan, 5, none), "", [.nan, 5]),
        ] as [(UnsafeMutablePointer<GstEvent>?, String, [Double]?)] {
            harness.pushUpstream(event)
            #expect(harness.element.ask("calls") == call)
            let moved = harness.takeUpstreamPlace()
            #expect(moved.map { "\($0.x) \($0.y)" } == place.map { "\($0[0]) \($0[1])" }, "\(call)")
        }
    }
}
