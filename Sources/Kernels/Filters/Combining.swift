// Combinations of two tiles: usually a picture and the result of filtering a copy of it.

package import KernelTypes

/// A way to combine a pixel with another.
protocol Combination {
    init(_ parameters: UnsafePointer<Float>)
    func apply(_ color: RGB, _ other: RGB) -> RGB
}

/// v + amount · (v − o), where they differ by more than the threshold.
struct UnsharpCombination: Combination {
    let amount: Float
    let threshold: Float

    @inline(__always)
    init(_ p: UnsafePointer<Float>) { (amount, threshold) = (p[0], p[1]) }

    @inline(__always)
    func apply(_ c: RGB, _ o: RGB) -> RGB {
        RGB(
            red: sharpened(c.red, c.red - o.red), green: sharpened(c.green, c.green - o.green),
            blue: sharpened(c.blue, c.blue - o.blue))
    }

    @inline(__always)
    private func sharpened(_ value: Float, _ detail: Float) -> Float {
        let size = detail < 0 ? -detail : detail
        return value + (size > threshold ? amount : 0) * detail
    }
}

/// v + amount · (luma v − luma o)
struct SharpLumaCombination: Combination {
    let amount: Float

    @inline(__always)
    init(_ p: UnsafePointer<Float>) { amount = p[0] }

    @inline(__always)
    func apply(_ c: RGB, _ o: RGB) -> RGB {
        let detail = amount * (luma(c) - luma(o))
        return RGB(red: c.red + detail, green: c.green + detail, blue: c.blue + detail)
    }
}

/// 1 − (1 − v) (1 − intensity · o)
struct ScreenCombination: Combination {
    let intensity: Float

    @inline(__always)
    init(_ p: UnsafePointer<Float>) { intensity = p[0] * (1 / 255) }

    @inline(__always)
    func apply(_ c: RGB, _ o: RGB) -> RGB {
        RGB(
            red: c.red + (255 - c.red) * o.red * intensity, green: c.green + (255 - c.green) * o.green * intensity,
            blue: c.blue + (255 - c.blue) * o.blue * intensity)
    }
}

/// v + intensity · (min(v, o) − v)
struct DarkenCombination: Combination {
    let intensity: Float

    @inline(__always)
    init(_ p: UnsafePointer<Float>) { intensity = p[0] }

    @inline(__always)
    func apply(_ c: RGB, _ o: RGB) -> RGB {
        RGB(
            red: c.red + lesser(o.red - c.red, 0) * intensity,
            green: c.green + lesser(o.green - c.green, 0) * intensity,
            blue: c.blue + lesser(o.blue - c.blue, 0) * intensity)
    }
}

/// 1 − strength · (1 − luma v / luma o), 0…1: strokes of a pencil where a pixel is darker than its surroundings.
struct SketchCombination: Combination {
    let strength: Float

    @inline(__always)
    init(_ p: UnsafePointer<Float>) { strength = p[0] }

    @inline(__always)
    func apply(_ c: RGB, _ o: RGB) -> RGB {
        let ratio = lesser(luma(c) / greater(luma(o), 1), 1)
        let paper = 255 * lesser(greater(0, 1 - (1 - ratio) * strength), 1)
        return RGB(red: paper, green: paper, blue: paper)
    }
}

extension Tile {
    @inline(__always)
    func combine<Way: Combination>(_ way: Way, _ other: Tile) {
        var i = 0
        while i < count {
            self[i] = way.apply(self[i], other[i])
            i &+= 1
        }
    }
}

extension RowKernels {
    /// Combines a tile with another, in place.
    /// - Parameters:
    ///   - tile: the red plane; green and blue follow, each `plane` floats on; then the same of the other tile.
    ///   - parameters: as many as the combination takes.
    @inline(never)
    package func combineTiles(
        _ kind: CombinationKind, tile: UnsafeMutablePointer<Float>, plane: Int, parameters: UnsafePointer<Float>,
        count: Int
    ) {
        let one = Tile(base: tile, plane: plane, count: count)
        let other = Tile(base: tile + 3 &* plane, plane: plane, count: count)
        switch kind {
        case .unsharp: one.combine(UnsharpCombination(parameters), other)
        case .sharpLuma: one.combine(SharpLumaCombination(parameters), other)
        case .screen: one.combine(ScreenCombination(parameters), other)
        case .darken: one.combine(DarkenCombination(parameters), other)
        case .sketch: one.combine(SketchCombination(parameters), other)
        }
    }
}
