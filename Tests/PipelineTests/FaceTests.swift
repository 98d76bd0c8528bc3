// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestScope
import Testing

/// Tests of svfacedetect in pipelines as users write them.
@Suite struct FaceTests {
    private static let formats = ["I420", "BGRA"]
    /// A stream with drawn faces, which needs no file.
    private static let scene =
        "videotestsrc num-buffers=5 ! video/x-raw,width=320,height=240,framerate=25/1 ! svtestscene scene=both"

    @Test("Faces are found, drawn and told, with no path to type")
    func worksAtOnce() throws {
        let outcome = try Program.launch("\(Self.scene) ! svfacedetect ! fakesink", options: ["-m"])
        outcome.expectSuccess("svfacedetect")
        let line = try #require(outcome.outputLines.first { $0.contains("svfacedetect, timestamp=") })
        #expect(line.contains("face\\,") && line.contains("left_eye_x"))
    }

    private static let settings = [
        "face-cascade=", "face-cascade=/", "face-cascade=/dev/zero", "cat-cascade=/etc/passwd",
        "cascade-dir=/nowhere",
        "cascade-dir=/dev/null", "left-eye-cascade=..", "smile=true smile-cascade=haarcascade_eye",
        "scale-factor=nan", "scale-factor=1", "scale-factor=1.01 min-neighbors=0", "scale=1e-9", "scale=0.05",
        "min-size=0", "min-size=1", "min-size=-1", "region=0,0,1,1", "region=-9,-9,10,10",
        "region=1073741824,1073741824,1073741824,1073741824", "region=x", "species=0", "species=dog", "landmarks=0",
        "max-faces=1", "interval=0", "interval=1000", "threads=256", "equalize=clahe scale=0.05", "features=lbp",
        "preset=no-such", "mode=async interval=1", "preset=accurate track=false landmarks=eyes+mouth smile=true",
    ]

    @Test("Nothing that can be typed aborts the process", arguments: TestScope.pairs(settings, formats))
    func anything(_ properties: String, _ format: String) throws {
        let outcome = try Program.launch(
            "videotestsrc num-buffers=3 ! video/x-raw,format=\(format),width=64,height=48 "
                + "! svfacedetect \(properties) ! fakesink")
        #expect(!outcome.timedOut, "\(properties)")
        #expect(outcome.status < 128 || outcome.status == 255, "\(properties): \(outcome.errors)")
    }

    @Test("A missing cascade: where it was looked for, and what to install")
    func missingCascade() throws {
        let outcome = try Program.launch("videotestsrc num-buffers=3 ! svfacedetect face-cascade=mine ! fakesink")
        #expect(outcome.status != 0)
        for words in ["\"mine\"", "/usr/share/opencv4/haarcascades", "opencv-data"] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }
}
