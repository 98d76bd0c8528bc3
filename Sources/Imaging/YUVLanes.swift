// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
internal import KernelTypes

/// Converts rows between YUV and RGB. Fast functions of the module CProcessor convert most samples of a row. The
/// kernels convert the remaining samples.
struct YUVLanes {
    private let lanes: SVLanes

    init(_ level: ProcessorLevel) {
        lanes = sv_lanes(level == .v4 ? 4 : level == .v3 ? 3 : 1).pointee
    }

    /// Computes the chroma terms of colours (see the kernel `chromaTerms`) from bytes that contain blue and red chroma
    /// alternately.
    /// - Parameter rows: scratch memory for two rows of `count` samples.
    func pairsToTerms(
        _ pairs: UnsafePointer<UInt8>, isBlueFirst: Bool, weights: UnsafePointer<Int16>,
        into terms: UnsafeMutablePointer<Int16>, plane: Int,
        rows: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>),
        count: Int,
        _ kernels: some KernelSet
    ) {
        let done = lanes.chroma_pairs_to_terms(pairs, isBlueFirst ? 1 : 0, weights, terms, plane, count)
        guard done < count else { return }
        kernels.splitPairs(pairs + 2 * done, into: rows.0, rows.1, count: count - done)
        kernels.chromaTerms(
            isBlueFirst ? rows.0 : rows.1, isBlueFirst ? rows.1 : rows.0, weights: weights, into: terms + done,
            plane: plane, count: count - done)
    }

    /// Converts luma and chroma terms to colours. The result is the same as that of the kernel `lumaToColors`.
    func colors(
        ofLuma luma: UnsafePointer<UInt8>, weight: Int16, terms: UnsafePointer<Int16>, doubled: Bool,
        into colors: UnsafeMutablePointer<UInt8>, plane: Int, count: Int, _ kernels: some KernelSet
    ) {
        let done = doubled ? lanes.luma_to_colors(luma, weight, terms, colors, plane, count) : 0
        guard done < count else { return }
        kernels.lumaToColors(
            luma + 2 * done, weight: weight, terms: terms + done, doubled: doubled, into: colors + 2 * done,
            plane: plane, count: count - done)
    }

    /// Converts alternating luma and chroma (YUY2 and UYVY) to colours.
    /// - Returns: the number of converted pixels, an even number. The caller converts the remaining pixels.
    func colors(
        ofPacked samples: UnsafeRawPointer, isLumaFirst: Bool, weights: UnsafePointer<Int16>,
        into colors: UnsafeMutablePointer<UInt8>, plane: Int, count: Int
    ) -> Int {
        lanes.packed_to_colors(samples, isLumaFirst ? 1 : 0, weights, colors, plane, count)
    }

    /// Converts colours to luma. The result is the same as that of the kernel `colorsToLuma`.
    func luma(
        of colors: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        into luma: UnsafeMutablePointer<UInt8>, count: Int,
        _ kernels: some KernelSet
    ) {
        let done = lanes.colors_to_luma(colors, plane, weights, luma, count)
        guard done < count else { return }
        kernels.colorsToLuma(colors + done, plane: plane, weights: weights, into: luma + done, count: count - done)
    }

    /// Converts colours to chroma. The result is the same as that of the kernel `colorsToChroma`.
    func chroma(
        of first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        doubled: Bool, into blue: UnsafeMutablePointer<UInt8>, _ red: UnsafeMutablePointer<UInt8>, count: Int,
        _ kernels: some KernelSet
    ) {
        let done = doubled ? lanes.colors_to_chroma(first, second, plane, weights, blue, red, count) : 0
        guard done < count else { return }
        kernels.colorsToChroma(
            first + 2 * done, second + 2 * done, plane: plane, weights: weights, doubled: doubled, into: blue + done,
            red + done, count: count - done)
    }

    /// Computes the same samples as the kernel `colorsToChroma`, but writes blue and red chroma alternately.
    /// - Parameter rows: scratch memory for two rows of `count` samples.
    func chromaPairs(
        of first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        isBlueFirst: Bool, into pairs: UnsafeMutablePointer<UInt8>,
        rows: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>), count: Int,
        _ kernels: some KernelSet
    ) {
        let done = lanes.colors_to_chroma_pairs(first, second, plane, weights, isBlueFirst ? 1 : 0, pairs, count)
        guard done < count else { return }
        kernels.colorsToChroma(
            first + 2 * done, second + 2 * done, plane: plane, weights: weights, doubled: true,
            into: isBlueFirst ? rows.0 : rows.1, isBlueFirst ? rows.1 : rows.0, count: count - done)
        kernels.joinPairs(rows.0, rows.1, into: pairs + 2 * done, count: count - done)
    }

    /// Converts colours to alternating luma and chroma (YUY2 and UYVY).
    /// - Parameter weights: the weights of luma, then the weights of chroma.
    /// - Returns: the number of converted pixels, an even number. The caller converts the remaining pixels.
    func packed(
        of colors: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>, isLumaFirst: Bool,
        into samples: UnsafeMutablePointer<UInt8>, count: Int
    ) -> Int {
        lanes.colors_to_packed(colors, plane, weights, isLumaFirst ? 1 : 0, samples, count)
    }

    /// Limits levels to 0…255, and rounds them to bytes.
    /// - Returns: the number of converted levels. The caller converts the remaining levels.
    func levelsToBytes(_ levels: UnsafePointer<Float>, into bytes: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        lanes.levels_to_bytes(levels, bytes, count)
    }
}

extension YUVStrip {
    /// Limits levels to 0…255, and writes them as rounded bytes.
    /// - Parameters:
    ///   - tile: the levels of red. The levels of green begin `tilePlane` floats after the levels of red. The levels of
    ///     blue begin `tilePlane` floats after the levels of green.
    ///   - colors: the first output byte in the row of red bytes.
    package func storeLevels(
        _ tile: UnsafePointer<Float>, tilePlane: Int, into colors: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var done = 0
        for channel in 0..<3 {
            done = lanes.levelsToBytes(tile + channel * tilePlane, into: colors + channel * Self.plane, count: count)
        }
        guard done < count else { return }
        kernels.storeTile(
            tile + done, plane: tilePlane, intoColors: colors + done, colorPlane: Self.plane, count: count - done)
    }
}
