// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Foundation
import Imaging
import TestSupport
import Testing
import Vision

/// The small network distinguishes these two people: a bright square is in different corners of their aligned faces.
@Suite("svfacerecognize: embeddings")
struct FaceEmbeddingTests {
    private let folder: TemporaryFolder
    private let network: String

    init() throws {
        folder = try TemporaryFolder()
        network = try folder.write(SmallEmbedding.file(), "small.onnx")
    }

    /// Positions of the aligned faces in the frame, and of the bright square in each face.
    private static let people = [
        (id: Int32(7), x: 20, y: 40, square: (-2, -2)), (id: 8, x: 180, y: 40, square: (18, 10)),
    ]

    /// Returns a frame with both faces, and the detections of a perfect detector.
    /// - Parameter swapped: true if the second person is also at the position of the first person.
    private func frame(_ number: Int, swapped: Bool = false) -> (picture: TestFrame, faces: [Detection]) {
        let picture = TestFrame(.gray8, 320, 200) { x, y in
            for (index, person) in Self.people.enumerated() {
                let (u, v) = (x - person.x, y - person.y)
                let (who, square) = swapped ? (1, Self.people[1].square) : (index, person.square)
                if square.0..<square.0 + 8 ~= u, square.1..<square.1 + 8 ~= v { return [255] }
                if 4..<108 ~= u, 30..<104 ~= v {
                    let wave = sineAndCosine(
                        degrees: Double((who == 0 ? 7 : 3) * u + (who == 0 ? 2 : 9) * v + number / 10)
                    ).sine
                    return [UInt8(60 + 50 * wave)]
                }
            }
            return [0]
        }
        let faces = Self.people.map { person in
            let landmarks = FaceAlignment.template.moved { Point($0.x + Double(person.x), $0.y + Double(person.y)) }
            return Detection(
                type: .face, id: person.id, box: Rectangle(x: person.x, y: person.y, width: 112, height: 112),
                landmarks: landmarks)
        }
        return (picture, faces)
    }

    private func harness(_ properties: [(String, String)]) throws -> Harness {
        try recognizeHarness(
            [("draw", "false"), ("collect-difference", "0"), ("collect-count", "2")] + properties,
            like: frame(0).picture)
    }

    private func push(_ harness: Harness, _ number: Int) throws -> [Int32: Classification] {
        let (picture, faces) = frame(number)
        #expect(harness.push(try picture.buffer(marked: faces, at: UInt64(number) * 1_000_000_000)) == GST_FLOW_OK)
        var people: [Int32: Classification] = [:]
        for face in try harness.pull().detections(320, 200) {
            people[face.id] = face.classifications.first { $0.name == "person" }
        }
        return people
    }

    /// Writes a model of both people.
    private func model() throws -> String {
        let path = folder.file("both.yml")
        let harness = try harness([("embedding-model", network), ("collect-name", "Ada,Ben"), ("save-location", path)])
        for number in 0..<40 where number % 10 == 0 { _ = try push(harness, number) }
        let isSaved = eventually { folder.names.contains("both.yml") }
        try #require(isSaved)
        return path
    }

