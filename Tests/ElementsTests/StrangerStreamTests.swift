// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Foundation
import Imaging
import TestSupport
import Testing
import Vision

/// The small network distinguishes these people: a bright square is in different corners of their aligned faces.
@Suite("svfacerecognize: strangers and returning faces")
struct StrangerStreamTests {
    private let folder: TemporaryFolder
    private let network: String

    init() throws {
        folder = try TemporaryFolder()
        network = try folder.write(SmallEmbedding.file(), "small.onnx")
    }

    /// Returns a frame with faces next to each other, and its detections.
    /// - Parameters:
    ///   - faces: the track of each face, and the number of the person (0 or 1).
    ///   - left: the left edge of the first face.
    private func frame(_ faces: [(id: Int32, who: Int)], left: Int = 20) -> (picture: TestFrame, faces: [Detection]) {
        let picture = TestFrame(.gray8, 320, 200) { x, y in
            for (index, face) in faces.enumerated() {
                let (u, v) = (x - left - 160 * index, y - 40)
                let square = face.who == 0 ? (-2, -2) : (18, 10)
                if square.0..<square.0 + 8 ~= u, square.1..<square.1 + 8 ~= v { return [255] }
                if 4..<108 ~= u, 30..<104 ~= v {
                    let degrees = Double((face.who == 0 ? 7 : 3) * u + (face.who == 0 ? 2 : 9) * v)
                    return [UInt8(60 + 50 * sineAndCosine(degrees: degrees).sine)]
                }
            }
            return [0]
        }
        let detections = faces.enumerated().map { index, face in
            let x = left + 160 * index
            let landmarks = FaceAlignment.template.moved { Point($0.x + Double(x), $0.y + 40) }
            return Detection(
                type: .face, id: face.id, box: Rectangle(x: x, y: 40, width: 112, height: 112), landmarks: landmarks)
        }
        return (picture, detections)
    }

    private func harness(_ properties: [(String, String)] = []) throws -> Harness {
        try recognizeHarness(
            [("draw", "false"), ("embedding-model", network), ("algorithm", "embedding")] + properties,
            like: frame([]).picture)
    }

    /// Pushes a frame.
    /// - Returns: the label of each face, by its id.
    private func push(
        _ harness: Harness, _ faces: [(id: Int32, who: Int)], left: Int = 20, at second: UInt64
    ) throws -> [Int32: String] {
        let (picture, detections) = frame(faces, left: left)
        #expect(harness.push(try picture.buffer(marked: detections, at: second * 1_000_000_000)) == GST_FLOW_OK)
        let seen = try harness.pull().detections(320, 200)
        return Dictionary(seen.map { ($0.id, $0.classifications.first?.label ?? "") }) { one, _ in one }
    }

    private let location = "strangers.json"

    @Test(
        "Strangers get a number after three looks, and the same one in another track and another run; ids return, too")
    func cluster() throws {
        let path = folder.file(location)
        let harness = try harness([("unknowns", "cluster"), ("unknowns-location", path)])
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
        var labels: [Int32: String] = [:]
        for second in 0..<6 { labels = try push(harness, [(901, 0), (902, 1)], at: UInt64(second)) }
        #expect(Set(labels.values) == ["stranger 1", "stranger 2"])
        _ = try push(harness, [], at: 7)
        // The faces have other tracks and are in the reverse order.
        #expect(try push(harness, [(904, 1), (903, 0)], at: 11) == labels)
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let next = try self.harness([("unknowns", "cluster"), ("unknowns-location", path)])
        #expect(try push(next, [(905, 1)], at: 0)[905] == labels[902])
        // The file is two days old, so the element forgets all people in it.
        gst_element_set_state(next.element.element, GST_STATE_NULL)
        try Strangers(path: path).age(at: path)
        let last = try self.harness([("unknowns", "cluster"), ("unknowns-location", path)])
        #expect(try push(last, [(906, 1)], at: 0)[906] == "")
        gst_element_set_state(last.element.element, GST_STATE_NULL)
        #expect(try Strangers(path: path).people.isEmpty)
    }

