// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// The watershed of the distance to the edge separates objects that touch each other (L. Vincent and P. Soille: Watersheds in
// digital spaces, 1991), flooded from the summits downwards. Two summits are of different objects if the saddle between them is
// low and they are no farther from each other than those of two round objects that touch: the ends of a wrench are one object.
// OpenCV's watershed floods by differences between neighbours, which are the same everywhere here.

extension Matrix<UInt8> {
    /// Returns the masks of objects that touch each other, separated at their necks.
    func separated() throws(VisionError) -> [Matrix] {
        // An object without necks is a single one.
        let contours = try contours(isSimplified: true)
        let corners = contours.flatMap { $0.pixels.map { Point(Double($0.x), Double($0.y)) } }
        guard !corners.isEmpty else { return [] }
        let area = contours.reduce(0) { $0 + $1.area }
        guard area <= SeparationTuning.convex * corners.hullArea else { return [self] }
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
        return parts
    }
}

/// Numbers by which touching objects are separated.
enum SeparationTuning {
    /// Area of a mask as a fraction of its convex hull's, above which it has no necks.
    static let convex = 0.95
    /// Height of the saddle as a fraction of the lower summit's, from which on both are of one object. Higher fractions separate
    /// parts of one object.
    static let highestSaddle: Float = 0.8
    /// Distance of the summits as a fraction of the sum of their heights, from which on both are of one object: 1 for round
    /// objects that touch.
    static let farthest = 1.3
}

/// A surface that was flooded from its summits.
private struct Flood {
    private struct Summit {
        let (x, y): (Int, Int)
        let height: Float
    }

    private var summits: [Summit] = []
    /// For each summit the higher one to which the flood has joined it, and one of the same object; or itself.
    private var (joined, objects): ([Int], [Int]) = ([], [])
    /// The summit of each pixel above 0; else −1.
    private var owners: [Int]
    private let (width, height): (Int, Int)

    init(_ surface: Matrix<Float>) {
        (width, height) = (surface.width, surface.height)
        let heights = surface.samples
        owners = [Int](repeating: -1, count: heights.count)
        var order: [Int] = []
        // The surface has an edge of zeros.
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
                summits.append(Summit(x: place % width, y: place / width, height: heights[place]))
                continue
            }
            for neighbour in neighbours where heights[neighbour] > heights[highest] { highest = neighbour }
            owners[place] = owners[highest]
            for neighbour in neighbours where owners[neighbour] != owners[highest] {
                join(owners[highest], owners[neighbour], level: heights[place])
            }
        }
    }

    /// Returns the number of the object at a pixel; nil outside all objects.
    mutating func object(_ x: Int, _ y: Int) -> Int? {
        let owner = owners[y * width + x]
        return owner < 0 ? nil : Self.root(of: owner, &objects)
    }

    /// Returns the last of the parents, and shortens the way to it.
    private static func root(of index: Int, _ parents: inout [Int]) -> Int {
        var index = index
        while parents[index] != index {
            parents[index] = parents[parents[index]]
            index = parents[index]
        }
        return index
    }

    /// Joins the floods of two summits that meet.
    private mutating func join(_ a: Int, _ b: Int, level: Float) {
        let first = Self.root(of: a, &joined), second = Self.root(of: b, &joined)
        guard first != second else { return }
        let isFirstHigher = summits[first].height >= summits[second].height
        // The summits of the two objects that meet here, not those of all that have met before.
        let one = Self.root(of: a, &objects), two = Self.root(of: b, &objects)
        let (low, high) = summits[one].height >= summits[two].height ? (two, one) : (one, two)
        let (across, down) = (Double(summits[one].x - summits[two].x), Double(summits[one].y - summits[two].y))
        let distance = (across * across + down * down).squareRoot()
        if level >= SeparationTuning.highestSaddle * summits[low].height
            || distance >= SeparationTuning.farthest * Double(summits[one].height + summits[two].height)
        {
            objects[low] = high
        }
        joined[isFirstHigher ? second : first] = isFirstHigher ? first : second
    }
}
