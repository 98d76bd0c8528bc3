// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The appearance of a template: points on its edges, and colours. Positions are in coordinates of the template (see
/// `LogoRaster`).
struct LogoLook: Sendable {
    /// A point on an edge.
    struct EdgePoint: Sendable {
        let position: Point
        /// Unit vector. On the outline, it points outwards; inside, towards the brighter side.
        let normal: Point
        /// True for an edge inside of the logo; false for the outline, of which the brighter side is unknown.
        let isInner: Bool
        /// Colour on the inner side of the outline: blue, green, red.
        let color: SIMD3<Float>
        /// Weight in the score: 1, or less where plain shapes have an edge, too.
        var weight = 1.0
    }

    struct Sample: Sendable {
        let position: Point
        let color: SIMD3<Float>
    }

    /// The points on the outline first, then the points inside.
    private(set) var edges: [EdgePoint]
    let outlineCount: Int
    /// Colours inside of the logo.
    let samples: [Sample]

    /// True if the logo has edges inside, so that its colours are compared. A logo with one colour matches in any
    /// colour.
    var hasInnerEdges: Bool { edges.count - outlineCount >= LogoTuning.minInnerPoints }

    init(_ image: TemplateImage, content: Rectangle) {
        let margin = 6
        let raster = LogoRaster(image, content: content, side: LogoTuning.side, margin: margin)
        let soft = raster.blurred()
        let (outline, inner) = (Self.outline(raster, soft, margin), Self.inner(raster, soft, margin))
        edges = outline + inner
        outlineCount = outline.count
        samples = Self.samples(raster, soft, margin)
    }

    private init(edges: [EdgePoint], samples: [Sample]) {
        (self.edges, self.samples, outlineCount) = (edges, samples, edges.count)
    }

    /// The look without the edges inside of the logo.
    var outline: LogoLook { LogoLook(edges: Array(edges.prefix(outlineCount)), samples: samples) }

    /// Reduces the weights of edge points that also agree with plain shapes.
    /// - Parameter agreements: for each shape, the agreement of the edge points, 0…1. It may end after the outline.
    mutating func weigh(by agreements: [[Double?]]) {
        for i in edges.indices {
            let most = agreements.reduce(0) { max($0, $1.indices.contains(i) ? $1[i] ?? 0 : 0) }
            edges[i].weight = max(LogoTuning.minWeight, 1 - most)
        }
    }

    private static func color(_ pixel: SIMD4<Float>) -> SIMD3<Float> {
        pixel.w > 0.01 ? SIMD3(pixel.x, pixel.y, pixel.z) / pixel.w : .zero
    }

    /// Returns at most `count` elements, evenly spaced.
    private static func spread<Element>(_ elements: [Element], _ count: Int) -> [Element] {
        guard elements.count > count else { return elements }
        return (0..<count).map { elements[$0 * elements.count / count] }
    }

    private static func gradient(_ width: Int, _ index: Int, _ value: (Int) -> Float) -> Point {
        func difference(_ step: Int, _ side: Int) -> Float {
            2 * (value(index + step) - value(index - step)) + value(index + step + side) - value(index - step + side)
                + value(index + step - side) - value(index - step - side)
        }
        return Point(Double(difference(1, width)) / 8, Double(difference(width, 1)) / 8)
    }

    private static func outline(_ raster: LogoRaster, _ soft: LogoRaster, _ margin: Int) -> [EdgePoint] {
        let (width, height) = (raster.width, raster.height)
        var points: [EdgePoint] = []
        for y in 1..<max(1, height - 1) {
            for x in 1..<max(1, width - 1) where raster.alpha(x, y) > 0.5 {
                let isEdge = [(1, 0), (-1, 0), (0, 1), (0, -1)].contains { raster.alpha(x + $0.0, y + $0.1) <= 0.5 }
                guard isEdge else { continue }
                let slope = gradient(width, y * width + x) { soft.pixels[$0].w }
                let length = slope.length
                guard length > LogoTuning.minAlphaSlope else { continue }
                let normal = slope * (-1 / length)
                // The edge is half a pixel outside of the centre of the outermost opaque pixel.
                let (u, v) = (Double(x) + 0.5 + 0.5 * normal.x, Double(y) + 0.5 + 0.5 * normal.y)
                let (column, row) = (Int(u - 3 * normal.x), Int(v - 3 * normal.y))
                let inside = min(height - 1, max(0, row)) * width + min(width - 1, max(0, column))
                points.append(
                    EdgePoint(
                        position: raster.coordinates(u, v, margin: margin), normal: normal, isInner: false,
                        color: color(soft.pixels[inside].w > 0.3 ? soft.pixels[inside] : soft.pixels[y * width + x])))
            }
        }
        return spread(points, LogoTuning.maxOutlinePoints)
    }

    /// Returns true if all pixels within `reach` are opaque.
    private static func isDeep(_ raster: LogoRaster, _ x: Int, _ y: Int, _ reach: Int) -> Bool {
        for row in y - reach...y + reach {
            for column in x - reach...x + reach where raster.alpha(column, row) <= 0.9 { return false }
        }
        return true
    }

    private static func inner(_ raster: LogoRaster, _ soft: LogoRaster, _ margin: Int) -> [EdgePoint] {
        let (width, height) = (raster.width, raster.height)
        let luma = soft.luma(background: raster.meanLuma)
        var points: [EdgePoint] = []
        for y in 2..<max(2, height - 2) {
            for x in 2..<max(2, width - 2) where isDeep(raster, x, y, 3) {
                func slope(_ x: Int, _ y: Int) -> Point { gradient(width, y * width + x) { luma[$0] } }
                let own = slope(x, y), length = own.length
                guard length > LogoTuning.minInnerSlope else { continue }
                let normal = own / length
                let (dx, dy) = (Int(normal.x.rounded()), Int(normal.y.rounded()))
                guard slope(x + dx, y + dy).length <= length, slope(x - dx, y - dy).length < length else { continue }
                points.append(
                    EdgePoint(
                        position: raster.coordinates(Double(x) + 0.5, Double(y) + 0.5, margin: margin), normal: normal,
                        isInner: true, color: color(soft.pixels[y * width + x])))
            }
        }
        return spread(points, LogoTuning.maxInnerPoints)
    }

    private static func samples(_ raster: LogoRaster, _ soft: LogoRaster, _ margin: Int) -> [Sample] {
        var samples: [Sample] = []
        for y in 0..<raster.height {
            for x in 0..<raster.width where isDeep(raster, x, y, 1) {
                samples.append(
                    Sample(
                        position: raster.coordinates(Double(x) + 0.5, Double(y) + 0.5, margin: margin),
                        color: color(soft.pixels[y * raster.width + x])))
            }
        }
        return spread(samples, LogoTuning.maxSamples)
    }
}
