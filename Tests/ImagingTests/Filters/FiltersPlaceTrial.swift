// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging

/// Applies a chain of filters to an image, and to the same image with a painted box.
struct PlaceTrial {
    let chain: FilterChain
    let width: Int
    let height: Int
    let map: PositionMap?
    private let runner = FilterRunner(threads: 1)
    private let source: [UInt8]
    private let plain: Picture

    /// - Parameter background: the colour of a uniform image; nil for an image with different pixels.
    init(_ text: String, width: Int, height: Int, background: UInt8? = nil) throws {
        chain = try FilterChain(text)
        (self.width, self.height) = (width, height)
        map = PositionMap(chain, width: width, height: height)
        plain = Picture(.bgrx, width: width, height: height)
        RealPicture.sample(width: width, height: height).write(to: plain)
        if let background { plain.fill { _, _ in background } }
        source = plain.bytes
        runner.run(chain, on: plain.image)
    }

    /// Boxes in the centre, at corners and beyond the border. Some are small or thin.
    var boxes: [Rectangle] {
        [
            Rectangle(x: width / 3, y: height / 4, width: width / 4, height: height / 3),
            Rectangle(x: width - 9, y: height - 12, width: 30, height: 40),
            Rectangle(x: 3, y: 2, width: 5, height: 4), Rectangle(x: width / 2, y: height / 2, width: 1, height: 1),
        ]
    }

    /// Returns the positions of a box in the result. If a chain has no map, it moves pixels by at most 2 pixels.
    func copies(of box: Rectangle) -> [Rectangle] {
        let around = Rectangle(x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4)
        return map?.copies(of: box) ?? [around]
    }

    /// Returns the pixels of the result that change if the box is painted.
    /// - Parameter limit: differences up to this number of levels do not count as changes.
    func changes(of box: Rectangle, limit: Int = 0) -> [Point] {
        let painted = Picture(.bgrx, width: width, height: height)
        painted.restore(source)
        let area = box.intersection(painted.image.bounds)
        for y in area.y..<area.y + area.height {
            let row = painted.image.row(y)
            for byte in 4 * area.x..<4 * (area.x + area.width) { row[byte] = row[byte] < 128 ? 255 : 0 }
        }
        runner.run(chain, on: painted.image)
        return withExtendedLifetime((plain, painted)) {
            var changes: [Point] = []
            for y in 0..<height {
                let (a, b) = (plain.image.row(y), painted.image.row(y))
                for x in 0..<width {
                    for byte in 4 * x..<4 * x + 3 where abs(Int(a[byte]) - Int(b[byte])) > limit {
                        changes.append(Point(Double(x), Double(y)))
                        break
                    }
                }
            }
            return changes
        }
    }
}

extension [Point] {
    /// Returns the pixels outside of all boxes.
    func outside(_ boxes: [Rectangle]) -> [Point] {
        filter { pixel in
            !boxes.contains { box in
                (box.x..<box.x + box.width).contains(Int(pixel.x))
                    && (box.y..<box.y + box.height).contains(Int(pixel.y))
            }
        }
    }
}
