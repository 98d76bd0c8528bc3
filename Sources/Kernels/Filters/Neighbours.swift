// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters that compute a pixel from the pixel and its neighbours.

package import KernelTypes

/// Three image rows around a pixel. Each row has planes of red, green, blue and luma. The memory also contains the
/// pixels to the left and to the right of the tile.
struct Window {
    let above: UnsafePointer<Float>
    let here: UnsafePointer<Float>
    let below: UnsafePointer<Float>
    let plane: Int

    /// Returns the derivatives of a plane by Sobel's operator: `x` to the right, `y` downwards. At a vertical edge, `x`
    /// is 4 times the difference between the levels on the two sides.
    @inline(__always)
    func slope(_ channel: Int, _ i: Int) -> (x: Float, y: Float) {
        let k = i &+ channel &* plane
        let x = (above[k &+ 1] - above[k &- 1]) + 2 * (here[k &+ 1] - here[k &- 1]) + (below[k &+ 1] - below[k &- 1])
        let y = (below[k &- 1] - above[k &- 1]) + 2 * (below[k] - above[k]) + (below[k &+ 1] - above[k &+ 1])
        return (x, y)
    }

    /// Returns the magnitude of `slope`, divided by 4. At a vertical or horizontal edge, this is the difference between
    /// the levels on the two sides.
    @inline(__always)
    func steepness(_ channel: Int, _ i: Int) -> Float {
        let (x, y) = slope(channel, i)
        return (x * x + y * y).squareRoot() * 0.25
    }

    @inline(__always)
    subscript(i: Int) -> RGB { RGB(red: here[i], green: here[i &+ plane], blue: here[i &+ 2 &* plane]) }
}

extension RowKernels {
    /// Filters a tile. Each output pixel depends on pixels of three rows.
    /// - Parameters:
    ///   - kind: the filter. For a median filter, this kernel does nothing.
    ///   - above, here, below: planes of red, green, blue and luma, `rowPlane` floats apart, with the pixels −1 to
    ///     `count`.
    ///   - p: the parameters of the filter.
    ///   - tile: three planes, `plane` floats apart. Must not overlap the input rows.
    @inline(never)
    package func filterNeighbours(
        _ kind: NeighbourhoodKind, above: UnsafePointer<Float>, here: UnsafePointer<Float>, below: UnsafePointer<Float>,
        rowPlane: Int, parameters p: UnsafePointer<Float>, into tile: UnsafeMutablePointer<Float>, plane: Int,
        count: Int
    ) {
        let window = Window(above: above, here: here, below: below, plane: rowPlane)
        let tile = Tile(base: tile, plane: plane, count: count)
        switch kind {
        case .edges:
            // intensity · |Sobel| / 4 for each channel. With the intensity 1, an edge from level 0 to level 1 has the
            // result 1.
            let intensity = p[0]
            tile.fill { i in
                RGB(
                    red: intensity * window.steepness(0, i), green: intensity * window.steepness(1, i),
                    blue: intensity * window.steepness(2, i))
            }
        case .emboss:
            // ½ + the weighted sum of the horizontal and the vertical derivative of luma.
            let (x, y) = (p[0], p[1])
            tile.fill { i in
                let slope = window.slope(3, i)
                return RGB(gray: 127.5 + x * slope.x + y * slope.y)
            }
        case .comic:
            // Replace the luma of the pixel by the nearest quantised luma. Where the gradient of luma is large, the
            // pixel becomes black.
            let (levels, slope, offset) = (p[0], p[1], p[2])
            tile.fill { i in
                let light = window.here[i &+ 3 &* window.plane]
                let level = (light * levels * (1 / 255) + (1 / 4096 - 0.5) + roundingBias) - roundingBias
                let flat = (lesser(level, levels - 1) + 0.5) * (255 / levels)
                let paper = lesser(greater(0, window.steepness(3, i) * slope + offset), 1)
                let scale = flat / greater(light, 1) * paper
                return window[i].map { $0 * scale }
            }
        case .median3, .median5: break
        }
    }

    /// Computes the Rec.601 luma of each pixel, and writes it into the fourth plane of a tile. If `squared` is true,
    /// writes luma² / 255.
    @inline(never)
    package func addLuma(_ tile: UnsafeMutablePointer<Float>, plane: Int, squared: Bool, count: Int) {
        let colors = Tile(base: tile, plane: plane, count: count)
        var i = 0
        while i < count {
            let light = luma(colors[i])
            tile[i &+ 3 &* plane] = squared ? light * light * (1 / 255) : light
            i &+= 1
        }
    }
}
