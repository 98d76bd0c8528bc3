// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: hide")
struct OverlayHideTests {
    private let frame = TestFrame(.bgra, 240, 180, seed: 21)
    private let box = Rectangle(x: 100, y: 70, width: 40, height: 40)
    private let all: [Detection.Kind] = ["face", "cat-face", "blob", "logo"]

    /// Returns a harness with an svoverlay that hides with black and draws nothing else.
    private func hiding(_ words: String, _ properties: [(String, String)] = [], style: String = "black") throws
        -> Harness
    {
        try overlayHarness([("hide", words), ("hide-style", style)] + nothingDrawn + properties, like: frame)
    }

    private func thing(_ type: Detection.Kind, id: Int32 = 7, _ names: [(String, String)] = []) -> Detection {
        Detection(
            type: type, id: id, box: box, classifications: names.map { Classification(name: $0.0, label: $0.1) })
    }

    /// Processes `frames` frames. Returns true if the centre of the box and the corner of the last frame are black.
    private func black(
        _ harness: Harness, _ things: [Detection], searched: [Detection.Kind]? = nil, frames: Int = 1
    ) throws -> (thing: Bool, corner: Bool) {
        var shown = frame
        for _ in 0..<frames { shown = try harness.process(frame, things, searched: searched ?? all) }
        return (shown.color(120, 90) == .black, shown.color(1, 1) == .black)
    }

    // MARK: - Words

    @Test("A type hides the regions of that type; face means faces of all kinds")
    func types() throws {
        let hidden: [String: [Detection.Kind]] = [
            "face": ["face", "cat-face", "hybrid-face"], "cat-face": ["cat-face"], "hybrid-face": ["hybrid-face"],
            "blob": ["blob"], "LOGO": ["logo"], "face,logo": ["face", "cat-face", "hybrid-face", "logo"],
        ]
        for (words, types) in hidden {
            for type in ["face", "cat-face", "hybrid-face", "blob", "logo", "person", "truth/face"] as [Detection.Kind]
            {
                let result = try black(hiding(words), [thing(type)])
                #expect(result == (types.contains(type), false), "\(words), \(type.rawValue)")
            }
        }
    }

    @Test("A possible face is hidden like a face, by any word that could mean it, and never spared")
    func possible() throws {
        func region(_ type: Detection.Kind) -> Detection { Detection(type: type.possible, id: 0, box: box) }
        let hidden: [String: [Detection.Kind]] = [
            "face": [.face, .catFace], "cat-face": [.catFace], "person:Bob": [.face], "closed": [.face], "blob": [],
        ]
        for (words, types) in hidden {
            for type in [.face, .catFace] as [Detection.Kind] {
                let result = try black(hiding(words), [region(type)], frames: 5)
                #expect(result == (types.contains(type), false), "\(words), \(type.rawValue)")
            }
        }
        for spared in ["face", "cat-face", "possible-face", "Ann"] {
            let things = [region(.face), region(.catFace)]
            #expect(try black(hiding("face", [("spare", spared)]), things, frames: 5) == (true, false), "\(spared)")
        }
    }

    @Test("A possible face is not drawn, labelled or counted")
    func possibleIsIgnored() throws {
        let region = Detection(type: Detection.Kind.face.possible, id: 0, box: box)
        let harness = try overlayHarness([("counter", "true")], like: frame)
        let empty = try harness.process(frame, [], searched: all)
        #expect(try harness.process(frame, [region], searched: all) == empty)
        #expect(try overlayHarness(like: frame).process(frame, [region], searched: all) == frame)
    }

