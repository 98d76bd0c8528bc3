// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Detects the colour of the wall behind a person at the border of video frames, and tracks the colour over time. Only
/// one thread at a time may use an instance.
///
/// The tracker reads 128 positions along the four sides of the frame. For a chroma key, each position votes for its
/// chroma, but grey positions do not vote. For a luma key, each position votes for its luma. The value with the most
/// votes within a tolerance is the colour of the wall. If fewer than 30 % of the positions agree, the colour does not
/// change. So the person may cover a part of the border. After a small change, the colour moves by an eighth of the
/// difference per frame. After a large change, the colour switches after eight frames.
package final class BorderColor {
    /// The detected colour; nil before the first detection.
    package private(set) var color: Color?
    private var kind = Key.Kind.none
    /// Number of consecutive frames in which red, green or blue of the winning colour differed from `color` by more
    /// than `reach`.
    private var others = 0
    private let reader = ColorReader()
    private var averages: [Color] = []

    package init() {}

    /// Updates the colour from a frame.
    /// - Returns: the updated colour.
    @discardableResult
    package func follow(_ frame: FrameImage, for kind: Key.Kind) -> Color? {
        if kind != self.kind { (self.kind, color, others) = (kind, nil, 0) }
        guard let winner = vote(on: frame, for: kind) else { return color }
        guard let old = color else {
            color = winner
            return color
        }
        let step = Color(winner.red - old.red, winner.green - old.green, winner.blue - old.blue)
        if max(abs(step.red), abs(step.green), abs(step.blue)) > Self.reach {
            others += 1
            if others >= 8 { (color, others) = (winner, 0) }
        } else {
            others = 0
            color = Color(old.red + step.red / 8, old.green + step.green / 8, old.blue + step.blue / 8)
        }
        return color
    }

    /// Maximum distance of a position's luma or chroma from the winning value, in levels (of 255). A colour change is
    /// small if red, green and blue change by at most this number of levels.
    private static let reach = 32.0
    /// A position with a chroma of less than 16 levels counts as grey.
    private static let gray = 16.0

    private func vote(on frame: FrameImage, for kind: Key.Kind) -> Color? {
        averages.removeAll(keepingCapacity: true)
        readBorder(of: frame)
        let matrix = Colorimetry(.bt601, isFullRange: true)
        let points = averages.map { color in
            let samples = matrix.samples(of: color)
            return kind == .luma
                ? (samples.luma, 0) : (samples.chromaBlue - 128, samples.chromaRed - 128)
        }
        func isVoter(_ point: (Double, Double)) -> Bool {
            kind == .luma || point.0 * point.0 + point.1 * point.1 >= Self.gray * Self.gray
        }
        // A histogram with cells of 16 levels. Empty cells surround the histogram, so that `around`, which adds up 3 ×
        // 3 cells, needs no bounds checks.
        func cell(_ level: Double) -> Int { min(max(0, Int((level + 256) / 16)), 31) }
        var votes = [Int](repeating: 0, count: 34 * 34)
        for point in points where isVoter(point) { votes[(cell(point.1) + 1) * 34 + cell(point.0) + 1] += 1 }
        func around(_ index: Int) -> Int {
            (-1...1).reduce(0) { $0 + votes[index + $1 * 34 - 1] + votes[index + $1 * 34] + votes[index + $1 * 34 + 1] }
        }
        let inner = (1...32).lazy.flatMap { row in (1...32).lazy.map { row * 34 + $0 } }
        guard let best = inner.filter({ votes[$0] > 0 }).max(by: { around($0) < around($1) }) else { return nil }
        let center = (Double(best % 34 - 1) * 16 - 248, Double(best / 34 - 1) * 16 - 248)
        var (sum, count) = (Color.black, 0.0)
        for (point, color) in zip(points, averages) where isVoter(point) {
            let (x, y) = (point.0 - center.0, point.1 - center.1)
            guard x * x + y * y <= Self.reach * Self.reach else { continue }
            sum = Color(sum.red + color.red, sum.green + color.green, sum.blue + color.blue)
            count += 1
        }
        return count >= 0.3 * Double(averages.count) && count > 0 ? (1 / count) * sum : nil
    }

    /// Reads 32 positions along each side of the frame, slightly inside of the border. For each position, appends the
    /// mean colour of up to 4 pixels to `averages`.
    private func readBorder(of frame: FrameImage) {
        let (width, height) = (frame.width, frame.height)
        guard width > 0, height > 0 else { return }
        let inset = min(width, height) / 100
        let run = min(4, width - 2 * inset)
        for y in Set([inset, height - 1 - inset]).sorted() {
            for number in 0..<32 { add(frame, x: inset + (width - 2 * inset - run) * number / 31, y: y, count: run) }
        }
        for x in Set([inset, width - inset - run]).sorted() {
            for number in 0..<32 { add(frame, x: x, y: inset + (height - 1 - 2 * inset) * number / 31, count: run) }
        }
    }

    private func add(_ frame: FrameImage, x: Int, y: Int, count: Int) {
        reader.read(x..<x + count, first: y, second: nil, of: frame)
        let row = reader.colors(0)
        var sum = (red: 0, green: 0, blue: 0)
        for index in 0..<count {
            sum.red += Int(row.red[index])
            sum.green += Int(row.green[index])
            sum.blue += Int(row.blue[index])
        }
        let share = 1 / Double(count)
        averages.append(Color(Double(sum.red) * share, Double(sum.green) * share, Double(sum.blue) * share))
    }
}
