// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

// Functions for closed polygons: the last corner is connected to the first corner.
extension [Point] {
    var perimeter: Double {
        guard let last else { return 0 }
        return zip([last] + self, self).reduce(0) { $0 + ($1.1 - $1.0).length }
    }

    /// The smallest rectangle of whole pixels that contains all corners.
    var bounds: Rectangle {
        guard let first else { return Rectangle(width: 0, height: 0) }
        var (least, most) = (first, first)
        for corner in self {
            least = Point(Swift.min(least.x, corner.x), Swift.min(least.y, corner.y))
            most = Point(Swift.max(most.x, corner.x), Swift.max(most.y, corner.y))
        }
        return Rectangle(left: least.x, right: most.x, top: least.y, bottom: most.y)
    }

    /// Area of the polygon: positive if the corners are clockwise on the screen, otherwise negative.
    var signedArea: Double {
        guard let last else { return 0 }
        return zip([last] + self, self).reduce(0) { $0 + $1.0.cross($1.1) } / 2
    }

    /// Returns `count` points at equal distances along the closed polygon.
    func resampled(_ count: Int) -> [Point] {
        guard let first else { return [] }
        var result: [Point] = []
        result.reserveCapacity(count)
        let step = perimeter / Double(count)
        var (next, passed) = (0.0, 0.0)
        for (start, end) in zip(self, self.dropFirst() + [first]) where result.count < count {
            let length = (end - start).length
            while length > 0, next <= passed + length, result.count < count {
                result.append(start.moved(towards: end, by: (next - passed) / length))
                next += step
            }
            passed += length
        }
        return result + [Point](repeating: self[self.count - 1], count: count - result.count)
    }

    /// Returns the corners of the closed polygon, smoothed by a Gaussian filter.
    /// - Parameter sigma: the standard deviation of the filter, in corners.
    func smoothed(sigma: Double) -> [Point] {
        let reach = Int((3 * sigma).rounded(.up))
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = weights.reduce(0, +)
        return indices.map { center in
            var mean = Point(0, 0)
            for (place, weight) in zip(center - reach...center + reach, weights) {
                mean = mean + self[(place % count + count) % count] * (weight / sum)
            }
            return mean
        }
    }

    var hullArea: Double { sorted { ($0.x, $0.y) < ($1.x, $1.y) }.sortedHullArea }

    /// Area of the convex hull (Andrew's monotone chain, 1979). The points must be sorted by x and then y, or by y and
    /// then x.
    var sortedHullArea: Double {
        func chain(_ corners: some Sequence<Point>) -> [Point] {
            var chain: [Point] = []
            for corner in corners {
                while chain.count > 1,
                    (chain[chain.count - 1] - chain[chain.count - 2]).cross(corner - chain[chain.count - 1]) <= 0
                {
                    chain.removeLast()
                }
                chain.append(corner)
            }
            return chain.dropLast()
        }
        return (chain(self) + chain(reversed())).enclosedArea
    }
}
