// SPDX-License-Identifier: LGPL-2.1-or-later
// The blend modes whose result depends on all channels of a pixel.

package import KernelTypes

/// The colour of a pixel, each channel 0…255.
struct RGB {
    var red: Float
    var green: Float
    var blue: Float

    /// Reads the channels of a pixel.
    @inline(__always)
    init(_ pixel: UInt32, _ shifts: ChannelShifts) {
        red = Float(Int32(truncatingIfNeeded: (pixel &>> shifts.red) & 255))
        green = Float(Int32(truncatingIfNeeded: (pixel &>> shifts.green) & 255))
        blue = Float(Int32(truncatingIfNeeded: (pixel &>> shifts.blue) & 255))
    }

    @inline(__always)
    init(red: Float, green: Float, blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    @inline(__always)
    var minimum: Float { lesser(red, lesser(green, blue)) }

    @inline(__always)
    var maximum: Float { greater(red, greater(green, blue)) }

    /// The saturation of the colour: Sat of W3C Compositing and Blending, but with the range 0…255.
    @inline(__always)
    var saturation: Float { maximum - minimum }

    /// The lightness of the colour: 100 times Lum of W3C Compositing and Blending, with the range 0…25500. An exact
    /// integer.
    @inline(__always)
    var lightness: Float { 30 * red + 59 * green + 11 * blue }

    /// The Rec.601 luma of the colour × 1000, 0…255000. An exact integer.
    @inline(__always)
    var luma: Float { 299 * red + 587 * green + 114 * blue }

    /// First multiplies the saturation of this colour by `numerator / denominator`. Then applies SetLum of W3C
    /// Compositing and Blending, including ClipColor.
    ///
    /// SetLum adds C − Lum(C) to the new lightness. C is the colour, and Lum(C) is the lightness of the colour.
    /// ClipColor then scales this difference down until all channels are in 0…255. (The channels of a colour differ by
    /// at most 255. So only one channel limit, 0 or 255, can be exceeded.)
    ///
    /// The result is lightness + (C − Lum(C)) · t. t is the minimum of numerator / denominator, lightness / (Lum(C) −
    /// minimum) and (white − lightness) / (maximum − Lum(C)). The code compares products to find this minimum, so that
    /// only one division is necessary.
    /// - Parameter lightness: the new lightness, 0…25500.
    @inline(__always)
    func with(lightness: Float, saturationTimes numerator: Float, over denominator: Float) -> RGB {
        let current = self.lightness
        let room = 25500 - lightness
        let down = current - 100 * minimum
        let up = 100 * maximum - current
        let tooDark = down * numerator > lightness * denominator
        let tooLight = up * numerator > room * denominator
        let n = tooDark ? lightness : tooLight ? room : numerator
        let d = tooDark ? down : tooLight ? up : denominator
        let t = n / greater(d, 1)
        return RGB(
            red: (lightness + (100 * red - current) * t) * 0.01,
            green: (lightness + (100 * green - current) * t) * 0.01,
            blue: (lightness + (100 * blue - current) * t) * 0.01)
    }
}

@inline(__always)
func lesser(_ a: Float, _ b: Float) -> Float { a < b ? a : b }

@inline(__always)
func greater(_ a: Float, _ b: Float) -> Float { a < b ? b : a }

/// The bit positions of the channels in a pixel. The first byte in memory is in the lowest bits.
struct ChannelShifts {
    let red: UInt32
    let green: UInt32
    let blue: UInt32

    @inline(__always)
    init(_ offsets: ChannelOffsets) {
        (red, green, blue) = (offsets.red &* 8, offsets.green &* 8, offsets.blue &* 8)
    }
}

/// A blend mode whose result depends on all channels of a pixel.
protocol NonSeparableMode {
    static func blend(_ b: RGB, _ f: RGB) -> RGB
}

/// The mode `hue`: SetLum(SetSat(f, Sat(b)), Lum(b)) (W3C), where b is the background and f is the foreground.
enum Hue: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB {
        f.with(lightness: b.lightness, saturationTimes: b.saturation, over: f.saturation)
    }
}

/// The mode `saturation`: SetLum(SetSat(b, Sat(f)), Lum(b)) (W3C), where b is the background and f is the foreground.
enum Saturation: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB {
        b.with(lightness: b.lightness, saturationTimes: f.saturation, over: b.saturation)
    }
}

