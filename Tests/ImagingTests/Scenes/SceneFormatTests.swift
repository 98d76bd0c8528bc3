// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Scenes
import TestScope
import Testing

@Suite("Scenes: formats")
struct SceneFormatTests {
    /// The colour of the frame before drawing. It differs from paper, so that it is noticed if it remains visible.
    private static let background = Color(argb: 0xFF_10_C8_28)

    /// Frames have an odd size, and crops begin at the second pixel of a chroma sample.
    private static let crops = [nil, Rectangle(x: 3, y: 1, width: 119, height: 109)]

    /// Draws a scene on a frame or on a part of it.
    private static func video(_ kind: Scene.Kind, _ format: FrameFormat, _ crop: Rectangle?) -> Video {
        let video = Video(format, width: 125, height: 111, padding: 3, crop: crop)
        video.whole.fill(video.whole.bounds, color: background)
        let frame = video.frame
        let scene = Scene(kind, count: 1, seed: 4, width: frame.width, height: frame.height)
        ScenePainter(scene).draw(on: frame, at: 0.3)
        return video
    }

    /// Differences from the BGRA frame, in levels.
    private struct Distances {
        /// `plain`: the maximum for samples whose pixels have the same colour. `edge`: the maximum for other samples.
        var (plain, edge) = (0.0, 0.0)

        init(_ shown: Video, _ letter: Character, from colors: [UInt32]) {
            let (frame, step) = (shown.frame, shown.sharing(letter))
            for y in stride(from: 0, to: frame.height, by: step.rows) {
                for x in stride(from: 0, to: frame.width, by: step.columns) {
                    let values = shown.sharers(letter, x, y).map { pixel in
                        Samples.of(colors[pixel.y * frame.width + pixel.x], letter, frame.colorimetry)
                    }
                    let distance = abs(Double(shown[letter, x, y] ?? 0) - values.reduce(0, +) / Double(values.count))
                    if (values.max() ?? 0) - (values.min() ?? 0) > 2 {
                        edge = max(edge, distance)
                    } else {
                        plain = max(plain, distance)
                    }
                }
            }
        }
    }

    @Test("every format shows what BGRA shows, as far as its chroma can", arguments: Scene.Kind.allCases)
    func formats(kind: Scene.Kind) {
        let offset = Scene.Kind.allCases.firstIndex(of: kind) ?? 0
        for crop in Self.crops {
            let expected = Self.video(kind, FrameFormat(.bgra), crop)
            let frame = expected.frame
            let colors = (0..<frame.width * frame.height).map { index in
                "RGB".reduce(UInt32(0)) {
                    $0 << 8 | UInt32(expected[$1, index % frame.width, index / frame.width] ?? 0)
                }
            }
            // Each scene has every third format. Together, the scenes have all formats.
            for (index, format) in FrameFormat.all.enumerated()
            where TestScope.runs(index, oneIn: 3, offset: offset) {
                let shown = Self.video(kind, format, crop)
                for letter in shown.letters where letter != "A" && letter != "x" {
                    let distances = Distances(shown, letter, from: colors)
                    // Each layer is rounded. If two panels of the logo's background meet within a chroma sample, a part
                    // of the background remains visible.
                    let limit: Double = format.isYUV || format.isGray ? (kind == .logo ? 7 : 4) : 0
                    #expect(distances.plain <= limit, "\(format.name) \(letter)")
                    // For edges, the mean of the mixtures differs from the mixture of the means.
                    #expect(distances.edge <= 40, "\(format.name) \(letter)")
                }
            }
        }
    }
}
