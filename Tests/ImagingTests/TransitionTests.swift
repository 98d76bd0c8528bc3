// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing
import Transitions

/// Compares transitions with their formulas in Double, and tests all formats.
@Suite("Transitions")
struct TransitionTests {
    private static let (width, height) = (96, 54)

    /// Returns an image with smooth colours. Each seed gives different colours.
    private func video(_ format: FrameFormat, seed: UInt64, width: Int = width, height: Int = height) -> Video {
        let video = Video(format, width: width, height: height, padding: 16)
        var random = SeededRandom(seed: seed)
        for plane in video.frame.format.planes.indices {
            let layout = format.planes[plane]
            let count = layout.units(width: width) * layout.unitBytes
            for y in 0..<layout.unitRows(height: height) {
                let row = (video.frame.planes[plane].base + y * video.frame.planes[plane].stride)
                    .assumingMemoryBound(to: UInt8.self)
                for x in 0..<count { row[x] = UInt8(truncatingIfNeeded: random.next() >> 40) }
            }
        }
        return video
    }

    private func draw(
        _ transition: Transition, at progress: Double, _ old: Video, _ new: Video, threads: Int = 1,
        with painter: TransitionPainter = TransitionPainter()
    ) -> Video {
        let output = Video(old.frame.format, width: old.frame.width, height: old.frame.height, padding: 16)
        painter.draw(
            .init(transition, at: progress, seed: 7), from: old.frame, to: new.frame, into: output.frame,
            with: Blender(threads: threads))
        return output
    }

    private func bytes(_ video: Video) -> [[UInt8]] {
        zip(video.frame.format.planes, video.frame.planes).map { layout, plane in
            let count = layout.units(width: video.frame.width) * layout.unitBytes
            return (0..<layout.unitRows(height: video.frame.height)).flatMap { y in
                Array(
                    UnsafeBufferPointer(
                        start: (plane.base + y * plane.stride).assumingMemoryBound(to: UInt8.self), count: count))
            }
        }
    }

    @Test("The first picture is the old one, the last the new one", arguments: Transition.drawn)
    func ends(_ transition: Transition) {
        for format in FrameFormat.allYUV + [FrameFormat(.bgra), FrameFormat(.rgb), FrameFormat(.gray8)] {
            for (width, height) in [(37, 23), (2, 2), (1, 1)] {
                let (old, new) = (
                    video(format, seed: 1, width: width, height: height),
                    video(format, seed: 2, width: width, height: height)
                )
                #expect(bytes(draw(transition, at: 0, old, new)) == bytes(old), "\(format.name) \(width)")
                #expect(bytes(draw(transition, at: 1, old, new)) == bytes(new), "\(format.name) \(width)")
                _ = draw(transition, at: 0.45, old, new)
            }
        }
    }

    /// Returns the weight of the new image. Returns nil if the transition does not only mix pixels by a weight.
    private func weight(_ transition: Transition, _ column: Int, _ row: Int, _ p: Double) -> Double? {
        let (w, h) = (Double(Self.width), Double(Self.height))
        let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
        let r =
            ((x - w / 2) * (x - w / 2) + (y - h / 2) * (y - h / 2)).squareRoot() / ((w * w + h * h).squareRoot() / 2)
        let side = max(abs(2 * x / w - 1), abs(2 * y / h - 1))
        let (threshold, softness): (Double, Double)
        switch transition {
        case .dissolve: return p
        case .wipeLeft: (threshold, softness) = (1 - x / w, 0.1)
        case .wipeRight: (threshold, softness) = (x / w, 0.1)
        case .wipeUp: (threshold, softness) = (1 - y / h, 0.1)
        case .wipeDown: (threshold, softness) = (y / h, 0.1)
        case .circleOpen: (threshold, softness) = (r, 0.05)
        case .circleClose: (threshold, softness) = (1 - r, 0.05)
        case .rectangleOpen: (threshold, softness) = (side, 0.05)
        case .rectangleClose: (threshold, softness) = (1 - side, 0.05)
        case .radial:
            let turns = arcTangent(x - w / 2, h / 2 - y) / (2 * .pi)
            (threshold, softness) = (turns < 0 ? turns + 1 : turns, 0.05)
        case .diagonal: (threshold, softness) = ((x / w + y / h) / 2, 0.1)
        case .barsSwipe:
            let bar = (12 * x / w).rounded(.down)
            let way = Int(bar) % 2 == 1 ? 1 - y / h : y / h
            (threshold, softness) = (0.7 * way + 0.3 * bar / 11, 0.05)
        case .mod:
            let cell = max(8, h / 7) * 2.0.squareRoot()
            let (a, b) = ((x - w / 2 + y - h / 2) / cell, (x - w / 2 - y + h / 2) / cell)
            let (u, v) = (a - a.rounded(), b - b.rounded())
            (threshold, softness) = ((2 * (u * u + v * v)).squareRoot(), 0.1)
        default: return nil
        }
        return min(1, max(0, ((1 + softness) * p - threshold) / softness))
    }

