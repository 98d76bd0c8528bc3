// Changes of single pixels of a tile.

package import KernelTypes

/// A colour filter as a function of a pixel.
protocol ColorStage {
    /// True if colours are clipped before. That is done in a loop of its own: the compiler would merge the comparisons
    /// of both into a tangle of special cases.
    static var clips: Bool { get }

    init(_ parameters: UnsafePointer<Float>)

    /// - Parameter mask: the mask at the pixel's place, mostly 0…1.
    func apply(_ color: RGB, _ mask: Float) -> RGB
}

/// A matrix of three rows of four numbers: for red, green, blue and 1 × a level.
struct MatrixStage: ColorStage {
    static var clips: Bool { false }

    let red: (Float, Float, Float, Float)
    let green: (Float, Float, Float, Float)
    let blue: (Float, Float, Float, Float)

    @inline(__always)
    init(_ m: UnsafePointer<Float>) {
        red = (m[0], m[1], m[2], m[3])
        green = (m[4], m[5], m[6], m[7])
        blue = (m[8], m[9], m[10], m[11])
    }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        RGB(
            red: plus(plus(plus(red.3, red.0, c.red), red.1, c.green), red.2, c.blue),
            green: plus(plus(plus(green.3, green.0, c.red), green.1, c.green), green.2, c.blue),
            blue: plus(plus(plus(blue.3, blue.0, c.red), blue.1, c.green), blue.2, c.blue))
    }
}

/// L + (c − L) · (1 + amount · (1 − saturation)), of the clipped colour.
struct VibranceStage: ColorStage {
    static var clips: Bool { true }

    let amount: Float

    @inline(__always)
    init(_ parameters: UnsafePointer<Float>) { amount = parameters[0] }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        let l = luma(c)
        let scale = 1 + amount * (1 - c.saturation * (1 / 255))
        return RGB(red: l + (c.red - l) * scale, green: l + (c.green - l) * scale, blue: l + (c.blue - l) * scale)
    }
}

/// ⌊v · levels⌋ / (levels − 1), at most 1, of each clipped channel.
struct PosterizeStage: ColorStage {
    static var clips: Bool { true }

    let count: Float
    let step: Float

    @inline(__always)
    init(_ levels: UnsafePointer<Float>) {
        count = levels[0] * (1 / 255)
        step = 255 / (levels[0] - 1)
    }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        return RGB(red: level(c.red), green: level(c.green), blue: level(c.blue))
    }

    /// Returns the next whole number below; a byte's level a rounding error below a whole number counts as that.
    @inline(__always)
    private func level(_ value: Float) -> Float {
        let whole = (value * count + (1 / 4096 - 0.5) + roundingBias) - roundingBias
        return lesser(whole * step, 255)
    }
}

/// 1 − v where v is above the threshold, else v; of each clipped channel.
struct SolarizeStage: ColorStage {
    static var clips: Bool { true }

    let threshold: Float

    @inline(__always)
    init(_ parameters: UnsafePointer<Float>) { threshold = parameters[0] }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        return RGB(red: solarized(c.red), green: solarized(c.green), blue: solarized(c.blue))
    }

    @inline(__always)
    private func solarized(_ value: Float) -> Float { value > threshold ? 255 - value : value }
}

/// 1 where the luma, clipped, reaches the threshold, else 0; in all channels.
struct ThresholdStage: ColorStage {
    static var clips: Bool { false }

    let threshold: Float

    @inline(__always)
    init(_ parameters: UnsafePointer<Float>) {
        // Clipped luma always reaches 0, and clipping does not change whether it reaches more.
        threshold = parameters[0] > 0 ? parameters[0] : -.greatestFiniteMagnitude
    }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        let value: Float = luma(c) >= threshold ? 255 : 0
        return RGB(red: value, green: value, blue: value)
    }
}

