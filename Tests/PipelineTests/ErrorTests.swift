// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of error messages for users.
@Suite struct ErrorTests {
    /// Expects that a file is rejected with an error that contains these words.
    private func expectRefusal(of path: String, _ words: String, in folder: ScratchFolder) throws {
        let blend = try Program.launch("videotestsrc num-buffers=5 ! svblend location='\(path)' ! fakesink")
        let mask = try Program.launch(
            "videotestsrc num-buffers=5 ! svblend location=\(Repository.foreground) mask='\(path)' ! fakesink")
        let mixer = try Program.launch(
            "svmixer name=m sink_0::mask='\(path)' ! fakesink videotestsrc num-buffers=5 ! m.")
        for outcome in [blend, mask, mixer] {
            #expect(outcome.status != 0)
            #expect(!outcome.timedOut)
            #expect(outcome.errors.contains("cannot read \"\(path)\": \(words)"), "\(outcome.errors)")
        }
    }

    @Test func missingFile() throws {
        let folder = try ScratchFolder()
        try expectRefusal(of: folder.path("no such picture.png"), "no such file", in: folder)
    }

    @Test func folderInPlaceOfAFile() throws {
        let folder = try ScratchFolder()
        try expectRefusal(of: folder.path, "it is a folder", in: folder)
    }

    @Test(arguments: ["", "This is not a picture.\n", "\u{89}PNG\r\n\u{1A}\n", "BM"])
    func notAPicture(_ content: String) throws {
        let folder = try ScratchFolder()
        let path = folder.path("broken.png")
        try Data(content.unicodeScalars.map { UInt8($0.value) }).write(to: URL(fileURLWithPath: path))
        try expectRefusal(of: path, "not a supported image", in: folder)
    }

    @Test(arguments: [0.1, 0.5, 0.9, 0.999]) func cutOffPicture(_ share: Double) throws {
        let folder = try ScratchFolder()
        let path = folder.path("cut.png")
        let whole = try #require(FileManager.default.contents(atPath: Repository.foreground))
        try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: path))
        try expectRefusal(of: path, "not a supported image", in: folder)
    }

    /// A header with 20,000 x 20,000 pixels is rejected immediately because of its size, without allocating memory.
    @Test func hugePictureIsRefused() throws {
        let folder = try ScratchFolder()
        let path = folder.path("huge.png")
        let whole = try #require(FileManager.default.contents(atPath: Repository.foreground))
        var bytes = [UInt8](whole)
        // Width and height, then a checksum of the header. Decoders check this checksum.
        let header: [UInt8] = [0x49, 0x48, 0x44, 0x52, 0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20] + bytes[24..<29]
        bytes.replaceSubrange(12..<33, with: header + bigEndianBytes(crc32(header)))
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let outcome = try Program.launch("videotestsrc num-buffers=5 ! svblend location=\(path) ! fakesink", limit: 10)
        #expect(!outcome.timedOut)
        #expect(outcome.status != 0)
        #expect(
            outcome.errors.contains("cannot read \"\(path)\": 20000x20000 pixels are more than"), "\(outcome.errors)")
    }

    private func crc32(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~value
    }

    private func bigEndianBytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The first frame of a video is used.
    @Test func videoFileIsAPicture() throws {
        let folder = try ScratchFolder()
        let path = folder.path("clip.mkv")
        try Program.launch("videotestsrc num-buffers=5 ! x264enc ! matroskamux ! filesink location=\(path)")
            .expectSuccess("recording")
        let outcome = try Program.launch("videotestsrc num-buffers=5 ! svblend location=\(path) ! fakesink", limit: 10)
        outcome.expectSuccess("a video as the foreground")
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: ["mode=sreen", "mode=77", "fit=fill", "capture-every=soon", "capture-every=2s", "bogus=1"])
    func wrongValueIsRefused(_ setting: String) throws {
        let outcome = try Program.launch("videotestsrc num-buffers=5 ! svblend \(setting) ! fakesink")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains(setting.split(separator: "=")[0]), "\(outcome.errors)")
    }

    @Test func wrongFormatIsRefused() throws {
        let outcome = try Program.launch("videotestsrc num-buffers=5 ! video/x-raw,format=Y41B ! svblend ! fakesink")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("svblend"))
    }

    /// If a snapshot cannot be written, this is only a warning.
    @Test func unwritableSnapshotDoesNotStopTheStream() throws {
        let outcome = try Program.launch(
            "videotestsrc is-live=true num-buffers=15"
                + " ! svblend snapshot-every=5000000000 snapshot-location=/does/not/exist-%d.png ! fakesink",
            options: [])
        outcome.expectSuccess("the stream")
        #expect((outcome.output + outcome.errors).contains("cannot write \"/does/not/exist-0.png\""))
    }

    /// If the disk is full, no empty files remain. Here, files can have at most 8 KB.
    @Test func fullDiskLeavesNoSnapshots() throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let outcome = try Program.shell(
            "trap '' XFSZ; ulimit -f 8; exec gst-launch-1.0 videotestsrc is-live=true num-buffers=31 pattern=snow"
                + " ! video/x-raw,width=320,height=240,framerate=30/1"
                + " ! svblend snapshot-every=400000000 snapshot-location=%d.png ! fakesink",
            in: folder.path)
        outcome.expectSuccess("the stream")
        // Each attempt uses the first free number again.
        #expect((outcome.output + outcome.errors).matches(of: #/WARNING: .* cannot write "0\.png"/#).count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func snapshotsAreNumberedAndAnnounced() throws {
        let folder = try ScratchFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("shot-001.png")))
        let outcome = try Program.launch(
            "videotestsrc is-live=true num-buffers=31 ! video/x-raw,framerate=30/1"
                + " ! svblend location=\(Repository.foreground) snapshot-every=400000000 snapshot-location=shot-%03d.png"
                + " ! fakesink",
            options: ["-m"], in: folder.path)
        outcome.expectSuccess("the stream")
        for name in ["shot-000.png", "shot-002.png", "shot-003.png"] {
            #expect(folder.text(of: name).contains("IEND"), "\(name)")
        }
        #expect(folder.text(of: "shot-001.png").isEmpty, "what is there is left alone")
        let saved = outcome.output.matches(of: #/svblend, .*event=\(string\)saved, location=\(string\)(shot-\d+\.png)/#)
        #expect(saved.first?.1 == "shot-000.png")
    }

    @Test func capturesAreAnnounced() throws {
        let outcome = try Program.launch(
            "videotestsrc num-buffers=61 ! video/x-raw,framerate=30/1,width=64,height=32"
                + " ! svblend capture-every=1000000000 mode=difference ! fakesink",
            options: ["-m"])
        outcome.expectSuccess("the stream")
        let captured = outcome.output.matches(
            of: #/svblend, .*stream-time=\(guint64\)(\d+), .*=\(string\)captured, width=\(int\)64, height=\(int\)32/#)
        #expect(captured.map { String($0.1) } == ["0", "1000000000", "2000000000"])
        let silent = try Program.launch(
            "videotestsrc num-buffers=61 ! svblend capture-every=1000000000 message=none ! fakesink", options: ["-m"])
        #expect(!silent.output.contains("svblend, "))
    }
}
