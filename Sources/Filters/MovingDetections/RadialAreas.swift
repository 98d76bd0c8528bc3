// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Sources of areas under a warp that moves places towards a centre or away from it, and turns them about it.
struct RadialAreas: Sendable {
    private let center: Point
    /// Minima and maxima of both for distances between neighbouring steps, from `count` on; before them those of the
    /// parts 2i and 2i + 1, as in a heap. The minima are negated.
    private let ranges: [SIMD4<Double>]
    private let count: Int

    /// Distance between steps in pixels. No wave is shorter than 4 pixels.
    private static let step = 0.5

    init(center: Point, width: Double, height: Double, _ change: Warp.Change) {
        let center = Point(center.x * width, center.y * height)
        self.center = center
        let (across, down) = (max(center.x, width - center.x), max(center.y, height - center.y))
        let count = max(1, Int((across * across + down * down).squareRoot() / Self.step) + 1)
        self.count = count
        let values = (0...count + 1).map { index in
            // The centre itself may stay where it is while all around it moves.
            let distance = max(1e-6, Double(index) * Self.step)
            let (scale, turn) = change(distance)
            return SIMD2(distance * scale, turn)
        }
        // Distance of the middle one of three from the line between the others.
        func bend(_ index: Int) -> SIMD2<Double> {
            let bend = values[max(1, index) - 1] - 2 * values[max(1, index)] + values[max(1, index) + 1]
            return bend.replacing(with: SIMD2(repeating: 0) - bend, where: bend .< 0)
        }
        var ranges = [SIMD4<Double>](repeating: SIMD4(repeating: -.infinity), count: 2 * count)
        for index in 0..<count {
            let (a, b) = (values[index], values[index + 1])
            // Between them a smooth curve leaves the line by half of that; it counts twice, as not every step shows it.
            let rest = pointwiseMax(bend(index), bend(index + 1)) / 4
            let (least, most) = (pointwiseMin(a, b) - rest, pointwiseMax(a, b) + rest)
            ranges[count + index] = SIMD4(-least.x, most.x, -least.y, most.y)
        }
        for index in (1..<max(2, count)).reversed() where count > 1 {
            ranges[index] = pointwiseMax(ranges[2 * index], ranges[2 * index + 1])
        }
        self.ranges = ranges
    }

    /// Returns the minima and maxima of distances and turns between two distances, in the form of `ranges`.
    private func range(_ near: Double, _ far: Double) -> SIMD4<Double> {
        var first = count + min(count - 1, Int(near / Self.step))
        var end = count + min(count - 1, Int(far / Self.step)) + 1
        var found = SIMD4<Double>(repeating: -.infinity)
        while first < end {
            if first & 1 == 1 {
                found = pointwiseMax(found, ranges[first])
                first += 1
            }
            if end & 1 == 1 {
                end -= 1
                found = pointwiseMax(found, ranges[end])
            }
            (first, end) = (first / 2, end / 2)
        }
        return found
    }

    /// The area that an area of the frame is taken from, or a larger one.
    @Sendable func source(_ area: Area) -> Area {
        let (middle, (across, down)) = (area.middle, area.halves)
        let (x, y) = (middle.x - center.x, middle.y - center.y)
        func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
        let near = length(max(0, abs(x) - across), max(0, abs(y) - down))
        let range = range(near, length(abs(x) + across, abs(y) + down))
        let (least, last) = (-range.x, range.y)
        let most = max(abs(least), abs(last))
        // Distances of the area's places from the direction of its middle, as seen from the centre.
        let away = length(x, y)
        let sine = (across * abs(y) + down * abs(x)) / (near * away)
        guard near * away > 0, sine < 0.5, away * away > across * abs(x) + down * abs(y) else {
            return Area(around: center, most, most)
        }
        // The angle of a sine below ½ is at most as much larger as that of ½.
        let angle = sine * .pi / 3 + (range.w + range.z) / 2
        guard angle < 1 else { return Area(around: center, most, most) }
        var (u, v) = (x / away, y / away)
        let mean = (range.w - range.z) / 2
        if mean != 0 {
            let (sine, cosine) = sineAndCosine(degrees: mean * 180 / .pi)
            (u, v) = (u * cosine - v * sine, u * sine + v * cosine)
        }
        // Along that direction, and across it; an angle's cosine is at least 1 − angle² / 2.
        let flat = 1 - angle * angle / 2
        let (first, end) = (min(least, least * flat), max(last, last * flat))
        let (along, aside) = ((end - first) / 2, most * angle)
        let place = (first + end) / 2
        return Area(
            around: Point(center.x + u * place, center.y + v * place), abs(u) * along + abs(v) * aside,
            abs(v) * along + abs(u) * aside)
    }
}
