// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Filter {
    static let stylizers = [
        pixellate, crystallize, edges, bloom, gloom, emboss, comic, oilPaint, pencilSketch, nightVision,
    ]

    /// Fills squares with their mean colours. The first square is at the top left corner.
    private static let pixellate = Filter(
        "pixellate", .stylize, "Divides the image into squares, each filled with one colour",
        integer("size", in: 1...256, default: 16, unit: "px", "side of a square")
    ) { size in [.blocks(size)] }

    /// Divides the image into Voronoi cells of random points. Each square of a grid contains one point (jittered grid;
    /// S. Worley, A Cellular Texture Basis Function, 1996). The image is first blurred with a sigma of size / 3. Each
    /// cell gets the blurred colour at its point.
    private static let crystallize = Filter(
        "crystallize", .stylize, "Divides the image into irregular cells, each filled with one colour",
        number("size", in: 3...200, default: 20, unit: "px", "size of the cells"),
        integer("seed", in: 0...1000, default: 1, "seed of the random cells")
    ) { size, seed in
        let cells = CrystalCells(size: size, seed: UInt64(max(0, seed)))
        return [
            .blur(.gaussian(sigma: size / 3)),
            .warp(Warp(areas: .scattered(cells.centers)) { _, _ in { cells.center(near: $0) } }),
        ]
    }

    /// intensity · √(x² + y²) / 4 for each channel, where x and y are Sobel's derivatives.
    private static let edges = Filter(
        "edges", .stylize, "Draws the edges of each colour channel on black",
        number("intensity", in: 0...20, default: 3, "brightness (1 = an edge between black and white becomes white)")
    ) { intensity in [.neighbours(Neighbourhood(.edges, intensity))] }

    /// 1 − (1 − v) (1 − intensity · b), where v is a channel. b is the Gaussian blur of max(0, (v − threshold) / (1 −
    /// threshold)), that is, of the bright parts of the image.
    private static let bloom = Filter(
        "bloom", .stylize, "Makes bright areas glow",
        number("intensity", in: 0...1, default: 0.7, "strength of the glow"),
        number("radius", in: 0.5...100, default: 10, unit: "px", "standard deviation of the blur"),
        number("threshold", in: 0...0.95, default: 0.4, "level above which tones glow")
    ) { intensity, radius, threshold in
        let gain = 1 / (1 - threshold)
        let lights: [FilterOperation] =
            threshold > 0 ? [.matrix(.gains(gain, gain, gain, offset: -threshold * gain))] : []
        return [
            .branch(
                lights + [.blur(.gaussian(sigma: radius))],
                Combination(.screen, intensity))
        ]
    }

    /// v + intensity · (min(v, b) − v), where v is a channel and b is its Gaussian blur.
    private static let gloom = Filter(
        "gloom", .stylize, "Darkens pixels that are brighter than their surroundings",
        number("intensity", in: 0...1, default: 0.8, "strength"),
        number("radius", in: 0.5...100, default: 10, unit: "px", "standard deviation of the blur")
    ) { intensity, radius in [.combine(.darken, withBlur: radius, intensity)] }

    /// ½ + height · d. d is the derivative of luma in the direction in which the light travels (Sobel's derivative /
    /// 8).
    private static let emboss = Filter(
        "emboss", .stylize, "Shows the image as a grey relief",
        number(
            "angle", in: -180...180, default: -135, unit: "degrees",
            "direction of the light (0 = from the right, 90 = from below)"),
        number("height", in: 0...20, default: 4, "height of the relief")
    ) { angle, height in
        let (sine, cosine) = sineAndCosine(degrees: angle)
        let height = -height / 8
        return [
            .neighbours(
                Neighbourhood(.emboss, height * cosine, height * sine))
        ]
    }

    /// Computes the median of 3 x 3 pixels, and then quantises the luma L of each pixel to (⌊L · levels⌋ + ½) / levels.
    /// m is Sobel's magnitude of L, divided by 4. If m is above the threshold, the pixel becomes darker. At twice the
    /// threshold, the pixel is black.
    private static let comic = Filter(
        "comic", .stylize, "Draws flat colours with black outlines",
        integer("levels", in: 2...16, default: 5, "number of brightness levels"),
        number("threshold", in: 0.02...1, default: 0.12, "gradient at which an outline starts")
    ) { levels, threshold in
        return [
            .neighbours(Neighbourhood(.median3)),
            .neighbours(
                Neighbourhood(.comic, Double(levels), -1 / (255 * threshold), 2)),
        ]
    }

    /// Computes the Kuwahara filter (M. Kuwahara et al., Processing of RI-angiocardiographic images, 1976). Each pixel
    /// is a corner of four squares, with sides of 2 · radius + 1 pixels. The pixel gets the mean colour of the square
    /// whose luma has the smallest variance.
    private static let oilPaint = Filter(
        "oil-paint", .stylize, "Paints the image with brush strokes",
        integer("radius", in: 1...20, default: 3, unit: "px", "half the width of a brush stroke")
    ) { radius in [.kuwahara(reach: radius)] }

    /// 1 − strength · (1 − L / b), where L is the Rec.601 luma and b is the Gaussian blur of L. This is a colour dodge
    /// of the image with its blur.
    private static let pencilSketch = Filter(
        "pencil-sketch", .stylize, "Makes the image look like a pencil drawing",
        number("strength", in: 0...10, default: 2, "darkness of the lines"),
        number("radius", in: 0.5...50, default: 5, unit: "px", "width of the lines")
    ) { strength, radius in [.combine(.sketch, withBlur: radius, strength)] }

    /// Luma^(1 / 1.8) in shades from black to light green, with scan lines every 3 pixels and dark corners.
    private static let nightVision = Filter(
        "night-vision", .stylize, "Imitates a night-vision device",
        number("gain", in: 0.5...8, default: 1.5, "gain of the luma")
    ) { gain in
        let middle = Point(0.5, 0.5)
        return [
            .matrix(.luma), .matrix(.gains(gain, gain, gain)), .curve(Curve { power($0, 1 / 1.8) }),
            .matrix(.gradient(from: RealColor(0, 0.03, 0), to: RealColor(0.55, 1, 0.45))),
            .overlay(
                .waves(center: middle, length: 3, angle: 90, isCrossed: false, contrast: 0.5),
                Overlay(RealColor(0, 0, 0), opacity: 0.3)),
            .overlay(
                .radial(center: middle, inner: 0.5, outer: 1, isSmooth: true),
                Overlay(RealColor(0, 0, 0), opacity: 0.85)),
        ]
    }
}

