// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import Scenes
import TestSupport
import Testing
import Vision

/// Files that the elements load.
private struct SequenceFiles {
    static let shared = Result { try SequenceFiles() }

    let folder: TemporaryFolder
    let picture: String
    let face: String
    let logo: String
    let model: String
    let training: String

    private init() throws {
        folder = try TemporaryFolder()
        picture = try folder.write(opaqueForeground(24, 18, seed: 8), "picture.png")
        face = try folder.write(
            DrawnFaces(.cats, count: 1, seed: 5, width: 400, height: 400).frame().picture, "face.png")
        logo = try folder.write(DrawnLogo.draw(124, 124) { SceneLogo.draw(on: $0) }, "logo.png")
        model = folder.file("model.yml")
        try ModelFile(gallery: MadeFaces.gallery(["Ada", "Ben"]), algorithm: .lbph).save(to: model)
        training = try DrawnTraining.shared.list
    }
}

/// An element, its properties, and changes while it plays.
private struct Subject {
    let name: String
    let properties: String
    /// Changes the element as an application might do it at any time. The number selects the change.
    let poke: @Sendable (Handle, UInt64) -> Void

    private init(_ name: String, _ properties: String = "", _ poke: @escaping @Sendable (Handle, UInt64) -> Void) {
        (self.name, self.properties, self.poke) = (name, properties, poke)
    }

    private init(_ name: String, _ properties: String = "", toggles property: String, _ values: String...) {
        self.init(name, properties) { $0.set(property, values[Int($1 % UInt64(values.count))]) }
    }

    static func all(_ files: SequenceFiles) -> [Subject] {
        [
            Subject("svblend", "location=\(files.picture) mode=screen") { element, number in
                switch number % 3 {
                case 0: element.set("location", number % 2 == 0 ? "none" : files.picture)
                case 1: element.emit("capture")
                default: element.emit("clear")
                }
            },
            Subject(
                "svmixer", "sink_1::mode=screen sink_1::mask=\(files.picture)", toggles: "background-color",
                "0xff000000",
                "0xffffffff"),
            Subject(
                "svswitch", "duration=50000000 transition=random", toggles: "active", "0", "1", "2"),
            Subject(
                "svfilter", "filters=gaussian-blur", toggles: "filters", "invert", "gaussian-blur | vignette", "none"),
            Subject("svfacedetect", "mode=async features=lbp landmarks=nose", toggles: "track", "true", "false"),
            Subject("svfacemerge", "layout=studio", toggles: "partner", "none", files.face),
            Subject("svfacerecognize", "model=\(files.model) collect-name=Eva collect-difference=0 message=none") {
                element, number in
                switch number % 5 {
                case 0: element.emit("train")
                case 1: element.emit("save", files.folder.file("saved.yml"))
                case 2: _ = element.ask("forget", "Eva", as: Bool.self)
                case 3: _ = element.ask("collect", "Eva", as: Bool.self)
                default: element.set("model", number % 2 == 0 ? "none" : files.model)
                }
            },
            Subject("svblobdetect", "model=mog2", toggles: "model", "knn", "mog2"),
            Subject("svblobclassify", "training=\(files.training)") { element, number in
                switch number % 3 {
                case 0: element.set("training", number % 2 == 0 ? "none" : files.training)
                case 1: _ = element.ask("learn", "thing", as: Bool.self)
                default: _ = element.ask("forget", "thing", as: UInt32.self)
                }
            },
            Subject("svlogodetect", "template=\(files.logo)", toggles: "verify", "none", "orb", "shape"),
            Subject("svtestscene", "scene=both", toggles: "scene", "coins", "things", "logo", "people"),
            Subject("svoverlay", "fps=true", toggles: "colors", "face=red", "none"),
            Subject(
                "svzones", "heatmap=true zones=\"a:0,0 1,0 1,1;b:0,0->1,1\"", toggles: "zones", "none",
                "a:0,0 1,0 0,1", "c:0.5,0->0.5,1"),
            Subject("svtint", "random=true", toggles: "white-balance", "gray-world", "none"),
            Subject("svedges", "", toggles: "show", "overlay", "edges"),
            Subject(
                "svevents",
                "location=\(files.folder.file("clip.mkv")) time-lapse=40000000 max-disk-space=100000 "
                    + "time-lapse-location=\(files.folder.file("lapse.mkv")) trigger=label=a pre-roll=50000000"
            ) { element, number in
                if number % 2 == 0 {
                    _ = element.ask("record", "a", as: Bool.self)
                } else {
                    element.set("trigger", number % 3 == 0 ? "none" : "label=face | zone=door")
                }
            },
            Subject(
                "svpublish", "when=every-frame file-path=\(files.folder.file("published"))", toggles: "when",
                "interval", "on-change", "every-frame"),
            Subject("svwebsink", "port=0", toggles: "quality", "50", "90"),
            Subject("svclip", "location=\(files.picture) at-end=loop", toggles: "off-air", "pause", "play"),
            Subject(
                "svurisrc", "uri=http://127.0.0.1:9/ card-width=96 card-height=64", toggles: "on-loss", "last-frame",
                "card"),
        ]
    }
}

