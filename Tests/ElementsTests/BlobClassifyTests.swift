// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

@Suite("svblobclassify: names")
struct BlobClassifyTests {
    @Test(
        "Every drawn thing gets its name from one picture of it, from a list or a folder",
        arguments: ["list", "folder", "json"])
    func names(_ kind: String) throws {
        let training = try kind == "list" ? DrawnTraining.shared : DrawnTraining()
        var path = training.list
        let folders = try TemporaryFolder()
        switch kind {
        case "folder":
            path = folders.path
            for name in training.folder.names where name.hasSuffix(".png") {
                let label = name.dropLast(4).replacing("-", with: " ")
                let folder = folders.file(String(label))
                #expect(g_mkdir_with_parents(folder, 0o755) == 0)
                let bytes = try contents(of: training.folder.file(name))
                try folders.write(bytes, "\(label)/picture.png")
            }
        case "json":
            path = try training.folder.write(
                Array(
                    """
                    {"labelDescriptions": ["?", "silver coin", "gold coin", "copper coin", "ringed coin", "spotted bean",
                    "brown bean"], "blobs": [{"imageFilename": "silver-coin.png", "label": 1},
                    {"imageFilename": "gold-coin.png", "label": 2}, {"imageFilename": "copper-coin.png", "label": 3},
                    {"imageFilename": "ringed-coin.png", "label": 4}, {"imageFilename": "spotted-bean.png", "label": 5},
                    {"imageFilename": "brown-bean.png", "label": 6}]}
                    """.utf8), "training.json")
        default: break
        }
        let coins = try DrawnCoins.of(6)
        let (picture, actors) = (coins.picture, coins.actors)
        #expect(actors.count == 6)
        let chain = try BlobChain([], [("training", path)], like: picture)
        #expect(try chain.names(picture).right(actors) == 6)
    }