/// v · (1 − fading · mask) + added · mask: a colour laid over the picture where the mask is.
struct OverlayStage: ColorStage {
    static var clips: Bool { false }

    let fading: Float
    let added: RGB

    @inline(__always)
    init(_ p: UnsafePointer<Float>) {
        fading = p[0]
        added = RGB(red: p[1], green: p[2], blue: p[3])
    }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        let rest = 1 - fading * mask
        return RGB(
            red: c.red * rest + added.red * mask, green: c.green * rest + added.green * mask,
            blue: c.blue * rest + added.blue * mask)
    }
}

/// (luma − mask) · sharpness + ½ in all channels, of the clipped colour: ink where the picture is darker than a screen.
struct ScreenStage: ColorStage {
    static var clips: Bool { true }

    let sharpness: Float

    @inline(__always)
    init(_ parameters: UnsafePointer<Float>) { sharpness = parameters[0] }

    @inline(__always)
    func apply(_ c: RGB, _ mask: Float) -> RGB {
        let ink = (luma(c) - 255 * mask) * sharpness + 127.5
        return RGB(red: ink, green: ink, blue: ink)
    }
}

extension RGB {
    @inline(__always)
    var limited: RGB { RGB(red: inRange(red), green: inRange(green), blue: inRange(blue)) }
}

// Next to the property, the function `limited` cannot be named.
@inline(__always)
private func inRange(_ value: Float) -> Float { limited(value) }

struct Tile {
    let base: UnsafeMutablePointer<Float>
    let plane: Int
    let count: Int

    /// Clips all planes to 0…255.
    @inline(__always)
    func limit() {
        limitPlane(base)
        limitPlane(base + plane)
        limitPlane(base + 2 &* plane)
    }

    @inline(__always)
    private func limitPlane(_ values: UnsafeMutablePointer<Float>) {
        var i = 0
        while i < count {
            values[i] = limited(values[i])
            i &+= 1
        }
    }

    @inline(__always)
    subscript(i: Int) -> RGB {
        get { RGB(red: base[i], green: base[i &+ plane], blue: base[i &+ 2 &* plane]) }
        nonmutating set {
            base[i] = newValue.red
            base[i &+ plane] = newValue.green
            base[i &+ 2 &* plane] = newValue.blue
        }
    }

    @inline(__always)
    func run<Stage: ColorStage>(_ stage: Stage) {
        if Stage.clips { limit() }
        var i = 0
        while i < count {
            self[i] = stage.apply(self[i], 0)
            i &+= 1
        }
    }

    @inline(__always)
    func run<Stage: ColorStage>(_ stage: Stage, mask: UnsafePointer<Float>) {
        if Stage.clips { limit() }
        var i = 0
        while i < count {
            self[i] = stage.apply(self[i], mask[i])
            i &+= 1
        }
    }
}

extension RowKernels {
    /// Changes a tile, pixel by pixel.
    /// - Parameters:
    ///   - tile: the red plane; green and blue follow, each `plane` floats on.
    ///   - mask: a float for each pixel, outside of the tile.
    ///   - parameters: as many as the stage takes.
    @inline(never)
    package func runStage(
        _ kind: ColorStageKind, tile: UnsafeMutablePointer<Float>, plane: Int, mask: UnsafePointer<Float>,
        parameters: UnsafePointer<Float>, count: Int
    ) {
        let tile = Tile(base: tile, plane: plane, count: count)
        switch kind {
        case .matrix: tile.run(MatrixStage(parameters))
        case .vibrance: tile.run(VibranceStage(parameters))
        case .posterize: tile.run(PosterizeStage(parameters))
        case .solarize: tile.run(SolarizeStage(parameters))
        case .threshold: tile.run(ThresholdStage(parameters))
        case .overlay: tile.run(OverlayStage(parameters), mask: mask)
        case .screen: tile.run(ScreenStage(parameters), mask: mask)
        case .limit: tile.limit()
        }
    }
}
