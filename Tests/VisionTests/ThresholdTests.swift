// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

@Suite("Automatic thresholds") struct ThresholdTests {
    /// Returns faces of `people` people. The faces of different people differ as much as the faces of the same person.
    private func alike(_ people: Int, each count: Int) -> Gallery {
        var gallery = Gallery()
        for person in 0..<people { for face in 0..<count { gallery.add(.made(100 * person + face), of: "\(person)") } }
        return gallery
    }

    @Test("Where people cannot be told apart, strangers are unknown", arguments: Recognizer.Algorithm.ofSamples)
    func alike(_ algorithm: Recognizer.Algorithm) throws {
        let recognizer = try Recognizer(alike(6, each: 5), algorithm)
        let named = try (5000..<5050).count {
            try recognizer.nearest(to: FaceSample.made($0)).distance <= recognizer.threshold
        }
        #expect(named <= 5, "\(named) of 50")
    }

    @Test("Where people differ, they are known, and strangers are not", arguments: Recognizer.Algorithm.ofSamples)
    func different(_ algorithm: Recognizer.Algorithm) throws {
        func face(_ person: Int, _ number: Int) -> FaceSample {
            .made(1000 + 50 * person + number, like: .made(person))
        }
        var gallery = Gallery()
        for person in 0..<6 { for number in 0..<5 { gallery.add(face(person, number), of: "\(person)") } }
        let recognizer = try Recognizer(gallery, algorithm)
        var (known, named) = (0, 0)
        for number in 20..<25 {
            for person in 0..<6 {
                let match = try recognizer.nearest(to: face(person, number))
                if match.name == "\(person)", match.distance <= recognizer.threshold { known += 1 }
                let stranger = try recognizer.nearest(to: face(person + 10, number))
                if stranger.distance <= recognizer.threshold { named += 1 }
            }
        }
        #expect(known == 30 && named == 0, "\(known) known, \(named) strangers named")
    }

    /// Each cell of an image has one LBP code. Each cell with different codes adds 4 to the distance of two images.
    @Test("The threshold by hand: between the same and others, never beyond others, never beyond the limit")
    func byHand() throws {
        /// Returns a face with a ramp to the right in the first `rows` rows of cells. The cells below are plain.
        func face(_ rows: Int, level: UInt8) throws -> FaceSample {
            try #require(
                FaceSample(
                    pixels: (0..<FaceSample.pixelCount).map { index in
                        let (x, y) = (index % FaceSample.side, index / FaceSample.side)
                        return y <= 1 + 8 * rows ? UInt8(x) + level : level
                    }))
        }
        func recognizer(_ faces: [(name: String, rows: Int, level: UInt8)]) throws -> Recognizer {
            var gallery = Gallery()
            for (name, rows, level) in faces { gallery.add(try face(rows, level: level), of: name) }
            return try Recognizer(gallery, .lbph)
        }
        // The distance does not depend on the brightness.
        let between = try recognizer([("Ada", 0, 10)]).nearest(to: try face(2, level: 30)).distance
        #expect((60...80).contains(between))
        let two = try recognizer([("Ada", 0, 10), ("Ada", 0, 20), ("Ben", 2, 10), ("Ben", 2, 20)])
        #expect((two.threshold - between / 2).magnitude < 0.01)
        // The faces of other people are as near as the faces of the same person.
        let mixed = try recognizer([("Ada", 0, 10), ("Ada", 2, 20), ("Ben", 0, 30), ("Ben", 2, 40)])
        #expect(mixed.threshold < 0.01)
        // Both images of the only person have the maximum distance, so the threshold is the limit of 95.
        #expect(try recognizer([("Ada", 0, 10), ("Ada", 8, 20)]).threshold == 95)
    }
}
