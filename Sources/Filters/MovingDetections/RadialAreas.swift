// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Computes source areas of a radial warp. Such a warp changes the distance of positions from a centre, and rotates
/// positions about the centre.
struct RadialAreas: Sendable {
    private let center: Point
    /// A segment tree of ranges. An element contains −minimum and maximum of source distances, then −minimum and
    /// maximum of rotation angles (in radians). The elements from the index `count` on are for intervals of the
    /// distance from the centre. Element i below `count` is the union of the elements 2i and 2i + 1.
    private let ranges: [SIMD4<Double>]
    private let count: Int

    /// Length of an interval of distances, in pixels. It is short compared to the shortest wave of a warp, which has 4
    /// pixels.
    private static let step = 0.5

    init(center: Point, width: Double, height: Double, _ change: Warp.Change) {
        let center = Point(center.x * width, center.y * height)
        self.center = center
        let (across, down) = (max(center.x, width - center.x), max(center.y, height - center.y))
        let count = max(1, Int((across * across + down * down).squareRoot() / Self.step) + 1)
        self.count = count
        let values = (0...count + 1).map { index in
            // Use a small distance instead of 0. At the centre, a warp may change nothing although it moves all points
            // around the centre.
            let distance = max(1e-6, Double(index) * Self.step)
            let (scale, turn) = change(distance)
            return SIMD2(distance * scale, turn)
        }
        // Returns the absolute second difference of `values` at an index. It is twice the deviation of the value from
        // the mean of its two neighbours.
        func bend(_ index: Int) -> SIMD2<Double> {
            let bend = values[max(1, index) - 1] - 2 * values[max(1, index)] + values[max(1, index) + 1]
            return bend.replacing(with: SIMD2(repeating: 0) - bend, where: bend .< 0)
        }
        var ranges = [SIMD4<Double>](repeating: SIMD4(repeating: -.infinity), count: 2 * count)
        for index in 0..<count {
            let (a, b) = (values[index], values[index + 1])
            // Between two samples, a smooth curve differs from the line by up to an eighth of the second difference.
            // The margin is twice as large, because the samples may not include the maximum of the second difference.
            let margin = pointwiseMax(bend(index), bend(index + 1)) / 4
            let (minimum, maximum) = (pointwiseMin(a, b) - margin, pointwiseMax(a, b) + margin)
            ranges[count + index] = SIMD4(-minimum.x, maximum.x, -minimum.y, maximum.y)
        }
        for index in (1..<max(2, count)).reversed() where count > 1 {
            ranges[index] = pointwiseMax(ranges[2 * index], ranges[2 * index + 1])
        }
        self.ranges = ranges
    }

    /// Returns the ranges of the source distances and of the rotation angles, for all distances from `near` to `far`.
    /// The format is that of an element of `ranges`.
    private func range(_ near: Double, _ far: Double) -> SIMD4<Double> {
        var first = count + min(count - 1, Int(near / Self.step))
        var end = count + min(count - 1, Int(far / Self.step)) + 1
        var maximum = SIMD4<Double>(repeating: -.infinity)
        while first < end {
            if first & 1 == 1 {
                maximum = pointwiseMax(maximum, ranges[first])
                first += 1
            }
            if end & 1 == 1 {
                end -= 1
                maximum = pointwiseMax(maximum, ranges[end])
            }
            (first, end) = (first / 2, end / 2)
        }
        return maximum
    }

    /// Returns an area that contains the sources of all positions in `area`.
    @Sendable func source(_ area: Area) -> Area {
        let (middle, (across, down)) = (area.middle, area.halves)
        let (x, y) = (middle.x - center.x, middle.y - center.y)
        func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
        let near = length(max(0, abs(x) - across), max(0, abs(y) - down))
        let range = range(near, length(abs(x) + across, abs(y) + down))
        let (minimum, last) = (-range.x, range.y)
        let maximum = max(abs(minimum), abs(last))
        // Seen from the centre, the angle between the middle of `area` and any other point of `area` is at most
        // asin(`sine`).
        let away = length(x, y)
        let sine = (across * abs(y) + down * abs(x)) / (near * away)
        guard near * away > 0, sine < 0.5, away * away > across * abs(x) + down * abs(y) else {
            return Area(around: center, maximum, maximum)
        }
        // If `sine` is below ½, asin(`sine`) is at most `sine` · π / 3. Add half of the range of rotation angles.
        let angle = sine * .pi / 3 + (range.w + range.z) / 2
        guard angle < 1 else { return Area(around: center, maximum, maximum) }
        var (u, v) = (x / away, y / away)
        let mean = (range.w - range.z) / 2
        if mean != 0 {
            let (sine, cosine) = sineAndCosine(degrees: mean * 180 / .pi)
            (u, v) = (u * cosine - v * sine, u * sine + v * cosine)
        }
        // Compute the extent of the source area in the direction of its middle, and perpendicular to this direction.
        // `flat` is a lower bound of cos(`angle`).
        let flat = 1 - angle * angle / 2
        let (first, end) = (min(minimum, minimum * flat), max(last, last * flat))
        let (along, aside) = ((end - first) / 2, maximum * angle)
        let distance = (first + end) / 2
        return Area(
            around: Point(center.x + u * distance, center.y + v * distance), abs(u) * along + abs(v) * aside,
            abs(v) * along + abs(u) * aside)
    }
}
