// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of svtestscene in pipelines as users write them.
@Suite struct TestSceneTests {
    private static let formats = FormatTests.formats + FormatTests.yuv

    private func run(_ description: String, debug: String = "2") throws -> Outcome {
        let outcome = try Program.launch(description, environment: ["GST_DEBUG": debug])
        outcome.expectSuccess(description)
        #expect(!outcome.errors.contains(#/ svtestscene.*(WARN|ERROR)|CRITICAL|GLib/#), "\(outcome.errors)")
        return outcome
    }

    @Test func listOfFormatsIsComplete() throws {
        #expect(try Inspection("svtestscene").formats == Self.formats)
    }

    @Test(arguments: formats) func everyFormatRunsClean(_ format: String) throws {
        _ = try run(
            "videotestsrc num-buffers=60 ! video/x-raw,format=\(format),width=641,height=359 "
                + "! svtestscene scene=both count=5 speed=9 ! fakesink")
    }

    @Test(arguments: ["1x1", "2x1", "1x3", "7x5", "95x2000", "4096x2"]) func tooSmallIsToldOnce(_ size: String) throws {
        let sides = size.split(separator: "x")
        let outcome = try run(
            "videotestsrc num-buffers=9 ! video/x-raw,width=\(sides[0]),height=\(sides[1]) ! svtestscene ! fakesink",
            debug: "svtestscene:4")
        let told = outcome.errorLines.filter { $0.contains("a frame of \(size) has room for only 0 objects") }
        #expect(told.count == 1)
    }

    /// Only the test source shows a scene.
    @Test func launchDrawsOverTheTestSource() throws {
        func line(_ keys: String) throws -> String {
            let outcome = try Program.shell("./launch \(keys) sink=null --print")
            outcome.expectSuccess(keys)
            return outcome.output
        }
        #expect(try line("faces").contains("! svtestscene scene=faces ! videoconvert"))
        #expect(try line("cats").contains("! svtestscene scene=cats ! videoconvert"))
        #expect(try line("faces scene=both").contains("! svtestscene scene=both ! videoconvert"))
        #expect(try line("things").contains("! svtestscene scene=things ! videoconvert"))
        #expect(try !line("faces source=webcam").contains("svtestscene"))
        #expect(try !line("blend").contains("svtestscene"))
    }

    /// The training images in the repository must be the images that the element draws.
    @Test(arguments: ["coins", "things"]) func trainingPicturesAreThoseOfThePipelines(_ scene: String) throws {
        let folder = try ScratchFolder()
        _ = try run(
            "videotestsrc num-buffers=1 ! svtestscene scene=\(scene) training-location=\(folder.path) ! fakesink")
        let (files, here) = (FileManager.default, Repository.root + "/pipelines/" + scene)
        let names = try files.contentsOfDirectory(atPath: here)
        #expect(try files.contentsOfDirectory(atPath: folder.path).sorted() == names.sorted())
        for name in names {
            #expect(files.contents(atPath: folder.path(name)) == files.contents(atPath: here + "/" + name), "\(name)")
        }
    }
}
