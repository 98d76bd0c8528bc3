// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the elements in a Python program that loads the C++ runtime before GStreamer. `import numpy` or `import
/// cv2` does this.
///
/// Such a process has two unwinders. The C++ runtime uses the unwinder of GCC. Libraries that are loaded later, such as
/// OpenCV, use the unwinder of libunwind, which GStreamer has loaded. A C++ exception in these libraries ends the
/// process, even if it is caught.
@Suite struct PythonTests {
    /// Runs the pipelines in its arguments one after another, and prints how each pipeline ends.
    private static let program = """
        import ctypes, importlib.util, os, sys
        ctypes.CDLL('libstdc++.so.6', mode=os.RTLD_NOW)
        for name in ('numpy', 'cv2'):
            if importlib.util.find_spec(name): importlib.import_module(name)
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import Gst
        Gst.init(None)
        for line in sys.argv[1:]:
            pipeline = Gst.parse_launch(line)
            pipeline.set_state(Gst.State.PLAYING)
            message = pipeline.get_bus().timed_pop_filtered(
                60 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
            pipeline.set_state(Gst.State.NULL)
            if message is None: print('no end', flush=True)
            elif message.type == Gst.MessageType.EOS: print('end', flush=True)
            else: print('error:', message.parse_error()[0].message.replace('\\n', ' '), flush=True)
        """

    /// The first Python interpreter that can use GStreamer; nil if there is none.
    private static let python = ["python3", "/usr/bin/python3"].first { name in
        (try? Program.run([name, "-c", "import gi; gi.require_version('Gst', '1.0')"]).status) == 0
    }

    /// Runs pipelines in one process.
    /// - Returns: how each pipeline has ended.
    private func run(_ pipelines: [String]) throws -> [String] {
        try Repository.requirePlugin()
        guard let python = Self.python else {
            try Test.cancel("Python has no GStreamer: python3-gi and gir1.2-gstreamer-1.0 are not installed")
        }
        let outcome = try Program.run([python, "-c", Self.program] + pipelines, limit: 120)
        let ends = outcome.outputLines.map(String.init)
        outcome.expectSuccess("pipeline \(ends.count + 1), \(pipelines.dropFirst(ends.count).first ?? "none")")
        return ends
    }

    private static func source(_ scene: String = "scene=both", frames: Int = 4) -> String {
        "videotestsrc num-buffers=\(frames) ! video/x-raw,format=BGRA,width=480,height=320,framerate=30/1 "
            + "! svtestscene \(scene)"
    }

    @Test func everyElementRuns() throws {
        let folder = try ScratchFolder()
        let faces = "svfacedetect mode=sync interval=1"
        let pipelines = [
            "\(Self.source()) ! svblend location=\(Repository.foreground) ! fakesink",
            "\(Self.source()) ! svmixer ! fakesink", "\(Self.source()) ! svswitch ! fakesink",
            "\(Self.source()) ! svfilter filters=sepia-tone ! fakesink", "\(Self.source()) ! svedges ! fakesink",
            "\(Self.source()) ! svevents location=\(folder.path("clip.mkv")) ! fakesink",
            "\(Self.source()) ! svtint white-balance=simple ! fakesink",
            // The module for this property is often not installed. This is only a warning.
            "\(Self.source()) ! svtint white-balance=learned ! fakesink",
            "\(Self.source()) ! \(faces) ! svfacemerge ! svoverlay hide=face ! fakesink",
            "\(Self.source()) ! \(faces) ! svfacemerge preset=classic ! fakesink",
            "\(Self.source("scene=logo")) ! svlogodetect template=\(Repository.logo) ! fakesink",
            "\(Self.source("scene=coins")) ! svblobdetect "
                + "! svblobclassify training=\(Repository.root)/pipelines/coins/training.plist ! fakesink",
            "\(Self.source("scene=coins")) ! svblobdetect model=frame-mean "
                + "! svblobclassify algorithm=classic training=\(Repository.root)/pipelines/coins/training.plist ! fakesink",
            "\(Self.source("scene=walkers")) ! svzones zones=a:0.5,0->0.5,1 labels=truth/person ! fakesink",
            "\(Self.source()) ! svpublish file-path=\(folder.path("messages.jsonl")) ! fakesink",
            "\(Self.source()) ! svwebsink port=0",
            "svclip location=\(Repository.logo) at-end=loop num-buffers=3 ! fakesink",
            // This camera does not exist.
            "svurisrc uri=rtsp://127.0.0.1:9/ num-buffers=3 ! fakesink",
        ]
        let named = Set(pipelines.flatMap { $0.split(separator: " ") }.map(String.init))
        // Another test covers svfacerecognize.
        #expect(Set(Repository.elements).subtracting(named) == ["svfacerecognize"])
        #expect(try run(pipelines) == pipelines.map { _ in "end" })
    }

    /// The face differs from all known faces, so the alignments do not converge.
    @Test func facesAreComparedWithWhatTheyAreNotLike() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("people/Ann"), withIntermediateDirectories: true)
        for pattern in ["snow", "circular", "checkers-8", "zone-plate"] {
            let file = folder.path("people/Ann/\(pattern).png")
            try Program.launch(
                "videotestsrc num-buffers=1 kx2=20 ky2=20 pattern=\(pattern) ! video/x-raw,width=100,height=100 ! pngenc "
                    + "! filesink location=\(file)"
            ).expectSuccess(file)
        }
        let faces = "\(Self.source("scene=people")) ! svfacedetect mode=sync interval=1"
        let pipelines = ["lbph", "eigenfaces"].map {
            "\(faces) ! svfacerecognize people=\(folder.path("people")) algorithm=\($0) threshold=100000 ! fakesink"
        }
        #expect(try run(pipelines) == ["end", "end"])
    }

    @Test func wrongFilesAreErrors() throws {
        let folder = try ScratchFolder()
        let wrong = folder.path("wrong")
        try "this is none of the files that are expected\n".write(toFile: wrong, atomically: false, encoding: .utf8)
        let blank = folder.path("blank.png")
        try Program.launch(
            "videotestsrc num-buffers=1 pattern=white ! video/x-raw,width=64,height=64 ! pngenc ! filesink location=\(blank)"
        ).expectSuccess(blank)
        try FileManager.default.createDirectory(atPath: folder.path("people/Ann"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: wrong, toPath: folder.path("people/Ann/1.png"))
        let pipelines = [
            "svfacedetect model=\(wrong)", "svfacedetect face-cascade=\(wrong)", "svfacerecognize model=\(wrong)",
            "svfacerecognize people=\(folder.path("people"))", "svlogodetect template=\(wrong)",
            "svlogodetect template=\(blank)", "svlogodetect verify=orb template=\(blank)",
            "svblobclassify training=\(wrong)", "svfacemerge partner=\(wrong)",
        ].map { "\(Self.source()) ! \($0) ! fakesink" }
        for (line, end) in zip(pipelines, try run(pipelines)) { #expect(end.hasPrefix("error: "), "\(line): \(end)") }
    }
}