    @Test("If regions of possible faces are lost, the whole frame is hidden")
    func lostPossible() throws {
        let searched: [Detection.Kind] = all + ["possible-face"]
        let harness = try hiding("face")
        let region = Detection(type: Detection.Kind.face.possible, id: 0, box: box)
        let buffer = try frame.buffer(with: [region], searched: searched)
        let meta = try required(
            gst_buffer_get_meta(buffer.pointer, gst_video_region_of_interest_meta_api_get_type()), "no region")
        gst_buffer_remove_meta(buffer.pointer, meta)
        let shown = try harness.shown(harness.process(giving: buffer.reference))
        #expect(shown.color(1, 1) == .black)
    }

    @Test("What may be of either of two types is hidden by words for either, as both, and spared by none")
    func doubt() throws {
        let above = (x: 120, y: 70 - 40 * 9 / 20)
        func shows(_ words: [(String, String)], _ type: Detection.Kind, _ other: Detection.Kind?) throws -> [Bool] {
            var region = thing(type)
            region.alternative = other
            let harness = try overlayHarness(words + [("hide-style", "black")] + nothingDrawn, like: frame)
            var shown = frame
            for _ in 0..<4 { shown = try harness.process(frame, [region], searched: all) }
            return [shown.color(120, 90), shown.color(above.x, above.y)].map { $0 != .black }
        }
        // The ellipse of a human face does not cover the ears of a cat.
        #expect(try shows([("hide", "face")], "face", nil) == [false, true])
        for (type, other) in [("face", "cat-face"), ("cat-face", "face")] as [(Detection.Kind, Detection.Kind)] {
            for word in ["face", "cat-face"] {
                #expect(try shows([("hide", word)], type, other) == [false, false], "\(word), \(type.rawValue)")
            }
            #expect(try shows([("hide", "face"), ("spare", "cat-face")], type, other)[0] == false)
        }
        #expect(try shows([("hide", "face"), ("spare", "cat-face")], "cat-face", nil)[0])
        #expect(try shows([("hide", "person:Bob")], "cat-face", "face")[0] == false)
    }

    @Test("Around a box that was measured in this very frame less is hidden, unless the face may be a cat's")
    func exact() throws {
        /// Returns the number of hidden pixels to the left of the box, above, to the right and below.
        func margins(_ isExact: Bool, _ type: Detection.Kind = "face", _ other: Detection.Kind? = nil) throws -> [Int] {
            var region = thing(type)
            (region.isExact, region.alternative) = (isExact, other)
            let change = try hiding("face").process(frame, [region], searched: all).change(from: frame)
            return [
                box.x - change.x, box.y - change.y, change.x + change.width - box.x - box.width,
                change.y + change.height - box.y - box.height,
            ]
        }
        #expect(try margins(true) == [6, 8, 6, 8])
        #expect(try margins(false) == [10, 16, 10, 10])
        #expect(try margins(true, "cat-face") == [10, 24, 10, 10])
        #expect(try margins(true, "face", "cat-face") == [10, 24, 10, 10])
    }

