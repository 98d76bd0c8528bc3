// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import TestSupport
import Testing

@Suite("Control: clients that send only numbers, booleans and enumerations")
struct RestrictedControlTests {
    private func controlled(_ line: String, files: ControlledFiles = .uploads(in: nil)) throws -> (
        Pipeline, ControlProbe
    ) {
        _ = Probe.isRegistered
        let pipeline = try Pipeline(line)
        gst_object_set_name(pipeline.handle.gstObject, "line")
        return (pipeline, ControlProbe(try pipeline.element("out"), files: files))
    }

    /// Applies a message. Returns the refusal, `failed` if the action has failed, or nil.
    private func apply(_ probe: ControlProbe, _ path: String, _ values: JSONValue...) -> String? {
        do throws(ControlError) {
            return try probe.control.apply(path, values) == false ? "failed" : nil
        } catch {
            return error.reason
        }
    }

    @Test("Numbers, booleans, enumerations, colours and times are set")
    func allowed() throws {
        let (pipeline, probe) = try controlled("videotestsrc name=a ! svprobe name=p ! fakesink name=out")
        let element = try pipeline.element("p")
        #expect(apply(probe, "p/level", .whole(17)) == nil && element.get("level") == Int32(17))
        #expect(apply(probe, "line/p/level", .exact(18)) == nil && element.get("level") == Int32(18))
        #expect(apply(probe, "p/ratio", .exact(0.25)) == nil && element.get("ratio", as: Double.self) == 0.25)
        #expect(apply(probe, "p/ratio", .whole(-1)) == nil && element.get("ratio", as: Double.self) == -1)
        for (value, isOn) in [
            (JSONValue.truth(false), false), (.whole(1), true), (.exact(0), false), (.exact(1), true),
            (.whole(0), false),
        ] {
            #expect(apply(probe, "p/on", value) == nil && element.text("on") == (isOn ? "true" : "false"))
        }
        #expect(apply(probe, "p/shade", .text("dark")) == nil && element.text("shade") == "dark")
        #expect(apply(probe, "p/shade", .exact(3)) == nil && element.text("shade") == "bright-light")
        #expect(apply(probe, "p/tint", .whole(0xFF33_6699)) == nil && element.get("tint") == 0xFF33_6699 as UInt32)
        #expect(apply(probe, "p/delay", .whole(5_000_000_000)) == nil)
        #expect(apply(probe, "a/pattern", .text("snow")) == nil)
        #expect(try pipeline.element("a").text("pattern") == "snow")
    }

    @Test("Values out of range or of another type are refused, and errors do not contain the value")
    func values() throws {
        let (pipeline, probe) = try controlled("videotestsrc name=a ! svprobe name=p ! fakesink name=out")
        let element = try pipeline.element("p")
        #expect(apply(probe, "p/level", .whole(256)) == "level: 256 is not between -1 and 255")
        #expect(apply(probe, "p/level", .exact(2.5)) == "level: expected a whole number, not 2.5")
        #expect(apply(probe, "p/level", .text("5")) == "level: expected a number")
        #expect(apply(probe, "p/level", .truth(true)) == "level: expected a number")
        #expect(apply(probe, "p/level", .null) == "level: expected a number")
        #expect(apply(probe, "p/ratio", .exact(.nan))?.hasPrefix("ratio: expected a number") == true)
        #expect(apply(probe, "p/ratio", .exact(.infinity))?.hasPrefix("ratio: expected a number") == true)
        #expect(apply(probe, "p/on", .whole(2)) == "on: expected true, false, 0 or 1")
        #expect(apply(probe, "p/on", .text("1")) == "on: expected true, false, 0 or 1")
        #expect(apply(probe, "p/shade", .text("darc")) == "shade: unknown value \"darc\". Did you mean \"dark\"?")
        #expect(apply(probe, "p/shade", .whole(4))?.hasPrefix("shade: unknown value") == true)
        #expect(apply(probe, "p/level") == "level needs one value, but the message has 0")
        #expect(apply(probe, "p/level", .whole(1), .whole(2)) == "level needs one value, but the message has 2")
        #expect(apply(probe, "p/levl", .whole(1)) == "unknown property or action \"levl\". Did you mean \"level\"?")
        #expect(apply(probe, "level", .whole(1)) == "the name of the property is missing")
        #expect(apply(probe, "", .whole(1)) == "the name of the property is missing")
        #expect(apply(probe, "p/", .whole(1))?.hasPrefix("unknown property or action") == true)
        #expect(apply(probe, "q/level", .whole(1)) == "the pipeline has no element \"q\"")
        #expect(element.get("level") == Int32(200) && element.text("shade") == "dark")
        withExtendedLifetime(pipeline) {}
    }