/// Runs each element through random sequences of states. With `SWIFTVISION_FULL=1`, there are 120 sequences for each
/// element and source.
@Suite("States at random")
struct StateSequenceTests {
    private static let count = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] == nil ? 3 : 120

    /// The names of the elements. Each element has a page in the documentation.
    private static let names: [String] = {
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: docs.standardized.path)) ?? []
        return files.filter { $0.hasPrefix("sv") && $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
    }()

    @Test("Every element is among them")
    func all() throws {
        #expect(try Subject.all(SequenceFiles.shared.get()).map(\.name).sorted() == Self.names)
    }

    @Test(
        "Up and down in any order, with flushes and changes, an element does no harm and plays at the end",
        arguments: names, ["", "is-live=true", "num-buffers=3"])
    func sequences(_ name: String, _ source: String) throws {
        let subject = try #require(try Subject.all(SequenceFiles.shared.get()).first { $0.name == name })
        let frames = "videotestsrc \(source) ! video/x-raw,format=BGRx,width=96,height=64,framerate=60/1"
        let more = ["svmixer", "svswitch"].contains(name) ? " \(frames) ! e." : ""
        let end = name == "svwebsink" ? "sync=false" : "! fakesink sync=false"
        let line = try pipeline(
            ["svclip", "svurisrc"].contains(name)
                ? "\(name) name=e \(subject.properties) \(end)"
                : "\(name) name=e \(subject.properties) \(end) \(frames) ! e.\(more)")
        // With this property set, the errors on the bus would be lost before the test reads them.
        line.handle.set("auto-flush-bus", value: false)
        let element = try line.element("e")
        for sequence in 0..<Self.count {
            var random = Random(seed: UInt64(sequence) &* 1000 &+ UInt64(name.utf8.reduce(0) { $0 + Int($1) }))
            for _ in 0..<8 { step(line, element, subject, &random) }
            line.set(GST_STATE_NULL)
            // Elements report their own errors. videotestsrc may end with an error if a seek and a change of state
            // coincide. This also happens with other elements, such as `identity`.
            let errors = line.bus.pending(GST_MESSAGE_ERROR).filter { !$0.source.hasPrefix("videotestsrc") }
            #expect(errors.isEmpty, "\(sequence): \(errors.first?.text ?? "")")
        }
        try line.reach(GST_STATE_PLAYING)
        try line.reach(GST_STATE_NULL)
    }

    private func step(_ line: Pipeline, _ element: Handle, _ subject: Subject, _ random: inout Random) {
        let number = random.next() >> 8
        switch random.next() % 10 {
        case 0: subject.poke(element, number)
        case 1, 2:
            // A live source does not flush.
            gst_element_seek_simple(
                line.handle.element, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, gint64(number % 1_000_000_000))
        case 3: g_usleep(UInt(number % 4000))
        default:
            line.set(
                [GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING][Int(number % 4)])
        }
    }
}
