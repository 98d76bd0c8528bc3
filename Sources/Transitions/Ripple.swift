// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

struct Ripple: WarpEffect { typealias Bend = RippleWarp }

/// A ring of waves moves out from the centre of the frame. R is half the diagonal of the frame. d = 0.12 R is half the
/// width of the ring. At the progress p, the radius of the ring is ρ = p (R + 2d) − d. For a point of the ring at the
/// distance r from the centre, q = (r − ρ) / d.
///
/// - The samples of both images come from the distance r + 0.25 d sin(π q) (1 + cos(π q)) / 2.
/// - The weight of the new image is (1 − q) / 2.
/// - The mixture of both images is mixed with white. The weight of white is 0.25 max(0, sin(π q)) (1 + cos(π q)) / 2.
struct RippleWarp: Warp {
    private let middleX, middleY, reach, ring: Float
    /// Tables for q = −1…1. `shifts`: how much farther from the centre the samples of the images are read. `lights`:
    /// the weight of white.
    private let shifts: [Float]
    private let lights: [UInt8]
    private static let steps = 512

    init(at p: Double, width: Int, height: Int) {
        (middleX, middleY) = (Float(width) / 2, Float(height) / 2)
        let radius = (middleX * middleX + middleY * middleY).squareRoot()
        let reach = 0.12 * radius
        self.reach = reach
        ring = Float(p) * (radius + 2 * reach) - reach
        let waves = (0...Self.steps).map { step in
            let (sine, cosine) = sineAndCosine(degrees: 360 * Double(step) / Double(Self.steps) - 180)
            return (sine, (1 + cosine) / 2)
        }
        shifts = waves.map { 0.25 * reach * Float($0.0 * $0.1) }
        lights = waves.map { byte(255 * 0.25 * max(0, $0.0) * $0.1) }
    }

    func isVisible(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool {
        let (dx, dy) = (Float(x) - middleX, Float(y) - middleY)
        let r = (dx * dx + dy * dy).squareRoot()
        return side == .old ? r > ring - reach : r < ring + reach
    }

    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int) {
        let down = y - middleY
        let scale = Float(Self.steps) / (2 * reach)
        shifts.withUnsafeBufferPointer { shifts in
            lights.withUnsafeBufferPointer { lights in
                for i in 0..<count {
                    let x = center(i, columns)
                    let across = x - middleX
                    let r = (across * across + down * down).squareRoot()
                    let q = r - ring
                    guard q > -reach, q < reach else {
                        row.kinds[i] = q < 0 ? WarpRow.Kind.new : WarpRow.Kind.old
                        continue
                    }
                    let step = min(Self.steps, max(0, Int((q + reach) * scale)))
                    let shift = shifts[step] / max(r, 1)
                    row.kinds[i] = WarpRow.Kind.mixed
                    row.weights[i] = UInt8(min(255, max(0, 127.5 * (1 - q / reach) + 0.5)))
                    (row.light[i], row.shade[i]) = (lights[step], 0)
                    (row.x[i], row.y[i]) = (fixedPosition(x + across * shift), fixedPosition(y + down * shift))
                }
            }
        }
    }
}