    @Test("Texts, files, folders and flags are refused, even with files=any")
    func texts() throws {
        let (pipeline, probe) = try controlled(
            "filesrc name=f location=/nonexistent ! svprobe name=p title=x ! fakesink name=out", files: .any)
        for name in ["title", "subtitle", "picture", "pictures", "chain", "plan", "region", "sides"] {
            #expect(apply(probe, "p/\(name)", .text("x"))?.contains("only the web page can set") == true, "\(name)")
            #expect(apply(probe, "p/\(name)", .whole(1))?.contains("only the web page can set") == true, "\(name)")
        }
        #expect(apply(probe, "f/location", .text("/etc/passwd"))?.contains("only the web page can set") == true)
        #expect(try pipeline.element("f").text("location") == "/nonexistent")
        #expect(try pipeline.element("p").text("title") == "x")
        for name in ["name", "parent"] {
            #expect(apply(probe, "p/\(name)", .text("y"))?.hasPrefix("unknown property or action") == true)
        }
        withExtendedLifetime(pipeline) {}
    }

    @Test("Properties that only READY may change are refused in each state")
    func ready() throws {
        // The probe is in the state NULL, where a page may set the property.
        let (pipeline, probe) = try controlled("videotestsrc ! svprobe name=p ! fakesink name=out")
        for value in [JSONValue.text("x"), .whole(1)] {
            #expect(apply(probe, "p/device", value) == "device: only the web page can set this property")
        }
        withExtendedLifetime(pipeline) {}
    }

    @Test("Numbers of open files are refused")
    func descriptors() throws {
        let (pipeline, probe) = try controlled(
            "videotestsrc ! fdsink name=f videotestsrc ! multifdsink name=m fakesink name=out")
        #expect(apply(probe, "f/fd", .whole(2))?.contains("any open file") == true)
        #expect(apply(probe, "m/add", .whole(2))?.contains("actions of other plugins") == true)
        #expect(throws: ControlError.self) { try probe.act("add", of: "m", .whole(2)).get() }
        withExtendedLifetime(pipeline) {}
    }

    @Test("Actions run with numbers, booleans and buttons, but without texts")
    func actions() throws {
        let (pipeline, probe) = try controlled("videotestsrc ! svprobe name=p ! fakesink name=out", files: .any)
        func calls() throws -> String? { try probe.act("calls", of: "p").get()?.text }
        #expect(apply(probe, "p/none") == nil)
        #expect(try calls() == "none")
        // A button: pressed and released.
        #expect(apply(probe, "p/none", .exact(1)) == nil)
        #expect(try calls() == "none")
        #expect(apply(probe, "p/none", .exact(0)) == nil && apply(probe, "p/none", .truth(false)) == nil)
        #expect(try calls() == "")
        #expect(apply(probe, "p/none", .whole(5)) == "none: button: expected true, false, 0 or 1")
        #expect(apply(probe, "p/none", .text("x")) == "none: button: expected true, false, 0 or 1")
        #expect(apply(probe, "p/sum", .whole(1), .exact(2)) == nil)
        #expect(apply(probe, "p/sum", .whole(1))?.hasPrefix("sum needs 2 arguments") == true)
        #expect(apply(probe, "p/sum", .whole(1), .whole(2), .whole(3))?.hasPrefix("sum needs 2 arguments") == true)
        #expect(apply(probe, "p/is-even", .whole(2)) == nil)
        #expect(apply(probe, "p/is-even", .whole(3)) == "failed")
        for name in ["one", "open"] {
            #expect(apply(probe, "p/\(name)", .text("x"))?.contains("only the web page can send texts") == true)
        }
        #expect(
            apply(
                probe, "p/every", .truth(true), .whole(1), .whole(1), .whole(1), .whole(1), .exact(1),
                .text("/etc/passwd")
            )?.contains("only the web page can send texts") == true)
        #expect(try calls() == "")
        withExtendedLifetime(pipeline) {}
    }
}
