// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

@Suite("Recognition") struct RecognitionTests {
    // MARK: - Faces

    @Test("A face is cut with its eyes at the same places, whatever its place, size and tilt")
    func alignment() throws {
        let cutter = FaceCutter()
        // A bright image with two dark squares as eyes. The line between the eyes is rotated by 20°.
        let angle = 20 * Double.pi / 180
        let (left, right) = (Point(131, 97), Point(131 + 60 * cos(angle), 97 + 60 * sin(angle)))
        let picture = GrayPicture(width: 320, height: 240, level: 200)
        for eye in [left, right] {
            for y in -5...4 {
                for x in -5...4 { picture[Int(eye.x.rounded()) + x, Int(eye.y.rounded()) + y] = 10 }
            }
        }
        let face = try #require(
            try withExtendedLifetime(picture) {
                try cutter.sample(of: picture.image, leftEye: left, rightEye: right)
            })
        // The eyes are at 0.38 of the height, and at 0.29 of the width from the left and right edges.
        for x in [20, 49] { #expect(face.pixels[26 * FaceSample.side + x] < 40) }
        for x in [34, 5, 64] { #expect(face.pixels[26 * FaceSample.side + x] > 200) }
        #expect(face.pixels[45 * FaceSample.side + 20] > 200)
    }

    @Test("Eyes that tell no size, and empty pictures, give no face")
    func nonsense() throws {
        let cutter = FaceCutter()
        let picture = GrayPicture(width: 64, height: 64, level: 9)
        let empty = Image(base: picture.pixels, width: 0, height: 0, stride: 0, format: .gray8)
        try withExtendedLifetime(picture) {
            let pairs = [
                (Point(3, 3), Point(3, 3)), (Point(.nan, 3), Point(9, 3)), (Point(-1e9, 0), Point(1e9, 0)),
                (Point(5000, 3), Point(5030, 3)), (Point(.infinity, 3), Point(9, 3)),
            ]
            for (left, right) in pairs {
                let face = try cutter.sample(of: picture.image, leftEye: left, rightEye: right)
                #expect(face == nil)
            }
            let none = [
                try cutter.sample(of: empty, leftEye: Point(1, 1), rightEye: Point(20, 1)),
                try PortraitCutter(library: CascadeLibrary()).portrait(in: empty)?.face,
            ]
            #expect(none == [nil, nil])
        }
        #expect(FaceSample(pixels: [1, 2, 3]) == nil)
    }

    @Test("The difference is 1 - correlation: 0 with itself in another light, 2 with its negative")
    func difference() throws {
        let face = FaceSample.made(1)
        let darker = try #require(FaceSample(pixels: face.pixels.map { $0 / 2 }))
        let negative = try #require(FaceSample(pixels: face.pixels.map { 255 - $0 }))
        let flat = try #require(FaceSample(pixels: face.pixels.map { _ in 7 }))
        #expect(face.difference(from: face).magnitude < 1e-9)
        #expect(face.difference(from: darker) < 0.001)
        #expect((face.difference(from: negative) - 2).magnitude < 1e-9)
        #expect(face.difference(from: flat) == 1)
    }

    // MARK: - Distances

    /// Compares with distances that OpenCV 4.6 computed (LBPHFaceRecognizer in the module face). It was trained with
    /// images 1 to 5 of each person. The queries are image 6 of the first person and image 9 of the second person.
    @Test("LBPH has OpenCV's distances", .enabled(if: RealData.isPresent, RealData.absence))
    func openCV() throws {
        let recognizer = try Recognizer(try RealFaces.gallery(), .lbph)
        let queries = try RealFaces.faces(6...10)
        let first = try recognizer.nearest(to: queries[0].face)
        let second = try recognizer.nearest(to: queries[8].face)
        #expect(first.name == "s1" && (first.distance - 64.4249).magnitude < 0.001)
        #expect(second.name == "s2" && (second.distance - 52.5628).magnitude < 0.001)
    }

    @Test("A pattern's distance by hand: half of all cells flat, half of them with another pattern")
    func patternDistance() throws {
        // All pixels of a flat image have the code 255. In a ramp, left neighbours are darker, so the code differs.
        let flat = try #require(FaceSample(pixels: .init(repeating: 90, count: FaceSample.pixelCount)))
        let ramp = try #require(FaceSample(pixels: (0..<FaceSample.pixelCount).map { UInt8($0 % FaceSample.side) }))
        var gallery = Gallery()
        gallery.add(flat, of: "flat")
        let recognizer = try Recognizer(gallery, .lbph)
        #expect(try recognizer.nearest(to: flat).distance == 0)
        // The 64 cells of each image contain one code, and the codes differ. Each cell adds 2 · (1 + 1).
        #expect(try recognizer.nearest(to: ramp).distance == 256)
    }

    @Test("Eigenfaces of two pictures: the distance is that of the pictures")
    func eigenDistance() throws {
        let (one, two) = (FaceSample.made(1), FaceSample.made(2))
        var gallery = Gallery()
        gallery.add(one, of: "one")
        gallery.add(two, of: "two")
        let recognizer = try Recognizer(gallery, .eigenfaces)
        let third = FaceSample.made(3, like: two)
        let square = zip(third.pixels, two.pixels).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        let match = try recognizer.nearest(to: third)
        #expect(match.name == "two" && match.index == 1)
        // The parts inside and outside of the eigenspace together give the distance between the pixels.
        #expect((match.distance - Double(square).squareRoot()).magnitude < 0.5)
        #expect(try recognizer.nearest(to: one).distance < 1)
    }

    // MARK: - Accuracy

    @Test(
        "Real faces: at least 24 of 25 nearest to the right person, half known, and none of the drawn people taken for one",
        .enabled(if: RealData.isPresent, RealData.absence), arguments: Recognizer.Algorithm.ofSamples)
    func real(_ algorithm: Recognizer.Algorithm) throws {
        let recognizer = try Recognizer(try RealFaces.gallery(), algorithm)
        let matches = try RealFaces.faces(6...10).map { ($0.name, try recognizer.nearest(to: $0.face)) }
        let right = matches.count { $0 == $1.name }
        let unknown = matches.count { $1.distance > recognizer.threshold }
        #expect(matches.count == 25 && right >= 24, "\(right) right")
        #expect(unknown <= 12, "\(unknown) unknown")
        for (person, face) in DrawnPeople.scenes.joined() {
            let match = try recognizer.nearest(to: face)
            #expect(
                match.distance > recognizer.threshold,
                "\(person) is taken for \(match.name): \(match.distance) of \(recognizer.threshold)")
        }
    }

