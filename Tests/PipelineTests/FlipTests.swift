// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the key `flip=` of `./launch`.
@Suite struct FlipTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func launch(_ words: [String]) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
    }

    /// Writes an image or a video of 64x48 pixels. The upper left corner is red, and the rest is green.
    private func make(_ name: String) throws {
        let encoder = name.hasSuffix(".png") ? "pngenc" : "jpegenc ! avimux"
        try Program.launch(
            "videotestsrc num-buffers=\(name.hasSuffix(".png") ? 1 : 5) pattern=solid-color foreground-color=0xffff0000"
                + " ! video/x-raw,format=RGB,width=40,height=24,framerate=10/1"
                + " ! videobox border-alpha=1 right=-24 bottom=-24 fill=green ! videoconvert ! \(encoder)"
                + " ! filesink location=\(folder.path(name))"
        ).expectSuccess(name)
    }

    /// Returns the size of an image, and the corners that are red.
    private func corners(of name: String) throws -> (size: String, red: [String]) {
        let header = try #require(FileManager.default.contents(atPath: folder.path(name)))
        let (width, height) = (Int(header[18]) << 8 | Int(header[19]), Int(header[22]) << 8 | Int(header[23]))
        try Program.decode(
            "filesrc location=\(name) ! pngdec ! videoconvert ! video/x-raw,format=RGB ! filesink location=out.rgb",
            in: folder.path
        ).expectSuccess(name)
        let bytes = try #require(FileManager.default.contents(atPath: folder.path("out.rgb")))
        try #require(bytes.count == 3 * width * height, "rows without padding")
        let places = [
            ("top left", 2, 2), ("top right", width - 3, 2), ("bottom left", 2, height - 3),
            ("bottom right", width - 3, height - 3),
        ]
        let red = places.filter { bytes[3 * ($0.2 * width + $0.1)] > 180 }.map { $0.0 }
        return ("\(width)x\(height)", red)
    }

    static let flips: [(flip: String, size: String, corner: String)] = [
        ("none", "64x48", "top left"), ("mirror", "64x48", "top right"), ("90", "48x64", "top right"),
        ("180", "64x48", "bottom right"), ("270", "48x64", "bottom left"),
    ]

    @Test(arguments: ["still.png", "video.avi"], flips)
    func filesAreFlipped(_ source: String, _ expected: (flip: String, size: String, corner: String)) throws {
        try make(source)
        let printed = try launch([
            "filters", "source=\(source)", "filters=gamma", "flip=\(expected.flip)", "sink=out.png", "frames=2",
        ])
        printed.expectSuccess(expected.flip)
        let outcome = try Program.shell(printed.output, in: folder.path)
        outcome.expectSuccess(printed.output)
        #expect(outcome.complaints.isEmpty, "\(outcome.errors)")
        let (size, red) = try corners(of: "out.png")
        #expect(size == expected.size && red == [expected.corner])
    }

    /// `size=` is the size after the flip.
    @Test(arguments: ["test", "still.png", "video.avi"], flips.map { $0.flip })
    func theSizeIsTheSizeOfTheResult(_ source: String, _ flip: String) throws {
        if source != "test" { try make(source) }
        let printed = try launch([
            "filters", "source=\(source)", "filters=gamma", "flip=\(flip)", "size=96x32", "sink=out.png", "frames=2",
        ])
        printed.expectSuccess(flip)
        try Program.shell(printed.output, in: folder.path).expectSuccess(printed.output)
        #expect(try corners(of: "out.png").size == "96x32")
    }

    @Test func withoutAFlipNoElementIsAdded() throws {
        for keys in [[], ["flip=none"]] {
            #expect(try !launch(["blend", "sink=null"] + keys).output.contains("videoflip"))
        }
    }

    @Test(arguments: ["up", "45", "-90", "mirror,90"]) func otherFlipsAreRefused(_ flip: String) throws {
        let outcome = try launch(["blend", "flip=\(flip)"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("flip=\(flip): use none, mirror, 90, 180 or 270"), "\(outcome.errors)")
    }
}
