// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Foundation
import Imaging
import Scenes
import TestSupport
import Testing

/// Tests of the program `blob-lab`.
@Suite("blob-lab")
struct BlobLabTests {
    private func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = programs.appendingPathComponent("blob-lab")
        process.arguments = words
        // GLib does not free all memory at the end of a program.
        process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test("An image becomes an image of each stage, and a text with the decisions")
    func stages() throws {
        #expect(GStreamer.isReady)
        let (coins, folder) = (try DrawnCoins.of(4), try TemporaryFolder())
        let image = try folder.write(coins.picture, "coins.png")
        let results = folder.file("results")
        let (status, output) = try run([image, results, "std-devs=5"])
        #expect(status == 0, "\(output)")
        for stage in ["image", "mask", "background", "shadows", "candidates", "outlines"] {
            let size = try Picture.load("\(results)/\(stage).png").size
            #expect(size == PixelSize(width: coins.picture.width, height: coins.picture.height), "\(stage)")
        }
        let lines = try String(contentsOfFile: "\(results)/decisions.txt", encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("frame ") && $0.hasSuffix("kept") } == coins.actors.count, "\(lines)")
    }

    @Test("With a training set, a text contains the distance of each blob from each label")
    func distances() throws {
        #expect(GStreamer.isReady)
        let (coins, folder) = (try DrawnCoins.of(1), try TemporaryFolder())
        let image = try folder.write(coins.picture, "coins.png")
        let training = try DrawnTraining.shared.folder.path
        let (status, output) = try run([image, folder.path, "training=\(training)"])
        #expect(status == 0, "\(output)")
        let lines = try String(contentsOfFile: folder.file("distances.txt"), encoding: .utf8).split(separator: "\n")
        let label = try #require(coins.actors.first?.object?.label)
        // The first line of a blob is about the nearest label.
        #expect(lines.first?.contains("  \(label)  0.") == true, "\(lines)")
        #expect(lines.first?.contains(#/: outline 0\.\d{3}  pattern 0\.\d{3}  colour 0\.\d{3}$/#) == true, "\(lines)")
    }

    @Test("Unknown properties and missing images are errors")
    func errors() throws {
        let folder = try TemporaryFolder()
        #expect(try run(["a.png", folder.file("a"), "size=3"]).status == 2)
        let (status, output) = try run(["/nonexistent.png", folder.file("a")])
        #expect(status == 1 && output.contains("/nonexistent.png"), "\(output)")
    }
}
