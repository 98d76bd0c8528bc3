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
    init(_ curve: Curve, _ places: ChannelPlaces, permutes: Bool) {
        func table(_ function: Curve.Function) -> [UInt8] {
            (0...255).map { UInt8(byte(255 * function(Double($0) / 255))) }
        }
        let curves = curve.isCommon ? [curve.red] : [curve.red, curve.green, curve.blue]
        let tables = curves.map(table)
        form =
            permutes
            ? .bytes(tables.flatMap { $0 }, lanes: Self.lanes(places, isCommon: curve.isCommon))
            : .pairs(Self.pairs(tables, places))
    }

    private static func lanes(_ places: ChannelPlaces, isCommon: Bool) -> [UInt64] {
        let channels = [places.colors.red, places.colors.green, places.colors.blue].map {
            0x1111_1111_1111_1111 << UInt64($0) as UInt64
        }
        return isCommon ? [channels.reduce(0, |)] : channels
    }

    private static func pairs(_ tables: [[UInt8]], _ places: ChannelPlaces) -> [UInt16] {
        let wide = tables.map { $0.map { UInt16($0) } }
        let tables = places.inOrder(
            red: wide[0], green: wide[wide.count > 1 ? 1 : 0], blue: wide[wide.count > 2 ? 2 : 0],
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