    @Test("Weights are those of the formula", arguments: Transition.drawn, [0.2, 0.5, 0.83])
    func weights(_ transition: Transition, _ p: Double) {
        guard weight(transition, 0, 0, p) != nil else { return }
        let (old, new) = (video(FrameFormat(.bgra), seed: 3), video(FrameFormat(.bgra), seed: 4))
        let output = draw(transition, at: p, old, new)
        var worst = 0.0
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                guard let weight = weight(transition, x, y, p) else { continue }
                for letter in "BGRA" {
                    guard let a = old[letter, x, y], let b = new[letter, x, y], let c = output[letter, x, y] else {
                        continue
                    }
                    worst = max(worst, abs(Double(a) + (Double(b) - Double(a)) * weight - Double(c)))
                }
            }
        }
        // Half a level, half a step of the weight, and the rounding of 16-bit thresholds and Float.
        #expect(worst < 1.6)
    }

    @Test("YUV is mixed like RGB: luma by its pixel's weight, chroma by the mean of those that share it")
    func planes() {
        for format in FrameFormat.allYUV {
            let (old, new) = (video(format, seed: 5), video(format, seed: 6))
            let output = draw(.circleOpen, at: 0.4, old, new)
            let chroma = format.planes.last
            let (columns, rows) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
            var worst = 0.0
            for y in 0..<Self.height {
                for x in 0..<Self.width {
                    func weight(_ columns: Int, _ rows: Int) -> Double {
                        var sum = 0.0
                        for row in y / rows * rows..<(y / rows + 1) * rows {
                            for column in x / columns * columns..<(x / columns + 1) * columns {
                                sum += self.weight(.circleOpen, column, row, 0.4) ?? 0
                            }
                        }
                        return sum / Double(rows * columns)
                    }
                    for letter in "YUV" {
                        guard let a = old[letter, x, y], let b = new[letter, x, y], let c = output[letter, x, y] else {
                            continue
                        }
                        let share = letter == "Y" ? weight(1, 1) : weight(columns, rows)
                        worst = max(worst, abs(Double(a) + (Double(b) - Double(a)) * share - Double(c)))
                    }
                }
            }
            #expect(worst < 2.1, "\(format.name)")
        }
    }

    @Test("Fades go through black and white")
    func fades() {
        for format in [FrameFormat.nv12, FrameFormat(.rgb), FrameFormat.yuy2] {
            let (old, new) = (video(format, seed: 8), video(format, seed: 9))
            let (black, white) = (Video(format, width: 96, height: 54), Video(format, width: 96, height: 54))
            black.frame.fill(.black)
            white.frame.fill(.white)
            #expect(bytes(draw(.fadeBlack, at: 0.5, old, new)) == bytes(black))
            #expect(bytes(draw(.fadeWhite, at: 0.5, old, new)) == bytes(white))
            #expect(bytes(draw(.flash, at: 0.1, old, new)) == bytes(white))
        }
    }

    @Test("Zoom: the old picture, interpolated between samples, and the new one", arguments: [0.1, 0.5, 0.9])
    func zoom(_ p: Double) {
        let z = 1 + 3 * p * p
        let t = max(0, 1.25 * p - 0.25)
        let weight = t * t * (3 - 2 * t)
        /// Returns the two input samples around an output sample, and the weight of the second sample.
        func place(_ index: Int, _ length: Int, pixels: Int) -> (Int, Int, Double) {
            let middle = Double(length) / 2
            let center = middle + ((Double(index) + 0.5) * Double(pixels) - middle) / z
            let place = center / Double(pixels) - 0.5
            let (last, first) = ((length + pixels - 1) / pixels - 1, Int(place.rounded(.down)))
            return (max(0, first), min(last, first + 1), place - Double(first))
        }
        for format in FrameFormat.allYUV + [FrameFormat(.bgra), FrameFormat(.rgb), FrameFormat(.gray8)] {
            let (width, height) = format.isYUV ? (97, 55) : (96, 54)
            let (old, new) = (
                video(format, seed: 14, width: width, height: height),
                video(format, seed: 15, width: width, height: height)
            )
            let output = draw(.zoom, at: p, old, new)
            var (worst, count) = (0.0, 0)
            for letter in output.letters {
                let (columns, rows) = output.sharing(letter)
                for y in stride(from: 0, to: height, by: rows) {
                    for x in stride(from: 0, to: width, by: columns) {
                        let (left, right, across) = place(x / columns, width, pixels: columns)
                        let (top, bottom, down) = place(y / rows, height, pixels: rows)
                        func sample(_ column: Int, _ row: Int) -> Double? {
                            old[letter, column * columns, row * rows].map(Double.init)
                        }
                        guard let a = sample(left, top), let b = sample(right, top), let c = sample(left, bottom),
                            let d = sample(right, bottom), let e = new[letter, x, y], let found = output[letter, x, y]
                        else { continue }
                        let upper = a + (b - a) * across
                        let lower = c + (d - c) * across
                        let value = upper + (lower - upper) * down
                        worst = max(worst, abs(value + (Double(e) - value) * weight - Double(found)))
                        count += 1
                    }
                }
            }
            // Half a level, half a step of the weight, and half of 1/256 sample in each direction.
            #expect(worst < 2.1 && count > 0, "\(format.name): \(worst) of \(count)")
        }
    }

    @Test("Pictures that move are those pictures")
    func moves() {
        let (old, new) = (video(FrameFormat(.bgra), seed: 10), video(FrameFormat(.bgra), seed: 11))
        let slide = draw(.slideLeft, at: 0.25, old, new)
        let push = draw(.pushDown, at: 0.5, old, new)
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                #expect(slide["G", x, y] == (x < 72 ? old["G", x, y] : new["G", x - 72, y]))
                #expect(push["G", x, y] == (y < 27 ? new["G", x, y + 27] : old["G", x, y - 27]))
            }
        }
    }

    /// Returns an image with smooth gradients.
    private func soft(_ phase: Double) -> Video {
        let video = Video(FrameFormat(.bgra), width: 96, height: 54)
        guard let image = video.frame.packed else { return video }
        for y in 0..<54 {
            for x in 0..<96 {
                let (wave, _) = sineAndCosine(degrees: phase + 6 * Double(x) + 5 * Double(y))
                for channel in 0..<4 { (image.row(y) + 4 * x)[channel] = byte(128 + 100 * wave) }
            }
        }
        return video
    }

    @Test("No transition jumps", arguments: Transition.drawn)
    func jumps(_ transition: Transition) {
        guard transition != .flash, transition != .pixelize else { return }
        let (old, new) = (soft(0), soft(140))
        let painter = TransitionPainter()
        var last: [UInt8]?
        var changes: [Double] = []
        for step in 0...24 {
            let picture = bytes(draw(transition, at: Double(step) / 24, old, new, with: painter))[0]
            if let last {
                changes.append(
                    zip(last, picture).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(picture.count))
            }
            last = picture
        }
        let mean = changes.reduce(0, +) / Double(changes.count)
        #expect((changes.max() ?? 0) <= 3 * mean, "\(changes.max() ?? 0) of \(mean)")
    }

    @Test("The number of threads does not change a picture", arguments: Transition.drawn)
    func threads(_ transition: Transition) {
        let (old, new) = (
            video(.nv12, seed: 12, width: 1024, height: 520), video(.nv12, seed: 13, width: 1024, height: 520)
        )
        let one = draw(transition, at: 0.4, old, new)
        #expect(bytes(draw(transition, at: 0.4, old, new, threads: 3)) == bytes(one))
    }
}