    @Test("A label is that of the detector or of any classification; its type, too, if others detect it")
    func labels() throws {
        var dog = thing("vehicle")
        dog.label = "Dog"
        for words in ["dog", "cat,DOG", "vehicle"] { #expect(try black(hiding(words), [dog], frames: 4).thing) }
        let coin = thing("blob", [("blob-class", "silver coin")])
        #expect(try black(hiding("silver coin"), [coin], frames: 4).thing)
        #expect(try !black(hiding("gold coin"), [coin], frames: 4).thing)
        #expect(try black(hiding("smiling"), [thing("face", [("smile", "smiling")])], frames: 4).thing)
        #expect(try !black(hiding("smiling"), [thing("face", [("smile", "not-smiling")])], frames: 4).thing)
        // No element has checked whether this face smiles.
        #expect(try black(hiding("smiling"), [thing("face", [("person", "Ada")])], frames: 4).thing)
        #expect(try black(hiding("acme"), [thing("logo", [("logo", "acme")])], frames: 4).thing)
    }

    @Test("person:NAME compares with whose face it is, and with nothing else")
    func people() throws {
        let bob = thing("face", [("person", "Bob")])
        #expect(try black(hiding("person:bob"), [bob], frames: 4).thing)
        #expect(try !black(hiding("person:Ann"), [bob], frames: 4).thing)
        #expect(try !black(hiding("person:Bob"), [thing("blob", [("blob-class", "Bob")])], frames: 4).thing)
        #expect(try black(hiding("Bob"), [bob], frames: 4).thing)
    }

    @Test("What may be meant is hidden until it was found in three frames that it is not")
    func clearing() throws {
        let harness = try hiding("person:Bob")
        let (bob, ann, nobody) = (
            thing("face", [("person", "Bob")]), thing("face", [("person", "Ann")]), thing("face")
        )
        var hidden: [Bool] = []
        for face in [nobody, nobody, ann, ann, ann, ann, bob, ann, ann, ann, nobody, ann, ann, ann] {
            hidden.append(try black(harness, [face]).thing)
        }
        let (yes, no) = (true, false)
        #expect(hidden == [yes, yes, yes, yes, no, no, yes, yes, yes, no, yes, yes, yes, no])
        // Another object must be confirmed from the beginning. This is also true for the same object after it was
        // missing.
        #expect(try black(harness, [thing("face", id: 8, [("person", "Ann")])]).thing)
        #expect(try black(harness, [ann]).thing)
        // The type of an object is never in doubt.
        let cats = try hiding("cat-face")
        #expect(try !black(cats, [thing("face")]).thing)
        #expect(try black(cats, [thing("cat-face")]).thing)
        #expect(try black(cats, [thing("face")], frames: 2).thing)
        #expect(try !black(cats, [thing("face")]).thing)
    }

    @Test(
        "Nobody names anything: all may be meant, and a warning says so; where others are named, types without names stay"
    )
    func unnamed() throws {
        let harness = try hiding("Bob")
        #expect(try black(harness, [thing("face")], frames: 5).thing)
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.count == 1 && warnings[0].contains("\"bob\"") && warnings[0].contains("svfacerecognize"))
        let coins = try hiding("silver coin")
        _ = try black(coins, [thing("blob", [("blob-class", "gold coin")])])
        #expect(try !black(coins, [thing("face", id: 9)], frames: 4).thing)
        #expect(try black(coins, [thing("blob", id: 10)], frames: 4).thing)
    }

    @Test("Short forms go before hide-style, and add faces to hide")
    func shortForms() throws {
        let (face, logo) = (thing("face"), thing("logo"))
        for short in ["blur-faces", "pixelate-faces"] {
            let harness = try hiding("logo", [(short, "true")])
            for region in [face, logo] {
                let shown = try harness.process(frame, [region], searched: all)
                #expect(shown.color(120, 90) != frame.color(120, 90) && shown.color(120, 90) != .black)
            }
        }
        let both = try hiding("face", [("pixelate-faces", "true")], style: "blur")
        let plain = try hiding("face", style: "pixelate")
        #expect(try both.process(frame, [face], searched: all) == plain.process(frame, [face], searched: all))
    }

    // MARK: - Frames that were not searched

