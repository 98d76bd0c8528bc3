// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// A block of shell code in the documentation.
struct Example: CustomTestStringConvertible, Sendable {
    let page: String
    let lines: [String]
    let hasCamera: Bool
    /// True if the example needs the face recognition network, which tests do not have.
    let needsNetwork: Bool

    var testDescription: String { "\(page): \(lines.first ?? "")" }

    static let all: [Example] = Repository.pages.flatMap { page in
        Markdown((try? Repository.text(page)) ?? "").blocks.filter {
            ["sh", "sh camera", "sh network"].contains($0.kind)
        }
        .map {
            Example(
                page: page, lines: $0.lines, hasCamera: $0.kind.hasSuffix("camera"),
                needsNetwork: $0.kind.hasSuffix("network"))
        }
    }

    /// Changes a gst-launch-1.0 line so that it can run in a test. It then opens no window and no camera, and its
    /// sources end.
    static func runnable(_ line: String) -> String {
        let words = line.replacing("gst-launch-1.0", with: "gst-launch-1.0 --no-fault")
            .replacing("autovideosink", with: "fakesink").replacing("autoaudiosink", with: "fakesink")
            // Other tests may run at the same time, so use any free port.
            .replacing("svwebsink port=0", with: "svwebsink").replacing("svwebsink", with: "svwebsink port=0")
            // Fewer frames show the same, and in tests, nobody watches them.
            .replacing("fakesink sync=true", with: "fakesink")
            .replacing(#/num-buffers=\d{2,}/#, with: "num-buffers=3")
            .replacing(#/v4l2src( device=\S+)?|svurisrc uri=(rtsp|v4l2):[^!]*/#, with: "videotestsrc ").split(
                separator: " "
            )
            .map(String.init)
        let endless: Set = ["videotestsrc", "audiotestsrc", "imagefreeze", "svclip"]
        return words.indices.map { index in
            let settings = words[(index + 1)...].prefix { $0 != "!" }
            let ends = settings.contains { $0.hasPrefix("num-buffers=") }
            return endless.contains(words[index]) && !ends ? words[index] + " num-buffers=3" : words[index]
        }.joined(separator: " ")
    }
}

@Suite struct ExampleTests {
    @Test func pagesHaveExamples() {
        for page in ["README.md"] + Repository.elements.map({ "docs/\($0).md" }) {
            let lines = Example.all.filter { $0.page == page }.flatMap(\.lines)
            #expect(lines.count { $0.hasPrefix("gst-launch-1.0") } >= 5, "\(page)")
        }
    }

    /// Runs the example in a folder with the contents of the repository.
    @Test(arguments: Example.all) func exampleRuns(_ example: Example) throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        try folder.linkRepository()
        for line in example.lines {
            if line.hasPrefix("./launch") {
                try checkLaunch(line, in: folder)
                continue
            }
            try #require(line.hasPrefix("gst-launch-1.0 "), "this test knows no other commands")
            if example.needsNetwork {
                let outcome = try Program.shell(Example.runnable(line), in: folder.path)
                #expect(outcome.errors.contains("models get mobilefacenet"), "\(line): \(outcome.errors)")
                continue
            }
            let usesCamera = line.contains("v4l2src") || line.contains("uri=rtsp:") || line.contains("uri=v4l2:")
            #expect(usesCamera == example.hasCamera, "blocks that need a camera begin with ```sh camera")
            let outcome = try Program.shell(Example.runnable(line), in: folder.path)
            outcome.expectSuccess(line)
            #expect(outcome.complaints.isEmpty, "\(line): \(outcome.errors)")
            if let file = line.firstMatch(of: #/filesink location=(\S+)/#) {
                #expect((FileManager.default.contents(atPath: folder.path(String(file.1)))?.count ?? 0) > 1000)
            }
        }
    }

    /// A folder with clip.mp4.
    private static let clips = Result<ScratchFolder, any Error> {
        let folder = try ScratchFolder.lasting()
        try Program.launch(
            "videotestsrc num-buffers=9 ! video/x-raw,format=I420,width=160,height=90,framerate=30/1 ! x264enc ! mp4mux"
                + " ! filesink location=\(folder.path("clip.mp4"))"
        ).expectSuccess("clip.mp4")
        return folder
    }

    /// Checks commands in running text.
    @Test(arguments: Repository.pages) func launchCommandsExist(_ page: String) throws {
        let folder = try ScratchFolder()
        try folder.linkRepository()
        let commands = Markdown.code(in: Markdown(try Repository.text(page)).prose).filter { $0.hasPrefix("./launch") }
        for command in commands {
            // The files that the examples use.
            for file in command.matches(of: #/source2?=(\S+\.\w+)/#) {
                let path = folder.path(String(file.1))
                if FileManager.default.fileExists(atPath: path) { continue }
                let isVideo = path.hasSuffix(".mp4")
                try FileManager.default.copyItem(
                    atPath: isVideo ? Self.clips.get().path("clip.mp4") : Repository.foreground, toPath: path)
            }
            try checkLaunch(command, in: folder)
        }
    }

    /// Checks a `launch` line. If the command is a pipeline, prints the pipeline. For other commands, the help must
    /// mention them.
    private func checkLaunch(_ line: String, in folder: ScratchFolder) throws {
        let words = line.split(separator: " ").map(String.init)
        if words.count > 1, Repository.pipelines.contains(words[1]), !words.contains("--list") {
            // With a size and a rate, `launch` does not connect to the camera of the example.
            let caps = line.contains("source=rtsp:") ? " size=640x360 fps=25" : ""
            try Program.shell(line + caps + " --print", in: folder.path).expectSuccess(line)
            return
        }
        let help = try Program.shell("./launch help", in: folder.path)
        #expect(words.count == 1 || help.output.contains("./launch \(words[1])") || words[1] == "help", "\(line)")
    }
}
