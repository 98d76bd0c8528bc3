// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Testing
@testable import Vision

/// Tests of learning from frames, forgetting, and saving what was learned.
@Suite("Blobs: learning")
struct BlobsLearningTests {
    private static let things = Thing.drawn.filter { ["star", "button", "penny", "nut"].contains($0.name) }

    /// Returns the largest blob of a scene.
    private func picture(of thing: Thing, seed: UInt64) throws -> BlobPicture {
        let scene = try PaperScene(thing, seed: seed)
        let blob = try #require(try BlobDetector(settings: BlobSettings()).blobs(in: scene.picture).first)
        return try BlobPicture(blob, in: scene.picture)
    }

    private func names(_ classifier: BlobClassifier, seed: UInt64) throws -> [String] {
        try Self.things.enumerated().map { index, thing in
            try classifier.classify(try picture(of: thing, seed: seed + UInt64(index))).name
        }
    }

    private func learned() throws -> BlobClassifier {
        let classifier = BlobClassifier(settings: ClassifierSettings())
        for (index, thing) in Self.things.enumerated() {
            let label = try classifier.learn(try picture(of: thing, seed: 610 + UInt64(index)), as: thing.name)
            #expect(label == index + 1)
        }
        return classifier
    }

    @Test("blobs of frames are learned under names, and forgotten")
    func learnAndForget() throws {
        let classifier = try learned()
        #expect(classifier.labels == ["unidentified", "star", "button", "penny", "nut"])
        #expect(classifier.samples.map(\.label) == [1, 2, 3, 4])
        for seed in [620, 630] as [UInt64] {
            #expect(try names(classifier, seed: seed) == ["star", "button", "penny", "nut"])
        }

        #expect(classifier.forget("button") == 1)
        #expect(classifier.forget("button") == 0)
        #expect(classifier.forget("never heard of") == 0)
        #expect(try names(classifier, seed: 620) == ["star", "unidentified", "penny", "nut"])
        // If a label is learned again, it keeps its number. With more images of a label, the label is found more
        // easily.
        #expect(try classifier.learn(try picture(of: Self.things[1], seed: 641), as: "button") == 2)
        #expect(try classifier.learn(try picture(of: Self.things[1], seed: 642), as: "button") == 2)
        #expect(try names(classifier, seed: 620) == ["star", "button", "penny", "nut"])
        #expect(classifier.forget("button") == 2)
        #expect(classifier.samples.map(\.label) == [1, 3, 4])
    }

    @Test("a photo of a thing on its ground is learned like the thing in a frame, but without its size")
    func photos() throws {
        let classifier = try BlobClassifier(settings: ClassifierSettings())
        for (index, thing) in Self.things.enumerated() {
            let scene = try PaperScene(thing, seed: 650 + UInt64(index))
            let photo = try BlobPicture(photo: scene.picture.image, hasAlpha: false)
            #expect(photo.width < scene.picture.width && photo.height < scene.picture.height)
            try classifier.learn(photo, as: thing.name)
            let seen = try picture(of: thing, seed: 650 + UInt64(index))
            #expect(photo.pixels == seen.pixels && photo.outline == seen.outline)
            #expect(try classifier.classify(seen).distance < 0.1)
        }
        #expect(classifier.samples.map(\.sizePer10000) == [nil, nil, nil, nil])
        #expect(try names(classifier, seed: 620) == ["star", "button", "penny", "nut"])
    }

    @Test("a photo of nothing but ground is learned as a whole")
    func groundAlone() throws {
        let ground = ColorPicture(width: 80, height: 60)
        let photo = try BlobPicture(photo: ground.image, hasAlpha: false)
        #expect(photo.width == 80 && photo.height == 60 && photo.outline == nil)
    }

    @Test("if the pattern of a label varies, or is known from one image only, outline and colour are sufficient")
    func randomPatterns() throws {
        let classifier = try learned()
        try classifier.learn(try picture(of: Thing.spotted(seed: 1), seed: 660), as: "bean")
        let others = (2..<10).map { Thing.spotted(seed: $0) }
        func named() throws -> Int {
            try others.enumerated().count { index, bean in
                try classifier.classify(try picture(of: bean, seed: 670 + UInt64(index))).name == "bean"
            }
        }
        #expect(try named() >= 7)
        try classifier.learn(try picture(of: Thing.spotted(seed: 10), seed: 661), as: "bean")
        #expect(try named() >= 7)
        // Beans of another colour, and the other objects
        let green = Thing.spotted(seed: 11, [90, 170, 80], spots: [200, 210, 220])
        #expect(try classifier.classify(try picture(of: green, seed: 690)).label == 0)
        #expect(try names(classifier, seed: 620) == ["star", "button", "penny", "nut"])
    }

