// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing

@Suite("Stamps and labels")
struct StampTests {
    /// Returns a premultiplied image with various alpha values.
    private func picture(_ format: PixelFormat = .bgra, width: Int = 7, height: Int = 5) -> Picture {
        let picture = Picture(format, width: width, height: height, padding: 3)
        var random = Random(seed: 3)
        picture.fillAtRandom(&random)
        premultiply(picture.image)
        return picture
    }

    @Test(
        "over every format, at every parity, cropped and clipped", arguments: FrameFormat.all,
        Processor.kernelSets.indices)
    func draw(format: FrameFormat, set: Int) {
        let picture = picture()
        let stamp = Stamp(premultiplied: picture.image)
        for crop in [nil, Rectangle(x: 1, y: 1, width: 12, height: 9), Rectangle(x: 2, y: 3, width: 9, height: 8)] {
            let video = Video(format, width: 15, height: 12, padding: 2, crop: crop)
            for (x, y) in [(2, 2), (3, 2), (2, 3), (3, 3), (-3, -2), (-4, 8), (9, -1), (8, 7), (1, 0)] {
                for opacity: UInt8 in [255, 100] {
                    video.fillAtRandom()
                    let before = video.bytes
                    var frame = video.frame
                    frame.kernels = Processor.kernelSets[set]
                    stamp.draw(on: frame, x: x, y: y, opacity: opacity)
                    expect(video, before, picture, x, y, Double(opacity) / 255)
                }
            }
        }
    }

    private func expect(
        _ video: Video, _ before: [[UInt8]], _ picture: Picture, _ left: Int, _ top: Int, _ opacity: Double
    ) {
        let original = Video(
            video.whole.format, width: video.whole.width, height: video.whole.height, like: video, before)
        let bounds = video.frame.bounds
        /// Returns the alpha and the premultiplied sample of the stamp at a pixel of the frame.
        func source(_ letter: Character, _ x: Int, _ y: Int) -> (alpha: Double, sample: Double) {
            let (column, row) = (x - left, y - top)
            guard column >= 0, row >= 0, column < picture.image.width, row < picture.image.height else { return (0, 0) }
            let pixel = picture[column, row].map(Double.init)
            let alpha = pixel[3] / 255
            // Samples are a constant plus a linear function of the colour.
            let zero = Samples.of(0xFF_00_00_00, letter, video.frame.colorimetry)
            let steps = [0xFF_00_00_FF, 0xFF_00_FF_00, 0xFF_FF_00_00].map {
                (Samples.of($0, letter, video.frame.colorimetry) - zero) / 255
            }
            return (alpha, zip(steps, pixel).reduce(zero * alpha) { $0 + $1.0 * $1.1 })
        }
        var worst = (error: 0.0, place: "")
        for letter in video.letters {
            for y in 0..<bounds.height {
                for x in 0..<bounds.width {
                    guard let was = original[letter, x, y], let now = video[letter, x, y] else { continue }
                    let sharers = video.sharers(letter, x, y)
                    let alpha = sharers.map { source(letter, $0.x, $0.y).alpha }.reduce(0, +) / Double(sharers.count)
                    // The colour also includes the invisible pixels of a unit that is partly in the frame.
                    let (columns, rows) = video.sharing(letter)
                    let (x0, y0) = (
                        (x + video.visiblePart.x) / columns * columns - video.visiblePart.x,
                        (y + video.visiblePart.y) / rows * rows - video.visiblePart.y
                    )
                    let all = (0..<rows * columns).map { source(letter, x0 + $0 % columns, y0 + $0 / columns) }
                    let weight = all.map(\.alpha).reduce(0, +)
                    let paint = weight > 0 ? all.map(\.sample).reduce(0, +) / weight : 0
                    let right = letter == "x" ? Double(was) : Double(was) + (paint - Double(was)) * alpha * opacity
                    let error = abs(Double(now) - right) - 2.1
                    if error > worst.error {
                        worst = (
                            error,
                            "\(video.frame.format.name) \(left) \(top): \(letter) \(x) \(y): \(was) → \(now), not \(right)"
                        )
                    }
                }
            }
        }
        #expect(worst.error == 0, "\(worst.place)")
        #expect(video.isIntactAround(before))
    }

