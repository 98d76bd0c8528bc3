// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// Separates objects that touch each other. The code computes a watershed of the distance to the mask's edge, flooded
// from the summits downwards (L. Vincent and P. Soille: Watersheds in digital spaces, 1991). A summit is a local
// maximum of the distance, and a saddle is the highest point on the way between two summits. Two summits belong to
// different objects if two conditions are met. The saddle between the summits is low, and the summits are about as far
// apart as those of two round objects that touch each other. For example, the ends of a wrench are farther apart, so
// they belong to one object. The code does not use OpenCV's watershed, because it depends on the differences between
// neighbouring pixels. In a map of distances, these differences are equal everywhere.

extension Matrix<UInt8> {
    /// Returns the masks of the objects in this mask. Separates objects that touch each other.
    func separated() throws(VisionError) -> [Matrix] { try separatedAtSaddle().parts }

    /// Returns the masks of the objects, and the highest saddle between two objects. A saddle is the highest point on
    /// the way between two local maxima of the distance to the mask's edge. The saddle is nil if there is only one
    /// object.
    func separatedAtSaddle() throws(VisionError) -> (parts: [Matrix], saddle: Check?) {
        // An almost convex mask has no narrow parts, so the mask is a single object.
        let contours = try contours(isSimplified: true)
        let corners = contours.flatMap { $0.pixels.map { Point(Double($0.x), Double($0.y)) } }
        guard !corners.isEmpty else { return ([], nil) }
        let area = contours.reduce(0) { $0 + $1.area }
        guard area <= SeparationTuning.convex * corners.hullArea else { return ([self], nil) }
        var heights = try distances().blurred(side: 3)
        for y in 0..<height {
            let (mask, to) = (row(y), heights.mutableRow(y))
            for x in 0..<width where mask[x] == 0 { to[x] = 0 }
        }
        var flood = Flood(heights)
        var (parts, places): ([Matrix], [Int: Int]) = ([], [:])
        for y in 0..<height {
            for x in 0..<width {
                guard let object = flood.object(x, y) else { continue }
                let place = places[object] ?? parts.count
                if place == parts.count {
                    places[object] = place
                    parts.append(Matrix(sizeOf: self))
                }
                parts[place].mutableRow(y)[x] = 255
            }
        }
        return (parts, flood.highestSaddle)
    }
}

/// Constants for the separation of objects that touch each other.
enum SeparationTuning {
    /// A mask is not separated if its area exceeds this fraction of the area of its convex hull.
    static let convex = 0.95
    /// Two summits (local maxima of the distance to the mask's edge) belong to one object if the saddle between them
    /// (the highest point on the way) is at least this fraction of the lower summit's height.
    static let highestSaddle: Float = 0.8
    /// Two summits (local maxima of the distance to the mask's edge) belong to one object if the distance between them
    /// is at least this multiple of the sum of their heights (their distances to the mask's edge). For two round
    /// objects that touch each other, the multiple is 1.
    static let farthest = 1.3
}

/// Floods a surface, the distances to a mask's edge, from its summits (local maxima) downwards.
private struct Flood {
    private struct Summit {
        let place: Point
        let height: Float
    }

    private var summits: [Summit] = []
    /// Two union-find structures over the summits. They contain, for each summit, the index of a higher parent summit,
    /// or the summit's own index if it has no parent. `joined`: summits whose floods have met. `objects`: summits of
    /// the same object.
    private var (joined, objects): ([Int], [Int]) = ([], [])
    /// For each pixel, the index of the summit whose flood contains the pixel; −1 for pixels with the height 0.
    private var owners: [Int]
    private let (width, height): (Int, Int)
    /// The highest saddle (highest point on the way) between the summits of two different objects, as a fraction of the
    /// lower summit's height; nil if there is only one object.
    private(set) var highestSaddle: Check?

    init(_ surface: Matrix<Float>) {
        (width, height) = (surface.width, surface.height)
        let heights = surface.samples
        owners = [Int](repeating: -1, count: heights.count)
        var order: [Int] = []
        // Skip the border of the surface, where all heights are 0.
        for y in 1..<max(1, height - 1) {
            for x in 1..<max(1, width - 1) where heights[y * width + x] > 0 { order.append(y * width + x) }
        }
        order.sort { (-heights[$0], $0) < (-heights[$1], $1) }
        let around = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
        for place in order {
            let neighbours = around.map { place + $0 }.filter { owners[$0] >= 0 }
            guard var highest = neighbours.first else {
                owners[place] = summits.count
                joined.append(summits.count)
                objects.append(summits.count)
                let pixel = Point(Double(place % width), Double(place / width))
                summits.append(Summit(place: pixel, height: heights[place]))
                continue
            }
            for neighbour in neighbours where heights[neighbour] > heights[highest] { highest = neighbour }
            owners[place] = owners[highest]
            for neighbour in neighbours where owners[neighbour] != owners[highest] {
                join(owners[highest], owners[neighbour], level: heights[place])
            }
        }
    }

    /// Returns an ID of the object that contains the pixel (`x`, `y`); nil outside of all objects.
    mutating func object(_ x: Int, _ y: Int) -> Int? {
        let owner = owners[y * width + x]
        return owner < 0 ? nil : Self.root(of: owner, &objects)
    }

    /// Follows the parents of an index to the last ancestor, and returns this ancestor. Shortens the path in `parents`.
    private static func root(of index: Int, _ parents: inout [Int]) -> Int {
        var index = index
        while parents[index] != index {
            parents[index] = parents[parents[index]]
            index = parents[index]
        }
        return index
    }

    /// Joins the floods of the summits `a` and `b`, which meet at the height `level`. Also decides if both summits
    /// belong to the same object.
    private mutating func join(_ a: Int, _ b: Int, level: Float) {
        let first = Self.root(of: a, &joined), second = Self.root(of: b, &joined)
        guard first != second else { return }
        let isFirstHigher = summits[first].height >= summits[second].height
        // Compare the highest summits of the two objects that meet here. The joined floods may contain several objects,
        // so the highest summits of the floods may belong to other objects.
        let one = Self.root(of: a, &objects), two = Self.root(of: b, &objects)
        let (low, high) = summits[one].height >= summits[two].height ? (two, one) : (one, two)
        let distance = (summits[one].place - summits[two].place).length
        let saddle = Check(
            .highestSaddle, Double(level / summits[low].height), atLeast: Double(SeparationTuning.highestSaddle))
        if saddle.isMet
            || distance >= SeparationTuning.farthest * Double(summits[one].height + summits[two].height)
        {
            objects[low] = high
        } else if one != two, saddle.value > highestSaddle?.value ?? 0 {
            highestSaddle = saddle
        }
        joined[isFirstHigher ? second : first] = isFirstHigher ? first : second
    }
}
