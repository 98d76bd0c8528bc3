// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

@Suite("svfacemerge: the studio, and how well hybrids stay on their faces")
struct FaceMergeStudioTests {
    private let picture: TestFrame
    private let faces: [Detection]

    init() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        self.picture = picture
        faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
    }

    private func push(_ harness: Harness, _ faces: [Detection], at number: Int) throws -> [Detection] {
        #expect(harness.push(try picture.buffer(marked: faces, at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
        return try harness.pull().detections(picture.width, picture.height).filter { $0.type == "hybrid-face" }
    }

    @Test("Two faces at two moments, their hybrid, a PNG of it, and all forgotten again")
    func actions() throws {
        let folder = try TemporaryFolder()
        let harness = try mergeHarness([("layout", "studio")], like: picture)
        let element = harness.element
        #expect(element.ask("select-face", UInt32(1), as: Bool.self) == false)
        #expect(try push(harness, [], at: 0).isEmpty)
        #expect(element.ask("select-face", UInt32(1), as: Bool.self) == false)
        #expect(element.ask("merge", as: Bool.self) == false)
        #expect(try push(harness, [faces[0]], at: 1).isEmpty)
        #expect(element.ask("select-face", UInt32(3), as: Bool.self) == false)
        #expect(element.ask("select-face", UInt32(1), as: Bool.self) == true)
        #expect(try push(harness, [faces[0]], at: 2).isEmpty)
        #expect(element.ask("merge", as: Bool.self) == false)
        #expect(element.ask("save", folder.file("h.png"), as: Bool.self) == false)
        #expect(try push(harness, [faces[1]], at: 3).isEmpty)
        #expect(element.ask("select-face", UInt32(2), as: Bool.self) == true)
        #expect(element.ask("merge", as: Bool.self) == true)
        #expect(element.ask("save", folder.file("h.png"), as: Bool.self) == true)
        let hybrid = try #require(try push(harness, [faces[1]], at: 4).first)
        #expect(hybrid.classifications.map(\.label) == ["hybrid"])
        #expect(hybrid.box.height > picture.height / 3)
        let isSaved = eventually {
            harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }.contains {
                $0.text("event") == "saved" && $0.text("location") == folder.file("h.png")
            }
        }
        #expect(isSaved)
        let saved = try decodePNG(folder.file("h.png"), as: .rgb)
        #expect(saved.width > 60 && saved.height > 60)
        // It is kept while faces come and go.
        #expect(try push(harness, [], at: 5).map(\.id) == [hybrid.id])
        element.emit("clear")
        #expect(try push(harness, faces, at: 6).isEmpty)
        #expect(element.ask("merge", as: Bool.self) == false)
    }

    @Test("Answers are those of now: after clear, and after another layout")
    func answers() throws {
        let harness = try mergeHarness([("layout", "studio")], like: picture)
        let element = harness.element
        _ = try push(harness, faces, at: 0)
        #expect(element.ask("select-face", UInt32(1), as: Bool.self) == true)
        #expect(element.ask("select-face", UInt32(2), as: Bool.self) == true)
        #expect(element.ask("merge", as: Bool.self) == true)
        #expect(try push(harness, faces, at: 1).count == 1)
        element.emit("clear")
        #expect(element.ask("merge", as: Bool.self) == false)
        #expect(element.ask("save", "/nowhere/x.png", as: Bool.self) == false)
        element.set("layout", "swap")
        _ = try push(harness, faces, at: 2)
        #expect(element.ask("select-face", UInt32(1), as: Bool.self) == false)
    }

    @Test("Keys do the same, unless they are switched off", arguments: [true, false])
    func keys(_ isOn: Bool) throws {
        let folder = try TemporaryFolder()
        let harness = try mergeHarness(
            [("layout", "studio"), ("keys", "\(isOn)"), ("save-location", folder.file("k-%d.png"))], like: picture)
        _ = try push(harness, [faces[0]], at: 0)
        harness.press("1")
        _ = try push(harness, [faces[0]], at: 1)
        harness.press("2")
        harness.press("m")
        #expect(try push(harness, [faces[1]], at: 2).count == (isOn ? 1 : 0))
        harness.press("s")
        _ = try push(harness, [], at: 3)
        if isOn {
            #expect(try eventually { folder.names == ["k-0.png"] })
            harness.press("c")
            #expect(try push(harness, [], at: 4).isEmpty)
        }
    }

    @Test("select-every goes through the steps by itself, with two people")
    func byItself() throws {
        let harness = try mergeHarness([("layout", "studio"), ("select-every", "40000000")], like: picture)
        let counts = try (0..<8).map { try push(harness, faces, at: $0) }
        #expect(counts.map(\.count) == [0, 0, 1, 0, 0, 0, 1, 0])
        // A human and a cat, not twice the larger one.
        #expect(counts[2].first?.classifications.map(\.label) == ["hybrid"])
    }

    @Test("select-every rests once somebody chooses by hand, until it is set to something else")
    func byHand() throws {
        let harness = try mergeHarness([("layout", "studio"), ("select-every", "40000000")], like: picture)
        #expect(try (0..<3).map { try push(harness, faces, at: $0).count } == [0, 0, 1])
        harness.element.emit("clear")
        #expect(try (3..<12).map { try push(harness, faces, at: $0).count } == Array(repeating: 0, count: 9))
        harness.element.set("select-every", "39000000")
        #expect(try (12..<20).contains { try !push(harness, faces, at: $0).isEmpty })
    }

    @Test(
        "On faces of about 200 px that move, the hybrid's eyes are where the eyes are; on still ones they do not shake",
        arguments: TestScope.choose([7], all: [3, 7, 11]) as [UInt64])
    func accuracy(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let partner = try DrawnFaces(.cats, count: 1, seed: 5, width: 400, height: 400).frame().picture
        let path = try folder.write(
            TestFrame(.rgb, 400, 400) { x, y in partner.color(x, y).pixel(.rgb) }, "p.png")
        for (speed, count) in [(1.0, 100), (0, 40)] {
            let line = try pipeline(
                "videotestsrc num-buffers=\(count) pattern=smpte ! video/x-raw,format=I420,width=960,height=400,framerate=30/1 "
                    + "! svtestscene scene=faces count=1 seed=\(seed) speed=\(speed) ! svfacedetect draw=false mode=sync "
                    + "! svfacemerge name=m partner=\(path) ! fakesink")
            let probe = try FrameProbe(line.pad("m", "src"))
            try line.play()
            try line.finish()
            var (distances, places, moves): ([Double], [Point], [Double]) = ([], [], [])
            var last: Point?
            for frame in probe.frames {
                let meta = DetectionMeta(
                    buffer: frame.buffer.pointer, size: PixelSize(width: 960, height: 400))
                let truth = try #require(meta.detections(truth: true).first?.landmarks)
                if let last { moves.append(distance(last, truth.leftEye)) }
                last = truth.leftEye
                guard let hybrid = meta.detections(truth: false).first(where: { $0.type == "hybrid-face" })?.landmarks
                else { continue }
                distances.append(distance(hybrid.leftEye, truth.leftEye))
                distances.append(distance(hybrid.rightEye, truth.rightEye))
                places.append(hybrid.leftEye)
            }
            distances.sort()
            #expect(places.count >= count - 3)
            let median = distances[distances.count / 2]
            let late = distances[distances.count * 95 / 100]
            let fastest = moves.max() ?? 0
            if speed > 0 {
                #expect(fastest > 4 && fastest < 9, "the face moves by up to \(fastest) px a frame")
                #expect(median <= 3, "\(median)")
                #expect(late <= 6, "\(late)")
            } else {
                let settled = places.dropFirst(20)
                let mean = Point(
                    settled.map(\.x).reduce(0, +) / Double(settled.count),
                    settled.map(\.y).reduce(0, +) / Double(settled.count))
                let shake = settled.map { distance($0, mean) }.max() ?? 0
                #expect(shake < 0.7, "\(shake)")
            }
        }
    }

    private func distance(_ a: Point, _ b: Point) -> Double {
        ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
    }
}
