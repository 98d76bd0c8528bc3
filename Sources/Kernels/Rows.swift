// Row kernels: the loops that touch every byte of a frame.
//
// These sources are compiled once for each processor level (targets Kernels, KernelsV3, KernelsV4) and `Pixels`
// chooses a set at run time. Two rules keep that safe and fast:
//
// - No code with wide instructions may be emitted under a name that the baseline also emits, for the linker keeps one
//   of such copies and an old processor might get the wide one. So there is nothing here but integers, floats, pointers
//   and types of this module (whose mangled names contain the module's own name): no arrays, closures, ranges,
//   strings or other generics of the standard library that would be specialised into shared (weak) symbols. In release
//   builds `nm` shows no weak symbol (W, V, u) in KernelsV3 and KernelsV4 that holds code and does not have the module's
//   name in its own. Unoptimised builds do have some (`loadUnaligned`), so they are for the machine that made them.
// - Plain `while` loops over pointers with wrapping arithmetic, which LLVM turns into vector code. The background is
//   both input and output, so that the only aliasing to rule out is with rows that never overlap it.

/// A blend mode whose result in each colour channel depends on that channel alone.
protocol SeparableMode {
    /// The blended value of one channel.
    /// - Parameters:
    ///   - b: the background, 0…255.
    ///   - f: the foreground, 0…255.
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8
}

/// What a separable mode is run over; `run` is specialised for each mode.
protocol SeparableRow {
    var background: UnsafeMutablePointer<UInt8> { get }
    var foreground: UnsafePointer<UInt8> { get set }
    var count: Int { get }

    func run<Mode: SeparableMode>(_ mode: Mode.Type)
}

extension SeparableRow {
    /// Quotients are computed first, into `scratch`, which then stands in for the foreground.
    @inline(__always)
    func run<Mode: QuotientMode>(_ mode: Mode.Type, scratch: UnsafeMutableRawPointer) {
        var row = self
        row.foreground = quotients(mode, background, foreground, scratch: scratch, count: count)
        row.run(Normal.self)
    }
}

/// A row at full opacity: bytes whose `keep` is 0 stay, bytes whose `keep` is 255 get the blended value.
struct MaskedRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let mask: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {
        var i = 0
        while i < count {
            let b = background[i]
            background[i] = b ^ ((b ^ Mode.blend(b, foreground[i])) & mask[i])
            i &+= 1
        }
    }
}

/// A row with a weight 0…255 for every byte: (b·(255 − w) + blended·w) / 255, rounded to the nearest.
struct WeightedRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let weights: UnsafePointer<UInt8>
    let count: Int

    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {
        var i = 0
        while i < count {
            let b = background[i]
            let w = wide(weights[i])
            let blended = wide(Mode.blend(b, foreground[i]))
            background[i] = dividedBy255(wide(b) &* (255 &- w) &+ blended &* w)
            i &+= 1
        }
    }
}

// MARK: - Entry points

/// Blends a row of bytes at full opacity.
/// - Parameters:
///   - mode: the number of a separable mode, in the order of `BlendMode`; others leave the row as it is.
///   - background: `count` bytes, changed in place.
///   - foreground: `count` bytes that do not overlap the background.
///   - mask: `count` bytes: 255 where the background changes, 0 where it stays (alpha, padding).
///   - scratch: 2 × `count` bytes and 6 more, aligned to 4.
///   - count: the number of bytes.
@inline(never)
package func blendMasked(
    mode: Int32, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
    mask: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int
) {
    let row = MaskedRow(background: background, foreground: foreground, mask: mask, count: count)
    run(mode, over: row, scratch: scratch)
}

/// Blends a row of bytes, each with its own weight.
/// - Parameters:
///   - mode: the number of a separable mode, in the order of `BlendMode`; others leave the row as it is.
///   - background: `count` bytes, changed in place.
///   - foreground: `count` bytes that do not overlap the background.
///   - weights: `count` bytes: how much of the blended value is taken, 0 (none; alpha, padding) to 255 (all).
///   - scratch: 2 × `count` bytes and 6 more, aligned to 4.
///   - count: the number of bytes.
@inline(never)
package func blendWeighted(
    mode: Int32, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
    weights: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int
) {
    let row = WeightedRow(background: background, foreground: foreground, weights: weights, count: count)
    run(mode, over: row, scratch: scratch)
}

@inline(__always)
func run<Row: SeparableRow>(_ mode: Int32, over row: Row, scratch: UnsafeMutableRawPointer) {
    switch mode {
    case 1: row.run(Average.self)
    case 2: row.run(Multiply.self)
    case 3, 4: row.run(Screen.self)
    case 5: row.run(Normal.self)
    case 6: row.run(Darken.self)
    case 7: row.run(Lighten.self)
    case 8: row.run(ColorDodge.self, scratch: scratch)
    case 9: row.run(ColorBurn.self, scratch: scratch)
    case 10: row.run(HardLight.self)
    case 11: row.run(SoftLight.self)
    case 12: row.run(Overlay.self)
    case 13: row.run(Difference.self)
    case 14: row.run(Exclusion.self)
    case 19: row.run(Add.self)
    case 20: row.run(Subtract.self)
    case 21: row.run(Divide.self, scratch: scratch)
    case 22: row.run(GrainExtract.self)
    case 23: row.run(GrainMerge.self)
    case 25: row.run(LinearBurn.self)
    case 26: row.run(LinearLight.self)
    case 27: row.run(VividLight.self, scratch: scratch)
    case 28: row.run(PinLight.self)
    case 29: row.run(HardMix.self)
    case 32: row.run(Negation.self)
    case 33: row.run(Reflect.self, scratch: scratch)
    case 34: row.run(Glow.self, scratch: scratch)
    default: break
    }
}
