// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A template's image, cropped to the opaque part, in a fixed size: premultiplied colours and alpha, 0…255 and 0…1.
///
/// Positions in the raster, divided by the longer side, are the coordinates of the template. Their origin is the centre
/// of the opaque part.
struct LogoRaster {
    let width: Int
    let height: Int
    /// For each pixel, blue, green, red and alpha. The colours are multiplied by alpha.
    private(set) var pixels: [SIMD4<Float>]

    /// - Parameters:
    ///   - image: the image of the template.
    ///   - content: the rectangle of the image that contains all opaque pixels.
    ///   - side: the longer side of the result, in pixels, without the margin.
    ///   - margin: the width of the transparent margin, in pixels.
    init(_ image: TemplateImage, content: Rectangle, side: Int, margin: Int) {
        let scale = Double(max(1, content.width, content.height)) / Double(side)
        let (columns, rows) = (Self.length(content.width, scale), Self.length(content.height, scale))
        (width, height) = (columns + 2 * margin, rows + 2 * margin)
        pixels = [SIMD4<Float>](repeating: .zero, count: width * height)
        let across = Double(content.width) / Double(columns), down = Double(content.height) / Double(rows)
        for y in 0..<rows {
            for x in 0..<columns {
                pixels[(y + margin) * width + x + margin] =
                    scale > 1
                    ? Self.mean(image, content, x, y, across, down)
                    : Self.interpolated(image, content, (Double(x) + 0.5) * across, (Double(y) + 0.5) * down)
            }
        }
    }

    private static func length(_ length: Int, _ scale: Double) -> Int { max(1, Int(Double(length) / scale + 0.5)) }

    /// Returns the mean of the area that becomes a pixel. Pixels that are partly inside of the area count partly.
    private static func mean(
        _ image: TemplateImage, _ content: Rectangle, _ x: Int, _ y: Int, _ across: Double, _ down: Double
    ) -> SIMD4<Float> {
        let (left, right) = (Double(x) * across, Double(x + 1) * across)
        let (top, bottom) = (Double(y) * down, Double(y + 1) * down)
        var (sum, area): (SIMD4<Float>, Float) = (.zero, 0)
        for row in Int(top)..<max(Int(top), min(content.height, Int(bottom.rounded(.up)))) {
            let height = min(bottom, Double(row + 1)) - max(top, Double(row))
            for column in Int(left)..<max(Int(left), min(content.width, Int(right.rounded(.up)))) {
                let weight = Float(height * (min(right, Double(column + 1)) - max(left, Double(column))))
                sum += weight * image.pixel(content.x + column, content.y + row)
                area += weight
            }
        }
        return area > 0 ? sum / area : .zero
    }

    private static func interpolated(
        _ image: TemplateImage, _ content: Rectangle, _ x: Double, _ y: Double
    ) -> SIMD4<Float> {
        let (u, v) = (max(0, x - 0.5), max(0, y - 0.5))
        let (column, row) = (Int(u), Int(v)), (right, down) = (Float(u) - Float(column), Float(v) - Float(row))
        func at(_ dx: Int, _ dy: Int) -> SIMD4<Float> {
            image.pixel(
                content.x + min(content.width - 1, column + dx), content.y + min(content.height - 1, row + dy))
        }
        let (above, below) = (at(0, 0) * (1 - right) + at(1, 0) * right, at(0, 1) * (1 - right) + at(1, 1) * right)
        return above * (1 - down) + below * down
    }

    // MARK: - Access

    func alpha(_ x: Int, _ y: Int) -> Float {
        x >= 0 && y >= 0 && x < width && y < height ? pixels[y * width + x].w : 0
    }

    /// Converts a position in pixels of the raster (the first pixel covers 0…1) to coordinates of the template.
    func coordinates(_ x: Double, _ y: Double, margin: Int) -> Point {
        let side = Double(max(1, max(width, height) - 2 * margin))
        return Point((x - Double(width) / 2) / side, (y - Double(height) / 2) / side)
    }

    /// Returns the luma in front of a background, 0…255.
    func luma(background: Float) -> [Float] {
        pixels.map { 0.114 * $0.x + 0.587 * $0.y + 0.299 * $0.z + (1 - $0.w) * background }
    }

    /// Mean luma of the opaque part.
    var meanLuma: Float {
        var (sum, weight): (Float, Float) = (0, 0)
        for pixel in pixels {
            sum += 0.114 * pixel.x + 0.587 * pixel.y + 0.299 * pixel.z
            weight += pixel.w
        }
        return weight > 0 ? sum / weight : 0
    }

