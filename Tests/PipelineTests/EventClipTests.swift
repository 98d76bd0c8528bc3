// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of svevents in processes that are killed. With `SWIFTVISION_FULL=1`, 20 processes are killed.
@Suite struct EventClipTests {
    private static let count = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] == nil ? 4 : 20

    @Test(arguments: 0..<count) func aClipPlaysAfterAKill(_ number: Int) throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let path = folder.path("clip.\(["mkv", "mp4", "mkv", "webm"][number % 4])")
        let audio = number % 2 == 0 ? "audiotestsrc is-live=true ! e.audio" : ""
        let encoder = number % 4 == 2 ? "! videoconvert ! x264enc tune=zerolatency key-int-max=30" : ""
        // A blob appears in the first second, and the clip lasts as long as the blob moves.
        let program = try Program([
            "bash", "-c",
            "exec gst-launch-1.0 -m --no-fault videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1"
                + " ! svtestscene scene=coins count=1 ! svblobdetect message=every-frame \(encoder)"
                + " ! svevents name=e location=\(path) trigger=label=blob snapshot=false ! fakesink \(audio)",
        ])
        program.wait(until: "clip-started")
        usleep(useconds_t(1_500_000 + number * 97_000 % 1_300_000))
        program.kill()
        #expect(program.wait().status == 128 + 9)
        let playback = try Playback(of: path)
        #expect(playback.count > 10)
        #expect(abs(playback.duration - Double(playback.count) / 30) < 0.5)
    }
}
