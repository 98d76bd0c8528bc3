// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing
@testable import Vision

@Suite("A closer look at faces") struct StrictCheckTests {
    /// Returns a face with a smooth pattern that has no symmetry.
    private func face(_ seed: Double = 0, shift: Double = 0, scale: Double = 1, gain: Double = 1) throws -> FaceSample {
        let side = FaceSample.side
        return try #require(
            FaceSample(
                pixels: (0..<side * side).map { index in
                    let (x, y) = (Double(index % side) * scale + shift, Double(index / side) * scale)
                    let (a, b) = (
                        sineAndCosine(degrees: 5 * x + 40 * seed).sine, sineAndCosine(degrees: 4 * y + 2 * x).cosine
                    )
                    let c = sineAndCosine(degrees: 2 * x - 6 * y + 90 * seed).sine
                    return UInt8(128 + gain * 30 * (a + b + c))
                }))
    }

    @Test("A shift, a stretch and another contrast make no distance; another pattern does")
    func alignment() throws {
        let check = try StrictCheck([face(), face(0.02)])
        #expect(try check.distance(of: face(shift: 1.5, scale: 1.02, gain: 0.6)) < 0.005)
        #expect(try check.distance(of: face(2)) > 0.1)
        // A plain face has no pattern, so the distance is 2.
        let plain = try #require(FaceSample(pixels: [UInt8](repeating: 90, count: FaceSample.pixelCount)))
        #expect(try check.distance(of: plain) == 2)
        #expect(try check.outcome(for: plain) == .contradicted)
        // The check allows only a small shift and a small stretch.
        #expect(try check.distance(of: face(shift: 14)) > 0.1)
        #expect(try check.distance(of: face(scale: 1.5)) > 0.1)
    }

    @Test("The limit is the median of the known faces' distances; a single face confirms nothing")
    func limits() throws {
        let faces = try (0..<5).map { try face(0.05 * Double($0)) }
        let check = try StrictCheck(faces)
        let distances = try faces.indices.map { index in
            try StrictCheck(faces.enumerated().filter { $0.offset != index }.map(\.element)).distance(of: faces[index])
        }.sorted()
        #expect(check.limit == max(0.002, distances[2]))
        #expect(try StrictCheck([face(), face()]).limit == 0.002)
        let single = try StrictCheck([face()])
        #expect(try single.limit == nil && single.outcome(for: face()) == .unsure)
    }

    @Test("Drawn people are confirmed as themselves, and never as each other")
    func people() throws {
        var gallery = Gallery()
        for (person, face) in DrawnPeople.scenes[0] { gallery.add(face, of: person.name) }
        let recognizer = try Recognizer(gallery, .lbph)
        var confirmed = 0
        for (person, face) in DrawnPeople.scenes[1] {
            for name in recognizer.names {
                let outcome = try recognizer.strictCheck(at: face, for: name)
                if name == person.name, outcome == .confirmed { confirmed += 1 }
                if name != person.name { #expect(outcome != .confirmed, "\(person) as \(name)") }
            }
        }
        #expect(confirmed >= DrawnPeople.scenes[1].count / 4, "\(confirmed) of \(DrawnPeople.scenes[1].count)")
    }

    @Test("Real people are never confirmed as each other", .enabled(if: RealData.isPresent, RealData.absence))
    func realPeople() throws {
        let recognizer = try Recognizer(RealFaces.gallery(), .lbph)
        for (name, face) in try RealFaces.faces(6...10) {
            for other in recognizer.names where other != name {
                #expect(try recognizer.strictCheck(at: face, for: other) != .confirmed, "\(name) as \(other)")
            }
        }
    }
}