    @Test("Drawn people are known again in another scene", arguments: Recognizer.Algorithm.ofSamples)
    func drawn(_ algorithm: Recognizer.Algorithm) throws {
        var gallery = Gallery()
        for (person, face) in DrawnPeople.scenes[0] { gallery.add(face, of: person.name) }
        let recognizer = try Recognizer(gallery, algorithm)
        var (right, known) = (0, 0)
        let all = DrawnPeople.scenes[1].count
        for (person, face) in DrawnPeople.scenes[1] {
            let match = try recognizer.nearest(to: face)
            if match.name == person.name { right += 1 }
            if match.distance <= recognizer.threshold { known += 1 }
        }
        #expect(all == 40)
        #expect(right == all, "\(right) of \(all) right")
        #expect(known * 10 >= all * 8, "\(known) of \(all) known")
    }

    // MARK: - Confidence and limits

    @Test("Confidence: 0.5 at the threshold, falling with the distance, always within 0...1")
    func confidence() throws {
        var gallery = Gallery()
        for person in 0..<2 {
            let first = FaceSample.made(person)
            for number in 0..<4 { gallery.add(.made(100 * person + number + 10, like: first), of: "\(person)") }
        }
        let recognizer = try Recognizer(gallery, .lbph)
        let threshold = recognizer.threshold
        let values = [0, 0.5, 0.9, 1, 1.1, 2, 100].map {
            recognizer.confidence(at: $0 * threshold, threshold: threshold)
        }
        #expect(threshold > 0 && values == values.sorted(by: >))
        #expect(values[0] == 1 && (values[3] - 0.5).magnitude < 1e-9 && values[6] < 0.001)
        for (distance, threshold) in [(1, 0), (.nan, 1), (1, .nan), (-1, 1), (.infinity, 1), (1, .infinity)] {
            let confidence = recognizer.confidence(at: distance, threshold: threshold)
            #expect((0...1).contains(confidence))
        }
    }

    @Test(
        "Confidence that a face is nobody's: 0.5 at the threshold, half of the relative distance beyond it, at most 1")
    func unknownConfidence() throws {
        var gallery = Gallery()
        gallery.add(.made(1), of: "one")
        let recognizer = try Recognizer(gallery, .lbph)
        for (distance, expected) in [(60.0, 0.5), (72, 0.6), (90, 0.75), (120, 1), (500, 1), (40, 0.5)] {
            let confidence = recognizer.unknownConfidence(at: distance, threshold: 60)
            #expect((confidence - expected).magnitude < 1e-9, "\(distance)")
        }
        for (distance, threshold) in [(1, 0), (.nan, 1), (1, .nan), (-1, 1), (.infinity, 1), (1, .infinity)] {
            #expect((0.5...1).contains(recognizer.unknownConfidence(at: distance, threshold: threshold)))
        }
    }

    @Test("What does not suffice is refused with a reason")
    func refusals() throws {
        var gallery = Gallery()
        for algorithm in Recognizer.Algorithm.ofSamples {
            #expect(throws: VisionError.self) { try Recognizer(gallery, algorithm) }
        }
        gallery.add(.made(1), of: "Ada")
        gallery.add(.made(2), of: "Ada")
        #expect(throws: VisionError.self) { try Recognizer(gallery, .fisherfaces) }
        gallery.add(.made(3), of: "Ben")
        #expect(try Recognizer(gallery, .fisherfaces).nearest(to: .made(3)).name == "Ben")
    }

