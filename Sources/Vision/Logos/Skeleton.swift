// SPDX-License-Identifier: LGPL-2.1-or-later
/// The skeleton of a shape: lines with a width of one pixel along the middle of its parts.
package struct Skeleton {
    /// The pixels, row by row; true for pixels of the skeleton.
    package let pixels: [Bool]
    private let width: Int

    /// Thins a mask by the algorithm of T. Y. Zhang and C. Y. Suen, "A Fast Parallel Algorithm for Thinning Digital
    /// Patterns" (1984). The algorithm alternately removes pixels at lower right and at upper left edges, unless this
    /// would break or shorten a line.
    /// - Parameters:
    ///   - mask: the pixels, row by row. Pixels at the edge of the mask count as empty.
    ///   - width: the number of pixels per row.
    package init(thinning mask: [Bool], width: Int) {
        let height = width > 0 ? mask.count / width : 0
        var pixels = mask
        for index in pixels.indices {
            let (x, y) = (width > 0 ? index % width : 0, width > 0 ? index / width : 0)
            if x == 0 || y == 0 || x == width - 1 || y >= height - 1 { pixels[index] = false }
        }
        // The remaining pixels. None of them is at the edge of the mask, so all of them have eight neighbours.
        var remaining = pixels.indices.filter { pixels[$0] }
        var gone: [Int] = []
        // Offsets of the neighbours, clockwise from the upper neighbour: P2 to P9 in the paper.
        let neighbors = [-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width]
        var turn = 0
        // Thinning ends when two consecutive passes remove no pixels.
        var idle = 0
        while idle < 2 {
            let goes = turn == 0 ? Self.goesFirst : Self.goesSecond
            turn = 1 - turn
            gone.removeAll(keepingCapacity: true)
            pixels.withUnsafeBufferPointer { pixels in
                for index in remaining {
                    var around = 0
                    for bit in 0..<8 where pixels[index &+ neighbors[bit]] { around |= 1 << bit }
                    if goes[around] { gone.append(index) }
                }
            }
            idle = gone.isEmpty ? idle + 1 : 0
            guard !gone.isEmpty else { continue }
            for index in gone { pixels[index] = false }
            remaining.removeAll { !pixels[$0] }
        }
        self.pixels = pixels
        self.width = width
    }

    /// Length in pixels: 1 for each pair of pixels with a common side, √2 for each pair with only a common corner.
    package var length: Double {
        var (straight, diagonal) = (0, 0)
        for index in pixels.indices where pixels[index] {
            let column = width > 0 ? index % width : 0
            func isSet(_ dx: Int, _ dy: Int) -> Bool {
                let (x, neighbour) = (column + dx, index + dx + dy * width)
                return x >= 0 && x < width && neighbour >= 0 && neighbour < pixels.count && pixels[neighbour]
            }
            let (right, below) = (isSet(1, 0), isSet(0, 1))
            straight += (right ? 1 : 0) + (below ? 1 : 0)
            if isSet(1, 1), !right, !below { diagonal += 1 }
            if isSet(-1, 1), !isSet(-1, 0), !below { diagonal += 1 }
        }
        return Double(straight) + 2.0.squareRoot() * Double(diagonal)
    }

    /// For each combination of neighbours (one bit each, P2 first), true if a pixel with these neighbours is removed.
    /// The passes use `goesFirst` and `goesSecond` alternately.
    private static let goesFirst = (0..<256).map { goes($0, sides: (0b0001_0101, 0b0101_0100)) }
    private static let goesSecond = (0..<256).map { goes($0, sides: (0b0100_0101, 0b0101_0001)) }

    /// Returns true if a pixel is removed.
    /// - Parameters:
    ///   - around: the neighbours, one bit each, P2 first.
    ///   - sides: two groups of three neighbours. In each group, at least one neighbour must be empty.
    private static func goes(_ around: Int, sides: (Int, Int)) -> Bool {
        let count = around.nonzeroBitCount
        // The number of empty neighbours that are followed by a set neighbour.
        let next = (around >> 1) | ((around & 1) << 7)
        let changes = (~around & next & 0xFF).nonzeroBitCount
        return (2...6).contains(count) && changes == 1 && around & sides.0 != sides.0 && around & sides.1 != sides.1
    }
}
