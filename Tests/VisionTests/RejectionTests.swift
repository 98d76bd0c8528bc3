// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import TestSupport
import Testing
@testable import Vision

@Suite("Rejected faces")
struct RejectionTests {
    private func vector(_ values: [Float]) throws -> KnownFace {
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return .embedding(try #require(FaceEmbedding(values: values.map { $0 / length }, network: .network)))
    }

    private func gallery() throws -> Gallery {
        var gallery = Gallery()
        gallery.add(try vector([1, 0, 0]), of: "Ada")
        gallery.add(try vector([0, 1, 0]), of: "Ben")
        return gallery
    }

    @Test("A face is not taken for a person if a rejected face is nearer than the nearest known face")
    func nearest() throws {
        var gallery = try gallery()
        gallery.reject(try vector([1, 0, 0.7]), as: "Ada")
        let recognizer = try Recognizer(gallery, .embedding)
        let own = try recognizer.nearest(to: try vector([1, 0, 0.1]))
        #expect(own.name == "Ada" && own.excluded.isEmpty)
        // The rejected face is about as near as another person, so the name is uncertain.
        #expect(own.nextDistance < 0.3 && recognizer.confirmation(of: own) == .unsure)
        let other = try recognizer.nearest(to: try vector([1, 0, 0.6]))
        #expect(other.name == "Ben" && other.excluded == ["Ada"] && !other.isExcluded)
        let nobody = try recognizer.nearest(to: try vector([1, 0, 0.6]), excluding: ["Ben"])
        #expect(nobody.isExcluded)
    }

    @Test("Rejected faces are saved with their person, and read again; a file without them keeps its version")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("model.yml")
        var gallery = try gallery()
        #expect(ModelFile(gallery: gallery, algorithm: .embedding, network: .network).text.contains("version: 1\n"))
        gallery.reject(try vector([1, 1, 1]), as: "Ben")
        gallery.reject(try vector([1, 1, 1]), as: "Nobody")
        let file = ModelFile(gallery: gallery, algorithm: .embedding, network: .network)
        #expect(file.text.contains("version: 2\n"))
        try file.save(to: path)
        #expect(try ModelFile(path: path) == file)
        #expect(try ModelFile(path: path).gallery.people.map(\.rejected.count) == [0, 1])
    }

    @Test("Of too many rejected faces the oldest go; forgetting removes all")
    func limit() throws {
        var gallery = try gallery()
        for number in 0..<60 { gallery.reject(try vector([1, Float(number), 1]), as: "Ada") }
        #expect(gallery.people[0].rejected.count == Gallery.maxRejected)
        let oldest = try vector([1, 10, 1])
        #expect(gallery.people[0].rejected.first == oldest)
        gallery.forget("Ada")
        gallery.add(try vector([1, 0, 0]), of: "Ada")
        #expect(gallery.people.allSatisfy { $0.rejected.isEmpty })
    }

    @Test("Algorithms that compare images refuse a rejected face, too", arguments: Recognizer.Algorithm.ofSamples)
    func images(_ algorithm: Recognizer.Algorithm) throws {
        var gallery = Gallery()
        for (number, name) in ["Ada", "Ada", "Ben", "Ben"].enumerated() { gallery.add(.made(number), of: name) }
        let before = try Recognizer(gallery, algorithm).nearest(to: .made(0))
        #expect(before.name == "Ada")
        gallery.reject(.sample(.made(0)), as: "Ada")
        let match = try Recognizer(gallery, algorithm).nearest(to: .made(0))
        #expect(match.name == "Ben" && match.excluded == ["Ada"])
    }
}
