// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// An alignment of an outline (the first outline) with another outline, and the remaining differences.
struct OutlineMatch: Sendable {
    /// Maps the normalized points of the first outline to the normalized points of the other outline.
    var outlines: Similarity
    /// Maps pixels of the first outline's image to pixels of the other outline's image. The centre of the first pixel
    /// is at (0.5, 0.5).
    var images = Similarity()
    /// Index of the other outline's point that corresponds to the first outline's first point.
    var start: Int
    /// Root mean square distance between the outlines, divided by the other outline's `size`.
    var distance: Double
    /// Difference between the holes: D / (s² + H). D: area that is a hole in exactly one of both outlines. s: `size` of
    /// the first outline. H: area of the holes in the outline with the larger holes.
    var holes = 0.0
}

extension Outline {
    /// Returns the alignment with the rotation at which the Fourier descriptors of both outlines correlate best. The
    /// property `distance` of the result is the full Procrustes distance between the points of both outlines, 0…1.
    func aligned(to other: Outline) -> OutlineMatch {
        let product = zip(spectrum, other.spectrum).map { a, b in
            SIMD2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y)
        }
        let correlations = Self.transform(product)
        var (start, most) = (0, -1.0)
        for (place, value) in correlations.enumerated() {
            let power = Double(value.x) * Double(value.x) + Double(value.y) * Double(value.y)
            if power > most { (start, most) = (place, power) }
        }
        let length = most.squareRoot()
        let turn = Point(Double(correlations[start].x), -Double(correlations[start].y)) / length
        return OutlineMatch(
            outlines: Similarity(turn: turn), start: start, distance: max(0, 1 - most).squareRoot())
    }

    /// Improves an alignment, and computes exact distances and the difference between the holes. Each distance is
    /// between a point of one outline and the nearest position on a side of the other outline.
    func compared(to other: Outline, _ match: OutlineMatch) throws(VisionError) -> OutlineMatch {
        var match = match
        let line = ClosedLine(other.places)
        for _ in 0..<OutlineTuning.rounds {
            // Iterative closest point algorithm (Besl and McKay, 1992).
            let targets = places.enumerated().map { index, place in
                line.nearest(to: match.outlines(place), from: index + match.start).place
            }
            let better = Similarity(from: places, to: targets)
            guard better.turn.squaredLength > 0 else { break }
            match.outlines = better
        }
        let moved = places.map { match.outlines($0) }
        let movedLine = ClosedLine(moved)
        var sum = 0.0
        for index in 0..<Self.count {
            sum += line.nearest(to: moved[index], from: index + match.start).square
            sum += movedLine.nearest(to: other.places[index], from: index - match.start).square
        }
        match.distance = (sum / Double(2 * Self.count)).squareRoot()
        let turn = match.outlines.turn * (other.size / size)
        match.images = Similarity(
            turn: turn, shift: other.middle + match.outlines.shift * other.size - turn.times(middle))
        match.holes = try holeDifference(to: other, match.outlines)
        return match
    }

    private func holeDifference(to other: Outline, _ between: Similarity) throws(VisionError) -> Double {
        guard holeMap != nil || other.holeMap != nil else { return 0 }
        let none = Matrix<Float>(width: Self.holeSide, height: Self.holeSide)
        let middle = Point(Double(Self.holeSide) / 2, Double(Self.holeSide) / 2)
        let map = AffineMap(
            Similarity(
                turn: between.turn, shift: middle + between.shift * Self.holeScale - between.turn.times(middle)))
        let side = Self.holeSide
        let known = try (other.holeMap ?? none).warped(map, isInverse: true, width: side, height: side, sv_cv_linear)
        var (difference, area, knownArea) = (0.0, 0.0, 0.0)
        for (hole, knownHole) in zip((holeMap ?? none).samples, known.samples) {
            difference += Double(abs(hole - knownHole))
            area += Double(hole)
            knownArea += Double(knownHole)
        }
        return difference / (Self.holeScale * Self.holeScale + max(area, knownArea))
    }
}

/// The sides of a closed polygon with `Outline.count` corners.
private struct ClosedLine {
    private struct Side {
        let start, direction: Point
        /// 1 / length² of the side; 0 if the length is 0.
        let inverse: Double
    }

    /// The sides of the polygon. The last `reach` sides are repeated before the first side, and the first `reach` sides
    /// are repeated after the last side.
    private let sides: [Side]

    /// `nearest` searches this number of sides in each direction along the polygon.
    private static let reach = OutlineTuning.reach

    init(_ places: [Point]) {
        let sides = zip(places, places.dropFirst() + places.prefix(1)).map { start, end in
            let direction = end - start, square = direction.squaredLength
            return Side(start: start, direction: direction, inverse: square > 0 ? 1 / square : 0)
        }
        self.sides = sides.suffix(Self.reach) + sides + sides.prefix(Self.reach)
    }

    /// Returns the position on the polygon that is nearest to `point`, and the square of the distance. Searches only
    /// side `side`, and `reach` sides before and after it.
    /// - Parameter side: the index of the side, modulo the number of sides.
    func nearest(to point: Point, from side: Int) -> (place: Point, square: Double) {
        let count = Outline.count
        let first = (side % count + count) % count
        var (x, y, least) = (point.x, point.y, Double.infinity)
        sides.withUnsafeBufferPointer { sides in
            for index in first...first &+ 2 &* Self.reach {
                let side = sides[index], direction = side.direction
                let (offsetX, offsetY) = (point.x - side.start.x, point.y - side.start.y)
                let along = (offsetX * direction.x + offsetY * direction.y) * side.inverse
                let fraction = max(0, min(1, along))
                let (restX, restY) = (offsetX - direction.x * fraction, offsetY - direction.y * fraction)
                let square = restX * restX + restY * restY
                if square < least { (x, y, least) = (point.x - restX, point.y - restY, square) }
            }
        }
        return (Point(x, y), least)
    }
}
