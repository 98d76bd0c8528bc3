// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the sinks of `launch` that send the video to servers, other programs and virtual cameras.
@Suite struct LaunchSendTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("stream"), withIntermediateDirectories: true)
    }

    private func launch(_ words: [String], _ environment: [String: String] = [:]) throws -> Outcome {
        try Program.run(
            [Repository.root + "/launch"] + words + ["--print"], in: folder.path, environment: environment)
    }

    /// Creates `clip.mkv`: three seconds of video, 90 frames, with sound.
    private func makeClip() throws {
        try Program.launch(
            "videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=I420,width=160,height=90,framerate=30/1"
                + " ! x264enc tune=zerolatency ! m. audiotestsrc samplesperbuffer=1600 num-buffers=90"
                + " ! audio/x-raw,rate=48000 ! flacenc ! m. matroskamux name=m ! filesink location=\(folder.path("clip.mkv"))"
        ).expectSuccess("a clip")
    }

    /// Returns a port of 127.0.0.1 that no program uses.
    private func freePort(_ type: __socket_type) throws -> Int {
        let file = socket(AF_INET, Int32(type.rawValue), 0)
        try #require(file >= 0)
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, length) == 0 ? getsockname(file, $0, &length) : -1
            }
        }
        try #require(result == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Expects the frames and the sound of `clip.mkv` in a file.
    private func expectClip(in file: String, frames: ClosedRange<Int> = 90...90) throws {
        #expect(frames.contains(try Playback(of: folder.path(file)).count))
        try expectSound("filesrc location=\(folder.path(file))")
    }

    private func expectSound(_ source: String) throws {
        try Program.decode("\(source) ! decodebin expose-all-streams=false caps=audio/x-raw ! fakesink num-buffers=9")
            .expectSuccess("the sound of \(source)")
    }

    // MARK: - Lines

    private static let secret = "geheim-0123"
    private static let key = ["SWIFTVISION_STREAM_KEY": secret]

    @Test(
        arguments: [
            ("rtmp://127.0.0.1/live/", "flvmux streamable=true ! rtmp2sink 'location=rtmp://127.0.0.1/live/***'"),
            ("rtmp://127.0.0.1/live", "flvmux streamable=true ! rtmp2sink 'location=rtmp://127.0.0.1/live/***'"),
            ("RTMPS://a.b:443/x/y/", "flvmux streamable=true ! rtmp2sink 'location=rtmps://a.b:443/x/y/***'"),
            ("rtmp://[::1]:1935/live/", "flvmux streamable=true ! rtmp2sink 'location=\"rtmp://[::1]:1935/live/***\"'"),
            ("srt://a.b:7001", "mpegtsmux alignment=7 ! srtsink uri=srt://a.b:7001 'passphrase=***'"),
            ("srt://:7001", "srtsink uri=srt://:7001 wait-for-connection=false 'passphrase=***'"),
            ("srt://[::1]:7001?latency=40", "srtsink 'uri=\"srt://[::1]:7001?***\"' 'passphrase=***'"),
            (
                "srt://a.b:7001?mode=listener",
                "srtsink 'uri=\"srt://a.b:7001?***\"' wait-for-connection=false 'passphrase=***'"
            ),
            (
                "hls:stream",
                "mpegtsmux ! hlssink target-duration=2 location=stream/segment%05d.ts playlist-length=5"
                    + " max-files=10 playlist-location=stream/index.m3u8"
            ),
            (
                "/dev/video9",
                "'video/x-raw,format=YUY2,width=[2,32768,2],height=[2,32768,2],pixel-aspect-ratio=1/1,framerate=30/1'"
                    + " ! identity drop-allocation=true ! v4l2sink device=/dev/video9"
            ),
        ])
    func linesEndWithTheSink(_ sink: String, _ words: String) throws {
        let outcome = try launch(["blend", "sink=\(sink)"], Self.key)
        outcome.expectSuccess(sink)
        let line = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(line.hasSuffix(words), "\(line)")
        #expect(!(outcome.output + outcome.errors).contains("geheim"))
        // The encoder is the same for all streams. A stream of a test pattern never ends.
        #expect(line.contains("x264enc tune=zerolatency") == !sink.hasPrefix("/dev"))
        #expect(!line.contains("eos-after"))
    }

    @Test(
        arguments: [
            ("rtmp://h/", "names no application"), ("rtmp://", "is not an RTMP address"),
            ("rtmp:///live/", "is not an RTMP address"), ("rtmp://h/a b/", "is not an RTMP address"),
            ("rtmp://h/live/geheim", "contains a stream key"), ("rtmp://h/live/?geheim", "contains a stream key"),
            ("rtmps://geheim@h/live/", "contains a user name or a password"),
            ("srt://h:1?passphrase=geheim12345", "contains a passphrase"),
            ("srt://h:1?passphrase=a b\"geheim", "is not an SRT address"),
            ("srt://h:1?mode=caller&streamid=geheim", "contains a stream ID"), ("srt://h", "is not an SRT address"),
            ("srt://h:0", "is not an SRT address"), ("srt://h:99999", "is not an SRT address"),
            ("hls:", "needs a folder"), ("hls:none", "the folder none does not exist: mkdir 'none'"),
            ("/dev/videos", "use /dev/videoN"), ("whip://h/x", "Debian 12 has no GStreamer element"),
            ("https://geheim@h/x?geheim", "use an address that begins with rtmp://"),
        ])
    func wrongAddressesGiveOneLine(_ sink: String, _ words: String) throws {
        let outcome = try launch(["blend", "sink=\(sink)"], Self.key)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(!outcome.errors.contains("geheim"), "\(outcome.errors)")
    }

    @Test func aShortKeyHidesNoOtherWord() throws {
        let line = try launch(["blend", "sink=rtmp://h/live/"], ["SWIFTVISION_STREAM_KEY": "test"]).output
        #expect(line.contains(" videotestsrc ") && line.contains("location=rtmp://h/live/***'"), "\(line)")
    }

    @Test func aStreamDoesNotReplaceItsSource() throws {
        try makeClip()
        try FileManager.default.copyItem(atPath: folder.path("clip.mkv"), toPath: folder.path("stream/segment00000.ts"))
        let outcome = try launch(["blend", "source=stream/segment00000.ts", "sink=hls:stream"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome)")
        #expect(outcome.errors.contains("would replace stream/segment00000.ts"), "\(outcome.errors)")
    }

    @Test func aMissingVirtualCameraIsReported() throws {
        let outcome = try Program.run([Repository.root + "/launch", "blend", "sink=/dev/video987"], in: folder.path)
        let advice = "modprobe v4l2loopback video_nr=987"
        #expect(outcome.status == 2 && outcome.errors.contains(advice), "\(outcome.errors)")
    }

    @Test(arguments: ["rtmp://h/live/", "srt://h:1", "hls:stream", "/dev/video9"])
    func streamsHaveAnEvenSize(_ sink: String) throws {
        let outcome = try launch(["blend", "size=101x33", "sink=\(sink)"], Self.key)
        #expect(outcome.status == 2 && outcome.errors.contains("needs an even width and height"), "\(outcome.errors)")
    }

    @Test func keyFramesFollowTheRate() throws {
        for (fps, interval) in [("25", 50), ("30000/1001", 60), ("60", 120)] {
            let outcome = try launch(["blend", "fps=\(fps)", "sink=srt://h:1"])
            #expect(outcome.output.contains(" key-int-max=\(interval) "), "\(outcome.output)")
        }
    }

    @Test(
        arguments: [
            ("srt://:7001", true), ("srt://0.0.0.0:7001?mode=listener", true), ("srt://h:7001", false),
            ("srt://127.0.0.1:7001?mode=listener", false), ("srt://[::1]:7001?mode=listener", false),
        ])
    func anOpenPortWithoutPassphraseGivesANote(_ sink: String, _ isOpen: Bool) throws {
        let outcome = try launch(["blend", "sink=\(sink)"])
        outcome.expectSuccess(sink)
        #expect(outcome.errors.contains("everyone who can reach this port can watch") == isOpen, "\(outcome.errors)")
        let encrypted = try launch(["blend", "sink=\(sink)"], Self.key)
        #expect(!encrypted.errors.contains("everyone"), "\(encrypted.errors)")
    }

    // MARK: - Stream keys

    @Test func theKeyIsTheFirstLineOfAFile() throws {
        try Data("geheim?a=1\r\nrest\n".utf8).write(to: URL(fileURLWithPath: folder.path("key")))
        chmod(folder.path("key"), 0o600)
        let outcome = try launch(["blend", "sink=rtmp://h/live/", "key-file=key"], ["SWIFTVISION_STREAM_KEY": "other"])
        outcome.expectSuccess("key-file")
        #expect(outcome.output.contains("rtmp://h/live/***") && !outcome.output.contains(#/geheim|other|a=1|rest/#))
        #expect(!outcome.errors.contains("other users can read"))
        chmod(folder.path("key"), 0o644)
        let open = try launch(["blend", "sink=rtmp://h/live/", "key-file=key"])
        #expect(open.errors.contains("other users can read key-file=key: chmod 600 'key'"), "\(open.errors)")
    }

    @Test(
        arguments: [
            (["sink=rtmp://h/live/"], "", "needs a stream key"), (["sink=rtmp://h/live/"], "a b", "not possible in an"),
            (["sink=rtmp://h/live/"], "a/b", "not possible in an"),
            (["sink=srt://h:1"], "short", "10 to 79 characters"),
            (["sink=rtmp://h/live/", "key-file=empty"], "", "the first line of key-file=empty is empty"),
            (["sink=rtmp://h/live/", "key-file=none"], "", "key-file=none: no such file"),
            (["sink=hls:stream", "key-file=empty"], "", "key-file= has no effect"),
            (["sink=env:OUTPUT", "key-file=key"], "", "already contains a stream key"),
        ])
    func wrongKeysGiveOneLine(_ keys: [String], _ key: String, _ words: String) throws {
        for (name, text) in [("empty", ""), ("key", "geheim")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
            chmod(folder.path(name), 0o600)
        }
        let outcome = try launch(
            ["blend"] + keys, ["SWIFTVISION_STREAM_KEY": key, "OUTPUT": "rtmp://h/live/geheim"])
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(!outcome.errors.contains("geheim"), "\(outcome.errors)")
    }

    @Test(arguments: ["rtmp://u:geheim@h/live/geheim", "srt://h:1?streamid=geheim&passphrase=geheim12345"])
    func theEnvironmentCanContainTheWholeAddress(_ address: String) throws {
        let outcome = try launch(["blend", "sink=env:OUTPUT"], ["OUTPUT": address])
        outcome.expectSuccess(address)
        #expect(outcome.output.contains("***") && !(outcome.output + outcome.errors).contains("geheim"))
    }

    // MARK: - Receivers

    @Test func anSRTReceiverGetsPictureAndSound() throws {
        try Repository.requirePlugin()
        try makeClip()
        let port = try freePort(SOCK_DGRAM)
        let receiver = try Program([
            "gst-launch-1.0", "-e", "srtsrc", "uri=srt://127.0.0.1:\(port)?mode=listener",
            "passphrase=\(Self.secret)", "!", "filesink", "location=\(folder.path("received.ts"))",
        ])
        receiver.wait(until: "Setting pipeline to PLAYING")
        let printed = try launch(["blend", "source=clip.mkv", "sink=srt://127.0.0.1:\(port)"], Self.key)
        let line = printed.output.replacing("passphrase=***", with: "passphrase=\(Self.secret)")
        try Program.shell(line, in: folder.path).expectSuccess(line)
        // The receiver ends when the sender disconnects. SRT does not deliver the packets of the last moment.
        #expect(!receiver.wait().timedOut)
        try expectClip(in: "received.ts", frames: 75...90)
    }

    @Test func anHLSPlaylistPlays() throws {
        try Repository.requirePlugin()
        try makeClip()
        let printed = try launch(["blend", "source=clip.mkv", "sink=hls:stream"])
        try Program.shell(printed.output, in: folder.path).expectSuccess(printed.output)
        let lines = folder.text(of: "stream/index.m3u8").split(separator: "\n").map(String.init)
        #expect(lines.first == "#EXTM3U" && lines.last == "#EXT-X-ENDLIST")
        let segments = lines.filter { !$0.hasPrefix("#") }
        #expect(segments == ["segment00000.ts", "segment00001.ts"])
        let durations = lines.compactMap { line in
            line.firstMatch(of: #/^#EXTINF:([\d.]+),/#).flatMap { Double($0.1) }
        }
        #expect(abs(durations.reduce(0, +) - 3) < 0.05 && durations.allSatisfy { $0 <= 2 })
        // A player that begins with the second segment needs a key frame at its start.
        #expect(try Playback(of: folder.path("stream/segment00001.ts")).count == 30)
        try expectSound("filesrc location=\(folder.path("stream/segment00001.ts"))")
        let all = try Program.decode(
            "uridecodebin uri=file://\(folder.path("stream/index.m3u8")) ! videoconvert"
                + " ! fakesink silent=false sync=false", options: ["-v"])
        #expect(all.output.matches(of: #/chain +\*/#).count == 90, "\(all.errors)")
    }

    /// In real time, 75 frames take 2.5 s. Without the clock, the test pattern would fill the disk.
    @Test func anEndlessHLSStreamIsNotFasterThanTheClock() throws {
        try Repository.requirePlugin()
        let printed = try launch(["blend", "size=64x32", "frames=75", "sink=hls:stream"])
        let start = ContinuousClock.now
        try Program.shell(printed.output, in: folder.path).expectSuccess(printed.output)
        #expect(ContinuousClock.now - start > .seconds(2.4))
    }

    /// GStreamer has no RTMP server, but ffmpeg has one.
    @Test func anRTMPServerGetsPictureAndSound() throws {
        guard try Program.run(["which", "ffmpeg"]).status == 0 else {
            try Test.cancel("ffmpeg is not installed, so no program can receive RTMP")
        }
        try Repository.requirePlugin()
        try makeClip()
        let port = try freePort(SOCK_STREAM)
        let server = try Program([
            "ffmpeg", "-nostdin", "-listen", "1", "-i", "rtmp://127.0.0.1:\(port)/live/test", "-c", "copy",
            folder.path("received.mkv"),
        ])
        // ffmpeg accepts only one connection, so the test must not connect.
        let listening = " 0100007F:\(String(format: "%04X", port)) 00000000:0000 0A "
        server.wait { (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8))?.contains(listening) == true }
        let printed = try launch(
            ["blend", "source=clip.mkv", "sink=rtmp://127.0.0.1:\(port)/live/"], ["SWIFTVISION_STREAM_KEY": "test"])
        let line = printed.output.replacing("***", with: "test")
        try Program.shell(line, in: folder.path).expectSuccess(line)
        #expect(!server.wait().timedOut)
        try expectClip(in: "received.mkv")
    }
}
