// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Elements
import TestSupport
import Testing
import Vision

@Suite("svfacerecognize: confirmations of a name")
struct FaceConfirmationTests {
    /// Returns an image that is a mixture of a horizontal gradient (0) and a vertical gradient (1).
    private func sample(_ share: Double = 0) throws -> FaceSample {
        let side = FaceSample.side
        let pixels = (0..<side * side).map { index in
            let (x, y) = (Double(index % side), Double(index / side))
            return UInt8(((1 - share) * x + share * y) * 255 / Double(side))
        }
        return try #require(FaceSample(pixels: pixels))
    }

    @Test("They are counted, and what is unsure leaves the count")
    func counted() throws {
        var confirmations = Confirmations()
        let face = try sample()
        let outcomes: [StrictCheck.Outcome] = [.confirmed, .unsure, .confirmed, .contradicted, .confirmed]
        let counts = outcomes.enumerated().map { confirmations.add($1, "Ann", face, frame: $0) }
        #expect(counts == [1, 1, 2, 0, 1])
    }

    @Test("Another face in the place begins a new count, though nothing contradicts the name", arguments: [1.0, 0.6])
    func replaced(_ share: Double) throws {
        var confirmations = Confirmations()
        for frame in 0..<5 { #expect(confirmations.add(.confirmed, "Ann", try sample(), frame: frame) == frame + 1) }
        #expect(confirmations.add(.unsure, "Ann", try sample(share), frame: 5) == 0)
        #expect(confirmations.add(.confirmed, "Ann", try sample(share), frame: 6) == 1)
    }

    @Test("A dissolve to another face begins a new count before that is seen alone")
    func dissolved() throws {
        var confirmations = Confirmations()
        _ = confirmations.add(.confirmed, "Ann", try sample(), frame: 0)
        let counts = try (1...20).map {
            confirmations.add(.unsure, "Ann", try sample(Double($0) / 20), frame: $0)
        }
        #expect(counts.first == 1 && counts[12...].allSatisfy { $0 == 0 })
    }
}
