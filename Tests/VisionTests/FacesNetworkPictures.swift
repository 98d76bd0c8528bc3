// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

extension RealData {
    /// The network that detects faces. Nil if the file is missing.
    static let model: FaceModel? = folder.flatMap {
        try? FaceModel(path: $0.appendingPathComponent("models/face_detection_yunet_2023mar.onnx").path)
    }

    static let hasModel = model != nil
    static let noModel: Comment = "no models/face_detection_yunet_2023mar.onnx in the real data"

    /// Decodes an image file to colour.
    static func color(_ path: String, _ decoder: String = "pngdec") throws -> RealPicture {
        let file = try #require(folder).appendingPathComponent(path)
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).ppm")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "60", "gst-launch-1.0", "-q", "filesrc", "location=\(file.path)", "!", decoder, "!"]
            + [
                "videoconvert", "!", "video/x-raw,format=RGB", "!", "pnmenc", "!", "filesink",
                "location=\(output.path)",
            ]
        try process.run()
        process.waitUntilExit()
        var bytes = [UInt8](try Data(contentsOf: output))
        // The last line of the header is 255, the maximum level.
        let head = String(decoding: bytes.prefix(200), as: UTF8.self)
        let lines = head.split(separator: "\n").prefix { $0 != "255" }
        let size = try #require(lines.last).split(separator: " ").compactMap { Int($0) }
        try #require(size.count == 2 && bytes.count >= 3 * size[0] * size[1])
        return bytes.withUnsafeMutableBytes { bytes in
            let start = bytes.count - 3 * size[0] * size[1]
            let image = Image(
                base: bytes.baseAddress.map { $0 + start }
                    ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1),
                width: size[0], height: size[1], stride: 3 * size[0], format: .rgb)
            return RealPicture(copying: image)
        }
    }
}

/// Real faces of ten people.
enum HardFaces {
    /// - Parameter perPerson: number of images per person, for people with several images.
    static func originals(perPerson count: Int = 3) throws -> [RealFace] {
        let fleur = try RealData.color("stills/Fleur.jpg", "jpegdec")
        var faces = [
            RealFace(
                person: "astronaut", picture: try RealData.color("faces/astronaut.png"), center: Point(223, 118),
                size: 110),
            RealFace(person: "man with a rose", picture: fleur, center: Point(804, 312), size: 92),
            RealFace(person: "woman with a rose", picture: fleur, center: Point(458, 352), size: 92),
            RealFace(
                person: "man with a hat", picture: try RealData.color("stills/Piggy.png"), center: Point(488, 325),
                size: 273),
        ]
        for frame in [0, 40, 110].prefix(count) {
            let picture = try #require(RealData.carphone.dropFirst(frame).first)
            let center = CarphoneTruth.center(frame)
            faces.append(
                RealFace(
                    person: "carphone", picture: withExtendedLifetime(picture) { RealPicture(copying: picture.image) },
                    center: Point(center.x, center.y - 2), size: 62))
        }
        for (name, number, picture) in try RealFaces.pictures(1...10) where [1, 4, 7].prefix(count).contains(number) {
            faces.append(
                RealFace(
                    person: name, picture: withExtendedLifetime(picture) { RealPicture(copying: picture.image) },
                    center: Point(11.5, 14.5), size: 23))
        }
        return faces
    }

    /// Returns parts of real images that show no human face.
    static func faceless(perPicture count: Int = 12) throws -> [RealPicture] {
        let sources: [(path: String, faces: [Rectangle])] = [
            ("stills/coins.png", []), ("beancounter/PintoBean_000.png", []), ("beancounter/RomanoBean_000.png", []),
            ("beancounter/CanadianDime_Tails_000.png", []), ("beancounter/CanadianQuarter_Tails_000.png", []),
            ("beancounter/Toonie_Tails_000.png", []), ("beancounter/Loonie_Tails_000.png", []),
            ("stills/chelsea.png", []), ("stills/Fleur.jpg", [Rectangle(x: 380, y: 230, width: 520, height: 260)]),
            ("stills/Piggy.png", [Rectangle(x: 300, y: 60, width: 380, height: 480)]),
            ("faces/astronaut.png", [Rectangle(x: 140, y: 20, width: 170, height: 190)]),
        ]
        return try sources.enumerated().flatMap { index, source in
            try RealData.color(source.path, source.path.hasSuffix("jpg") ? "jpegdec" : "pngdec")
                .faceless(count, beside: source.faces, seed: UInt64(index + 1))
        }
    }
}

extension FaceDetector {
    func faces(in picture: RealPicture) throws -> [Face] {
        try withExtendedLifetime(picture) {
            try faces(in: picture.gray.image, colors: FrameImage(picture.colors.image))
        }
    }
}
