// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Glibc
import TestSupport
import Testing

@Suite("Control: elements, properties and actions as JSON")
struct ControlTests {
    private func controlled(_ line: String, files: ControlledFiles = .uploads(in: nil)) throws -> (
        Pipeline, ControlProbe
    ) {
        let pipeline = try Pipeline(line)
        gst_object_set_name(pipeline.handle.gstObject, "line")
        return (pipeline, ControlProbe(try pipeline.element("out"), files: files))
    }

    @Test("Elements, bins within bins and the pads of mixers, in the order of the line")
    func tree() throws {
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! ( name=outer ( name=inner identity name=b ) ) ! compositor name=m ! fakesink name=out "
                + "videotestsrc name=c ! m.")
        #expect(
            probe.control.elements().ids == [
                "line", "line/a", "line/outer", "line/outer/inner", "line/outer/inner/b", "line/m", "line/m/sink_0",
                "line/m/sink_1", "line/out", "line/c",
            ])
        let source = try probe.element("line/a")
        #expect(source["factory"]?.text == "videotestsrc" && source["name"]?.text == "a")
        #expect(source["title"]?.text == "Video test source" && source["ours"] == .truth(false))
        #expect(source["blurb"]?.text == "Creates a test video stream")
        #expect(try probe.element("line/m/sink_0")["factory"]?.text == "GstCompositorPad")
        #expect(try probe.element("line")["factory"]?.text == "pipeline")
        withExtendedLifetime(pipeline) {}
    }

    @Test("Kinds, ranges, defaults and choices of stock elements are those of their specifications")
    func stock() throws {
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! videobox name=box ! capsfilter name=caps caps=video/x-raw,width=64 ! "
                + "compositor name=m sink_0::alpha=0.5 ! fakesink name=out")
        let pattern = try probe.property("pattern", of: "line/a")
        #expect(
            pattern["kind"]?.text == "choice" && pattern["value"]?.text == "smpte"
                && pattern["default"]?.text == "smpte")
        #expect(pattern["choices"]?.list?.contains { $0["nick"]?.text == "snow" } == true)
        #expect(pattern["choices"]?.list?.first?["blurb"]?.text == "SMPTE 100% color bars")
        #expect(pattern["writable"] == .truth(true) && pattern["blurb"]?.text == "Type of test pattern to generate")
        let left = try probe.property("left", of: "line/box")
        #expect(left["kind"]?.text == "integer" && left["value"] == .whole(0))
        #expect(left["minimum"] == .whole(-2_147_483_648) && left["maximum"] == .whole(2_147_483_647))
        let alpha = try probe.property("alpha", of: "line/m/sink_0")
        #expect(alpha["kind"]?.text == "number" && alpha["value"] == .exact(0.5) && alpha["default"] == .exact(1))
        #expect(alpha["minimum"] == .exact(0) && alpha["maximum"] == .exact(1))
        let caps = try probe.property("caps", of: "line/caps")
        let text = try pipeline.element("caps").text("caps")
        #expect(caps["kind"]?.text == "other" && caps["value"]?.text == text)
        #expect(caps["writable"] == .truth(false) && caps["reason"]?.text == "read-only")
        // The value of this property is a structure that is NULL.
        #expect(try probe.property("converter-config", of: "line/m/sink_0")["value"]?.text == "")
        // This number is too large for JavaScript's numbers, so it is a text.
        let offset = try probe.property("timestamp-offset", of: "line/a")
        #expect(offset["maximum"] == .text("9223372036854775807"))
        let live = try probe.property("is-live", of: "line/a")
        #expect(live["kind"]?.text == "boolean" && live["value"] == .truth(false))
        #expect(try probe.property("blocksize", of: "line/a")["group"]?.text == "GstBaseSrc")
        // The control omits objects and properties without information.
        for name in ["name", "parent"] { #expect(try probe.element("line/a").property(name) == nil) }
        #expect(try probe.element("line/m/sink_0").property("template") == nil)
        withExtendedLifetime(pipeline) {}
    }

    /// The test reads the specifications directly from GObject.
    @Test("Every property of every element of a line is told as GObject tells it")
    func specifications() throws {
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! queue name=q ! videobalance name=b ! gamma name=d ! fakesink name=out")
        for id in ["a", "q", "b", "d", "out"] {
            let element = try pipeline.element(id)
            let told = try probe.element("line/\(id)")
            for property in try required(told["properties"]?.list, "no list") {
                let name = try required(property["name"]?.text, "no name")
                let spec = try required(element.spec(name), "no \(name)")
                #expect(property["nick"]?.text == String(cString: g_param_spec_get_nick(spec)))
                let isWritable = spec.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0
                if !isWritable { #expect(property["writable"] == .truth(false)) }
                if property["kind"]?.text == "choice" || property["kind"]?.text == "other" {
                    #expect(property["value"]?.text == element.text(name) ?? "", "\(name)")
                }
                if let number = property["value"]?.number, let text = element.text(name), let own = Double(text) {
                    #expect(number == own, "\(name)")
                }
            }
        }
        withExtendedLifetime(pipeline) {}
    }

    @Test("Ours: colours, times, files and texts by their declarations, and actions with the names of their arguments")
    func ours() throws {
        _ = Probe.isRegistered
        let (pipeline, probe) = try controlled("videotestsrc ! svprobe name=p ! fakesink name=out")
        func kind(_ name: String) throws -> String? { try probe.property(name, of: "line/p")["kind"]?.text }
        #expect(try kind("tint") == "color" && kind("pause") == "time" && kind("title") == "text")
        #expect(try kind("picture") == "file" && kind("pictures") == "folder" && kind("sides") == "flags")
        #expect(try probe.property("tint", of: "line/p")["value"]?.text == "#804020ff")
        #expect(try probe.property("sides", of: "line/p")["value"] == .list([.text("left"), .text("right")]))
        #expect(try probe.property("huge", of: "line/p")["value"]?.text == "18000000000000000000")
        #expect(try probe.property("animate", of: "line/p")["writable"] == .truth(true))
        #expect(try probe.element("line/p")["ours"] == .truth(true))
        let one = try required(try probe.element("line/p").action("one"), "no action")
        #expect(one["blurb"]?.text == "One" && one["enabled"] == .truth(true))
        #expect(one["arguments"]?.list?.first?["name"]?.text == "word")
        // The element does not declare that this argument is harmless.
        let every = try required(try probe.element("line/p").action("every"), "no action")
        #expect(every["enabled"] == .truth(false) && every["reason"]?.text?.contains("files=any") == true)
        withExtendedLifetime(pipeline) {}
    }

    @Test("What is set is converted and checked; what is refused comes back with its reason")
    func setting() throws {
        _ = Probe.isRegistered
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! svprobe name=p ! videobox name=box ! compositor name=m ! fakesink name=out")
        let (source, element) = (try pipeline.element("a"), try pipeline.element("p"))
        #expect(probe.set("pattern", of: "line/a", to: .text("snow")) == nil && source.text("pattern") == "snow")
        #expect(
            probe.set("pattern", of: "line/a", to: .text("sno"))
                == "pattern: unknown value \"sno\". Did you mean \"snow\"?")
        #expect(probe.set("left", of: "line/box", to: .whole(-3)) == nil)
        #expect(probe.set("left", of: "line/box", to: .exact(2.5)) == "left: expected a whole number, not 2.5")
        #expect(
            probe.set("left", of: "line/box", to: .whole(1 << 40))?.hasPrefix("left: expected a whole number") == true)
        #expect(probe.set("alpha", of: "line/m/sink_0", to: .whole(2)) == "alpha: 2 is not between 0.0 and 1.0")
        #expect(probe.set("alpha", of: "line/m/sink_0", to: .real(.nan))?.hasPrefix("alpha: expected a number") == true)
        #expect(probe.set("alpha", of: "line/m/sink_0", to: .exact(0.25)) == nil)
        #expect(probe.set("alpa", of: "line/m/sink_0", to: .whole(1))?.contains("Did you mean \"alpha\"?") == true)
        #expect(probe.set("is-live", of: "line/a", to: .whole(1)) == "is-live: expected true or false, not 1")
        #expect(probe.set("level", of: "line/p", to: .whole(256)) == "level: 256 is not between -1 and 255")
        #expect(probe.set("huge", of: "line/p", to: .text("18446744073709551614")) == nil)
        #expect(element.get("huge") == UInt64.max - 1)
        #expect(probe.set("huge", of: "line/p", to: .whole(0))?.hasPrefix("huge: 0 is not between") == true)
        #expect(probe.set("tint", of: "line/p", to: .text("#0a0b0c")) == nil)
        #expect(element.get("tint") == UInt32(0xFF0A_0B0C))
        #expect(
            probe.set("tint", of: "line/p", to: .text("red"))?.hasPrefix("tint: expected a colour such as #ff") == true)
        #expect(
            probe.set("sides", of: "line/p", to: .list([.text("right")])) == nil && element.number("sides") == 4)
        #expect(
            probe.set("sides", of: "line/p", to: .list([.text("rigt")]))?.contains("Did you mean \"right\"?") == true)
        #expect(probe.set("region", of: "line/p", to: .text("1,2,3,4")) == nil)
        #expect(probe.set("region", of: "line/p", to: .text("1,2"))?.contains("is not accepted") == true)
        #expect(element.get("region") == "1,2,3,4")
        #expect(probe.set("title", of: "line/nobody", to: .text("x"))?.hasPrefix("the pipeline has no element") == true)
        try probe.control.reset("sides", of: "line/p")
        #expect(element.number("sides") == 5)
        withExtendedLifetime(pipeline) {}
    }

    @Test("Texts: stock ones and guarded ones are refused, unless all files are allowed")
    func texts() throws {
        _ = Probe.isRegistered
        let line = "filesrc name=f location=/nonexistent ! svprobe name=p ! fakesink name=out"
        let (pipeline, probe) = try controlled(line)
        let element = try pipeline.element("p")
        #expect(probe.set("location", of: "line/f", to: .text("/etc/passwd"))?.contains("files=any") == true)
        #expect(try probe.property("location", of: "line/f")["writable"] == .truth(false))
        #expect(probe.set("subtitle", of: "line/p", to: .text("x"))?.contains("files=any") == true)
        #expect(probe.set("title", of: "line/p", to: .text("größer")) == nil && element.get("title") == "größer")
        #expect(probe.set("chain", of: "line/p", to: .text("a/b")) == "chain: a path")
        #expect(probe.set("chain", of: "line/p", to: .text("a b")) == nil)
        let (other, free) = try controlled(line, files: .any)
        #expect(free.set("location", of: "line/f", to: .text("/etc/hosts")) == nil)
        #expect(free.set("subtitle", of: "line/p", to: .text("x")) == nil)
        #expect(free.set("chain", of: "line/p", to: .text("a/b")) == nil)
        #expect(try other.element("f").get("location") == "/etc/hosts")
        // A malformed text is refused in any case, and the property keeps its value.
        for each in [probe, free] {
            #expect(each.set("plan", of: "line/p", to: .text("a")) == nil)
            #expect(each.set("plan", of: "line/p", to: .text("a;")) == "plan: malformed")
        }
        #expect(element.get("plan") == "a")
        #expect(try other.element("p").get("plan") == "a")
        // An empty text and "none" unset the property, and have no syntax.
        for each in [probe, free] {
            #expect(each.set("plan", of: "line/p", to: .text("none")) == nil)
        }
        #expect(element.get("plan", as: String.self) == nil)
        #expect(try other.element("p").get("plan", as: String.self) == nil)
        #expect(probe.set("plan", of: "line/p", to: .text("a")) == nil && element.get("plan") == "a")
        #expect(probe.set("plan", of: "line/p", to: .text("")) == nil)
        #expect(element.get("plan", as: String.self) == nil)
        withExtendedLifetime((pipeline, other)) {}
    }

    @Test("Files: what was uploaded, and what lies beside the one that is named; no link, no way out")
    func files() throws {
        _ = Probe.isRegistered
        let folder = try TemporaryFolder()
        let (own, uploads) = (folder.file("own"), folder.file("uploads"))
        for path in [own, uploads] { try Folder.make(path) }
        for name in ["own/a.png", "own/b.png", "uploads/c.png", "secret"] { _ = try folder.write([1], name) }
        #expect(symlink(folder.file("secret"), "\(uploads)/link.png") == 0)
        let (pipeline, probe) = try controlled(
            "videotestsrc ! svprobe name=p picture=\(own)/a.png ! fakesink name=out", files: .uploads(in: uploads))
        let element = try pipeline.element("p")
        func set(_ path: String) -> String? { probe.set("picture", of: "line/p", to: .text(path)) }
        let listed = try probe.property("picture", of: "line/p")["files"]?.list?.compactMap { $0["path"]?.text }
        #expect(listed == ["\(own)/a.png", "\(own)/b.png"])
        for path in [
            folder.file("secret"), "\(uploads)/../secret", "\(uploads)/link.png", "\(own)/../secret", "/etc/passwd",
            "\(uploads)/..", uploads, "\(uploads)/nothing.png", "../../etc/passwd",
        ] {
            #expect(set(path) != nil, "\(path)")
            #expect(element.get("picture") == "\(own)/a.png")
        }
        #expect(set("\(own)/b.png") == nil && set("\(uploads)/c.png") == nil)
        #expect(element.get("picture") == "\(uploads)/c.png")
        // Only the current value of this property is in use, and a text is not an image.
        #expect(probe.control.uses(image: "\(uploads)/c.png", as: "picture"))
        #expect(!probe.control.uses(image: "\(own)/b.png", as: "picture"))
        #expect(!probe.control.uses(image: "\(uploads)/c.png", as: "pictures"))
        #expect(probe.set("title", of: "line/p", to: .text("x")) == nil && !probe.control.uses(image: "x", as: "title"))
        #expect(set("") == nil && element.get("picture", as: String.self) == nil)
        #expect(probe.set("pictures", of: "line/p", to: .text(own)) != nil)
        #expect(probe.set("pictures", of: "line/p", to: .text(uploads + "/")) == nil)
        #expect(throws: ControlError.self) { try probe.act("open", of: "line/p", .text("/etc/passwd")).get() }
        #expect(throws: Never.self) { try probe.act("open", of: "line/p", .text("\(uploads)/c.png")).get() }
        withExtendedLifetime(pipeline) {}
    }

    @Test("Only files of the right kind are offered, by their names or by their first bytes")
    func kinds() throws {
        _ = Probe.isRegistered
        let folder = try TemporaryFolder()
        for name in ["b.PNG", "c.txt", "d.onnx", "e.xml", "f"] { _ = try folder.write([1, 2], name) }
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for name in ["a.jpeg", "g", "h.upload"] { _ = try folder.write(png, name) }
        let (pipeline, probe) = try controlled(
            "videotestsrc ! svprobe name=p picture=\(folder.file("c.txt")) ! fakesink name=out")
        let picture = try probe.property("picture", of: "line/p")
        // The list also contains the current file, whatever its type is.
        #expect(
            picture["files"]?.list?.compactMap { $0["name"]?.text } == ["a.jpeg", "b.PNG", "c.txt", "g", "h.upload"])
        #expect(picture["accepts"]?.text == "image" && picture["extensions"]?.list?.contains(.text("png")) == true)
        let open = try required(try probe.element("line/p").action("open")?["arguments"]?.list?.first, "no argument")
        #expect(open["accepts"]?.text == "image")
        #expect(FileKind(ofFileAt: folder.file("d.onnx")) == .network)
        #expect(FileKind(ofFileAt: folder.file("e.xml")) == .cascade)
        #expect(FileKind(ofFileAt: folder.file("f")) == nil && FileKind(ofFileAt: folder.file("nothing")) == nil)
        withExtendedLifetime(pipeline) {}
    }

    @Test("A file that is set by a bare name offers nothing else of the working directory", arguments: ["", "./"])
    func bareName(_ prefix: String) throws {
        _ = Probe.isRegistered
        let name = "svprobe-\(UInt64.random(in: 0...(.max))).png"
        for name in [name, "other-\(name)"] { #expect(creat(name, 0o600) >= 0) }
        defer { for name in [name, "other-\(name)"] { unlink(name) } }
        let (pipeline, probe) = try controlled(
            "videotestsrc ! svprobe name=p picture=\(prefix)\(name) ! fakesink name=out")
        let files = try probe.property("picture", of: "line/p")["files"]?.list
        #expect(files?.map { $0["path"]?.text } == [prefix + name])
        #expect(probe.set("picture", of: "line/p", to: .text("\(prefix)other-\(name)")) != nil)
        #expect(probe.set("picture", of: "line/p", to: .text("\(prefix)\(name)")) == nil)
        withExtendedLifetime(pipeline) {}
    }

    @Test("What may be set only in READY is refused beyond, and told so")
    func states() throws {
        _ = Probe.isRegistered
        let (pipeline, probe) = try controlled(
            "videotestsrc name=a ! svprobe name=p ! fakesink name=out", files: .any)
        #expect(probe.set("device", of: "line/p", to: .text("x")) == nil)
        try pipeline.reach(GST_STATE_PLAYING)
        #expect(probe.set("device", of: "line/p", to: .text("y"))?.contains("NULL or READY") == true)
        #expect(try probe.property("device", of: "line/p")["reason"]?.text?.contains("NULL or READY") == true)
        #expect(try pipeline.element("p").get("device") == "x")
    }

    @Test("Actions are carried out, with an answer; wrong arguments are refused")
    func actions() throws {
        _ = Probe.isRegistered
        let (pipeline, probe) = try controlled("videotestsrc ! svprobe name=p ! fakesink name=out")
        #expect(try probe.act("sum", of: "line/p", .whole(2), .whole(3)).get() == .whole(5))
        #expect(try probe.act("one", of: "line/p", .text("word")).get() == nil)
        #expect(try probe.act("calls", of: "line/p").get() == .text("one word"))
        func reason(_ result: Result<JSONValue?, ControlError>) -> String? {
            if case .failure(let error) = result { error.reason } else { nil }
        }
        #expect(
            reason(probe.act("sum", of: "line/p", .whole(2)))
                == "sum needs 2 arguments (argument-1, argument-2), but the request has 1")
        #expect(
            reason(probe.act("sum", of: "line/p", .whole(2), .text("x")))
                == "sum: argument-2: expected a whole number, not \"x\"")
        #expect(reason(probe.act("say", of: "line/p", .text("x")))?.contains("files=any") == true)
        #expect(reason(probe.act("som", of: "line/p"))?.contains("Did you mean \"sum\"?") == true)
        withExtendedLifetime(pipeline) {}
    }

    @Test("Requests are answered in order, those of others left alone")
    func requests() throws {
        let (pipeline, probe) = try controlled("videotestsrc name=a ! fakesink name=out")
        let replies = Replies()
        func ask(_ text: String) throws -> Bool {
            let request = try JSONValue(reading: Array(text.utf8), limits: ParsingLimits(depth: 4, values: 100))
            return probe.control.handle(request) { replies.add($0.line) }
        }
        #expect(try ask(#"{"type":"set","id":7,"element":"line/a","name":"pattern","value":"ball"}"#))
        #expect(try ask(#"{"type":"set","id":8,"element":"line/a","name":"num-buffers","value":5}"#))
        #expect(try ask(#"{"type":"reset","id":9,"element":"line/a","name":"pattern"}"#))
        #expect(try ask(#"{"type":"set","id":10,"element":"line/a","name":"pattern"}"#))
        #expect(try !ask(#"{"type":"ack","frame":9}"#))
        #expect(eventually { replies.all.count == 4 })
        #expect(
            replies.all == [
                #"{"type":"reply","id":7,"ok":true}"#, #"{"type":"reply","id":8,"ok":true}"#,
                #"{"type":"reply","id":9,"ok":true}"#,
                #"{"type":"reply","id":10,"ok":false,"reason":"pattern: value is missing"}"#,
            ])
        #expect(try pipeline.element("a").text("pattern") == "smpte")
    }
}