/// The mode `color`: SetLum(f, Lum(b)) (W3C), where b is the background and f is the foreground.
enum Color: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB {
        f.with(lightness: b.lightness, saturationTimes: 1, over: 1)
    }
}

/// The mode `luminosity`: SetLum(b, Lum(f)) (W3C), where b is the background and f is the foreground.
enum Luminosity: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB {
        b.with(lightness: f.lightness, saturationTimes: 1, over: 1)
    }
}

/// The mode `value`: the background with the HSV value (largest channel) of the foreground. Black has no hue, so a
/// black background becomes grey.
enum Value: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB {
        let old = b.maximum
        let new = f.maximum
        let scale = new / greater(old, 1)
        let black = old == 0 ? new : 0
        return RGB(red: b.red * scale + black, green: b.green * scale + black, blue: b.blue * scale + black)
    }
}

/// The mode `darker-color`: the pixel with the smaller Rec.601 luma. If the lumas are equal, the result is the
/// background.
enum DarkerColor: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB { f.luma < b.luma ? f : b }
}

/// The mode `lighter-color`: the pixel with the larger Rec.601 luma. If the lumas are equal, the result is the
/// background.
enum LighterColor: NonSeparableMode {
    @inline(__always)
    static func blend(_ b: RGB, _ f: RGB) -> RGB { f.luma > b.luma ? f : b }
}

/// A row of pixels to which non-separable modes can be applied. The compiler specialises `run` for each mode.
protocol NonSeparableRow: ModeRow {}

extension NonSeparableRow {
    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {}

    @inline(__always)
    func run<Mode: QuotientMode>(_ mode: Mode.Type) {}
}

/// Returns b + (m − b) · weight / 255, rounded to the nearest integer. b is the background, and m is the result of the
/// blend mode.
@inline(__always)
private func mixed(_ b: Float, _ m: Float, _ weight: Float) -> UInt32 {
    (b + (m - b) * (weight * (1 / 255)) + roundingBias).bitPattern & 255
}

/// A row with separate planes of red, green and blue bytes, and a weight 0…255 per pixel. Each 32-bit lane contains the
/// bytes of four adjacent pixels in memory order. So the code needs no shuffle instructions.
struct ColorRow: NonSeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    let plane: Int
    let red: UnsafePointer<UInt8>
    let green: UnsafePointer<UInt8>
    let blue: UnsafePointer<UInt8>
    let weights: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    func run<Mode: NonSeparableMode>(_ mode: Mode.Type) {
        let (greens, blues) = (background + plane, background + 2 &* plane)
        let words = count >> 2
        var i = 0
        while i < words {
            let b = ColorWords(red: word(background, i), green: word(greens, i), blue: word(blues, i))
            let f = ColorWords(red: word(red, i), green: word(green, i), blue: word(blue, i))
            let result = b.blended(mode, f, word(weights, i))
            put(result.red, i, background)
            put(result.green, i, greens)
            put(result.blue, i, blues)
            i &+= 1
        }
        i = words << 2
        while i < count {
            let b = ColorWords(red: byte(background, i), green: byte(greens, i), blue: byte(blues, i))
            let f = ColorWords(red: byte(red, i), green: byte(green, i), blue: byte(blue, i))
            let result = b.blended(mode, f, byte(weights, i), at: 0)
            background[i] = UInt8(truncatingIfNeeded: result.red)
            greens[i] = UInt8(truncatingIfNeeded: result.green)
            blues[i] = UInt8(truncatingIfNeeded: result.blue)
            i &+= 1
        }
    }

    @inline(__always)
    private func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
    }

    @inline(__always)
    private func byte(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bytes[index])
    }
}

/// The colours of four pixels in three integers: red, green and blue. Each integer contains one byte per pixel.
private struct ColorWords {
    let red: UInt32
    let green: UInt32
    let blue: UInt32

