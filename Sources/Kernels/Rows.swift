// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels: the loops that process every byte of a frame.
//
// The targets Kernels, KernelsV3 and KernelsV4 compile these sources, each for another processor level. Each target
// defines a type `RowKernels` that conforms to the protocol `KernelSet`. `Processor` chooses one of these types at run
// time. Two rules keep the code safe and fast:
//
// - Do not let two targets emit functions with the same symbol name. If several weak symbols have the same name, the
//   linker keeps only one of them. Then an old processor might run a function with instructions that it does not have.
//   Use only integers, floats, pointers, plain enums and structs, and types of this module. The mangled names of these
//   types contain the name of the module. Do not use arrays, closures, ranges, strings or other generics of the
//   standard library. The compiler specialises them into weak symbols. In release builds, the name of every weak
//   function in KernelsV3 and KernelsV4 contains the module's name; `.ci/run` checks this. Debug builds contain other
//   weak functions (`loadUnaligned`), so run a debug build only on the machine that built it.
// - Write plain `while` loops over pointers with wrapping arithmetic. LLVM can vectorise such loops. The background is
//   both input and output. No other row may overlap the background.

package import KernelTypes

/// A blend mode that computes each channel independently of the other channels.
protocol SeparableMode {
    /// Returns the blended value of one channel.
    /// - Parameters:
    ///   - b: the background, 0…255.
    ///   - f: the foreground, 0…255.
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8
}

/// A row of bytes to which separable modes can be applied.
protocol SeparableRow: ModeRow {
    var background: UnsafeMutablePointer<UInt8> { get }
    var foreground: UnsafePointer<UInt8> { get set }
    /// Scratch memory of 2 × `count` + 6 bytes, aligned to 4 bytes.
    var scratch: UnsafeMutableRawPointer { get }
    var count: Int { get }
}

extension SeparableRow {
    /// Applies a mode that divides: computes the blended values in `scratch`, and then mixes them into the background
    /// like the foreground of the mode `normal`.
    @inline(__always)
    func run<Mode: QuotientMode>(_ mode: Mode.Type) {
        var row = self
        row.foreground = quotients(mode, background, foreground, scratch: scratch, count: count)
        row.run(Normal.self)
    }

    @inline(__always)
    func run<Mode: NonSeparableMode>(_ mode: Mode.Type) {}
}

/// A row at full opacity with a mask. If the mask of a byte is 0, the byte does not change. If the mask of a byte is
/// 255, the byte gets the blended value.
struct MaskedRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let mask: UnsafePointer<UInt8>
    let scratch: UnsafeMutableRawPointer
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

/// A row with a weight w of 0…255 per byte. The result is (b · (255 − w) + blended · w) / 255, rounded to the nearest
/// integer.
struct WeightedRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let weights: UnsafePointer<UInt8>
    let scratch: UnsafeMutableRawPointer
    let count: Int

    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {
        var i = 0
        while i < count {
            background[i] = mixed(background[i], Mode.blend(background[i], foreground[i]), wide(weights[i]))
            i &+= 1
        }
    }
}

/// A row at full opacity, without alpha or padding. Every byte is a colour sample.
struct PlainRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let scratch: UnsafeMutableRawPointer
    let count: Int

    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {
        var i = 0
        while i < count {
            background[i] = Mode.blend(background[i], foreground[i])
            i &+= 1
        }
    }
}

/// A row with the same weight for all bytes.
struct EvenRow: SeparableRow {
    let background: UnsafeMutablePointer<UInt8>
    var foreground: UnsafePointer<UInt8>
    let weight: UInt8
    let scratch: UnsafeMutableRawPointer
    let count: Int

    @inline(__always)
    func run<Mode: SeparableMode>(_ mode: Mode.Type) {
        mix(mode, background, foreground, weight, into: background, count: count)
    }
}

