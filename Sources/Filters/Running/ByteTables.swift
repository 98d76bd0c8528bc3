// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import CProcessor
internal import KernelTypes

/// Applies a curve to bytes by lookup tables.
final class ByteTables: ByteChange {
    private enum Form {
        /// Two tables with pairs of bytes as indices. The first table is for the first two bytes of a pixel. The second
        /// table is for the last two bytes.
        case pairs([UInt16])
        /// Tables with single bytes as indices. `lanes` contains a bit mask for each table. In every group of 64 bytes,
        /// the mask selects the bytes that use this table.
        case bytes([UInt8], lanes: [UInt64])
    }

    /// For the layout `pixels`, one element. For the layout `rows`, one element for each of red, green and blue, or a
    /// single element if the curve is the same for all three.
    private let forms: [Form]
    private let layout: ByteLayout

    /// - Parameter permutes: true if the processor can look up many bytes with one instruction.
    init(_ curve: Curve, _ layout: ByteLayout, permutes: Bool) {
        func table(_ function: Curve.Function) -> [UInt8] {
            (0...255).map { UInt8(byte(255 * function(Double($0) / 255))) }
        }
        let curves = curve.isCommon ? [curve.red] : [curve.red, curve.green, curve.blue]
        let tables = curves.map(table)
        self.layout = layout
        switch layout {
        case .pixels(let offsets):
            forms = [
                permutes
                    ? .bytes(tables.flatMap { $0 }, lanes: Self.lanes(offsets, isCommon: curve.isCommon))
                    : .pairs(Self.pairs(tables, offsets))
            ]
        case .rows:
            forms = tables.map { table in
                if permutes { return .bytes(table, lanes: [.max]) }
                let words = table.map { UInt16($0) }
                return .pairs(Self.pairs([words, words, words, words]))
            }
        }
    }

    private static func lanes(_ offsets: SampleOffsets, isCommon: Bool) -> [UInt64] {
        let channels = [offsets.colors.red, offsets.colors.green, offsets.colors.blue].map {
            0x1111_1111_1111_1111 << UInt64($0) as UInt64
        }
        return isCommon ? [channels.reduce(0, |)] : channels
    }

    private static func pairs(_ tables: [[UInt8]], _ offsets: SampleOffsets) -> [UInt16] {
        let words = tables.map { $0.map { UInt16($0) } }
        return pairs(
            offsets.inOrder(
                red: words[0], green: words[words.count > 1 ? 1 : 0], blue: words[words.count > 2 ? 2 : 0],
                alphaOrPadding: (0...255).map { UInt16($0) }))
    }

    /// - Parameter tables: one table for each of the four bytes.
    private static func pairs(_ tables: [[UInt16]]) -> [UInt16] {
        [UInt16](unsafeUninitializedCapacity: 2 * 65536) { pairs, count in
            for half in 0..<2 {
                let (low, high) = (tables[2 * half], tables[2 * half + 1])
                for index in 0..<65536 { pairs[65536 * half + index] = low[index & 255] | high[index >> 8] << 8 }
            }
            count = 2 * 65536
        }
    }

    func apply(to bytes: UnsafeMutablePointer<UInt8>, pixels: Int, _ kernels: any KernelSet) {
        switch layout {
        case .pixels: apply(forms[0], to: bytes, fours: pixels, count: 4 * pixels, kernels)
        case .rows:
            // Lookups of pairs process groups of four bytes. The last group may end beyond the row. This is safe,
            // because the memory of each row has a multiple of four bytes.
            for index in 0..<3 {
                apply(
                    forms[min(index, forms.count - 1)], to: bytes + index * YUVStrip.plane, fours: (pixels + 3) / 4,
                    count: pixels, kernels)
            }
        }
    }

    private func apply(
        _ form: Form, to bytes: UnsafeMutablePointer<UInt8>, fours: Int, count: Int, _ kernels: any KernelSet
    ) {
        switch form {
        case .pairs(let pairs): kernels.lookUpPairs(bytes, in: pairs, count: fours)
        case .bytes(let tables, let lanes): sv_look_up_bytes(bytes, count, tables, lanes, lanes.count)
        }
    }
}
