// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

/// A transition in which a mask or noise decides when each pixel changes. Dark pixels of the mask change first.
struct Disintegrate: ThresholdEffect {
    let usesSeed = true

    func map(width: Int, height: Int, for moment: TransitionPainter.Moment, with blender: Blender) -> ThresholdMap {
        if let mask = moment.mask?.image, mask.width == width, mask.height == height, mask.format.isGray {
            return ThresholdMap(width: width, height: height, softness: 0.1, with: blender) { y, values in
                let row = mask.row(y)
                for x in 0..<width { values[x] = UInt16(row[x]) * 257 }
            }
        }
        let noise = Noise(seed: moment.seed, cell: max(2, Float(height) / 12))
        let map = ThresholdMap(width: width, height: height, softness: 0.1, with: blender) { y, values in
            noise.fill(values, row: y, count: width)
        }
        map.equalize()
        return map
    }
}

/// Smooth noise as the sum of three octaves. An octave interpolates between random values at the corners of a grid, and
/// the grid of each further octave is twice as fine.
struct Noise {
    private let seed: UInt64
    private let cell: Float

    /// - Parameter cell: the side of the largest grid cells, in pixels.
    init(seed: UInt64, cell: Float) { (self.seed, self.cell) = (seed, cell) }

    func fill(_ values: UnsafeMutablePointer<UInt16>, row: Int, count: Int) {
        for x in 0..<count { values[x] = 0 }
        for (octave, share) in [(0, Float(0.55)), (1, 0.3), (2, 0.15)] {
            let side = cell / Float(1 << octave)
            let y = (Float(row) + 0.5) / side
            let (line, down) = (Int(y), smooth(y - Float(Int(y))))
            func corner(_ column: Int) -> Float {
                let (upper, lower) = (value(column, line, octave), value(column, line + 1, octave))
                return (upper + (lower - upper) * down) * share * 65535
            }
            var column = -1
            var (left, right): (Float, Float) = (0, corner(0))
            for x in 0..<count {
                let position = (Float(x) + 0.5) / side
                if Int(position) != column {
                    column = Int(position)
                    (left, right) = (corner(column), corner(column + 1))
                }
                values[x] &+= UInt16(left + (right - left) * smooth(position - Float(column)))
            }
        }
    }

    private func smooth(_ t: Float) -> Float { t * t * (3 - 2 * t) }

    /// Returns the random value of a grid corner, 0…1.
    private func value(_ x: Int, _ y: Int, _ octave: Int) -> Float {
        var random = SeededRandom(
            seed: seed ^ (UInt64(truncatingIfNeeded: x) &* 0x9E37_79B1)
                ^ (UInt64(truncatingIfNeeded: y) &* 0xC2B2_AE3D_27D5)
                ^ UInt64(octave) << 60)
        return Float(random.next() >> 40) / 16_777_215
    }
}