/// Random points in the plane. Each square of a grid contains one point.
private struct CrystalCells: Sendable {
    let size: Double
    let seed: UInt64

    /// Returns the random point that is nearest to `target`.
    func center(near target: Point) -> Point {
        let (column, row) = (floored(target.x / size), floored(target.y / size))
        var best = target
        var minimum = Double.infinity
        for y in (row - 1)...(row + 1) {
            for x in (column - 1)...(column + 1) {
                let point = point(x, y)
                let (dx, dy) = (point.x - target.x, point.y - target.y)
                let square = dx * dx + dy * dy
                if square < minimum { (best, minimum) = (point, square) }
            }
        }
        return best
    }

    /// Returns an area that contains the nearest random points of all positions in `area`.
    @Sendable func centers(near area: Area) -> Area {
        let columns = floored(area.left / size) - 1...floored(area.right / size) + 1
        let rows = floored(area.top / size) - 1...floored(area.bottom / size) + 1
        let middle = area.middle
        // For a large area, do not search the grid. A position and the random point of its square are at most 0.85 · √2
        // · size apart. So the nearest random point of each position is within this distance.
        guard columns.count * rows.count <= 25 else { return area.grown(1.21 * size, 1.21 * size) }
        func distance(_ point: Point) -> Double {
            let (dx, dy) = (point.x - middle.x, point.y - middle.y)
            return (dx * dx + dy * dy).squareRoot()
        }
        let nearest = center(near: middle)
        let (across, down) = area.halves
        let limit = distance(nearest) + 2 * (across * across + down * down).squareRoot()
        var bounds = Area(around: nearest, 0, 0)
        for row in rows {
            for column in columns {
                let point = point(column, row)
                if distance(point) <= limit { bounds = bounds.union(Area(around: point, 0, 0)) }
            }
        }
        return bounds
    }

    private func point(_ column: Int, _ row: Int) -> Point {
        // A hash of the square's coordinates and the seed, by the finalizer of SplitMix64.
        var bits = UInt64(truncatingIfNeeded: column) &* 0x9E37_79B9_7F4A_7C15
        bits ^= UInt64(truncatingIfNeeded: row) &* 0xC2B2_AE3D_27D4_EB4F &+ seed &* 0x1656_67B1_9E37_79F9
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        let (x, y) = (Double(bits >> 48) / 65536, Double((bits >> 16) & 0xFFFF) / 65536)
        return Point((Double(column) + 0.15 + 0.7 * x) * size, (Double(row) + 0.15 + 0.7 * y) * size)
    }
}