    @Test("auto takes the network: it learns people, saves vectors without images, and knows the people again")
    func auto() throws {
        let path = try model()
        let file = try ModelFile(path: path)
        #expect(file.algorithm == .embedding && file.gallery.people.map(\.name) == ["Ada", "Ben"])
        let digest = try EmbeddingModel(path: network).digest
        #expect(
            file.kind == .embedding(network: digest)
                && file.gallery.people.allSatisfy { $0.faces[0].embedding?.values.count == 3 })
        #expect(!file.text.contains("side:") && file.text.utf8.count < 1000)
        let harness = try harness([("embedding-model", network), ("model", path)])
        #expect(harness.element.text("algorithm") == "embedding")
        let people = try push(harness, 50)
        #expect(people.mapValues(\.label) == [7: "Ada", 8: "Ben"])
        let ada = try #require(people[7])
        #expect(ada.modelName == "embedding" && (ada.distance ?? 1) < 0.01 && (ada.confidence ?? 0) > 0.9)
    }

    private func startError(_ properties: String) throws -> String {
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacerecognize \(properties) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        return try #require(line.bus.wait(GST_MESSAGE_ERROR)).text
    }

    @Test("A model file of another network is refused, and both are named")
    func otherNetwork() throws {
        let path = try model()
        // The same network with an additional description.
        let other = try folder.write(SmallEmbedding.file() + [0x32, 0x01, 0x41], "other.onnx")
        let (one, two) = (try EmbeddingModel(path: network).digest, try EmbeddingModel(path: other).digest)
        let error = try startError("model=\(path) embedding-model=\(other)")
        for words in [path, "another network", String(one.prefix(8)), String(two.prefix(8))] {
            #expect(error.contains(words), "\(error)")
        }
    }

    @Test("A model file for another algorithm is refused, with the fix")
    func otherAlgorithm() throws {
        let path = try model()
        let error = try startError("model=\(path) embedding-model=\(network) algorithm=lbph")
        #expect(error.contains(path) && error.contains("algorithm=lbph") && error.contains("embedding or auto"))
        let images = folder.file("images.yml")
        try ModelFile(gallery: MadeFaces.gallery(["Ada"]), algorithm: .lbph).save(to: images)
        let other = try startError("model=\(images) embedding-model=\(network) algorithm=embedding")
        #expect(other.contains(images) && other.contains("algorithm=lbph") && other.contains("auto"))
        // The algorithm of the model file has priority over an installed network.
        let harness = try harness([("embedding-model", network), ("model", images)])
        #expect(harness.element.text("algorithm") == "lbph" && harness.element.text("phase") == "recognise")
    }

    @Test("A network that is missing, or is none, is an error at the start")
    func noNetwork() throws {
        let text = try folder.write(Array("no network".utf8), "text.onnx")
        #expect(try startError("embedding-model=\(text)").contains(text))
        #expect(try startError("embedding-model=\(folder.file("none.onnx"))").contains("none.onnx"))
        let error = try startError("algorithm=embedding")
        #expect(
            error.contains("MobileFaceNet.onnx") && error.contains("models get") && error.contains("embedding-model"))
    }

    @Test("Forgetting needs no network: the file keeps the vectors of the others")
    func forgetting() throws {
        let path = try model()
        let before = try ModelFile(path: path)
        let harness = try harness([("save-location", path), ("forget-name", "Ada")])
        #expect(harness.element.text("phase") == "idle")
        let after = try ModelFile(path: path)
        #expect(after.gallery.people == Array(before.gallery.people.dropFirst()) && after.kind == before.kind)
    }

    @Test("Another algorithm while it plays: a warning, and the known people stay")
    func switched() throws {
        let harness = try harness([("embedding-model", network), ("model", try model())])
        _ = try push(harness, 50)
        harness.element.set("algorithm", "lbph")
        _ = try push(harness, 51)
        #expect(harness.bus.wait(GST_MESSAGE_WARNING)?.text.contains("algorithm=lbph") == true)
        #expect(try push(harness, 52).mapValues(\.label) == [7: "Ada", 8: "Ben"])
    }

    @Test(
        "A person who returns keeps the id, and is hidden again until the name is confirmed; another person stays hidden"
    )
    func sparingAfterReturn() throws {
        let (picture, _) = frame(50)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! svfacerecognize model=\(try model()) "
                + "embedding-model=\(network) draw=false message=none ! svoverlay hide=face spare=Ada hide-style=black "
                + "boxes=false landmarks=false labels=false ! appsink name=out sync=false")
        try line.play()
        // `id` is the track of the face at the first position, for each frame. `isOther` is true if this face is the
        // second person.
        let tracks: [(id: Int32, isOther: Bool)?] =
            Array(repeating: (7, false), count: 6) + [nil, nil] + Array(repeating: (27, false), count: 6)
            + [nil] + Array(repeating: (28, true), count: 8)
        var ids: [Int32] = []
        for (number, track) in tracks.enumerated() {
            var (picture, faces) = frame(50, swapped: track?.isOther ?? false)
            faces =
                track.map { track in
                    var face = faces[0]
                    face.id = track.id
                    return [face]
                } ?? []
            try line.push(
                picture.buffer(
                    with: faces, searched: ["face", "cat-face", "hybrid-face"], at: UInt64(number) * 40_000_000),
                into: "in")
            let sample = try #require(try line.pull())
            let shown = sample.frame
            ids += sample.buffer.detections(320, 200).map(\.id)
            let (x, y) = (Self.people[0].x + 56, Self.people[0].y + 60)
            let isShown = (0..<9).contains { shown.color(x + $0, y) != .black }
            if 3..<6 ~= number || 11..<14 ~= number { #expect(isShown, "\(number)") }
            if [0, 1, 8, 9].contains(number) || number >= 15 { #expect(!isShown, "\(number)") }
        }
        #expect(ids.count == 20 && ids[..<12].allSatisfy { $0 == 7 } && ids[12...].allSatisfy { $0 != 7 })
        try line.end("in")
    }

    @Test("svoverlay spares by embedding: after three confirmations, nobody else, and nobody who takes the place")
    func sparing() throws {
        let (picture, _) = frame(50)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! svfacerecognize model=\(try model()) "
                + "embedding-model=\(network) draw=false message=none ! svoverlay hide=face spare=Ada hide-style=black "
                + "boxes=false landmarks=false labels=false ! appsink name=out sync=false")
        try line.play()
        for number in 0..<8 {
            let (picture, faces) = frame(50, swapped: number >= 6)
            try line.push(
                picture.buffer(
                    with: faces, searched: ["face", "cat-face", "hybrid-face"], at: UInt64(number) * 40_000_000),
                into: "in")
            let shown = try #require(try line.pull()).frame
            /// Returns true if the centre of a person's face is visible and unchanged.
            func isShown(_ person: Int) -> Bool {
                let (x, y) = (Self.people[person].x + 56, Self.people[person].y + 60)
                return (0..<9).contains {
                    shown.color(x + $0, y) == picture.color(x + $0, y) && shown.color(x + $0, y) != .black
                }
            }
            if 3..<6 ~= number { #expect(isShown(0), "\(number)") }
            if number < 2 || number >= 6 { #expect(!isShown(0), "\(number)") }
            #expect(!isShown(1), "\(number)")
        }
        try line.end("in")
    }
}
