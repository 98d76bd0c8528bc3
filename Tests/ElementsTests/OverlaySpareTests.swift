// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: spare")
struct OverlaySpareTests {
    private let frame = TestFrame(.bgra, 240, 180, seed: 22)
    private let box = Rectangle(x: 100, y: 70, width: 40, height: 40)
    private let yes = true
    private let no = false

    private func sparing(_ words: String = "Ann", hide: String = "face") throws -> Harness {
        try overlayHarness([("hide", hide), ("spare", words), ("hide-style", "black")] + nothingDrawn, like: frame)
    }

    private func face(
        _ name: String?, _ confirmations: Int32?, id: Int32 = 7, at box: Rectangle? = nil, type: Detection.Kind = "face"
    ) -> Detection {
        let person = name.map {
            Classification(
                name: "person", label: $0, labelID: $0 == "unknown" ? 0 : 1, confidence: 0.9,
                confirmations: confirmations)
        }
        return Detection(type: type, id: id, box: box ?? self.box, classifications: person.map { [$0] } ?? [])
    }

    /// Returns one value per frame: true if the centre of the first object is hidden.
    private func hidden(_ harness: Harness, _ frames: [[Detection]]) throws -> [Bool] {
        try frames.map { things in
            let shown = try harness.process(frame, things, searched: ["face", "cat-face", "blob", "logo"])
            let box = things.first?.box ?? self.box
            return shown.color(box.x + box.width / 2, box.y + box.height / 2) == .black
        }
    }

    private func hidden(_ harness: Harness, _ names: [(String?, Int32?)]) throws -> [Bool] {
        try hidden(harness, names.map { [face($0.0, $0.1)] })
    }

    // MARK: - Confirmation

