// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import Imaging
import Scenes
import TestSupport
import Vision

/// Valid data that cases use or corrupt: files in a folder, and frames.
final class Goods {
    let folder: TemporaryFolder
    /// The folder to which cases may write: the current folder.
    let scratch: String
    /// The folder of the repository.
    let root = FileManager.default.currentDirectoryPath
    let pictures: [String]
    /// A cascade that detects some faces in most frames and loads quickly.
    let selective: String
    /// The contents of valid files, by file name extension.
    private(set) var contents: [String: [[UInt8]]] = [:]
    /// Frames in which the detectors detect something.
    let frames: [TestFrame]
    /// The contents of real networks; empty if their files do not exist.
    let networks: [[UInt8]]

    init() throws {
        folder = try TemporaryFolder()
        scratch = folder.file("scratch")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        guard FileManager.default.changeCurrentDirectoryPath(scratch) else { throw TestFailure("no folder") }
        networks = Self.realNetworks(root)
        frames = try Self.drawnFrames()
        pictures = try Self.writePictures(to: folder)
        contents["picture"] = try pictures.map { try TestSupport.contents(of: $0) }
        contents["svg"] = [Array(Self.drawing.utf8)]
        contents["xml"] = [SmallCascades.haar, SmallCascades.lbp, SmallCascades.old].map { Array($0.utf8) }
        contents["onnx"] = [
            SmallNetwork.file(), SmallNetwork.file(boxNumbers: 5), SmallCenterFace.file(), SmallEmbedding.file(),
        ]
        contents["yml"] = [Array(try Self.model().utf8), Array(Self.vectors.utf8)]
        contents["cube"] = Self.cubes.map { Array($0.utf8) }
        contents["plist"] = try Self.trainingLists()
        // With the higher threshold, the cascade rejects most positions.
        selective = try folder.write(
            Array(SmallCascades.haar.replacing("<stageThreshold>-1.", with: "<stageThreshold>0.7").utf8),
            "selective.xml")
        for (kind, files) in contents where kind != "picture" {
            for (number, bytes) in files.enumerated() { try folder.write(bytes, "good\(number).\(kind)") }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    /// Returns the paths of valid files of a type.
    func files(_ kind: String) -> [String] {
        kind == "picture"
            ? pictures : (contents[kind] ?? []).indices.map { folder.file("good\($0).\(kind)") }
    }

    /// Deletes the files that cases have written.
    func cleanUp() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? [] {
            try? FileManager.default.removeItem(atPath: "\(scratch)/\(name)")
        }
    }

    // MARK: - Frames and pictures

    private static func drawnFrames() throws -> [TestFrame] {
        try [Scene.Kind.both, .coins, .things, .people, .logo].map { kind in
            var picture = TestFrame(.bgra, 160, 120, color: Color(gray: 200))
            try picture.bytes.withUnsafeMutableBytes { bytes in
                let base = try required(bytes.baseAddress, "no bytes")
                let image = Image(base: base, width: 160, height: 120, stride: 640, format: .bgra)
                ScenePainter(Scene(kind, count: 2, seed: 3, width: 160, height: 120))
                    .draw(on: FrameImage(image), at: 0)
            }
            return picture
        }
    }

    private static func writePictures(to folder: TemporaryFolder) throws -> [String] {
        var logo = TestFrame(.bgra, 64, 64, color: Color(gray: 200))
        try logo.bytes.withUnsafeMutableBytes { bytes in
            let base = try required(bytes.baseAddress, "no bytes")
            SceneLogo.draw(on: FrameImage(Image(base: base, width: 64, height: 64, stride: 256, format: .bgra)))
        }
        let noise = TestFrame(.rgb, 17, 13, seed: 4)
        var paths = [
            try folder.write(logo, "logo.png"), try folder.write(noise, "noise.png"),
            try folder.write(noise, "noise.jpg", encoder: "jpegenc"),
            try folder.write(noise, "noise.pnm", encoder: "pnmenc"),
            folder.file("good0.svg"),
        ]
        try folder.write(oriented(TestSupport.contents(of: paths[2]), 6), "turned.jpg")
        paths.append(folder.file("turned.jpg"))
        try folder.write(bitmap, "small.bmp")
        paths.append(folder.file("small.bmp"))
        try folder.write(Array(drawing.utf8), "good0.svg")
        return paths
    }

    private static let drawing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="24" height="18" viewBox="0 0 48 36">
        <rect x="2" y="3" width="20" height="10" fill="#ff8000"/><circle cx="30" cy="20" r="9" opacity="0.5"/></svg>
        """

    /// A bitmap of 2x2 pixels with 24 bits per pixel.
    private static let bitmap: [UInt8] =
        [0x42, 0x4D, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]
        + [0, 0, 0, 0, 16, 0, 0, 0, 19, 11, 0, 0, 19, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]

    // MARK: - Other files

    private static func realNetworks(_ root: String) -> [[UInt8]] {
        let data = ProcessInfo.processInfo.environment["SWIFTVISION_DATA"] ?? root + "/../shared/data"
        return [
            "face_detection_yunet_2023mar.onnx", "yunet_n_640_640.onnx", "centerface.onnx", "MobileFaceNet.onnx",
        ].compactMap { try? TestSupport.contents(of: "\(data)/models/\($0)") }
    }

    private static func model() throws -> String {
        var gallery = Gallery()
        for (number, name) in ["Ada", "Ada", "Ben", "Ben"].enumerated() {
            let pixels = TestFrame(.gray8, FaceSample.side, FaceSample.side, seed: UInt64(number)).bytes
            if let sample = FaceSample(pixels: pixels) { gallery.add(sample, of: name) }
        }
        return ModelFile(gallery: gallery, algorithm: .lbph).text
    }

    /// A model file with face embeddings of a network.
    private static var vectors: String {
        var gallery = Gallery()
        let network = String(repeating: "5", count: 64)
        for (name, values) in [("Ada", [0.6, 0.8, 0]), ("Ada", [0.8, 0.6, 0]), ("Ben", [0, 0, 1])]
            as [(String, [Float])]
        {
            if let face = FaceEmbedding(values: values, network: network) { gallery.add(.embedding(face), of: name) }
        }
        return ModelFile(gallery: gallery, algorithm: .embedding, network: network).text
    }

    private static let cubes = [
        """
        # a lattice
        TITLE "two"
        LUT_3D_SIZE 2
        DOMAIN_MIN 0.0 0.0 0.0
        DOMAIN_MAX 1.0 1.0 1.0
        0 0 0
        1 0 0
        0 1 0
        1 1 0
        0 0 1
        1 0 1
        0 1 1
        1 1 1

        """,
        "LUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE 0 1\n0 0 0\n0.25 0.5 0.75\n1 1 1\n",
    ]

    private static func trainingLists() throws -> [[UInt8]] {
        let list: [String: Any] = [
            "labelDescriptions": ["unidentified", "logo", "noise"],
            "blobs": [
                ["imageFilename": "logo.png", "label": 1], ["imageFilename": "noise.png", "label": 2],
            ],
        ]
        let formats: [PropertyListSerialization.PropertyListFormat] = [.xml, .binary]
        return try formats.map {
            Array(try PropertyListSerialization.data(fromPropertyList: list, format: $0, options: 0))
        } + [Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys]))]
    }
}
