// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
@testable import Elements
import Imaging
import TestSupport
import Testing
@testable import Vision

@Suite("svfacerecognize: looks of a network at tracked faces")
struct TrackObservationsTests {
    private let recognizer: Recognizer
    private let settings = FaceRecognize.Settings()

    /// Ada and Ben are known, with one embedding each.
    init() throws {
        var gallery = Gallery()
        for (name, values) in [("Ada", [1, 0, 0]), ("Ben", [0, 1, 0])] as [(String, [Float])] {
            gallery.add(.embedding(try #require(FaceEmbedding(values: values, network: "n"))), of: name)
        }
        recognizer = try Recognizer(gallery, .embedding)
    }

    private func face(_ id: Int32) -> Detection {
        Detection(type: .face, id: id, box: Rectangle(x: 0, y: 0, width: 50, height: 50))
    }

    /// Returns a smooth image. Each number gives a different image.
    private func sample(_ number: Int = 0, gain: Double = 1) throws -> FaceSample {
        let side = FaceSample.side
        return try #require(
            FaceSample(
                pixels: (0..<side * side).map { index in
                    let (x, y) = (Double(index % side), Double(index / side))
                    let one = sineAndCosine(degrees: 5 * x + 40 * Double(number)).sine
                    let two = sineAndCosine(degrees: 4 * y + 2 * x).cosine
                    let three = sineAndCosine(degrees: 2 * x - 6 * y + 90 * Double(number)).sine
                    return UInt8(128 + gain * 30 * (one + two + three))
                }))
    }

    /// A stream of frames, which are handled as in the element.
    private struct Stream {
        var observations = TrackObservations()
        var frame = 0
        let recognizer: Recognizer
        let settings: FaceRecognize.Settings

        /// Handles a frame with faces. A face has an id, an image, and the embedding that the network returns for it.
        /// - Returns: one value per face. `isObserved` is true if the network has observed the face.
        mutating func push(
            _ faces: [(Detection, FaceSample, [Float])]
        ) throws -> [(isObserved: Bool, name: String?, confirmations: Int)] {
            frame += 1
            return try faces.map { face, sample, vector in
                let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
                let needs = observations.needsObservation(face, sample, frame: frame)
                if needs {
                    let embedding = try #require(FaceEmbedding(values: vector.map { $0 / length }, network: "n"))
                    let match = try recognizer.nearest(to: .embedding(embedding))
                    observations.add(
                        TrackObservations.Observation(vector: embedding, match: match), to: face, sample, frame: frame)
                }
                let recognition = try observations.vote(about: face, sample, recognizer, settings, frame: frame)
                return (needs, recognition?.vote.name, recognition?.confirmations ?? 0)
            }
        }
    }

    private var stream: Stream { Stream(recognizer: recognizer, settings: settings) }

    @Test("Looks at a part of a face are not among the three first looks at the whole face")
    func partial() throws {
        var observations = TrackObservations()
        let (face, sample) = (face(7), try sample())
        let embedding = try #require(FaceEmbedding(values: [1, 0, 0], network: "n"))
        func looks(_ frames: ClosedRange<Int>, isWhole: Bool) -> [Bool] {
            frames.map { frame in
                let needs = observations.needsObservation(face, sample, frame: frame, isWhole: isWhole)
                if needs {
                    let observation = TrackObservations.Observation(vector: embedding, match: nil)
                    observations.add(observation, to: face, sample, frame: frame, isWhole: isWhole)
                }
                return needs
            }
        }
        #expect(looks(1...5, isWhole: false) == [true, true, true, false, false])
        #expect(looks(6...10, isWhole: true) == [true, true, true, false, false])
    }

    @Test("A new face is looked at three times, then every 30 frames")
    func schedule() throws {
        var stream = stream
        let image = try sample()
        let observed = try (1...100).filter { _ in try stream.push([(face(7), image, [1, 0, 0])])[0].isObserved }
        #expect(observed == [1, 2, 3, 33, 63, 93])
    }

    @Test("Faces without a number are looked at in every frame, and are never confirmed")
    func untracked() throws {
        var stream = stream
        let image = try sample()
        for _ in 0..<40 {
            let result = try stream.push([(face(0), image, [1, 0, 0])])[0]
            #expect(result.isObserved && result.name == "Ada" && result.confirmations == 0)
        }
    }

    @Test("Of faces that can wait, one is looked at in a frame; each new one at once")
    func oneAtATime() throws {
        var stream = stream
        let faces = try (1...4).map { (face(Int32($0)), try sample($0), [1, 0, 0] as [Float]) }
        let counts = try (0..<200).map { _ in try stream.push(faces).count { $0.isObserved } }
        #expect(counts[0] == 4 && counts.dropFirst().allSatisfy { $0 <= 1 })
        // Each face is observed three times, and then six or seven times in 200 frames.
        #expect((36...44).contains(counts.reduce(0, +)), "\(counts.reduce(0, +))")
    }

    @Test("A name is confirmed in each frame in which the face is as it was when the network confirmed it")
    func confirmed() throws {
        var stream = stream
        let counts = try (1...40).map { number in
            try stream.push([(face(7), try sample(0, gain: 1 - 0.01 * Double(number)), [0.9, 0, 0.2])])[0].confirmations
        }
        #expect(counts == Array(1...40))
    }

    @Test("Somebody else in the place is looked at at once, and loses name and confirmations")
    func replaced() throws {
        for (vector, name) in [([0, 1, 0], "Ben"), ([0, 0, 1], nil), ([1, 1, 0], "Ada")] as [([Float], String?)] {
            var stream = stream
            for _ in 0..<10 { _ = try stream.push([(face(7), try sample(), [1, 0, 0])]) }
            let result = try stream.push([(face(7), try sample(2), vector)])[0]
            #expect(result.isObserved && result.name == name && result.confirmations <= (name == "Ben" ? 1 : 0))
        }
    }

    @Test(
        "A face that changes slowly is looked at again before four frames have passed, and not confirmed by likeness alone"
    )
    func changing() throws {
        var stream = stream
        for _ in 0..<10 { _ = try stream.push([(face(7), try sample(), [1, 0, 0])]) }
        // The image contains a third of another image. It is too different to be certain, but too similar to be another
        // person immediately.
        let pixels = zip(try sample().pixels, try sample(2).pixels).map { UInt8((2 * Int($0) + Int($1)) / 3) }
        let other = try #require(FaceSample(pixels: pixels))
        #expect(other.difference(from: try sample()) < 0.3)
        var observed: [Int] = []
        for number in 1...8 {
            let result = try stream.push([(face(7), other, [0.7, 0.68, 0])])[0]
            if result.isObserved { observed.append(number) }
            #expect(result.confirmations <= 10)
        }
        #expect((observed.first ?? 9) <= 4)
    }

    @Test("Looks that disagree are repeated soon, and the majority decides")
    func disagreement() throws {
        var stream = stream
        let image = try sample()
        let vectors: [[Float]] = [[1, 0, 0], [0.6, 0.8, 0], [1, 0, 0]]
        let names = try vectors.map { try stream.push([(face(7), image, $0)])[0].name }
        #expect(names == ["Ada", "Ada", "Ada"])
        let observed = try (0..<20).count { _ in try stream.push([(face(7), image, [1, 0, 0])])[0].isObserved }
        #expect((2...4).contains(observed), "\(observed)")
    }
}
