// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging

/// An image with real-valued pixels, for the formulas of filters.
struct RealPicture {
    typealias Color = SIMD3<Double>

    let width: Int
    let height: Int
    var pixels: [Color]

    init(width: Int, height: Int, _ color: (_ x: Int, _ y: Int) -> Color) {
        (self.width, self.height) = (width, height)
        pixels = (0..<height).flatMap { y in (0..<width).map { color($0, y) } }
    }

    /// Returns an image with smooth gradients, edges and noise. All values are bytes.
    static func sample(width: Int, height: Int, seed: UInt64 = 5) -> RealPicture {
        var random = Random(seed: seed)
        return RealPicture(width: width, height: height) { x, y in
            let step = (x / 5 + y / 4) % 2 == 0 ? 60.0 : 0
            let noise = Double(random.next() >> 59)
            let red = 180 * Double(x) / Double(max(1, width - 1)) + step / 2 + noise / 2
            let green = 190 * Double(y) / Double(max(1, height - 1)) + step + noise / 8
            let blue = 110 + 90 * sin(Double(x + 2 * y) / 6) - step + noise
            return Color(red, green, blue).mapped { min(255, max(0, $0.rounded())) / 255 }
        }
    }

    /// The pixel at a position. For a position outside of the image, the nearest pixel.
    subscript(x: Int, y: Int) -> Color {
        get { pixels[min(height - 1, max(0, y)) * width + min(width - 1, max(0, x))] }
        set { pixels[y * width + x] = newValue }
    }

    func map(_ change: (Color) -> Color) -> RealPicture { changed { color, _, _ in change(color) } }

    func changed(_ change: (_ color: Color, _ x: Int, _ y: Int) -> Color) -> RealPicture {
        RealPicture(width: width, height: height) { x, y in change(self[x, y], x, y) }
    }

    var clipped: RealPicture { map { $0.mapped { min(1, max(0, $0)) } } }

    /// Returns the colour at a position, interpolated between the four nearest pixels. The position is in pixels from
    /// the top left corner, and is rounded to 1/256 pixel.
    func sample(_ place: Point) -> Color {
        func fixed(_ value: Double, _ size: Int) -> Double {
            ((min(Double(size) - 0.5, max(0.5, value)) - 0.5) * 256 + 0.5).rounded(.down) / 256
        }
        let (x, y) = (fixed(place.x, width), fixed(place.y, height))
        let (column, row) = (Int(x), Int(y))
        let (right, down) = (x - Double(column), y - Double(row))
        let upper = self[column, row] * (1 - right) + self[column + 1, row] * right
        let lower = self[column, row + 1] * (1 - right) + self[column + 1, row + 1] * right
        return upper * (1 - down) + lower * down
    }

    /// Returns an image in which each pixel comes from the position that `source` returns. If `source` returns nil, the
    /// pixel is black.
    func warped(_ source: (Point) -> Point?) -> RealPicture {
        changed { _, x, y in
            source(Point(Double(x) + 0.5, Double(y) + 0.5)).map { sample($0) } ?? Color(repeating: 0)
        }
    }

    /// Filters the rows and then the columns.
    /// - Parameter weights: the weight of the centre pixel, then of its neighbours at distance 1, 2 and so on.
    func separably(_ weights: [Double]) -> RealPicture {
        let sum = 2 * weights.reduce(0, +) - weights[0]
        func filtered(_ picture: RealPicture, _ dx: Int, _ dy: Int) -> RealPicture {
            picture.changed { color, x, y in
                var result = color * weights[0]
                for k in 1..<weights.count {
                    result += (picture[x - k * dx, y - k * dy] + picture[x + k * dx, y + k * dy]) * weights[k]
                }
                return result / sum
            }
        }
        return filtered(filtered(self, 1, 0), 0, 1)
    }
}

extension SIMD3<Double> {
    func mapped(_ change: (Double) -> Double) -> Self { Self(change(x), change(y), change(z)) }

    var luma: Double { 0.299 * x + 0.587 * y + 0.114 * z }
}

extension RealPicture {
    /// Writes the image to a frame. Grey formats get luma. Bytes that are not colours get different values.
    func write(to picture: Picture) {
        let format = picture.image.format
        for y in 0..<height {
            for x in 0..<width {
                let color = self[x, y].mapped { ($0 * 255).rounded() }
                var pixel = picture[x, y]
                if format.isGray {
                    pixel[0] = UInt8(min(255, color.luma.rounded()))
                } else {
                    pixel[format.red] = UInt8(color.x)
                    pixel[format.green] = UInt8(color.y)
                    pixel[format.blue] = UInt8(color.z)
                    if let other = format.alpha ?? format.padding { pixel[other] = Self.fourth(x, y) }
                }
                picture[x, y] = pixel
            }
        }
    }

    static func fourth(_ x: Int, _ y: Int) -> UInt8 { UInt8((x * 7 + y * 13) % 256) }

    /// Compares a frame with this image. Returns the maximum difference in levels, the number of pixels that differ by
    /// more than `limit`, and a description of the pixel with the maximum difference.
    func difference(from picture: Picture, limit: Double) -> (worst: Double, count: Int, what: String) {
        let format = picture.image.format
        var (worst, count, what) = (0.0, 0, "")
        for y in 0..<height {
            for x in 0..<width {
                let exact = self[x, y].mapped { min(1, max(0, $0)) * 255 }
                let pixel = picture[x, y].map { Double($0) }
                let pairs =
                    format.isGray
                    ? [(pixel[0], exact.luma)]
                    : [(pixel[format.red], exact.x), (pixel[format.green], exact.y), (pixel[format.blue], exact.z)]
                let error = pairs.map { abs($0.0 - $0.1) }.max() ?? 0
                if error > limit { count += 1 }
                if error > worst { (worst, what) = (error, "at \(x), \(y): \(pairs)") }
            }
        }
        return (worst, count, what)
    }
}
