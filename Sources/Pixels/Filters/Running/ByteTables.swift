/// A curve of bytes for the pixels of a format.
final class ByteTables: Sendable {
    /// For each pair of a pixel's first two bytes what they become, then the same of the other two.
    let pairs: [UInt16]

    init(_ curve: Curve, _ places: ChannelPlaces) {
        let same = (0...255).map { UInt16($0) }
        func table(_ function: Curve.Function) -> [UInt16] {
            (0...255).map { UInt16(byte(255 * function(Double($0) / 255))) }
        }
        let red = table(curve.red)
        let green = curve.isCommon ? red : table(curve.green)
        let blue = curve.isCommon ? red : table(curve.blue)
        let tables = places.inOrder(red: red, green: green, blue: blue, fourth: same)
        pairs = [UInt16](unsafeUninitializedCapacity: 2 * 65536) { pairs, count in
            for half in 0..<2 {
                let (low, high) = (tables[2 * half], tables[2 * half + 1])
                for index in 0..<65536 { pairs[65536 * half + index] = low[index & 255] | high[index >> 8] << 8 }
            }
            count = 2 * 65536
        }
    }
}

extension ChannelPlaces {
    /// What belongs to the channels in the order of a pixel's bytes.
    func inOrder<Value>(red: Value, green: Value, blue: Value, fourth: Value) -> [Value] {
        (0..<4).map { place in
            switch UInt32(place) {
            case self.red: red
            case self.green: green
            case self.blue: blue
            default: fourth
            }
        }
    }
}
