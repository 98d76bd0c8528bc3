// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import TestSupport
import Testing

/// Compares mattes of `svtestscene scene=green` with the ground truth of `scene=matte`. The score is the sum of minima
/// divided by the sum of maxima. For hard mattes, this is the intersection over union.
@Suite("svmixer: keying")
struct MixerKeyingTests {
    private static let size = "width=1280,height=720,framerate=2/1"
    private static let truth = Result {
        try pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,\(size) ! svtestscene scene=matte seed=1 "
                + "! appsink name=out sync=false"
        ).levels("out")
    }

    /// Returns the matte of a frame (0…255). It is computed from the frame over white and the frame over black.
    private func matte(_ properties: String, _ format: String) throws -> [Double] {
        func branch(_ pattern: String) -> String {
            "svmixer name=over-\(pattern) \(properties) ! video/x-raw,format=\(format) ! videoconvert dither=none "
                + "! video/x-raw,format=GRAY8 ! appsink name=\(pattern) sync=false "
                + "videotestsrc pattern=\(pattern) num-buffers=1 ! video/x-raw,format=\(format),\(Self.size) "
                + "! over-\(pattern).sink_0 "
        }
        // svtestscene cannot draw on some formats.
        let drawn = format.hasSuffix("10LE") ? "Y444" : format
        let line = try pipeline(
            branch("black") + branch("white") + "videotestsrc num-buffers=1 "
                + "! video/x-raw,format=\(drawn),\(Self.size) ! svtestscene scene=green seed=1 "
                + "! videoconvert dither=none ! video/x-raw,format=\(format) ! tee name=t ! queue ! over-black.sink_1 "
                + "t. ! queue ! over-white.sink_1")
        let differences = try zip(line.levels("white"), line.levels("black")).map { $0 - $1 }
        let maximum = differences.max() ?? 0
        return differences.map { maximum > 0 ? 255 * (1 - $0 / maximum) : 0 }
    }

    private func intersectionOverUnion(_ some: [Double], _ others: [Double]) -> Double {
        #expect(some.count == others.count)
        let (both, any) = zip(some, others).reduce((0, 0)) { ($0.0 + min($1.0, $1.1), $0.1 + max($1.0, $1.1)) }
        return any > 0 ? both / any : 0
    }

    @Test(
        "The matte is that of the figure",
        arguments: [
            ("RGBA", "key-auto=true"), ("BGRx", "key-color=0xff1ea541"), ("Y444", "key-auto=true"),
            ("I420", "key-auto=true"), ("NV12", "key-color=0xff1ea541"), ("YUY2", "key-auto=true"),
            ("I420_10LE", "key-auto=true"),
        ])
    func figure(_ format: String, _ key: String) throws {
        let found = try matte("sink_1::keying=chroma sink_1::\(key)", format)
        let share = try intersectionOverUnion(found, Self.truth.get())
        #expect(share >= 0.98, "\(format) with \(key): \(share)")
    }
}

extension Pipeline {
    /// Plays the pipeline, and returns the grey levels of a frame.
    fileprivate func levels(_ sink: String) throws -> [Double] {
        try play()
        return try #require(try pull(sink)).frame.bytes.map(Double.init)
    }
}
