// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Foundation
import Imaging
import Vision

/// Runs svblobdetect's search on an image. Writes the image of each stage to a folder, and prints the decisions.
///
///     swift run blob-lab image.jpg folder ground=uneven min-size=0.05
@main
enum BlobLab {
    static func main() {
        guard let options = LabOptions(Array(CommandLine.arguments.dropFirst())) else {
            fail("usage: blob-lab IMAGE FOLDER [PROPERTY=VALUE ...] [training=SET]\n\(LabOptions.help)", status: 2)
        }
        gst_init(nil, nil)
        do {
            try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
            try search(try Picture.load(options.image), options)
        } catch {
            fail(ElementError(error).message, status: 1)
        }
    }

    private static func search(_ picture: Picture, _ options: LabOptions) throws {
        let (detector, record) = (BlobDetector(settings: options.settings), DecisionRecord())
        let blobs = try picture.withImage { try detector.blobs(in: FrameImage($0), record: record) } ?? []
        try picture.writePNG(to: "\(options.folder)/image.png")
        for stage in BlobDetector.Stage.allCases {
            let drawn = try picture.withImage { image in
                try Picture.drawn(over: image) { try detector.draw(stage, blobs, color: 0xFF00_FF00, on: $0) }
            }
            try drawn??.writePNG(to: "\(options.folder)/\(stage).png")
        }
        let lines = record.decisions.map { "\($0)\n" }.joined()
        try lines.write(toFile: "\(options.folder)/decisions.txt", atomically: true, encoding: .utf8)
        if let training = options.training {
            let text = try picture.withImage { try distances(of: blobs, in: FrameImage($0), training) } ?? ""
            try text.write(toFile: "\(options.folder)/distances.txt", atomically: true, encoding: .utf8)
        }
        print("\(options.folder): \(blobs.count) blobs, \(record.decisions.count) decisions; \(detector.times)")
    }

    /// Returns a line for each blob and each label: the distance from the nearest training image, and its parts.
    private static func distances(of blobs: [Blob], in frame: FrameImage, _ path: String) throws -> String {
        let set = try TrainingSet(path) { false }
        let classifier = BlobClassifier(settings: ClassifierSettings(), labels: set.labels)
        for sample in set.samples {
            try classifier.learn(
                sample.picture, label: sample.label, name: sample.name, sizePer10000: sample.sizePer10000)
        }
        var lines = ""
        for blob in blobs {
            let (box, all) = (Rectangle(blob.box), try classifier.sampleDistances(of: BlobPicture(blob, in: frame)))
            let pairs = zip(classifier.samples, all).sorted { $0.1.total < $1.1.total }
            var known: Set<Int> = []
            for (sample, distance) in pairs where known.insert(sample.label).inserted {
                func number(_ value: Double) -> String { String(format: "%.3f", value) }
                lines += "\(box.x),\(box.y) \(box.width)x\(box.height)  \(classifier.labels[sample.label])  "
                lines += "\(number(distance.total)): "
                let parts = [
                    ("outline", distance.outline), ("pattern", distance.pattern), ("colour", distance.color),
                ]
                let isCompared = parts.contains { $0.1 != 0 }
                let texts = isCompared ? parts.map { "\($0) \(number($1))" } : ["not compared closely"]
                lines += texts.joined(separator: "  ") + "\n"
            }
        }
        return lines
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

extension Picture {
    /// Returns a copy of an image, on which `body` has drawn.
    fileprivate static func drawn(over image: Image, _ body: (FrameImage) throws -> Void) throws -> Picture? {
        let copy = OwnedImage(image.format, width: image.width, height: image.height)
        copy.image.copy(from: image)
        try body(FrameImage(copy.image))
        return withExtendedLifetime(copy) { Picture(copying: copy.image) }
    }
}