    @Test("pictures of other formats, opaque where they have no alpha", arguments: PixelFormat.all)
    func sources(format: PixelFormat) {
        let source = Picture(format, width: 2, height: 2)
        fill(source.image, color: 0xFF_20_60_A0)
        let video = Video(.init(.rgb), width: 4, height: 4)
        Stamp(premultiplied: source.image).draw(on: video.frame, x: 1, y: 1)
        let gray: UInt8 = 84  // .299 · 32 + .587 · 96 + .114 · 160
        let expected = format.isGray ? [gray, gray, gray] : [32, 96, 160]
        #expect(["R", "G", "B"].map { video[$0, 2, 2] } == expected)
        #expect(video["R", 0, 1] == Picture.filler)
    }

    @Test(
        "labels stand above, else below, else beside or within, and inside of the frame",
        arguments: [
            (Rectangle(x: 20, y: 30, width: 30, height: 20), [20, 21, 11, 9]),
            (Rectangle(x: 20, y: 3, width: 30, height: 20), [20, 23, 11, 9]),
            (Rectangle(x: -5, y: 3, width: 30, height: 90), [25, 3, 11, 9]),
            (Rectangle(x: -5, y: 3, width: 300, height: 90), [0, 3, 11, 9]),
            (Rectangle(x: 95, y: 200, width: 30, height: 20), [89, 71, 11, 9]),
            (Rectangle(x: 20, y: -30, width: 30, height: 10), [20, 0, 11, 9]),
        ] as [(Rectangle, [Int])])
    func labels(rectangle: Rectangle, expected: [Int]) {
        let text = Picture(.bgra, width: 7, height: 5)
        fill(text.image, color: 0xFF_FF_FF_FF)
        let video = Video(.i420, width: 100, height: 80)
        let box = video.frame.label(
            Stamp(premultiplied: text.image), at: rectangle, margin: 2, color: 0xFF_00_00_00)
        #expect([box.x, box.y, box.width, box.height] == expected)
        #expect(video["Y", box.x, box.y] == 16)
        #expect(video["Y", box.x + 2, box.y + 2] == 235 && video["Y", box.x + 8, box.y + 6] == 235)
        #expect(video["Y", box.x + 9, box.y + 7] == 16)
    }

    @Test("labels keep clear of others: above, below, moved sideways, beside")
    func clearLabels() {
        let text = Picture(.bgra, width: 7, height: 5)
        let video = Video(.i420, width: 100, height: 80)
        let stamp = Stamp(premultiplied: text.image)
        var taken: [Rectangle] = []
        let rectangle = Rectangle(x: 20, y: 30, width: 30, height: 20)
        for (x, y) in [(20, 21), (20, 50), (32, 21), (32, 50), (50, 30)] {
            let box = video.frame.label(stamp, at: rectangle, margin: 2, color: 0xFF_00_00_00, avoiding: taken)
            #expect(box == Rectangle(x: x, y: y, width: 11, height: 9))
            taken.append(box)
        }
        // If labels cannot avoid objects, they hide as little of them as possible.
        let other = Rectangle(x: 70, y: 30, width: 11, height: 20)
        let things = [Rectangle(x: 60, y: 0, width: 40, height: 29), Rectangle(x: 60, y: 53, width: 40, height: 20)]
        let box = video.frame.label(
            stamp, at: other, margin: 2, color: 0xFF_00_00_00, avoiding: taken, objects: things)
        #expect(box == Rectangle(x: 81, y: 30, width: 11, height: 9))
    }
}
