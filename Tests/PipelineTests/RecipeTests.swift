// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests that the lines in docs/recipes.md work. The tests create the necessary videos and photos.
@Suite struct RecipeTests {
    private static let blocks = Markdown((try? Repository.text("docs/recipes.md")) ?? "").blocks
    static let single = blocks.filter { $0.kind == "sh recipe" }.map(\.lines)
    static let together = blocks.filter { $0.kind == "sh recipe together" }.map(\.lines)

    /// The number of frames in the videos that the tests create.
    private static let frames = 8

    /// Returns a folder with copies of the files that the page uses.
    private func folder() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.linkRepository()
        let files = try Self.files.get()
        for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
            try FileManager.default.copyItem(atPath: files.path(name), toPath: folder.path(name))
        }
        return folder
    }

    private static let files = Result<ScratchFolder, any Error> { try makeFiles() }

    private static func makeFiles() throws -> ScratchFolder {
        let folder = try ScratchFolder.lasting()
        let size = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
        for (name, scene) in [
            ("clip.mp4", "people count=2"), ("two.mp4", "faces"), ("presenter.mp4", "green"),
        ] {
            try Program.launch(
                "videotestsrc num-buffers=\(frames) ! \(size) ! svtestscene scene=\(scene) ! x264enc tune=zerolatency ! m."
                    + " audiotestsrc samplesperbuffer=1600 num-buffers=\(frames) ! audio/x-raw,rate=48000 ! avenc_aac ! m."
                    + " mp4mux name=m ! filesink location=\(folder.path(name))", limit: 60
            ).expectSuccess(name)
        }
        try Program.launch(
            "videotestsrc num-buffers=1 ! video/x-raw,format=BGRA,width=960,height=540 ! svtestscene scene=coins"
                + " ! videoconvert ! pngenc ! filesink location=\(folder.path("coins.png"))"
        ).expectSuccess("coins.png")
        try Program.launch(
            "videotestsrc num-buffers=90 ! \(size) ! svtestscene scene=coins count=1 speed=0 ! x264enc ! matroskamux"
                + " ! filesink location=\(folder.path("thing.mkv"))"
        ).expectSuccess("thing.mkv")
        return folder
    }

    /// Returns the gst-launch-1.0 line that `./launch` would run, with at most `frames` frames of a still image or a
    /// camera.
    private func runnable(_ command: String, in folder: ScratchFolder) throws -> String {
        var line = command.replacing(#/(frames=|imagefreeze num-buffers=)\d{2,}/#) { $0.output.1 + "\(Self.frames)" }
        guard line.hasPrefix("./launch ") else { return line.replacing("autovideosink", with: "fakesink") }
        // Without the network, the privacy pipelines work on real video only with cascades.
        if line.hasPrefix("./launch privacy") { line += " detector=cascade" }
        let printed = try Program.shell(line + " --print", in: folder.path)
        printed.expectSuccess(line)
        return printed.output
    }

    /// Expects the output files of a line. If the line records sound, the files must contain sound.
    private func expectFiles(of line: String, in folder: ScratchFolder) throws {
        for file in line.matches(of: #/(?:sink|filesink location|message-location|model)=([\w.]+\.\w+)/#).map({
            String($0.1)
        }) {
            let count = FileManager.default.contents(atPath: folder.path(file))?.count ?? 0
            #expect(count > (file.hasSuffix("jsonl") ? 100 : 1000), "\(line): \(file)")
            if file.hasSuffix(".mp4") {
                #expect(try Playback(of: folder.path(file)).count >= Self.frames - 1, "\(file)")
                try Program.launch(
                    "filesrc location=\(file) ! decodebin expose-all-streams=false caps=audio/x-raw ! fakesink num-buffers=1",
                    in: folder.path
                )
                .expectSuccess("the sound of \(file)")
            }
        }
    }

    @Test func thereAreRecipes() {
        #expect(Self.single.count >= 8)
        #expect(Self.together.count == 1)
    }

    /// Runs the lines of a recipe, one after another.
    @Test(arguments: single) func recipeWorks(_ lines: [String]) throws {
        try Repository.requirePlugin()
        let folder = try folder()
        for line in lines {
            let outcome = try Program.shell(runnable(line, in: folder), in: folder.path, limit: 120)
            outcome.expectSuccess(line)
            #expect(outcome.complaints.isEmpty, "\(line): \(outcome.errors)")
            try expectFiles(of: line, in: folder)
        }
    }

    /// Runs lines at the same time until they are interrupted. The first line starts first.
    @Test(arguments: together) func recipesWorkTogether(_ lines: [String]) throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        try folder.linkRepository()
        var programs: [Program] = []
        for line in lines {
            let program = try Program(["bash", "-c", "exec " + line], in: folder.path, limit: 90)
            program.wait(until: "Setting pipeline to PLAYING")
            programs.append(program)
        }
        programs.last?.wait { folder.size(of: "received.mkv") > 200_000 }
        for (line, program) in zip(lines, programs).reversed() {
            program.interrupt()
            let outcome = program.wait()
            #expect(!outcome.timedOut && !outcome.errors.contains("ERROR"), "\(line): \(outcome.errors)")
        }
        #expect(try Playback(of: folder.path("received.mkv")).count > 10)
    }

    // MARK: - Programs

    private func program(_ kind: String, of page: String = "recipes") throws -> String {
        let blocks = Markdown(try Repository.text("docs/\(page).md")).blocks
        return try #require(blocks.first { $0.kind == kind }).lines.joined(separator: "\n")
            .replacing("autovideosink", with: "fakesink")
    }

    @Test func theProgramInCFindsFaces() throws {
        let folder = try ScratchFolder()
        try folder.linkRepository()
        try program("c").write(toFile: folder.path("program.c"), atomically: false, encoding: .utf8)
        try Program.shell(
            "$(command -v cc || command -v clang) -Wall -Werror program.c -o program"
                + " $(pkg-config --cflags --libs gstreamer-controller-1.0)",
            in: folder.path
        ).expectSuccess("compiling")
        let outcome = try Program.run([folder.path("program")], in: folder.path)
        #expect(outcome.output.contains("svfacedetect, "), "\(outcome.errors)")
    }

    private func runPython(_ program: String, in folder: ScratchFolder) throws -> String {
        guard try Program.run(["python3", "-c", "import gi; gi.require_version('GstController', '1.0')"]).status == 0
        else {
            try Test.cancel("Python has no GStreamer: python3-gi and gir1.2-gstreamer-1.0 are not installed")
        }
        try folder.linkRepository()
        try program.write(toFile: folder.path("program.py"), atomically: false, encoding: .utf8)
        let outcome = try Program.run(["python3", "program.py"], in: folder.path)
        outcome.expectSuccess("program.py")
        return outcome.output
    }

    @Test func theProgramInPythonFindsFaces() throws {
        #expect(try runPython(program("python"), in: ScratchFolder()).contains("svfacedetect, "))
    }

    @Test func theProgramInPythonSavesASnapshot() throws {
        let folder = try ScratchFolder()
        #expect(try runPython(program("python", of: "snapshots"), in: folder).contains("saved: hidden-0.png"))
        #expect(folder.size(of: "hidden-0.png") > 10_000)
    }
}