    /// Returns the blended colours of the four pixels. `f` contains the foreground colours.
    @inline(__always)
    func blended<Mode: NonSeparableMode>(_ mode: Mode.Type, _ f: ColorWords, _ weights: UInt32) -> ColorWords {
        let (one, two) = (blended(mode, f, weights, at: 0), blended(mode, f, weights, at: 8))
        let (three, four) = (blended(mode, f, weights, at: 16), blended(mode, f, weights, at: 24))
        return ColorWords(
            red: one.red | two.red | three.red | four.red, green: one.green | two.green | three.green | four.green,
            blue: one.blue | two.blue | three.blue | four.blue)
    }

    /// Blends one of the four pixels, at the bit position `shift`. In the result, the bytes of the other pixels are 0.
    @inline(__always)
    func blended<Mode: NonSeparableMode>(
        _ mode: Mode.Type, _ f: ColorWords, _ weights: UInt32, at shift: UInt32
    ) -> ColorWords {
        let (b, m) = (color(at: shift), Mode.blend(color(at: shift), f.color(at: shift)))
        let weight = float((weights &>> shift) & 255)
        return ColorWords(
            red: mixed(b.red, m.red, weight) &<< shift, green: mixed(b.green, m.green, weight) &<< shift,
            blue: mixed(b.blue, m.blue, weight) &<< shift)
    }

    @inline(__always)
    private func color(at shift: UInt32) -> RGB {
        RGB(
            red: float((red &>> shift) & 255), green: float((green &>> shift) & 255),
            blue: float((blue &>> shift) & 255))
    }
}

/// A row of four-byte pixels, with a weight 0…255 per pixel.
struct PixelRow: NonSeparableRow {
    let background: UnsafeMutableRawPointer
    let foreground: UnsafeRawPointer
    let weights: UnsafePointer<UInt8>
    let shifts: ChannelShifts
    let count: Int

    @inline(__always)
    func run<Mode: NonSeparableMode>(_ mode: Mode.Type) {
        let colors = (255 &<< shifts.red) | (255 &<< shifts.green) | (255 &<< shifts.blue) as UInt32
        var i = 0
        while i < count {
            let old = UInt32(littleEndian: background.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
            let new = UInt32(littleEndian: foreground.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
            let weight = float(UInt32(truncatingIfNeeded: weights[i]))
            let b = RGB(old, shifts)
            let m = Mode.blend(b, RGB(new, shifts))
            let red = mixed(b.red, m.red, weight) &<< shifts.red
            let green = mixed(b.green, m.green, weight) &<< shifts.green
            let blue = mixed(b.blue, m.blue, weight) &<< shifts.blue
            let pixel = (old & ~colors) | red | green | blue
            background.storeBytes(of: pixel.littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }
}

extension RowKernels {
    /// Blends a row of four-byte pixels with a non-separable mode.
    /// - Parameters:
    ///   - mode: a non-separable mode. With other modes, the row does not change.
    ///   - background: `count` pixels, changed in place. The fourth byte (alpha or padding) does not change.
    ///   - foreground: `count` pixels with the same layout. Must not overlap the background.
    ///   - weights: `count` weights of the blended colour, 0…255.
    ///   - offsets: the byte positions of the colours in a pixel.
    ///   - count: the number of pixels.
    @inline(never)
    package func blendPixels(
        mode: BlendMode, background: UnsafeMutableRawPointer, foreground: UnsafeRawPointer,
        weights: UnsafePointer<UInt8>, offsets: ChannelOffsets, count: Int
    ) {
        let row = PixelRow(
            background: background, foreground: foreground, weights: weights,
            shifts: ChannelShifts(offsets), count: count)
        run(mode, over: row)
    }

    /// Blends a row of separate red, green and blue planes with a non-separable mode.
    /// - Parameters:
    ///   - mode: a non-separable mode. With other modes, the row does not change.
    ///   - background: rows of `count` bytes for red, green and blue, changed in place.
    ///   - plane: the number of bytes from a background row to the next background row.
    ///   - red: `count` bytes. Must not overlap the background.
    ///   - green: `count` bytes. Must not overlap the background.
    ///   - blue: `count` bytes. Must not overlap the background.
    ///   - weights: `count` weights of the blended colour, 0…255.
    @inline(never)
    package func blendColors(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, plane: Int, red: UnsafePointer<UInt8>,
        green: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>, count: Int
    ) {
        let row = ColorRow(
            background: background, plane: plane, red: red, green: green, blue: blue, weights: weights, count: count)
        run(mode, over: row)
    }
}
