// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
@testable import Elements
import TestSupport
import Testing
import Vision

@Suite("svfacerecognize: ids of faces by their vectors")
struct FaceIdentitiesTests {
    private let (ada, ben, eva): (FaceEmbedding, FaceEmbedding, FaceEmbedding)

    init() throws {
        func vector(_ values: [Float]) throws -> FaceEmbedding {
            try #require(FaceEmbedding(values: values, network: "n"))
        }
        (ada, ben, eva) = (try vector([1, 0, 0]), try vector([0, 1, 0]), try vector([0, 0, 1]))
    }

    /// Frames of the detector, one per second.
    private struct Stream {
        var identities = FaceIdentities()
        var seconds: UInt64 = 0
        var limit = 10 * ClockTime.second

        /// Handles a frame.
        /// - Parameter faces: the embedding of each track; nil for a track that was not observed.
        /// - Returns: the ids of the tracks.
        mutating func push(_ faces: [(Int32, FaceEmbedding?)]) -> [Int32] {
            seconds += 1
            identities.update(
                faces.map { FaceIdentities.View(track: $0.0, vector: $0.1) }, at: seconds * ClockTime.second,
                keeping: limit)
            return faces.map { identities.id(of: $0.0) }
        }

        mutating func wait(_ seconds: UInt64) { self.seconds += seconds }
    }

    @Test("A face that returns in a new track within the limit keeps its id; another face gets a new id")
    func returning() {
        var stream = Stream()
        #expect(stream.push([(501, ada)]) == [501])
        _ = stream.push([])
        stream.wait(5)
        #expect(stream.push([(502, ada), (503, ben)]) == [501, 503])
        #expect(stream.push([(502, nil), (503, nil)]) == [501, 503])
        _ = stream.push([])
        stream.wait(20)
        #expect(stream.push([(504, ada)]) == [504])
    }

    @Test("With the limit 0, a face that returns gets a new id")
    func limitZero() {
        var stream = Stream(limit: .zero)
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        #expect(stream.push([(502, ada)]) == [502])
    }

    @Test("Two tracks that change places: each face keeps its id")
    func crossing() {
        var stream = Stream()
        #expect(stream.push([(501, ada), (502, ben)]) == [501, 502])
        #expect(stream.push([(501, ben), (502, ada)]) == [502, 501])
        #expect(stream.push([(501, ben), (502, ada)]) == [502, 501])
        // The observed face is known. But another track has its id until that track is observed, too.
        #expect(stream.push([(501, ada), (502, nil)]) == [502, 501] && stream.identities.hasDoubts)
        #expect(stream.push([(501, ada), (502, ben)]) == [501, 502])
    }

    @Test("Somebody else in a track gets a new id after two looks, and the first face gets its id back when it returns")
    func replaced() {
        var stream = Stream()
        _ = stream.push([(501, ada)])
        #expect(stream.push([(501, ben)]) == [501] && stream.identities.hasDoubts)
        let new = stream.push([(501, ben)])
        #expect(new != [501] && !stream.identities.hasDoubts)
        #expect(stream.push([(501, ben), (502, ada)]) == new + [501])
    }

