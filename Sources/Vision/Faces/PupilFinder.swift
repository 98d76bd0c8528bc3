// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Finds the centre of a pupil near an expected position. The centre is dark, and the brightness gradients around it
/// are directed away from it (Timm and Barth, "Accurate eye centre localisation by means of gradients", VISAPP 2011).
struct PupilFinder {
    /// A pixel with a strong brightness gradient: its position (`x`, `y`), and the unit vector (`across`, `down`) in
    /// the direction of increasing brightness.
    private struct Slope {
        var x: Double
        var y: Double
        var across: Double
        var down: Double
    }

    private let image: Image
    /// Maximum horizontal and vertical distance between the pupil and its expected position, in pixels.
    private let reach: Int

    init(_ image: Image, reach: Int) {
        self.image = image
        self.reach = max(1, reach)
    }

    /// Returns the centre of the pupil in pixels of the image. Returns nil if the image has too few strong gradients.
    func pupil(near point: Point) -> Point? {
        guard point.x.magnitude < 1e6, point.y.magnitude < 1e6 else { return nil }
        // The gradient of a pixel is computed from the four pixels next to it. So exclude the pixels at the edge of the
        // image.
        let inner = Rectangle(x: 1, y: 1, width: image.width - 2, height: image.height - 2)
        let window = inner.intersection(
            Rectangle(
                x: floored(point.x) - reach, y: floored(point.y) - reach, width: 2 * reach + 1, height: 2 * reach + 1))
        guard window.width >= 3, window.height >= 3 else { return nil }
        let slopes = slopes(in: window)
        guard slopes.count >= 8 else { return nil }
        var scores = [Double](repeating: 0, count: window.width * window.height)
        for y in 0..<window.height {
            for x in 0..<window.width {
                // If two positions have similar scores, the position nearer to `point` is more likely the pupil. So the
                // scores decrease with the distance from `point`. At the distance `reach`, a score is halved.
                let dx = (Double(window.x + x) + 0.5 - point.x) / Double(reach)
                let dy = (Double(window.y + y) + 0.5 - point.y) / Double(reach)
                scores[y * window.width + x] =
                    score(window.x + x, window.y + y, slopes) / (1 + dx * dx + dy * dy)
            }
        }
        guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > 0 else { return nil }
        let (x, y) = (best % window.width, best / window.width)
        func at(_ dx: Int, _ dy: Int) -> Double? {
            guard 0..<window.width ~= x + dx, 0..<window.height ~= y + dy else { return nil }
            return scores[(y + dy) * window.width + x + dx]
        }
        return Point(
            Double(window.x + x) + 0.5 + vertex(at(-1, 0), scores[best], at(1, 0)),
            Double(window.y + y) + 0.5 + vertex(at(0, -1), scores[best], at(0, 1)))
    }

    /// Returns the pixels with a strong gradient in `window`. A gradient is strong if its length exceeds the mean
    /// length by more than a third of the standard deviation.
    private func slopes(in window: Rectangle) -> [Slope] {
        var all: [(slope: Slope, length: Double)] = []
        for y in window.y..<window.y + window.height {
            let (above, row, below) = (image.row(y - 1), image.row(y), image.row(y + 1))
            for x in window.x..<window.x + window.width {
                let dx = Double(Int(row[x + 1]) - Int(row[x - 1]))
                let dy = Double(Int(below[x]) - Int(above[x]))
                let length = (dx * dx + dy * dy).squareRoot()
                guard length > 0 else { continue }
                all.append((Slope(x: Double(x), y: Double(y), across: dx / length, down: dy / length), length))
            }
        }
        guard !all.isEmpty else { return [] }
        let count = Double(all.count)
        let mean = all.reduce(0) { $0 + $1.length } / count
        let deviation = (all.reduce(0) { $0 + ($1.length - mean) * ($1.length - mean) } / count).squareRoot()
        return all.filter { $0.length > mean + deviation / 3 }.map(\.slope)
    }

    /// Returns a score for the pixel (`x`, `y`). The score is high if the pixel is the centre of a dark disc.
    private func score(_ x: Int, _ y: Int, _ slopes: [Slope]) -> Double {
        var sum = 0.0
        for slope in slopes {
            let (dx, dy) = (slope.x - Double(x), slope.y - Double(y))
            let square = dx * dx + dy * dy
            guard square > 0 else { continue }
            let along = dx * slope.across + dy * slope.down
            if along > 0 { sum += along * along / square }
        }
        return sum * (255 - brightness(x, y))
    }

    /// Returns the mean brightness of a pixel and its eight neighbours, 0…255.
    private func brightness(_ x: Int, _ y: Int) -> Double {
        var sum = 0
        for row in y - 1...y + 1 {
            let pixels = image.row(row)
            for column in x - 1...x + 1 { sum &+= Int(pixels[column]) }
        }
        return Double(sum) / 9
    }

    /// Fits a parabola to three neighbouring values with the maximum in the middle. Returns the offset of the
    /// parabola's vertex from the middle value, −0.5…0.5 pixels.
    private func vertex(_ before: Double?, _ here: Double, _ after: Double?) -> Double {
        guard let before, let after else { return 0 }
        let bend = before - 2 * here + after
        guard bend < 0 else { return 0 }
        return min(0.5, max(-0.5, 0.5 * (before - after) / bend))
    }
}