    @Test("The answer has label, number, confidence, distance and model; what is unknown is number 0")
    func answer() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(6)
        let (picture, actors) = (coins.picture, coins.actors)
        let chain = try BlobChain([], [("training", training.list)], like: picture)
        for limit in [0.4, 0] {
            chain.classify.element.set("max-distance", value: limit)
            let blobs = try chain.push(picture, at: 0).detections(picture.width, picture.height)
            for actor in actors {
                let blob = try #require(blobs.first { overlap($0.box, actor.rectangle) > 0.5 })
                let answer = try #require(blob.classifications.first)
                #expect(answer.name == "blob-class" && answer.modelName == "contours")
                #expect(answer.label == (limit > 0 ? actor.object?.label : "unidentified"))
                #expect(Int(answer.labelID) == (limit > 0 ? actor.object?.number : 0))
                #expect((0...1).contains(try #require(answer.confidence)))
                #expect(try #require(answer.distance) > 0)
            }
        }
    }

    @Test("Formats, drawn and not", arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3))
    func formats(_ format: String) throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(2)
        let (picture, actors) = (coins.picture, coins.actors)
        let number = FrameFormat.all.firstIndex { $0.name == format } ?? 0
        for draw in [true, false] where draw || TestScope.runs(number, oneIn: 4) {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                    + "! svblobdetect draw=false ! svblobclassify name=c training=\(training.list) draw=\(draw) ! fakesink"
            )
            let source = try FrameProbe(line.pad("c", "sink"))
            let result = try FrameProbe(line.pad("c", "src"))
            try line.play()
            try line.push(picture, into: "in", at: 0)
            try line.end("in")
            try line.finish()
            let (before, after) = (try #require(source.frames.first), try #require(result.frames.first))
            let names = after.buffer.detections(picture.width, picture.height).map {
                (box: $0.box, name: $0.classifications.first?.label)
            }
            // Grey images contain less information.
            #expect(names.right(actors) == 2 || format == "GRAY8" && !names.isEmpty, "\(format)")
            #expect((before.bytes == after.bytes) == !draw, "\(format)")
        }
    }

    @Test("which=largest names one blob")
    func largest() throws {
        let training = try DrawnTraining.shared
        let picture = try DrawnCoins.of(6).picture
        let chain = try BlobChain([], [("training", training.list), ("which", "largest")], like: picture)
        let named = try chain.names(picture).filter { $0.name != nil }
        #expect(named.count == 1)
        let area = try #require(named.first).box
        #expect(try chain.names(picture).allSatisfy { $0.box.width * $0.box.height <= area.width * area.height })
    }

    @Test("The algorithm sets numbers; what is set by hand stays; another one is used from then on")
    func algorithms() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(6)
        let (picture, actors) = (coins.picture, coins.actors)
        let chain = try BlobChain([], [("training", training.list)], like: picture)
        let element = chain.classify.element
        #expect(element.get("max-distance") == 0.4)
        #expect(element.get("histogram-weight") == 0.25)
        element.set("algorithm", "classic")
        #expect(element.get("max-distance") == 1000.0)
        #expect(element.get("histogram-weight") == 0.98)
        #expect(element.get("min-margin") == 0.0)
        #expect(
            try eventually { number in
                let blobs = try chain.push(picture, at: UInt64(number) * 40_000_000)
                    .detections(picture.width, picture.height)
                return Set(blobs.flatMap(\.classifications).compactMap(\.modelName)) == ["classic"]
            })
        #expect(try chain.names(picture, at: 10_000_000_000_000).right(actors) >= 3)
        element.set("min-margin", value: 0.5)
        element.set("algorithm", "contours")
        #expect(element.get("min-margin") == 0.5)
    }

    @Test("Beside the stream: no frame waits, names come later and stick to their tracks")
    func beside() throws {
        let training = try DrawnTraining.shared
        let coins = DrawnFaces(.coins, count: 2, width: 320, height: 200)
        let first = try coins.frame().picture
        let chain = try BlobChain([], [("training", training.list), ("mode", "async")], like: first)
        /// Returns the answer for each coin of a frame: "right", "wrong" or "" for no name.
        func answers(_ number: Int) throws -> [(id: Int, answer: String)] {
            let (picture, actors) = try coins.frame(at: Double(number) / 30)
            let blobs = try chain.names(picture, at: UInt64(number) * 33_333_333)
            if number == 0 { #expect(blobs.allSatisfy { $0.name == nil }) }
            return actors.map { actor in
                let name = blobs.first { overlap($0.box, actor.rectangle) > 0.5 }?.name
                return (actor.id, name == nil ? "" : name == actor.object?.label ? "right" : "wrong")
            }
        }
        var names: [Int: [String]] = [:]
        /// The number of frames in which all coins had a name.
        var named = 0
        _ = try eventually { number in
            for (id, answer) in try answers(number) { names[id, default: []].append(answer) }
            if names.values.allSatisfy({ $0.contains { !$0.isEmpty } }) { named += 1 }
            return named == 10
        }
        for (_, answers) in names {
            let start = try #require(answers.firstIndex { !$0.isEmpty })
            #expect(!answers.contains("wrong"))
            #expect(answers[start...].allSatisfy { $0 == "right" })
        }
    }

    @Test("Without a detector one warning says what to put before it")
    func alone() throws {
        let training = try DrawnTraining.shared
        let frame = TestFrame(.bgra, 64, 48, color: paper)
        let harness = try Harness("svblobclassify", [("training", training.list)], like: frame)
        for number in 0..<80 { _ = try harness.process(frame, at: UInt64(number) * 40_000_000) }
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1)
        #expect(warnings.first?.text.contains("svblobdetect") == true)
    }

    @Test("Regions of others, without outline or number, are named too")
    func foreign() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(1)
        let (picture, actors) = (coins.picture, coins.actors)
        let actor = try #require(actors.first)
        let harness = try Harness("svblobclassify", [("training", training.list), ("mode", "sync")], like: picture)
        let buffer = try picture.buffer()
        let box = actor.rectangle
        try buffer.addRegion("blob", id: 0, [box.x, box.y, box.width, box.height].map { UInt32(clamping: $0) })
        let result = try harness.process(giving: buffer.reference)
        let label = result.detections(picture.width, picture.height).first?.classifications.first?.label
        #expect(label == actor.object?.label)
    }

    @Test("Two regions without numbers have names of their own; one partly outside of the frame stays one")
    func numberless() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(2)
        let (picture, actors) = (coins.picture, coins.actors)
        let harness = try Harness("svblobclassify", [("training", training.list), ("mode", "sync")], like: picture)
        let buffer = try picture.buffer()
        for actor in actors {
            let box = actor.rectangle
            try buffer.addRegion("blob", id: 0, [box.x, box.y, box.width, box.height].map { UInt32(clamping: $0) })
        }
        try buffer.addRegion("blob", id: 0, [UInt32(picture.width) - 20, 0, 60, 20])
        let result = try harness.process(giving: buffer.reference)
        let blobs = result.detections(picture.width, picture.height)
        #expect(result.regions.count == 3)
        #expect(blobs.map { (box: $0.box, name: $0.classifications.first?.label) }.right(actors) == 2)
    }

    @Test(
        "Boxes of a pixel or a line, outlines that are far away or cross themselves: no harm",
        arguments: ["contours", "classic"], ["orb", "sift", "akaze"])
    func nonsense(_ algorithm: String, _ features: String) throws {
        let training = try DrawnTraining.shared
        let picture = try DrawnCoins.of(1).picture
        let harness = try Harness(
            "svblobclassify",
            [("training", training.list), ("mode", "sync"), ("algorithm", algorithm), ("features", features)],
            like: picture)
        let boxes = [
            Rectangle(width: 1, height: 1), Rectangle(x: 239, y: 199, width: 1, height: 1),
            Rectangle(width: 240, height: 1),
            Rectangle(x: 7, y: 0, width: 2, height: 200), Rectangle(width: 240, height: 200),
            Rectangle(x: 100, y: 100, width: 3, height: 3),
        ]
        let outlines: [[Point]] = [
            [], [Point(-1e5, -1e5), Point(1e5, 0), Point(0, 1e5)], [Point(5, 5), Point(5, 5), Point(5, 5)],
            [Point(0, 0), Point(200, 200), Point(200, 0), Point(0, 200)],
            // The loops enclose a small area, and the second moments are negative.
            [Point(0, 0), Point(200, 200), Point(200, 0), Point(0, 190)], [Point(0, 3), Point(100, 3), Point(200, 3)],
        ]
        for outline in outlines {
            let blobs = boxes.enumerated().map { index, box in
                Detection(
                    type: "blob", id: Int32(index + 1), box: box,
                    outline: outline.isEmpty ? nil : Outline(corners: outline, area: 9, color: 0))
            }
            let buffer = try picture.buffer()
            DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: 240, height: 200)).attach(blobs)
            let flow = harness.push(buffer)
            #expect(
                flow == GST_FLOW_OK, "\(harness.bus.pending(GST_MESSAGE_ERROR).map { $0.text + $0.details }) \(outline)"
            )
            guard flow == GST_FLOW_OK else { return }
            let named = try harness.pull().detections(240, 200)
            #expect(named.count == boxes.count && named.allSatisfy { $0.classifications.count == 1 })
            harness.flush()
        }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - Soundness

    @Test("Properties at random from threads while it plays", arguments: ["sync", "async"])
    func random(_ mode: String) throws {
        let training = try DrawnTraining.shared
        let picture = try DrawnCoins.of(2).picture
        let chain = try BlobChain([], [("training", training.list), ("mode", mode), ("draw", "true")], like: picture)
        let element = chain.classify.element
        let (list, folder) = (training.list, training.folder.path)
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 10 {
                case 0: element.set("algorithm", ["contours", "classic"].randomElement(using: &random) ?? "")
                case 1: element.set("features", ["none", "orb", "sift", "akaze"].randomElement(using: &random) ?? "")
                case 2: element.set("histogram-bins", value: UInt32(2 + random.next() % 40))
                case 3: element.set("max-distance", value: Double(random.byte()) / 100)
                case 4: element.set("interval", value: UInt32(1 + random.next() % 20))
                case 5: element.set("which", ["all", "largest"].randomElement(using: &random) ?? "")
                case 6:
                    element.set(
                        "training", value: [list, "none", folder + "/no", list].randomElement(using: &random) ?? "")
                case 7: _ = element.ask("learn", "thing", as: Bool.self)
                case 8: _ = element.ask("forget", "thing", as: UInt32.self)
                default: element.set("draw", value: random.next() % 2 == 0)
                }
                g_usleep(2000)
            }
        }
        for number in 0..<25 { _ = try chain.push(picture, at: UInt64(number) * 40_000_000) }
        for thread in threads { thread.stop() }
        #expect(chain.classify.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("States up and down, with names under way", .timeLimit(.minutes(2)))
    func states() throws {
        let training = try DrawnTraining.shared
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=320,height=240 ! svtestscene scene=coins count=1 ! svblobdetect "
                + "! svblobclassify mode=async interval=1 training=\(training.list) ! fakesink")
        for round in 0..<20 { try line.reach(round % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_READY) }
        try line.reach(GST_STATE_NULL)
    }
}
