// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Computes source areas of a radial warp: the input areas that are visible in areas of the result. A radial warp
/// changes the distance of positions from a centre, and rotates positions about the centre.
struct RadialAreas: Sendable {
    private let center: Point
    /// A segment tree over the distance from the centre. Each node belongs to an interval of distances. It contains
    /// −minimum and maximum of the input positions' distances from the centre, then −minimum and maximum of the
    /// rotation angles (in radians). The leaves start at the index `count`. Node i below `count` is the union of the
    /// nodes 2i and 2i + 1.
    private let ranges: [SIMD4<Double>]
    private let count: Int

    /// Length of the interval of distances that a leaf of the segment tree `ranges` covers, in pixels. The shortest
    /// waves of the filter `ripple` are eight times as long.
    private static let step = 0.5

    init(center: Point, width: Double, height: Double, _ change: Warp.Change) {
        let center = Point(center.x * width, center.y * height)
        self.center = center
        let (across, down) = (max(center.x, width - center.x), max(center.y, height - center.y))
        let count = max(1, Int((across * across + down * down).squareRoot() / Self.step) + 1)
        self.count = count
        let values = (0...count + 1).map { index in
            // Replace the distance 0 by a small distance. The scale and the rotation at the centre itself may differ
            // from the scale and the rotation of all points around the centre.
            let distance = max(1e-6, Double(index) * Self.step)
            let (scale, turn) = change(distance)
            return SIMD2(distance * scale, turn)
        }
        // Returns the absolute second difference of `values` at an index: |a − 2b + c| for the values a, b, c around
        // the index.
        func bend(_ index: Int) -> SIMD2<Double> {
            let bend = values[max(1, index) - 1] - 2 * values[max(1, index)] + values[max(1, index) + 1]
            return bend.replacing(with: SIMD2(repeating: 0) - bend, where: bend .< 0)
        }
        var ranges = [SIMD4<Double>](repeating: SIMD4(repeating: -.infinity), count: 2 * count)
        for index in 0..<count {
            let (a, b) = (values[index], values[index + 1])
            // Between two elements of `values`, a smooth function differs from linear interpolation by up to 1/8 of the
            // second difference. Use 1/4 as the margin, because the second difference may be larger between the
            // elements.
            let margin = pointwiseMax(bend(index), bend(index + 1)) / 4
            let (minimum, maximum) = (pointwiseMin(a, b) - margin, pointwiseMax(a, b) + margin)
            ranges[count + index] = SIMD4(-minimum.x, maximum.x, -minimum.y, maximum.y)
        }
        for index in (1..<max(2, count)).reversed() where count > 1 {
            ranges[index] = pointwiseMax(ranges[2 * index], ranges[2 * index + 1])
        }
        self.ranges = ranges
    }

    /// Returns the ranges of the input distances and of the rotation angles, for all result distances from `near` to
    /// `far`. All distances are from the centre. The result has the format of a node in `ranges`.
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

    /// Returns an area that contains the input positions of all result positions in `area`.
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
        // For a sine below ½, the angle asin(`sine`) is at most `sine` · π / 3. The warp rotates positions by different
        // angles, so add half of the range of these angles.
        let angle = sine * .pi / 3 + (range.w + range.z) / 2
        guard angle < 1 else { return Area(around: center, maximum, maximum) }
        var (u, v) = (x / away, y / away)
        let mean = (range.w - range.z) / 2
        if mean != 0 {
            let (sine, cosine) = sineAndCosine(degrees: mean * 180 / .pi)
            (u, v) = (u * cosine - v * sine, u * sine + v * cosine)
        }
        // Compute half of the size of the source area along the direction (`u`, `v`), and perpendicular to this
        // direction. `flat` is a lower bound of cos(`angle`).
        let flat = 1 - angle * angle / 2
        let (first, end) = (min(minimum, minimum * flat), max(last, last * flat))
        let (along, aside) = ((end - first) / 2, maximum * angle)
        let distance = (first + end) / 2
        return Area(
            around: Point(center.x + u * distance, center.y + v * distance), abs(u) * along + abs(v) * aside,
            abs(v) * along + abs(u) * aside)
    }
}