    @Test("Spared from the third confirmation on; frames that neither confirm nor contradict leave it")
    func confirmed() throws {
        let counts: [Int32] = [0, 1, 1, 2, 2, 3, 3, 3, 4, 9]
        #expect(
            try hidden(sparing(), counts.map { ("Ann", $0) }) == [yes, yes, yes, yes, yes, no, no, no, no, no])
        #expect(try hidden(sparing("person:ANN"), [1, 2, 3].map { ("Ann", $0) }) == [yes, yes, no])
        for words in ["Bob", "person:Bob", "face-", "person:Anna"] {
            #expect(try !hidden(sparing(words), (1...6).map { ("Ann", Int32($0)) }).contains(false), "\(words)")
        }
    }

    @Test("Trust expires: after four frames without a confirmation the face is hidden, and three more are needed")
    func expires() throws {
        let counts: [Int32] = [1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6]
        #expect(
            try hidden(sparing(), counts.map { ("Ann", $0) })
                == [yes, yes, no, no, no, no, no, yes, yes, yes, yes, no])
    }

    @Test("One doubt hides at once, and three more confirmations are needed", arguments: 0..<6)
    func doubts(_ kind: Int) throws {
        let harness = try sparing("Ann,Bob")
        #expect(try hidden(harness, (1...4).map { ("Ann", Int32($0)) }) == [yes, yes, no, no])
        let doubts: [(String?, Int32?)] = [
            ("Ann", 0), ("unknown", 0), ("Cleo", 1), (nil, nil), ("Ann", nil), ("Bob", 1),
        ]
        #expect(try hidden(harness, [doubts[kind]]) == [yes])
        #expect(try hidden(harness, (1...4).map { ("Ann", Int32($0)) }) == [yes, yes, no, no])
    }

    @Test("Boxes as large as metadata can say are hidden like others, and put in order of size")
    func largest() throws {
        let all = Rectangle(width: Int(UInt32.max), height: Int(UInt32.max))
        let harness = try overlayHarness([("hide", "face"), ("spare", "Ann"), ("hide-style", "black")], like: frame)
        for _ in 0..<3 {
            let things = [face(nil, nil, id: 3, at: all), face(nil, nil)]
            let shown = try harness.process(frame, things, searched: ["face", "cat-face", "blob", "logo"])
            #expect(shown.color(9, 140) == .black)
        }
    }

    @Test("What this element has not seen confirmed does not count")
    func unseen() throws {
        let harness = try sparing()
        #expect(try hidden(harness, (50...53).map { ("Ann", Int32($0)) }) == [yes, yes, no, no])
        // After a frame without the face, the face must be confirmed again, whatever confirmations the metadata has.
        #expect(try hidden(harness, [[]] + (54...57).map { [face("Ann", $0)] }) == [no, yes, yes, no, no])
        #expect(try hidden(harness, [("Ann", -5), ("Ann", .max), ("Ann", .min), ("Ann", 3)]) == [yes, yes, yes, yes])
    }

    @Test("The name and nothing else, whoever writes it: without confirmations it does not count")
    func foreign() throws {
        for confirmations in [nil, 0] as [Int32?] {
            #expect(try !hidden(sparing(), (0..<6).map { _ in ("Ann", confirmations) }).contains(false))
        }
        var labelled = face(nil, nil)
        labelled.label = "Ann"
        labelled.classifications = [Classification(name: "smile", label: "Ann", confirmations: 9)]
        #expect(try !hidden(sparing(), Array(repeating: [labelled], count: 6)).contains(false))
        // An unknown person has no name, even if "unknown" is in the list of names.
        #expect(try !hidden(sparing("unknown"), (1...6).map { ("unknown", Int32($0)) }).contains(false))
    }

    // MARK: - The same track

    @Test("Overlapping another face, jumping, growing at once, another type or number: hidden until confirmed again")
    func tracks() throws {
        func start() throws -> Harness {
            let harness = try sparing()
            #expect(try hidden(harness, (1...3).map { ("Ann", Int32($0)) }) == [yes, yes, no])
            return harness
        }
        let other = face("unknown", 0, id: 8, at: box.moved(x: 39, y: 0))
        #expect(try hidden(start(), [[face("Ann", 4), other]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4), face(nil, nil, id: 8, at: box, type: "cat-face")]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4)]]) == [no])
        #expect(try hidden(start(), [[face("Ann", 4, at: box.moved(x: 25, y: 0))]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4, at: Rectangle(x: 80, y: 50, width: 80, height: 80))]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4, type: "cat-face")]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4, id: 9)]]) == [yes])
        #expect(try hidden(start(), [[face("Ann", 4, at: box.moved(x: 6, y: 4))]]) == [no])
        // Faces next to each other do not overlap.
        let beside = face("unknown", 0, id: 8, at: box.moved(x: 60, y: 0))
        #expect(try hidden(start(), [[face("Ann", 4), beside]]) == [no])
    }

    @Test("Two with the same number are both hidden, and both begin anew")
    func twice() throws {
        let rule = try HideRule(HideChoice(hide: "face", spare: "Ann", hidesFaces: false))
        var tracks = HideTracks()
        func hidden(_ faces: [Detection]) -> [Bool] { tracks.hidden(faces, by: rule, Namers()) }
        for count in 1...3 { #expect(hidden([face("Ann", Int32(count))]) == [count < 3]) }
        #expect(hidden([face("Ann", 4), face("Ann", 4, at: box.moved(x: -80, y: 0))]) == [yes, yes])
        for count in 5...7 { #expect(hidden([face("Ann", Int32(count))]) == [count < 7]) }
    }

    @Test("Without a number nobody is followed, so nobody is spared")
    func untracked() throws {
        #expect(try !hidden(sparing(), (1...6).map { [face("Ann", $0, id: 0)] }).contains(false))
    }

    @Test("A frame that was not searched, a seek, other caps: everybody is hidden until confirmed again")
    func interrupted() throws {
        let harness = try sparing()
        func confirm() throws { #expect(try hidden(harness, (1...3).map { ("Ann", Int32($0)) }) == [yes, yes, no]) }
        try confirm()
        for types in [["face"], ["face", "cat-face"]] as [[Detection.Kind]] {
            let buffer = try frame.buffer(with: [face("Ann", 4)], unsearched: types)
            #expect(try harness.shown(harness.process(giving: buffer.reference)).color(1, 1) == .black)
            #expect(try hidden(harness, [("Ann", 5)]) == [yes])
            try confirm()
        }
        harness.flush()
        #expect(try hidden(harness, [("Ann", 4)]) == [yes])
        try confirm()
        harness.element.set("spare", "ann,person:Bob")
        #expect(try hidden(harness, [("Ann", 4)]) == [yes])
        try confirm()
        // The metadata of the frame lists more regions than the frame has, so regions were lost.
        let buffer = try frame.buffer(with: [face("Ann", 4), face("unknown", 0, id: 8)], searched: ["face"])
        let lost = buffer.pointer
        if let meta = gst_buffer_get_meta(lost, gst_video_region_of_interest_meta_api_get_type()) {
            gst_buffer_remove_meta(lost, meta)
        }
        #expect(try harness.shown(harness.process(giving: buffer.reference)).color(1, 1) == .black)
        #expect(try hidden(harness, [("Ann", 4)]) == [yes])
    }

    // MARK: - Other things

    @Test("Types are spared after three frames, and labels of what has no face")
    func others() throws {
        #expect(
            try hidden(sparing("cat-face"), Array(repeating: [face(nil, nil, type: "cat-face")], count: 4))
                == [yes, yes, no, no])
        #expect(try !hidden(sparing("cat-face"), Array(repeating: [face(nil, nil)], count: 4)).contains(false))
        func coin(_ name: String) -> [Detection] {
            [
                Detection(
                    type: .blob, id: 5, box: box, classifications: [Classification(name: "blob-class", label: name)])
            ]
        }
        let (gold, silver) = (coin("gold coin"), coin("silver coin"))
        #expect(
            try hidden(sparing("gold coin", hide: "blob"), [gold, gold, gold, silver, gold, gold, gold, gold])
                == [yes, yes, no, yes, yes, yes, no, no])
    }

    @Test("Whom to put before it is said, once, if nobody tells whose face it is")
    func nobodyRecognises() throws {
        let harness = try sparing()
        _ = try hidden(harness, (0..<3).map { _ in (nil, nil) })
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.count == 1 && warnings[0].contains("spare: ") && warnings[0].contains("svfacerecognize"))
    }
}

extension Rectangle {
    fileprivate func moved(x: Int, y: Int) -> Rectangle {
        Rectangle(x: self.x + x, y: self.y + y, width: width, height: height)
    }
}