    /// Returns the raster after a blur with the kernel 1 4 6 4 1 in both directions.
    func blurred() -> LogoRaster {
        var result = self
        let kernel: [Float] = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
        func pass(_ step: Int, _ position: (Int) -> Int, _ length: Int) {
            let from = result.pixels
            for index in from.indices {
                let place = position(index)
                var sum = SIMD4<Float>.zero
                for k in -2...2 where place + k >= 0 && place + k < length {
                    sum += from[index + k * step] * kernel[k + 2]
                }
                result.pixels[index] = sum
            }
        }
        let width = width
        pass(1, { $0 % width }, width)
        pass(width, { $0 / width }, height)
        return result
    }
}

/// The pixels of a template's image, of which the background is transparent.
struct TemplateImage {
    private let image: Image
    /// The colour that counts as transparent in an opaque image; nil if there is none.
    private let background: SIMD3<Float>?

    init(_ image: Image) {
        self.image = image
        background = Self.background(of: image)
    }

    var bounds: Rectangle { image.bounds }

    /// Returns blue, green, red, multiplied by alpha, and alpha. The position must be inside of the image.
    func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
        let color = color(x, y)
        guard let background else {
            let alpha = image.format.alpha.map { Float(image.row(y)[x * image.format.bytesPerPixel + $0]) / 255 } ?? 1
            return SIMD4(color * alpha, alpha)
        }
        let difference = color - background, distance = abs(difference).max(), same = LogoTuning.sameColor
        let alpha = min(1, max(0, (distance - same) / same))
        guard alpha > 0 else { return .zero }
        let (least, most) = distances(around: x, y, background)
        guard least <= same, most > distance else { return SIMD4(color * alpha, alpha) }
        // A smooth edge mixes the colours of the background and of the logo.
        let part = distance / most
        let logo = (background + difference / part).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
        return SIMD4(logo * part, part)
    }

    private func color(_ x: Int, _ y: Int) -> SIMD3<Float> {
        let (format, pixel) = (image.format, image.row(y) + x * image.format.bytesPerPixel)
        return SIMD3(Float(pixel[format.blue]), Float(pixel[format.green]), Float(pixel[format.red]))
    }

    /// Returns the smallest and the largest distance from the background's colour among a pixel and its neighbours.
    private func distances(around x: Int, _ y: Int, _ background: SIMD3<Float>) -> (least: Float, most: Float) {
        var (least, most) = (Float.infinity, Float(0))
        for row in max(0, y - 1)...min(image.height - 1, y + 1) {
            for column in max(0, x - 1)...min(image.width - 1, x + 1) {
                let distance = abs(color(column, row) - background).max()
                (least, most) = (min(least, distance), max(most, distance))
            }
        }
        return (least, most)
    }

    /// The smallest rectangle that contains all opaque pixels.
    var content: Rectangle {
        var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
        for y in 0..<image.height {
            for x in 0..<image.width where pixel(x, y).w > 0.5 {
                (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
            }
        }
        guard right >= left, bottom >= top else { return Rectangle(width: 0, height: 0) }
        return Rectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// Returns the median colour along the edge of an opaque image; nil if less than 60 % of the edge has about this
    /// colour, or if the image has transparent pixels.
    private static func background(of image: Image) -> SIMD3<Float>? {
        let format = image.format
        guard !image.isEmpty else { return nil }
        var edge: [SIMD3<Float>] = []
        for y in 0..<image.height {
            let row = image.row(y)
            let isWhole = y == 0 || y == image.height - 1
            for x in stride(from: 0, to: image.width, by: isWhole ? 1 : max(1, image.width - 1)) {
                let pixel = row + x * format.bytesPerPixel
                if let alpha = format.alpha, pixel[alpha] < 255 { return nil }
                edge.append(SIMD3(Float(pixel[format.blue]), Float(pixel[format.green]), Float(pixel[format.red])))
            }
        }
        var median = SIMD3<Float>.zero
        for channel in 0..<3 { median[channel] = edge.map { $0[channel] }.sorted()[edge.count / 2] }
        let same = edge.count { abs($0 - median).max() <= 1.5 * LogoTuning.sameColor }
        return same * 10 >= edge.count * 6 ? median : nil
    }
}

/// Returns the absolute value of each element.
func abs(_ vector: SIMD3<Float>) -> SIMD3<Float> { vector.replacing(with: -vector, where: vector .< 0) }