    @Test("A face that the edge of the frame cuts off gets its id and its number back once it is complete")
    func cutOff() throws {
        let harness = try harness([("unknowns", "cluster")])
        for second in 0..<6 { _ = try push(harness, [(901, 0)], at: UInt64(second)) }
        _ = try push(harness, [], at: 6)
        for second in 7..<11 { #expect(try push(harness, [(902, 0)], left: -40, at: UInt64(second)) == [902: ""]) }
        _ = try push(harness, [(902, 0)], at: 11)
        #expect(try push(harness, [(902, 0)], at: 12) == [901: "stranger 1"])
    }

    @Test("forget removes strangers, one or all, from memory and from the file")
    func forgetting() throws {
        let path = folder.file(location)
        let harness = try harness([("unknowns", "cluster"), ("unknowns-location", path)])
        for second in 0..<6 { _ = try push(harness, [(901, 0), (902, 1)], at: UInt64(second)) }
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        #expect(try Strangers(path: path).people.map(\.number) == [1, 2])
        let next = try self.harness([("unknowns", "cluster"), ("unknowns-location", path)])
        let labels = try push(next, [(903, 0), (904, 1)], at: 0)
        let first = try #require(labels.first { $0.value == "stranger 1" })
        #expect(next.element.ask("forget", "stranger 1", as: Bool.self) == true)
        #expect(try Strangers(path: path).people.map(\.number) == [2])
        #expect(next.element.ask("forget", "stranger 1", as: Bool.self) == false)
        // A person who is still visible becomes a new stranger.
        var after: [Int32: String] = [:]
        for second in 1..<7 { after = try push(next, [(903, 0), (904, 1)], at: UInt64(second)) }
        #expect(after[first.key] == "stranger 3" && after.values.contains("stranger 2"))
        #expect(next.element.ask("forget", "strangers", as: Bool.self) == true)
        #expect(try Strangers(path: path).people.isEmpty)
    }

    @Test("A stranger who is confirmed gets the name, and is no stranger any more")
    func confirming() throws {
        let harness = try harness([("unknowns", "cluster")])
        for second in 0..<6 { _ = try push(harness, [(901, 0)], at: UInt64(second)) }
        #expect(harness.element.ask("confirm", 901 as Int32, "Ada", as: Bool.self) == true)
        #expect(eventually { (try? push(harness, [(901, 0)], at: 7)[901]) == "Ada" })
        let isForgotten = harness.element.ask("forget", "stranger 1", as: Bool.self)
        #expect(isForgotten == false)
    }

    @Test("Without a network, unknowns=cluster is an error at the start that says how to get one")
    func noNetwork() throws {
        for (properties, words) in [
            ("unknowns=cluster", ["unknowns=cluster needs MobileFaceNet.onnx", "models get mobilefacenet"]),
            ("unknowns=cluster algorithm=lbph", ["unknowns=cluster needs algorithm=embedding", "lbph"]),
        ] {
            let line = try pipeline("videotestsrc num-buffers=3 ! svfacerecognize \(properties) ! fakesink")
            #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
            let text = try #require(line.bus.wait(GST_MESSAGE_ERROR)).text
            for word in words { #expect(text.contains(word), "\(text)") }
        }
    }

    @Test("A file that has no strangers in it is an error at the start, a warning later, and is never overwritten")
    func foreignFile() throws {
        let foreign = try folder.write(Array("my diary".utf8), "diary.txt")
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! svfacerecognize unknowns=cluster embedding-model=\(network) "
                + "unknowns-location=\(foreign) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        #expect(line.bus.wait(GST_MESSAGE_ERROR)?.text.contains(foreign) == true)
        let harness = try harness([("unknowns", "cluster")])
        harness.element.set("unknowns-location", foreign)
        _ = try push(harness, [(901, 0)], at: 0)
        #expect(harness.bus.wait(GST_MESSAGE_WARNING)?.text.contains(foreign) == true)
        for second in 1..<6 { _ = try push(harness, [(901, 0)], at: UInt64(second)) }
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "my diary")
    }

    @Test("Strangers are unknown to svoverlay: hide=unknown hides them, and no spare shows them")
    func hiding() throws {
        for (words, isHidden) in [
            ("hide=unknown", true), ("hide=face spare=\"stranger 1\"", true), ("hide=Ada", false),
        ] {
            let (picture, faces) = frame([(901, 0)])
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! svfacerecognize unknowns=cluster "
                    + "embedding-model=\(network) draw=false message=none ! svoverlay \(words) hide-style=black boxes=false "
                    + "landmarks=false labels=false ! appsink name=out sync=false")
            try line.play()
            var shown: TestFrame?
            for number in 0..<9 as Range<UInt64> {
                let buffer = try picture.buffer(
                    with: faces, searched: ["face", "cat-face", "hybrid-face"], at: number * 40_000_000)
                try line.push(buffer, into: "in")
                shown = try #require(try line.pull()).frame
            }
            let frame = try #require(shown)
            let isShown = (0..<9).contains { frame.color(76 + $0, 100) != .black }
            #expect(isShown != isHidden, "\(words)")
            try line.end("in")
        }
    }
}

extension Strangers {
    /// Writes the file with times that are two days earlier.
    fileprivate func age(at path: String) throws {
        var text = text
        for time in Set(people.map(\.lastSeen)) {
            text = text.replacing("\"seen\":\(time)", with: "\"seen\":\(time - 172_800)")
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
