// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the keys `snapshots` and `on-loss`.
@Suite struct LaunchSnapshotTests {
    private let folder: ScratchFolder
    init() throws { folder = try ScratchFolder() }

    private func launch(_ words: [String]) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
    }

    private func printed(_ words: String...) throws -> String {
        let outcome = try launch(words)
        outcome.expectSuccess("\(words)")
        return outcome.output
    }

    /// The last element of `event-clips` is svevents, which saves snapshots of events only.
    private static let pipelines = Repository.pipelines.filter { $0 != "event-clips" }

    @Test(arguments: pipelines) func theLastElementBeforeAWindowSavesSnapshots(_ name: String) throws {
        let line = try printed(name, "sink=window", "source=test")
        #expect(line.contains(" snapshot-location=\(name)-%05d.png "), "\(line)")
    }

    @Test(arguments: pipelines) func aPageSavesSnapshotsOnlyToAPathOfTheUser(_ name: String) throws {
        let line = try printed(name, "sink=web", "source=test")
        #expect(
            line.contains(" snapshot-location=none ") && line.ranges(of: "snapshot-location").count == 1, "\(line)")
        let wanted = try printed(name, "sink=web:8080", "source=test", "snapshots=a.png")
        #expect(wanted.contains(" snapshot-location=a.png "), "\(wanted)")
    }

    @Test(arguments: [
        ("sink=web", "sound=no", "none"), ("sink=web", "snapshots=a.png", "a.png"),
        ("sink=window", "sound=no", "hybrid-studio-%05d.png"),
    ])
    func theKeyForHybridsUsesTheSamePath(_ sink: String, _ word: String, _ path: String) throws {
        let line = try printed("hybrid-studio", "source=test", sink, word)
        #expect(line.contains(" save-location=\(path) ! "), "\(line)")
    }

    @Test func aRecordingSavesNoSnapshots() throws {
        #expect(try !printed("faces", "sink=a.mp4", "snapshots=a.png").contains("snapshot-location"))
    }

    @Test func theFolderOfSnapshotsMustExist() throws {
        let outcome = try launch(["faces", "sink=window", "snapshots=no/such/folder/%d.png"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome)")
        #expect(outcome.errors.contains("the folder no/such/folder does not exist"), "\(outcome)")
    }

    /// The list of elements in scripts/words.sh is equal to the elements with the property.
    @Test(arguments: Repository.elements) func theListOfElementsIsThePlugin(_ name: String) throws {
        let script = try Repository.text("scripts/words.sh")
        let list = try #require(script.firstMatch(of: #/snapshot_elements='([^']*)'/#)).1
        let hasProperty = try Inspection(name).properties["snapshot-location"] != nil
        #expect(list.contains(" \(name) ") == hasProperty)
        #expect(try Inspection(name).actions.contains("snapshot") == hasProperty)
    }

    @Test(arguments: [("hold", "last-frame"), ("wait", "nothing"), ("card", "card")])
    func aLostCameraIsOpenedAgain(_ value: String, _ policy: String) throws {
        let line = try printed("faces", "sink=null", "source=/dev/video77", "on-loss=\(value)", "camera=gain=5")
        #expect(line.contains(" svurisrc name=source uri=v4l2:///dev/video77 "), "\(line)")
        #expect(line.contains(" 'camera-controls=\"gain=5\"' on-loss=\(policy) ! "), "\(line)")
        let network = try printed("faces", "sink=null", "source=rtsp://camera/a", "on-loss=\(value)")
        #expect(network.contains(" svurisrc name=source uri=rtsp://camera/a on-loss=\(policy) ! "), "\(network)")
    }

    @Test func withStopALossEndsThePipeline() throws {
        for words in [[], ["on-loss=stop"]] {
            let outcome = try launch(["faces", "sink=null", "source=/dev/video77"] + words)
            #expect(outcome.output.contains(" v4l2src device=/dev/video77 ! "), "\(outcome)")
        }
        #expect(try printed("faces", "sink=null", "source=rtsp://camera/a", "on-loss=stop").contains(" uridecodebin "))
    }

    @Test func aCameraWithHTTPIsOpenedAgain() throws {
        let address = "http://camera/video.mjpg"
        let line = try printed("faces", "sink=null", "source=\(address)", "on-loss=hold")
        #expect(line.contains(" svurisrc name=source uri=\(address) on-loss=last-frame ! "), "\(line)")
        #expect(try printed("faces", "sink=null", "source=\(address)", "on-loss=stop").contains(" uridecodebin "))
        #expect(try printed("faces", "sink=null", "source=\(address)").contains(" uridecodebin "))
    }

    @Test(arguments: ["test", "file:///dev/null", "clip.mkv"])
    func aSourceThatCannotBeLostIsAnError(_ source: String) throws {
        try "".write(toFile: folder.path("clip.mkv"), atomically: false, encoding: .utf8)
        let outcome = try launch(["faces", "sink=null", "source=\(source)", "on-loss=hold"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome)")
        #expect(outcome.errors.contains("on-loss=hold: on-loss works only with cameras"), "\(outcome)")
    }

    /// The second source is a camera, so `on-loss` has an effect.
    @Test func oneCameraIsEnough() throws {
        let line = try printed("switch", "sink=null", "source=test", "source2=rtsp://camera/a", "on-loss=hold")
        #expect(line.contains(" svurisrc name=source2 uri=rtsp://camera/a on-loss=last-frame ! "), "\(line)")
    }

    @Test(arguments: ["rtsp://camera/a", "http://camera/a"])
    func aCameraThatIsOpenedAgainHasNoSound(_ source: String) throws {
        let outcome = try launch(["faces", "sink=a.mkv", "source=\(source)", "on-loss=hold", "sound=yes"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome)")
        #expect(outcome.errors.contains("Use on-loss=stop or sound=no"), "\(outcome)")
    }

    /// The sound of a network camera is private, so only the user turns on the sound. The function `probe_sound` adds the
    /// sound to the pipeline.
    @Test(arguments: [("on-loss=stop", false), ("sound=yes", true)])
    func theSoundOfACameraIsOffByDefault(_ word: String, _ isProbed: Bool) throws {
        let script = """
            source_keys=(source source2 source3) root=x program=x default_size=1280x720 default_fps=30 print=yes
            declare -A value=([source]=rtsp://camera/a [sound]=yes [sink]=a.mkv [flip]=none [size]='' [fps]='' [on-loss]='') is_given=()
            value[${1%%=*}]=${1#*=} is_given[${1%%=*}]=yes
            . "$0/scripts/words.sh"; . "$0/scripts/sink.sh"; . "$0/scripts/sound.sh"; . "$0/scripts/source.sh"
            probe_sound() { echo probed; }
            source_words source
            """
        let outcome = try Program.run(["bash", "-c", script, Repository.root, word], in: folder.path)
        outcome.expectSuccess(word)
        #expect(outcome.output.contains("probed") == isProbed, "\(outcome)")
    }

    @Test func anUnknownPolicyIsAnError() throws {
        let outcome = try launch(["faces", "on-loss=freeze"])
        #expect(outcome.status == 2 && outcome.errors.contains("use hold"), "\(outcome)")
    }

    /// A recording needs frames of constant size before the camera is found.
    @Test func aRecordingHasConstantCaps() throws {
        let line = try printed("faces", "sink=a.mkv", "source=/dev/video77", "on-loss=card")
        #expect(line.contains(" on-loss=card ! video/x-raw,format=I420,width=1280,height=720,"), "\(line)")
    }

    @Test func aRecordingWithASizeAndARateDoesNotWaitForTheCamera() throws {
        let outcome = try launch(["faces", "sink=a.mkv", "source=rtsp://127.0.0.1:1/a", "size=320x180", "fps=25"])
        outcome.expectSuccess("--print")
        #expect(outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.contains("width=320,height=180,pixel-aspect-ratio=1/1,framerate=25/1,"), "\(outcome)")
    }
}
