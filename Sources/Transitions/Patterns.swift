// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

/// The patterns in which weights change.
extension ThresholdMap {
    /// Makes the map of a transition; nil if it needs none.
    /// - Parameters:
    ///   - seed: for `disintegrate`.
    ///   - mask: a GRAY8 picture of the same size for `disintegrate`, whose dark parts go first.
    static func map(
        of transition: Transition, width: Int, height: Int, seed: UInt64, mask: Image?, with blender: Blender
    ) -> ThresholdMap? {
        let (w, h) = (Float(width), Float(height))
        func make(_ softness: Double, _ threshold: (_ x: Float, _ y: Float) -> Float) -> ThresholdMap {
            ThresholdMap(width: width, height: height, softness: softness, with: blender) { row, values in
                let y = Float(row) + 0.5
                for x in 0..<width {
                    let t = threshold(Float(x) + 0.5, y)
                    values[x] = UInt16((t > 0 ? (t < 1 ? t : 1) : 0) * 65535 + 0.5)
                }
            }
        }
        let radius = (w * w + h * h).squareRoot() / 2
        func distance(_ x: Float, _ y: Float) -> Float {
            ((x - w / 2) * (x - w / 2) + (y - h / 2) * (y - h / 2)).squareRoot() / radius
        }
        func side(_ x: Float, _ y: Float) -> Float { max(abs(2 * x / w - 1), abs(2 * y / h - 1)) }
        switch transition {
        case .wipeLeft: return make(0.1) { x, _ in 1 - x / w }
        case .wipeRight: return make(0.1) { x, _ in x / w }
        case .wipeUp: return make(0.1) { _, y in 1 - y / h }
        case .wipeDown: return make(0.1) { _, y in y / h }
        case .circleOpen: return make(0.05, distance)
        case .circleClose: return make(0.05) { 1 - distance($0, $1) }
        case .rectangleOpen: return make(0.05, side)
        case .rectangleClose: return make(0.05) { 1 - side($0, $1) }
        case .radial: return make(0.05) { clockAngle($0 - w / 2, $1 - h / 2) }
        case .diagonal: return make(0.1) { ($0 / w + $1 / h) / 2 }
        case .barsSwipe:
            let count: Float = 12
            return make(0.05) { x, y in
                let bar = (count * x / w).rounded(.down)
                let isOdd = bar - 2 * (bar / 2).rounded(.down) > 0.5
                return 0.7 * (isOdd ? 1 - y / h : y / h) + 0.3 * bar / (count - 1)
            }
        case .mod:
            let cell = max(8, h / 7)
            return make(0.1) { x, y in
                // Cells in a grid that is turned by 45°, one of them in the middle.
                let (a, b) = ((x - w / 2 + y - h / 2) * 0.70711 / cell, (x - w / 2 - y + h / 2) * 0.70711 / cell)
                let (u, v) = (a - a.rounded(), b - b.rounded())
                return (u * u + v * v).squareRoot() * 1.41421
            }
        case .disintegrate:
            if let mask, mask.width == width, mask.height == height, mask.format.isGray {
                return ThresholdMap(width: width, height: height, softness: 0.1, with: blender) { y, values in
                    let row = mask.row(y)
                    for x in 0..<width { values[x] = UInt16(row[x]) * 257 }
                }
            }
            let noise = Noise(seed: seed, cell: max(2, h / 12))
            let map = ThresholdMap(width: width, height: height, softness: 0.1, with: blender) { y, values in
                noise.fill(values, row: y, count: width)
            }
            map.equalize()
            return map
        default: return nil
        }
    }

    /// Returns the angle from 12 o'clock, clockwise, in turns: 0 ..< 1. The arc tangent is a polynomial of degree 9
    /// (Abramowitz and Stegun 4.4.47), right to 1e-5.
    private static func clockAngle(_ x: Float, _ y: Float) -> Float {
        let (across, down) = (abs(x), abs(y))
        let (less, more) = (min(across, down), max(across, down, 1e-6))
        let t = less / more
        let s = t * t
        let arc = t * (0.999866 + s * (-0.3302995 + s * (0.180141 + s * (-0.085133 + s * 0.0208351))))
        // The angle from the vertical, in the first quarter.
        let quarter = (across > down ? Float.pi / 2 - arc : arc) / (2 * .pi)
        switch (x >= 0, y <= 0) {
        case (true, true): return quarter
        case (true, false): return 0.5 - quarter
        case (false, false): return 0.5 + quarter
        case (false, true): return 1 - quarter
        }
    }
}

/// Smooth noise of three octaves, from random values in the corners of a grid.
struct Noise {
    private let seed: UInt64
    private let cell: Float

    /// - Parameter cell: side of the largest cells in pixels.
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
                let place = (Float(x) + 0.5) / side
                if Int(place) != column {
                    column = Int(place)
                    (left, right) = (corner(column), corner(column + 1))
                }
                values[x] &+= UInt16(left + (right - left) * smooth(place - Float(column)))
            }
        }
    }

    private func smooth(_ t: Float) -> Float { t * t * (3 - 2 * t) }

    /// Returns a number of 0…1 that belongs to a corner.
    private func value(_ x: Int, _ y: Int, _ octave: Int) -> Float {
        var random = SeededRandom(
            seed: seed ^ (UInt64(truncatingIfNeeded: x) &* 0x9E37_79B1)
                ^ (UInt64(truncatingIfNeeded: y) &* 0xC2B2_AE3D_27D5)
                ^ UInt64(octave) << 60)
        return Float(random.next() >> 40) / 16_777_215
    }
}
