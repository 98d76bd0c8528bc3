// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import CProcessor
internal import KernelTypes

/// A curve of bytes for the pixels of a format.
final class ByteTables: ByteChange {
    private enum Form {
        /// Replacements for each pair of a pixel's first two bytes, then for each pair of the other two.
        case pairs([UInt16])
        /// Tables for single bytes, and which bytes of every 64 are theirs.
        case bytes([UInt8], lanes: [UInt64])
    }

    private let form: Form

    /// - Parameter permutes: whether the processor looks up many bytes at once.
    init(_ curve: Curve, _ offsets: SampleOffsets, permutes: Bool) {
        func table(_ function: Curve.Function) -> [UInt8] {
            (0...255).map { UInt8(byte(255 * function(Double($0) / 255))) }
        }
        let curves = curve.isCommon ? [curve.red] : [curve.red, curve.green, curve.blue]
        let tables = curves.map(table)
        form =
            permutes
            ? .bytes(tables.flatMap { $0 }, lanes: Self.lanes(offsets, isCommon: curve.isCommon))
            : .pairs(Self.pairs(tables, offsets))
    }

    private static func lanes(_ offsets: SampleOffsets, isCommon: Bool) -> [UInt64] {
        let channels = [offsets.colors.red, offsets.colors.green, offsets.colors.blue].map {
            0x1111_1111_1111_1111 << UInt64($0) as UInt64
        }
        return isCommon ? [channels.reduce(0, |)] : channels
    }

    private static func pairs(_ tables: [[UInt8]], _ offsets: SampleOffsets) -> [UInt16] {
        let words = tables.map { $0.map { UInt16($0) } }
        let tables = offsets.inOrder(
            red: words[0], green: words[words.count > 1 ? 1 : 0], blue: words[words.count > 2 ? 2 : 0],
            alphaOrPadding: (0...255).map { UInt16($0) })
        return [UInt16](unsafeUninitializedCapacity: 2 * 65536) { pairs, count in
            for half in 0..<2 {
                let (low, high) = (tables[2 * half], tables[2 * half + 1])
                for index in 0..<65536 { pairs[65536 * half + index] = low[index & 255] | high[index >> 8] << 8 }
            }
            count = 2 * 65536
        }
    }

    func apply(to pixels: UnsafeMutableRawPointer, count: Int, _ kernels: any KernelSet) {
        switch form {
        case .pairs(let pairs): kernels.lookUpPairs(pixels, in: pairs, count: count)
        case .bytes(let tables, let lanes):
            sv_look_up_bytes(pixels.assumingMemoryBound(to: UInt8.self), 4 * count, tables, lanes, lanes.count)
        }
    }
}