    /// Returns a gallery with `count` faces of ten people. The faces have few LBP codes, so their comparison is fast.
    private func crowd(_ count: Int) -> Gallery {
        var gallery = Gallery()
        for number in 0..<count {
            let pixels = (0..<FaceSample.pixelCount).map { index in
                UInt8(truncatingIfNeeded: index % FaceSample.side * (number % 100 + 1) / 32 + number / 100)
            }
            if let face = FaceSample(pixels: pixels) { gallery.add(face, of: "\(number % 10)") }
        }
        return gallery
    }

    @Test("Learning is given up when nobody needs it any more", arguments: Recognizer.Algorithm.ofSamples)
    func givenUp(_ algorithm: Recognizer.Algorithm) throws {
        let gallery = crowd(34)
        var asked = 0
        _ = try Recognizer(gallery, algorithm) {
            asked += 1
            return false
        }
        #expect(asked >= 34)
        for patience in [0, asked / 2, asked - 1] {
            var left = patience
            #expect(throws: VisionError.self) {
                try Recognizer(gallery, algorithm) {
                    left -= 1
                    return left < 0
                }
            }
            // The recognizer does not call the closure again after it has returned true.
            #expect(left == -1)
        }
    }

    @Test("The steps of learning grow with the number of faces, not with its square")
    func linear() throws {
        let counts = try [400, 800].map { count in
            var asked = 0
            _ = try Recognizer(crowd(count), .lbph) {
                asked += 1
                return false
            }
            return asked
        }
        #expect(counts[0] >= 400 && counts[1] <= 2 * counts[0])
    }

    @Test("Of many people each is known", arguments: [Recognizer.Algorithm.eigenfaces, .fisherfaces])
    func manyPeople(_ algorithm: Recognizer.Algorithm) throws {
        var gallery = Gallery()
        for person in 0..<45 {
            let first = FaceSample.made(person)
            for number in 0..<(person % 3 == 0 ? 1 : 2) {
                gallery.add(.made(1000 + 2 * person + number, like: first), of: "\(person)")
            }
        }
        let recognizer = try Recognizer(gallery, algorithm)
        let right = try stride(from: 0, to: 45, by: 9).count { person in
            try recognizer.nearest(to: .made(5000 + person, like: .made(person))).name == "\(person)"
        }
        #expect(right == 5)
    }

    @Test("Fisherfaces of many people of whom only one has two faces")
    func singles() throws {
        var gallery = Gallery()
        for person in 0..<12 { gallery.add(.made(person), of: "\(person)") }
        gallery.add(.made(100, like: .made(4)), of: "4")
        #expect(try Recognizer(gallery, .fisherfaces).nearest(to: .made(101, like: .made(4))).name == "4")
    }

    @Test("More faces than can be learned are refused, in a gallery and in a file")
    func tooMany() throws {
        var gallery = Gallery()
        for number in 0...Gallery.maxFaces { gallery.add(.made(number), of: "\(number / 100)") }
        let error = #expect(throws: VisionError.self) { try Recognizer(gallery, .lbph) }
        #expect(error?.description.contains("maximum of \(Gallery.maxFaces)") == true)
        let folder = try TemporaryFolder()
        try ModelFile(gallery: gallery, algorithm: .lbph).save(to: folder.file("many.yml"))
        let malformed = #expect(throws: ModelFileError.self) { try ModelFile(path: folder.file("many.yml")) }
        #expect(malformed?.reason == .malformed)
        #expect(malformed?.description.contains("maximum of \(Gallery.maxFaces) faces") == true)
    }

    @Test("Galleries: equal faces once, people forgotten with all they have")
    func galleries() {
        var gallery = Gallery()
        let added = ["Ada", "Ada", "Ben"].map { gallery.add(.made(1), of: $0) }
        #expect(added == [true, false, true] && gallery.faceCount == 2)
        let forgotten = [gallery.forget("Ada"), gallery.forget("Ada")]
        #expect(forgotten == [1, 0])
        #expect(gallery.people.map(\.name) == ["Ben"] && gallery.faces(of: "Ada").isEmpty)
    }

    @Test("Votes: the majority counts, and with as many on both sides the name that was told before")
    func votes() {
        var votes = PersonVotes()
        func vote(_ name: String?, _ distance: Double = 1) -> PersonVotes.Vote {
            votes.add(.init(name: name, distance: distance, confidence: distance / 10), outOf: 3)
        }
        let (first, second) = (vote("Ada", 2), vote("Ben"))
        #expect(first.name == "Ada" && second.name == "Ada")
        let third = vote("Ada", 4)
        #expect(third.name == "Ada" && (third.distance - 3).magnitude < 1e-9)
        #expect((third.confidence - 0.3).magnitude < 1e-9)
        // The votes are Ben, Ada and nobody: a tie, so the name stays Ada. Then two of three votes are nobody.
        let (fourth, fifth) = (vote(nil), vote(nil))
        #expect(fourth.name == "Ada" && fifth.name == nil)
        let single = votes.add(.init(name: "Eva", distance: 1, confidence: 1), outOf: 0)
        #expect(single.name == "Eva")
    }
}
