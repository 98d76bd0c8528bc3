// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Finds the position of a point of the input image in the result of warps.
final class PointFinder {
    private let tree: SourceTree
    private let sources: [Warp.Source]
    private let frame: Rectangle

    /// - Parameters:
    ///   - warps: the warps, in the order of their application.
    ///   - tree: a tree with the visible input pixels in each square of the result. If nil, a new tree is created.
    ///   - frame: the bounds of the frame. They must not be empty.
    init(_ warps: [Warp], _ tree: SourceTree?, frame: Rectangle) {
        self.frame = frame
        self.tree = tree ?? SourceTree(PositionStep.steps(warps.map { .warp($0) }, frame), frame: frame)
        sources = warps.reversed().map { $0.source(Double(frame.width), Double(frame.height)) }
    }

    /// Returns the position in the result at which the input point `point` is visible. Searches only in `region` of the
    /// result. Returns nil if the point is not visible in `region`.
    func position(of point: Point, in region: Rectangle) -> Point? {
        let region = region.intersection(frame)
        let pixel = Rectangle(x: floored(point.x), y: floored(point.y), width: 1, height: 1)
        guard point.isFinite, !region.isEmpty, !pixel.intersection(frame).isEmpty else { return nil }
        let span = PixelSpan(pixel)
        let blocks = tree.blocks(showing: span, in: region).map { tree.pixels(of: $0).intersection(region) }
        // The blocks may show the point. First try the centres of the blocks. If this fails, take the eight blocks
        // whose centres show the input positions nearest to the point, and try sixteen positions in each of them.
        let guesses = blocks.compactMap { block in guess(block, 0.5, 0.5, point).map { (block, $0) } }
            .sorted { $0.1.distance < $1.1.distance }
        if let refined = refined(guesses.first?.1, point, span, in: region) { return refined }
        let shares = [0.125, 0.375, 0.625, 0.875]
        let more = guesses.prefix(8).flatMap { block, _ in
            shares.flatMap { y in shares.compactMap { x in guess(block, x, y, point) } }
        }
        return refined(more.min { $0.distance < $1.distance }, point, span, in: region)
    }

    /// Refines a guess, and returns the refined position. Returns nil if the result pixel at this position shows no
    /// input pixel of `span`.
    private func refined(_ guess: Guess?, _ point: Point, _ span: PixelSpan, in region: Rectangle) -> Point? {
        guard let best = guess.map({ refined($0, point, in: region) }), shows(best, span) else { return nil }
        return best.position
    }

    /// An approximate position of the point in the result (`position`). `source` is the input position that is visible
    /// at `position`, and `distance` is the distance from `source` to the point, in pixels.
    private struct Guess {
        let position: Point
        let source: Point
        let distance: Double
    }

    private func source(of position: Point) -> Point? {
        var position = position
        for source in sources {
            guard let next = source(position) else { return nil }
            position = next.inside(width: Double(frame.width), height: Double(frame.height))
        }
        return position
    }

    /// - Parameter x, y: the position in the block, as fractions of the block's width and height.
    private func guess(_ block: Rectangle, _ x: Double, _ y: Double, _ point: Point) -> Guess? {
        guess(
            Point(Double(block.x) + Double(block.width) * x, Double(block.y) + Double(block.height) * y), point)
    }

    private func guess(_ position: Point, _ point: Point) -> Guess? {
        source(of: position).map { source in
            let (x, y) = (source.x - point.x, source.y - point.y)
            return Guess(position: position, source: source, distance: (x * x + y * y).squareRoot())
        }
    }

    /// Refines a guess by Newton's method with numeric derivatives. Stops when a step does not decrease the distance
    /// between the guess's input position and the point.
    private func refined(_ guess: Guess, _ point: Point, in region: Rectangle) -> Guess {
        let step = 0.25
        var best = guess
        for _ in 0..<6 where best.distance > 0.01 {
            guard let right = source(of: Point(best.position.x + step, best.position.y)),
                let down = source(of: Point(best.position.x, best.position.y + step))
            else { break }
            let (a, b) = ((right.x - best.source.x) / step, (down.x - best.source.x) / step)
            let (c, d) = ((right.y - best.source.y) / step, (down.y - best.source.y) / step)
            let determinant = a * d - b * c
            guard abs(determinant) > 1e-9 else { break }
            let (x, y) = (point.x - best.source.x, point.y - best.source.y)
            let next = Point(
                best.position.x + (d * x - b * y) / determinant, best.position.y + (a * y - c * x) / determinant)
            guard let guess = self.guess(next.inside(region), point), guess.distance < best.distance else { break }
            best = guess
        }
        return best
    }

    /// Returns true if the result pixel at the guessed position shows an input pixel of `span`.
    private func shows(_ guess: Guess, _ span: PixelSpan) -> Bool {
        let (x, y) = (guess.position.x.rounded(.down), guess.position.y.rounded(.down))
        let area = Area(left: x, top: y, right: x + 1, bottom: y + 1)
        return tree.source(of: area).meets(span)
    }
}

extension Point {
    /// Returns the position in `region` that is nearest to this point.
    fileprivate func inside(_ region: Rectangle) -> Point {
        Point(
            min(Double(region.x + region.width), max(Double(region.x), x)),
            min(Double(region.y + region.height), max(Double(region.y), y)))
    }
}
