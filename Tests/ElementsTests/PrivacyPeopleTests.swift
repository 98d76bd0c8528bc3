// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestSupport
import Testing

/// Tests with recognised drawn people. Other elements are before svfacerecognize, or between svfacerecognize and
/// svoverlay.
@Suite("svoverlay: all but one, whatever happens", .serialized)
struct PrivacyPeopleTests {
    /// Frames of two people, Ada and Ben, after svfacerecognize. All chains get the same frames.
    private struct RecognisedScene: Sendable {
        static let shared = Result { try RecognisedScene() }

        let buffers: [Buffer]
        /// The positions of the people in each frame.
        let actors: [[SceneEntity]]
        let caps: String

        private init() throws {
            let people = (#filePath.split(separator: "Tests/").first.map { "\($0)" } ?? "") + "pipelines/people"
            let drawn = DrawnFaces(.people, count: 2, seed: 2, width: 480, height: 320)
            let frames = try (0..<20).map { try drawn.frame(at: Double($0) / 30) }
            caps = try required(frames.first, "no frame").picture.caps()
            actors = frames.map(\.actors)
            let line = try pipeline(
                "appsrc name=in format=time caps=\(caps) ! svfacedetect draw=false mode=sync interval=1 message=none "
                    + "! svfacerecognize people=\(people) algorithm=lbph draw=false message=none ! appsink name=out sync=false"
            )
            try line.play()
            for (number, frame) in frames.enumerated() {
                try line.push(frame.picture, into: "in", at: UInt64(number) * 33_333_333)
            }
            try line.end("in")
            buffers = try line.pullAll().map(\.buffer)
        }
    }

    /// Sends the first frames through some elements and an svoverlay that hides all people except Ada with black.
    /// - Returns: the output frames, and the positions of the people.
    private func shown(
        _ count: Int, through chain: String
    ) throws -> [(picture: TestFrame, actors: [SceneEntity])] {
        let scene = try RecognisedScene.shared.get()
        let line = try pipeline(
            "appsrc name=in format=time caps=\(scene.caps) ! \(chain) ! svoverlay hide=face "
                + "spare=Ada hide-style=black boxes=false landmarks=false labels=false ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false")
        try line.play()
        for buffer in scene.buffers.prefix(count) {
            try line.push(Buffer(taking: try required(gst_buffer_copy(buffer.pointer), "no copy")), into: "in")
        }
        try line.end("in")
        return zip(try line.pullAll().map(\.frame), scene.actors).map { ($0, $1) }
    }

    private func isBlack(_ picture: TestFrame, _ point: Point) -> Bool {
        picture.color(Int(point.x), Int(point.y)) == .black
    }

    @Test(
        "Elements that keep the metadata: Ada is seen after some frames, Ben never",
        arguments: [
            "identity", "queue", "tee ! queue", "videoconvert ! video/x-raw,format=I420 ! videoconvert",
            "videorate ! video/x-raw,framerate=50/1", "svtint red=0.9",
        ])
    func kept(_ chain: String) throws {
        let frames = try shown(20, through: chain)
        #expect(frames.contains { !isBlack($0.picture, $0.actors[0].nose) }, "\(chain)")
        guard !chain.contains("videorate") else { return }
        for (picture, actors) in frames { #expect(isBlack(picture, actors[1].nose), "\(chain)") }
    }

    @Test(
        "Elements that lose it, or show something else: nobody is seen",
        arguments: [
            "videoflip video-direction=horiz", "videocrop left=100", "videobox left=-50 autocrop=false",
        ])
    func lost(_ chain: String) throws {
        for (picture, _) in try shown(8, through: chain) {
            var colors: Set<Bool> = []
            for y in stride(from: 8, to: picture.height, by: 20) {
                for x in stride(from: 8, to: picture.width, by: 20) { colors.insert(picture.color(x, y) == .black) }
            }
            #expect(colors == [true], "\(chain)")
        }
    }
}