/// Returns b + (m − b) · weight / 255, rounded to the nearest integer. b is the background, and m is the result of the
/// blend mode.
@inline(__always)
private func mixed(_ b: UInt8, _ m: UInt8, _ weight: UInt16) -> UInt8 {
    dividedBy255(wide(b) &* (255 &- weight) &+ wide(m) &* weight)
}

// MARK: - Entry points

extension RowKernels {
    /// Blends a row of bytes at full opacity.
    /// - Parameters:
    ///   - mode: a separable mode. With other modes, the row does not change.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes. Must not overlap the background.
    ///   - mask: `count` bytes: 255 for bytes to change, 0 for bytes to keep (alpha, padding).
    ///   - scratch: 2 × `count` + 6 bytes, aligned to 4 bytes.
    ///   - count: the number of bytes.
    @inline(never)
    package func blendMasked(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
        mask: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int
    ) {
        let row = MaskedRow(
            background: background, foreground: foreground, mask: mask, scratch: scratch, count: count)
        run(mode, over: row)
    }

    /// Blends a row of bytes with the same weight for all bytes.
    /// - Parameters:
    ///   - mode: a separable mode. With other modes, the row does not change.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes. Must not overlap the background.
    ///   - weight: the weight of the blended value, 0…255.
    ///   - scratch: 2 × `count` + 6 bytes, aligned to 4 bytes.
    @inline(never)
    package func blendBytes(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>, weight: UInt8,
        scratch: UnsafeMutableRawPointer, count: Int
    ) {
        if weight == 255 {
            let row = PlainRow(background: background, foreground: foreground, scratch: scratch, count: count)
            run(mode, over: row)
        } else {
            let row = EvenRow(
                background: background, foreground: foreground, weight: weight, scratch: scratch, count: count)
            run(mode, over: row)
        }
    }

    /// Blends two rows of bytes into a third row with the mode `normal` or `average`.
    /// - Parameters:
    ///   - background: `count` bytes.
    ///   - foreground: `count` bytes.
    ///   - weight: the weight of the blended value, 0…255.
    ///   - averaged: true for the mode `average`, false for `normal`.
    ///   - output: `count` bytes. Must not overlap an input.
    @inline(never)
    package func mixBytes(
        _ background: UnsafePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, weight: UInt8, averaged: Bool,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        if averaged {
            mix(Average.self, background, foreground, weight, into: output, count: count)
        } else {
            mix(Normal.self, background, foreground, weight, into: output, count: count)
        }
    }

    /// Blends two rows of bytes into a third row with the mode `normal` and one weight per byte.
    /// - Parameters:
    ///   - background: `count` bytes.
    ///   - foreground: `count` bytes.
    ///   - weights: `count` weights of the foreground, 0…255.
    ///   - output: `count` bytes. Must not overlap an input.
    @inline(never)
    package func mixWeighted(
        _ background: UnsafePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            output[i] = mixed(background[i], foreground[i], wide(weights[i]))
            i &+= 1
        }
    }

    /// Blends a row of bytes with one weight per byte.
    /// - Parameters:
    ///   - mode: a separable mode. With other modes, the row does not change.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes. Must not overlap the background.
    ///   - weights: `count` weights of the blended value, 0…255. The weights of alpha and padding are 0.
    ///   - scratch: 2 × `count` + 6 bytes, aligned to 4 bytes.
    ///   - count: the number of bytes.
    @inline(never)
    package func blendWeighted(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
        weights: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int
    ) {
        let row = WeightedRow(
            background: background, foreground: foreground, weights: weights, scratch: scratch, count: count)
        run(mode, over: row)
    }
}

@inline(__always)
private func mix<Mode: SeparableMode>(
    _ mode: Mode.Type, _ background: UnsafePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, _ weight: UInt8,
    into output: UnsafeMutablePointer<UInt8>, count: Int
) {
    let w = wide(weight)
    var i = 0
    while i < count {
        output[i] = mixed(background[i], Mode.blend(background[i], foreground[i]), w)
        i &+= 1
    }
}
