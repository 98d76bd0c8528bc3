// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels: the loops that touch every byte of a frame.
//
// These sources are compiled once for each processor level (targets Kernels, KernelsV3, KernelsV4), each time into a type
// `RowKernels` that has all that the protocol `KernelSet` lists; `Processor` chooses one at run time. Two rules keep that
// safe and fast:
//
// - No code with wide instructions may be emitted under a name that the baseline also emits, since the linker keeps
//   only one of such copies and an old processor might get the wide one. So there is nothing here but integers, floats,
//   pointers, plain enums and structs, and types of this module (whose mangled names contain the module's own name): no
//   arrays, closures, ranges, strings or other generics of the standard library that would be specialised into shared
//   (weak) symbols. Release builds have no weak function in KernelsV3 and KernelsV4 without the module's name in its
//   own, which `.ci/run` checks. Debug builds do have some (`loadUnaligned`), so they only suit their own machine.
// - Plain `while` loops over pointers with wrapping arithmetic, which LLVM turns into vector code. The background is
//   both input and output, so the only aliasing to rule out is with rows that never overlap it.

package import KernelTypes

/// A blend mode whose result in each colour channel depends on that channel alone.
protocol SeparableMode {
    /// The blended value of one channel.
    /// - Parameters:
    ///   - b: the background, 0…255.
    ///   - f: the foreground, 0…255.
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8
}

/// A row for separable modes.
protocol SeparableRow: ModeRow {
    var background: UnsafeMutablePointer<UInt8> { get }
    var foreground: UnsafePointer<UInt8> { get set }
    /// 2 × `count` bytes and 6 more, aligned to 4.
    var scratch: UnsafeMutableRawPointer { get }
    var count: Int { get }
}

extension SeparableRow {
    /// Computes the quotients first, into `scratch`, which then replaces the foreground.
    @inline(__always)
    func run<Mode: QuotientMode>(_ mode: Mode.Type) {
        var row = self
        row.foreground = quotients(mode, background, foreground, scratch: scratch, count: count)
        row.run(Normal.self)
    }

    @inline(__always)
    func run<Mode: NonSeparableMode>(_ mode: Mode.Type) {}
}

/// A row at full opacity: bytes whose `mask` is 0 stay, bytes whose `mask` is 255 get the blended value.
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

/// A row with a weight 0…255 for every byte: (b·(255 − w) + blended·w) / 255, rounded to the nearest.
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

/// A row at full opacity, all of it colours.
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

/// A row with one weight for all its bytes.
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

/// b + (m − b) · weight / 255, rounded to the nearest.
@inline(__always)
private func mixed(_ b: UInt8, _ m: UInt8, _ weight: UInt16) -> UInt8 {
    dividedBy255(wide(b) &* (255 &- weight) &+ wide(m) &* weight)
}

// MARK: - Entry points

extension RowKernels {
    /// Blends a row of bytes at full opacity.
    /// - Parameters:
    ///   - mode: a separable mode; others leave the row as it is.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes that do not overlap the background.
    ///   - mask: `count` bytes: 255 where the background changes, 0 where it stays (alpha, padding).
    ///   - scratch: 2 × `count` bytes and 6 more, aligned to 4.
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

    /// Blends a row of bytes with one weight.
    /// - Parameters:
    ///   - mode: a separable mode; others leave the row as it is.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes that do not overlap the background.
    ///   - weight: how much of the blended value is taken, 0…255.
    ///   - scratch: 2 × `count` bytes and 6 more, aligned to 4.
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

    /// Blends two rows of bytes into a third by `normal` or `average`.
    /// - Parameters:
    ///   - background: `count` bytes; `foreground` likewise.
    ///   - weight: how much of the blended value is taken, 0…255.
    ///   - averaged: whether the mode is `average`.
    ///   - output: `count` bytes that overlap neither row.
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

    /// Blends two rows of bytes into a third by `normal`, each byte with its own weight.
    /// - Parameters:
    ///   - background: `count` bytes; `foreground` likewise.
    ///   - weights: `count` bytes: how much of the foreground is taken.
    ///   - output: `count` bytes that overlap none of these.
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

    /// Blends a row of bytes, each with its own weight.
    /// - Parameters:
    ///   - mode: a separable mode; others leave the row as it is.
    ///   - background: `count` bytes, changed in place.
    ///   - foreground: `count` bytes that do not overlap the background.
    ///   - weights: `count` bytes: how much of the blended value is taken, 0 (none; alpha, padding) to 255 (all).
    ///   - scratch: 2 × `count` bytes and 6 more, aligned to 4.
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
