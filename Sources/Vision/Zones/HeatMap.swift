// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The time that objects have spent in each part of the frame. The stored times decrease exponentially (see `fade`).
package struct HeatMap: Sendable {
    package static let (columns, rows) = (64, 36)
    /// An object adds time to a block of 5 x 5 cells. The weights of these cells along each direction are the binomial
    /// coefficients of order 4.
    private static let spread: [Float] = [1, 4, 6, 4, 1]
    /// If a cell has this time, in seconds, its level is half of the maximum level.
    private static let half: Float = 0.2

    /// Seconds for each cell, row by row.
    private var seconds = [Float](repeating: 0, count: columns * rows)
    private var lastTime: Double?

    package init() {}

    /// The sum of all cells, in seconds.
    package var total: Double { seconds.reduce(0) { $0 + Double($1) } }

    /// Makes the next call of `add` start a new interval, for example after a seek.
    package mutating func interrupt() { lastTime = nil }

    /// Adds the time since the last call to the cells around each position. Before that, reduces the stored times
    /// exponentially.
    /// - Parameters:
    ///   - places: the positions of objects, as fractions of the frame.
    ///   - time: the time of the frame, in seconds.
    ///   - fade: the half-life of the stored times in seconds, above 0.
    package mutating func add(_ places: [Point], at time: Double, fade: Double) {
        defer { lastTime = time }
        guard let lastTime, time > lastTime else { return }
        // Add at most one second, because it is unknown where the objects were during a longer gap between frames.
        let passed = min(1, time - lastTime)
        let share = Float(power(0.5, (time - lastTime) / max(fade, 1e-3)))
        for index in seconds.indices { seconds[index] *= share }
        for place in places where place.isFinite {
            let column = Int(min(0.9999, max(0, place.x)) * Double(Self.columns))
            let row = Int(min(0.9999, max(0, place.y)) * Double(Self.rows))
            for (down, weight) in Self.spread.enumerated() where (0..<Self.rows).contains(row + down - 2) {
                let start = (row + down - 2) * Self.columns
                for (across, other) in Self.spread.enumerated()
                where (0..<Self.columns).contains(column + across - 2) {
                    seconds[start + column + across - 2] += Float(passed) * weight * other / 256
                }
            }
        }
    }

    /// Writes the map as levels to a grey image, 0–255, with bilinear interpolation between the cells.
    /// - Parameter threshold: levels up to this fraction of the maximum become 0, and larger levels are stretched to
    ///   the full range.
    package func write(to image: Image, above threshold: Double = 0) {
        guard image.format.isGray, !image.isEmpty else { return }
        let cut = Float(min(0.99, max(0, threshold)))
        let levels = seconds.map { max(0, $0 / ($0 + Self.half) - cut) / (1 - cut) * 255 }
        let across = Self.samples(image.width, of: Self.columns)
        var row = [Float](repeating: 0, count: Self.columns)
        for (y, down) in Self.samples(image.height, of: Self.rows).enumerated() {
            for column in row.indices {
                let (upper, lower) = (
                    levels[down.first * Self.columns + column], levels[down.second * Self.columns + column]
                )
                row[column] = upper + (lower - upper) * down.share
            }
            let output = image.row(y)
            for (x, sample) in across.enumerated() {
                let (left, right) = (row[sample.first], row[sample.second])
                output[x] = UInt8(min(255, left + (right - left) * sample.share))
            }
        }
    }

    /// Returns, for each pixel of a row or column, the two cells for linear interpolation and the weight of the second
    /// cell.
    private static func samples(_ length: Int, of count: Int) -> [(first: Int, second: Int, share: Float)] {
        (0..<length).map { pixel in
            let place = (Double(pixel) + 0.5) * Double(count) / Double(length) - 0.5
            let first = min(count - 1, max(0, Int(place.rounded(.down))))
            return (first, min(count - 1, first + 1), Float(min(1, max(0, place - Double(first)))))
        }
    }
}