    @Test("One bad look changes nothing, and two tracks on one face keep their ids")
    func badLooks() {
        var stream = Stream()
        _ = stream.push([(501, ada), (502, ben)])
        #expect(stream.push([(501, eva), (502, ben)]) == [501, 502])
        #expect(stream.push([(501, ada), (502, ben)]) == [501, 502] && !stream.identities.hasDoubts)
        for _ in 0..<5 { #expect(stream.push([(501, ben), (502, ben)]) == [501, 502]) }
        #expect(stream.push([(501, ada), (502, ben)]) == [501, 502])
    }

    @Test("A new face whose first look is bad gets the id of the face that it turns out to be")
    func badFirstLook() throws {
        let half = try #require(FaceEmbedding(values: [0.36, 0.66, 0.66], network: "n"))
        var stream = Stream()
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        #expect(stream.push([(502, half)]) == [502])
        let nearer = try #require(FaceEmbedding(values: [0.8, 0.42, 0.43], network: "n"))
        #expect(stream.push([(502, nearer)]) == [501])
    }

    @Test("A single bad look at a new face does not make it an earlier face that the bad look resembles")
    func badLaterLook() throws {
        let between = try #require(FaceEmbedding(values: [0.6, 0.65, 0.466], network: "n"))
        var stream = Stream()
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        for look in [ben, between, ben] { #expect(stream.push([(502, look)]) == [502]) }
        _ = stream.push([])
        #expect(stream.push([(503, ben), (504, ada)]) == [502, 501])
    }

    @Test("Looks at a new face that is cut off do not count, and the face is looked at again once it is complete")
    func cutOff() {
        var stream = Stream()
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        stream.identities.update(
            [.init(track: 502, vector: ben, isClear: false)], at: 3 * ClockTime.second, keeping: stream.limit)
        #expect(stream.identities.id(of: 502) == 502 && stream.identities.vectors(of: 502).isEmpty)
        #expect(!stream.identities.hasDoubts)
        stream.seconds = 3
        #expect(stream.push([(502, nil)]) == [502] && stream.identities.hasDoubts)
        #expect(stream.push([(502, ada)]) == [501] && !stream.identities.hasDoubts)
    }

    @Test("Looks at faces that cover each other do not count, and both are looked at again afterwards")
    func covered() {
        var stream = Stream()
        _ = stream.push([(501, ada), (502, ben)])
        stream.identities.update(
            [.init(track: 501, vector: ben, isClear: false), .init(track: 502, vector: ben, isClear: false)],
            at: 2 * ClockTime.second, keeping: stream.limit)
        #expect(!stream.identities.hasDoubts && stream.identities.vectors(of: 501) == [ada])
        stream.seconds = 2
        #expect(stream.push([(501, nil), (502, nil)]) == [501, 502] && stream.identities.hasDoubts)
        #expect(stream.push([(501, ben), (502, ada)]) == [502, 501] && !stream.identities.hasDoubts)
    }

    @Test("A face that returns elsewhere takes its id from a track that the detector has almost lost")
    func ghost() {
        var stream = Stream()
        _ = stream.push([(501, ada)])
        stream.identities.update(
            [.init(track: 501, vector: nil, isSure: false), .init(track: 502, vector: ada)],
            at: 2 * ClockTime.second, keeping: 10 * ClockTime.second)
        #expect(stream.identities.id(of: 502) == 501 && stream.identities.id(of: 501) != 501)
    }

    @Test("A look at an uncertain detection does not count, and the face is looked at again once it is certain")
    func uncertain() {
        var stream = Stream()
        _ = stream.push([(501, ada)])
        stream.identities.update(
            [.init(track: 501, vector: ben, isSure: false)], at: 2 * ClockTime.second, keeping: stream.limit)
        #expect(!stream.identities.hasDoubts && stream.identities.id(of: 501) == 501)
        stream.seconds = 2
        #expect(stream.push([(501, nil)]) == [501] && stream.identities.hasDoubts)
        #expect(stream.push([(501, ben)]) == [501] && stream.identities.hasDoubts)
        #expect(stream.push([(501, ben)]) != [501] && !stream.identities.hasDoubts)
    }

    @Test("Discarding the vectors keeps the ids in view")
    func discarding() {
        var stream = Stream()
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        #expect(stream.push([(502, ada)]) == [501])
        stream.identities.discardVectors()
        #expect(stream.identities.vectors(of: 501).isEmpty)
        #expect(stream.push([(502, ben)]) == [501])
    }

    @Test("Faces without a number have no ids, and the numbers of the last tracks go to nobody else")
    func numbers() {
        var stream = Stream()
        #expect(stream.push([(0, ada), (0, ben)]) == [0, 0])
        _ = stream.push([(501, ada)])
        _ = stream.push([])
        #expect(stream.push([(502, ada)]) == [501])
        // The number of the detector's track is now the id of another face.
        let ids = stream.push([(502, ada), (501, ben)])
        #expect(ids[0] == 501 && ids[1] != 501)
    }
}