    @Test("nothing learned: nothing identified")
    func empty() throws {
        for settings in [ClassifierSettings(), .classic] {
            let classifier = BlobClassifier(settings: settings, labels: ["?"])
            let answer = try classifier.classify(try picture(of: Self.things[0], seed: 1))
            #expect(answer == BlobAnswer(label: 0, name: "?", distance: .infinity, confidence: 1))
            #expect(BlobClassifier(settings: settings, labels: []).labels == ["unidentified"])
        }
    }

    @Test("a label that is none")
    func labels() throws {
        let classifier = BlobClassifier(settings: ClassifierSettings(), labels: ["?", "a"])
        let picture = try picture(of: Self.things[0], seed: 1)
        for label in [-1, 2, .max] {
            let error = #expect(throws: VisionError.self) { try classifier.learn(picture, label: label) }
            #expect(error?.description == "label \(label) does not exist. The labels are 0 to 1.")
        }
        try classifier.learn(picture, label: 1)
        #expect(try classifier.classify(picture).name == "a")
    }

    @Test("what was learned is kept as a training list with pictures, and learned from them again")
    func keeping() throws {
        let classifier = try learned()
        classifier.forget("button")
        let (list, pictures) = classifier.exported()
        #expect(list.labelDescriptions == ["unidentified", "star", "button", "penny", "nut"])
        #expect(list.blobs.map(\.imageFilename) == ["star.png", "penny.png", "nut.png"])
        #expect(list.blobs.map(\.label) == [1, 3, 4] && pictures.count == 3)

        let read = try TrainingList(try list.propertyList(), folder: "f")
        let again = BlobClassifier(settings: ClassifierSettings(), labels: read.labelDescriptions)
        for (entry, picture) in zip(read.blobs, pictures) {
            // Files contain neither the box nor the outline.
            let plain = try picture.withImage { try BlobPicture($0) }
            #expect(plain.outline == nil)
            try again.learn(
                plain, label: entry.label, name: entry.imageFilename, sizePer10000: entry.sizePer10000)
        }
        #expect(try names(again, seed: 650) == ["star", "unidentified", "penny", "nut"])
        #expect(again.exported().list.blobs == list.blobs)
    }

    @Test("names of files are such, and each is there once")
    func fileNames() throws {
        let classifier = BlobClassifier(settings: .classic)
        let picture = try picture(of: Self.things[0], seed: 1)
        let long = String(repeating: "ü", count: 300)
        for label in ["pinto bean", "pinto bean", "Pinto Bean", "a/b", "../c", "", "x\0y\nz", "1.5 mm", long, "é.png"] {
            try classifier.learn(picture, as: label)
        }
        try classifier.learn(picture, label: 0, name: "sub/folder/coin.jpeg")
        let names = classifier.exported().list.blobs.map(\.imageFilename)
        #expect(
            names.prefix(3) == ["pinto bean.png", "pinto bean_1.png", "Pinto Bean_2.png"]
                || names.prefix(3) == ["pinto bean.png", "pinto bean_1.png", "Pinto Bean_1.png"])
        #expect(Set(names.map { $0.lowercased() }).count == 11)
        for name in names {
            #expect(name.hasSuffix(".png") && name.utf8.count < 200 && !name.hasPrefix("."))
            #expect(!name.contains("/") && !name.contains("\0") && !name.contains("\n"))
        }
        #expect(names[9] == "é.png" && names[10] == "sub_folder_coin.png")
    }

    @Test("pictures are kept at a size that suits")
    func sizes() throws {
        let large = ColorPicture(width: 3000, height: 2000)
        large.frame.fill(large.frame.bounds, color: 0xFF_E0_DC_D8)
        large.frame.disc(Point(1500, 1000), radius: 900, color: 0xFF_90_40_28)
        let classifier = BlobClassifier(settings: ClassifierSettings())
        try classifier.learn(try BlobPicture(large), as: "disc")
        let kept = try #require(classifier.samples.first).picture
        #expect(kept.width * kept.height <= 401_000 && abs(kept.width * 2 - kept.height * 3) <= 3)
        #expect(kept.box == Rectangle(width: kept.width, height: kept.height))
        #expect(kept.pixels.count == kept.width * kept.height * 3)
    }
}
