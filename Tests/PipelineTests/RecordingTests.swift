// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// A file type for recordings.
struct Container: CustomTestStringConvertible, Sendable {
    let ending: String
    /// The elements that encode and mux.
    let elements: String

    var testDescription: String { ending }

    static let all = [
        Container(ending: "mp4", elements: "x264enc tune=zerolatency ! mp4mux"),
        Container(ending: "mkv", elements: "x264enc tune=zerolatency ! matroskamux"),
        Container(ending: "ts", elements: "x264enc tune=zerolatency ! mpegtsmux"),
        Container(ending: "avi", elements: "x264enc tune=zerolatency ! avimux"),
        Container(ending: "webm", elements: "vp8enc deadline=1 cpu-used=8 ! webmmux"),
        Container(ending: "ogg", elements: "theoraenc ! oggmux"),
    ]
}

/// Tests that the output of the elements can be recorded and played.
@Suite struct RecordingTests {
    private static let source = "video/x-raw,width=320,height=180,framerate=30/1"

    private static let blend = "svblend location=\(Repository.foreground) mode=multiply"

    private func expectPlays(_ path: String, frames: Int) throws {
        let playback = try Playback(of: path)
        #expect(playback.count == frames)
        // Timestamps are rounded to milliseconds in mkv and webm, and to frames in avi. The duration in a transport
        // stream does not include the last frame.
        #expect(abs(playback.duration - Double(frames) / 30) < 0.04)
        #expect(abs(try Playback.statedDuration(of: path) - Double(frames) / 30) < 0.08)
    }

    @Test(arguments: Container.all) func blendIsRecorded(_ container: Container) throws {
        let folder = try ScratchFolder()
        let path = folder.path("blend." + container.ending)
        try Program.launch(
            "videotestsrc num-buffers=60 ! \(Self.source) ! \(Self.blend) ! videoconvert ! \(container.elements)"
                + " ! filesink location=\(path)"
        ).expectSuccess(container.ending)
        try expectPlays(path, frames: 60)
    }

    @Test(arguments: Container.all) func mixIsRecorded(_ container: Container) throws {
        let folder = try ScratchFolder()
        let path = folder.path("mix." + container.ending)
        try Program.launch(
            "svmixer name=m sink_1::mode=multiply ! videoconvert ! \(container.elements) ! filesink location=\(path)"
                + " videotestsrc num-buffers=60 ! \(Self.source) ! m."
                + " videotestsrc pattern=ball num-buffers=45 ! \(Self.source) ! m."
        ).expectSuccess(container.ending)
        try expectPlays(path, frames: 60)
    }

    @Test(arguments: [
        "videotestsrc is-live=true ! \(source) ! \(blend)",
        "svmixer name=m sink_1::mode=screen videotestsrc is-live=true ! \(source) ! m."
            + " videotestsrc is-live=true pattern=ball ! \(source) ! m. m.",
    ])
    func interruptedRecordingPlays(_ picture: String) throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let path = folder.path("live.mp4")
        let line =
            "exec gst-launch-1.0 -e -v --no-fault \(picture) ! identity silent=false ! videoconvert ! x264enc tune=zerolatency ! mp4mux"
            + " ! filesink location=\(path)"
        let recording = try Program(["bash", "-c", line])
        // `identity` reports each frame. The position that progressreport shows does not depend on frames.
        recording.wait(until: "pts: 0:00:01.")
        recording.interrupt()
        recording.wait().expectSuccess(line)
        let playback = try Playback(of: path)
        // The exact number depends on the time of the first frame and of the interruption.
        #expect(playback.count > 1)
        #expect(abs(playback.duration - Double(playback.count) / 30) < 0.1)
        #expect(abs(try Playback.statedDuration(of: path) - playback.duration) < 0.1)
    }
}
