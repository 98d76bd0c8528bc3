// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Foundation
import Imaging
import Testing
import Vision

/// A grey image with its own memory. The code that creates an image fills it before another thread uses it.
final class GrayPicture: @unchecked Sendable {
    let width: Int
    let height: Int
    let stride: Int
    let pixels: UnsafeMutablePointer<UInt8>

    init(width: Int, height: Int, padding: Int = 0, level: UInt8 = 0) {
        self.width = width
        self.height = height
        stride = width + padding
        pixels = .allocate(capacity: max(1, stride * height))
        pixels.initialize(repeating: level, count: max(1, stride * height))
    }

    convenience init(bytes: Data.SubSequence, width: Int, height: Int) {
        self.init(width: width, height: height)
        bytes.copyBytes(to: pixels, count: min(bytes.count, width * height))
    }

    deinit {
        pixels.deallocate()
    }

    var image: Image { Image(base: pixels, width: width, height: height, stride: stride, format: .gray8) }

    subscript(x: Int, y: Int) -> UInt8 {
        get { pixels[y * stride + x] }
        set { pixels[y * stride + x] = newValue }
    }

    func cropped(x: Int, y: Int, width: Int, height: Int) -> GrayPicture {
        let part = GrayPicture(width: width, height: height)
        for row in 0..<height {
            for column in 0..<width { part[column, row] = self[x + column, y + row] }
        }
        return part
    }
}

// An `Image` does not keep its `GrayPicture` alive, so the following functions do.

extension FaceDetector {
    func faces(in picture: GrayPicture) throws -> [Face] {
        try withExtendedLifetime(picture) { try faces(in: picture.image) }
    }
}

extension FaceTracker {
    func faces(in picture: GrayPicture, frame: Int, searching: Searching = .here) throws -> [Face] {
        try withExtendedLifetime(picture) { try faces(in: picture.image, frame: frame, searching: searching) }
    }
}

/// The images and the clip that are not part of the repository.
enum RealData {
    /// Folder of the files: `SWIFTVISION_DATA`, or `../shared/data` beside the repository. Nil if the folder does not
    /// exist.
    static let folder: URL? = {
        let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder =
            ProcessInfo.processInfo.environment["SWIFTVISION_DATA"].map { URL(fileURLWithPath: $0) }
            ?? repository.deletingLastPathComponent().appendingPathComponent("shared/data")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    static let isPresent: Bool = folder != nil
    static let absence: Comment = "no real data: neither SWIFTVISION_DATA nor ../shared/data is there"

    /// The 120 frames of the clip carphone, 176x144 pixels.
    static let carphone = frames("clips/carphone.mp4", "decodebin", width: 176, height: 144)
    /// The image of the astronaut, 512x512 pixels.
    static let astronaut = frames("faces/astronaut.png", "pngdec", width: 512, height: 512)

    private static func frames(_ path: String, _ decoder: String, width: Int, height: Int) -> [GrayPicture] {
        guard let file = folder?.appendingPathComponent(path) else { return [] }
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).gray")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "60", "gst-launch-1.0", "-q", "filesrc", "location=\(file.path)", "!", decoder, "!"]
            + ["videoconvert", "!", "video/x-raw,format=GRAY8", "!", "filesink", "location=\(output.path)"]
        guard (try? process.run()) != nil else { return [] }
        process.waitUntilExit()
        guard let data = try? Data(contentsOf: output) else { return [] }
        let size = width * height
        return (0..<data.count / size).map {
            GrayPicture(bytes: data[$0 * size..<($0 + 1) * size], width: width, height: height)
        }
    }
}

/// Returns the path of a cascade in Debian's package opencv-data.
func cascadePath(_ name: String) throws -> String { try CascadeLibrary().path(of: name) }

/// Returns the detections of OpenCV, without the code of this project. See COpenCVCheck.h.
func openCVFinds(
    _ picture: GrayPicture, scale: Double, cascade: String, part: Rectangle? = nil, scaleFactor: Double,
    minNeighbors: Int, minSize: Int = 0, minFraction: Double = 0
) throws -> Set<Rectangle> {
    var found = [SVCheckRectangle](repeating: SVCheckRectangle(), count: 4096)
    let part = part.map {
        SVCheckRectangle(x: Int32($0.x), y: Int32($0.y), width: Int32($0.width), height: Int32($0.height))
    }
    let count = sv_check_detect(
        picture.pixels, Int32(picture.width), Int32(picture.height), picture.stride, scale, try cascadePath(cascade),
        part ?? SVCheckRectangle(), scaleFactor, Int32(minNeighbors), Int32(minSize), minFraction, &found,
        Int32(found.count))
    try #require(count >= 0 && Int(count) <= found.count)
    return Set(
        found.prefix(Int(count)).map {
            Rectangle(x: Int($0.x), y: Int($0.y), width: Int($0.width), height: Int($0.height))
        })
}