    @Test(
        "What was not searched for is an error that says for which word, and who is missing",
        arguments: [
            ("face", ["blob", "logo"], "svfacedetect with species=human+cat before"),
            ("cat-face", ["face"], "svfacedetect with species=human+cat before"),
            ("blob", ["face", "logo"], "svblobdetect before"), ("face,logo", ["face", "blob"], "svlogodetect before"),
            ("person:Bob", ["blob"], "svfacerecognize before"), ("Bob", [], "a detector before"),
        ] as [(String, [Detection.Kind], String)])
    func undetected(_ words: String, _ searched: [Detection.Kind], _ remedy: String) throws {
        let harness = try hiding(words)
        #expect(try harness.push(frame.buffer(with: [], searched: searched)) == GST_FLOW_ERROR)
        #expect(harness.waiting == 0)
        let errors = harness.bus.pending(GST_MESSAGE_ERROR)
        #expect(errors.count == 1 && errors[0].isError(GST_STREAM_ERROR_FAILED))
        #expect(errors[0].text.contains(remedy), "\(errors[0].text)")
        let word = words.split(separator: ",").last.map(String.init) ?? ""
        #expect(
            errors[0].text.contains("\"\(word.hasPrefix("person:") ? "person:bob" : word == "Bob" ? "bob" : word)\""))
    }

    @Test("A frame not searched for one of the words is hidden as a whole; what no word needs does not matter")
    func unsearched() throws {
        for words in ["face", "cat-face", "blob", "logo", "person:Bob", "Bob"] {
            let harness = try hiding(words)
            _ = try harness.process(frame, [], searched: all)
            let needed: Set<Detection.Kind> =
                switch words {
                case "face", "person:Bob": ["face", "cat-face"]
                case "Bob": Set(all)
                default: [Detection.Kind(rawValue: words)]
                }
            for type in all {
                let buffer = try frame.buffer(with: [], searched: all.filter { $0 != type }, unsearched: [type])
                let shown = try harness.shown(harness.process(giving: buffer.reference))
                #expect((shown.color(1, 1) == .black) == needed.contains(type), "\(words) without \(type.rawValue)")
            }
            // The frame has no mark, as after an element that drops metadata.
            #expect(try black(harness, [], searched: []).corner)
        }
    }

    @Test("Where the frame is hidden, nothing is told of what may be in it")
    func untold() throws {
        let harness = try overlayHarness([("hide", "person:Bob"), ("hide-style", "black")], like: frame)
        _ = try harness.process(frame, [], searched: all)
        func shown(_ name: String) throws -> TestFrame {
            let buffer = try frame.buffer(with: [thing("face", [("person", name)])], unsearched: ["face"])
            return try harness.shown(harness.process(giving: buffer.reference))
        }
        #expect(try shown("Bob") == shown("Ann"))
    }

    // MARK: - Looks

    @Test(
        "An outline's hull is hidden with a margin, the rest of the box is not",
        arguments: ["black", "pixelate", "blur"])
    func outline(_ style: String) throws {
        let corners = [Point(20, 20), Point(120, 30), Point(60, 45), Point(30, 120)]
        let blob = Detection(
            type: .blob, id: 3, box: Rectangle(x: 20, y: 20, width: 100, height: 100),
            outline: Outline(corners: corners, area: 3000, color: .black))
        let shown = try hiding("blob", style: style).process(frame, [blob], searched: all)
        // The notch of the outline belongs to the convex hull.
        for (x, y) in [(21, 21), (118, 30), (60, 44), (70, 60), (30, 118), (12, 60)] {
            #expect(shown[x, y] != frame[x, y], "\(x),\(y)")
        }
        for (x, y) in [(118, 118), (100, 90), (5, 5), (160, 60)] { #expect(shown[x, y] == frame[x, y], "\(x),\(y)") }
        // An outline without extent or far outside of the frame is ignored.
        for corners in [[Point(30, 30), Point(30, 30)], [Point(1e8, 1e8), Point(2e8, 0), Point(-1e8, 5)]] {
            var odd = blob
            odd.outline = Outline(corners: corners, area: 0, color: .black)
            #expect(try hiding("blob", style: "black").process(frame, [odd], searched: all).color(70, 70) == .black)
        }
    }

    @Test("Regions without number, outside, huge, twice, and ten thousand of them", .timeLimit(.minutes(5)))
    func many() throws {
        var things = (0..<10_000).map { number -> Detection in
            Detection(
                type: number % 2 == 0 ? .logo : .blob, id: Int32(number % 7),
                box: Rectangle(x: number % 240, y: number / 60, width: 3 + number % 50, height: 2 + number % 9))
        }
        things.append(Detection(type: .logo, id: 1, box: Rectangle(x: -50, y: -50, width: 1 << 20, height: 1 << 20)))
        for style in ["blur", "pixelate", "black"] {
            let shown = try hiding("logo,Bob", style: style).process(frame, things, searched: all)
            #expect(shown.color(1, 1) != frame.color(1, 1))
        }
    }

    @Test("Counter and labels do not tell the names of what is hidden")
    func names() throws {
        let boxes = [("boxes", "false"), ("landmarks", "false"), ("counter", "true")]
        let harness = try overlayHarness([("hide", "face"), ("hide-style", "black")] + boxes, like: frame)
        func shown(_ name: String) throws -> TestFrame {
            try harness.process(frame, [thing("face", [("person", name)])], searched: all)
        }
        #expect(try shown("Bob") == shown("Bartholomew"))
    }

    // MARK: - Properties

    @Test("Words that are wrong: an error at the start, while playing a warning, and the old ones stay")
    func wrongWords() throws {
        let line = try pipeline("videotestsrc ! svoverlay name=o hide=\"person:\" ! fakesink")
        line.set(GST_STATE_PLAYING)
        #expect(try #require(line.bus.wait(GST_MESSAGE_ERROR)).isError(GST_LIBRARY_ERROR_SETTINGS))
        let harness = try hiding("face")
        _ = try black(harness, [thing("face")])
        harness.element.set("hide", value: "face,\"logo")
        #expect(try black(harness, [thing("face")]).thing)
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).count == 1)
        #expect(harness.element.text("hide") == "face")
        harness.element.set("hide", "logos")
        harness.element.set("spare", "person:")
        #expect(try black(harness, [thing("face")]).thing)
    }

    @Test("A word that may be a misspelt type is a warning")
    func doubtful() throws {
        let harness = try hiding("faces")
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1 && warnings[0].text.contains("Did you mean \"face\"?"))
        #expect(try !overlayHarness([("spare", "Ann")], like: frame).bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    // MARK: - Methods

    @Test(
        "Faces that cascades alone search for are a warning, once",
        arguments: [
            ([("hide", "face")], .cascade, 1), ([("pixelate-faces", "true")], .cascade, 1),
            ([("hide", "person:Bob")], .cascade, 1), ([("hide", "face")], .network, 0), ([("hide", "face")], nil, 0),
            ([("hide", "cat-face,logo")], .cascade, 0), ([], .cascade, 0),
        ] as [([(String, String)], SearchMethod?, Int)])
    func cascades(_ properties: [(String, String)], _ method: SearchMethod?, _ count: Int) throws {
        let harness = try overlayHarness(properties + nothingDrawn, like: frame)
        for _ in 0..<3 {
            let buffer = try frame.buffer()
            let methods = method.map { [Detection.Kind.face: $0, .catFace: $0] } ?? [:]
            DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: frame.width, height: frame.height))
                .attach([], searched: [.face, .catFace, .logo], by: methods)
            _ = try harness.process(giving: buffer.reference)
        }
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == count && warnings.allSatisfy { $0.text.contains("./launch models get yunet") })
    }

    @Test("Changed while it plays, from any thread", .timeLimit(.minutes(5)))
    func changing() throws {
        let harness = try hiding("face")
        let element = harness.element
        let thread = BackgroundThread { round in
            let words = ["face", "logo,face", "face,person:Bob", "face,\"x", "face,Bob"]
            element.set("hide", value: words[round % words.count])
            element.set("spare", value: ["Ann", "none", "person:Ann,cat-face"][round % 3])
            element.set("hide-style", ["black", "pixelate", "blur"][round % 3])
        }
        defer { thread.stop() }
        for number in 0..<60 {
            let shown = try harness.process(frame, [thing("face", id: Int32(1 + number % 2))], searched: all)
            #expect(shown.color(120, 90) != frame.color(120, 90))
        }
        #expect(thread.rounds > 0)
    }
}
