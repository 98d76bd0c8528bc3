// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing

@Suite("Soft shapes")
struct MaskTests {
    private static let clip = Rectangle(x: -40, y: -40, width: 120, height: 120)

    /// Returns e^x for x ≤ 0, computed from its series. If x is less than −1, uses the square root, so that the series
    /// converges fast.
    private static func exponential(_ x: Double) -> Double {
        if x < -1 {
            let root = exponential(x / 2)
            return root * root
        }
        var (sum, term) = (1.0, 1.0)
        for n in 1..<20 {
            term *= x / Double(n)
            sum += term
        }
        return sum
    }

    /// Returns the coverage at a point of a shape that is blurred by a Gaussian. The integral is a sum over a grid with
    /// cells of sigma / 6.
    private func blurred(_ x: Double, _ y: Double, _ sigma: Double, _ contains: (Double, Double) -> Bool) -> Double {
        var (sum, all) = (0.0, 0.0)
        for i in -24...24 {
            for j in -24...24 {
                let (dx, dy) = (Double(i) / 6, Double(j) / 6)
                let weight = Self.exponential(-(dx * dx + dy * dy) / 2)
                all += weight
                if contains(x + sigma * dx, y + sigma * dy) { sum += weight }
            }
        }
        return sum / all
    }

    @Test(
        "an ellipse blurred by a Gaussian, thinner and thicker than that",
        arguments: [(14.0, 9.0, 2.0, 0.0), (20, 3, 4, 25), (6, 6, 6, 0), (18, 2.5, 1.2, -40)])
    func ellipse(a: Double, b: Double, sigma: Double, angle: Double) {
        let (sine, cosine) =
            switch angle {
            case 25: (0.42261826, 0.90630779)
            case -40: (-0.64278761, 0.76604444)
            default: (0.0, 1.0)
            }
        let center = Point(20.3, 18.6)
        let mask = Mask(
            ellipse: center, halfAxes: Point(a, b), angle: angle, softness: sigma, clip: Self.clip)
        for y in stride(from: 0, to: 40, by: 5) {
            for x in stride(from: -2, to: 44, by: 3) {
                let right = blurred(Double(x) + 0.5, Double(y) + 0.5, sigma) { px, py in
                    let (dx, dy) = (px - center.x, py - center.y)
                    let (u, v) = ((cosine * dx + sine * dy) / a, (cosine * dy - sine * dx) / b)
                    return u * u + v * v <= 1
                }
                #expect(abs(Double(mask[x, y]) / 255 - right) < 0.025, "\(x) \(y)")
            }
        }
    }

    @Test("a polygon blurred by a Gaussian; one that crosses itself has a hole")
    func polygon() {
        let mask = Mask(polygon: [Point(2, 3), Point(30, 3), Point(2, 30)], softness: 2.5, clip: Self.clip)
        for y in stride(from: 0, to: 32, by: 3) {
            for x in stride(from: 0, to: 32, by: 3) {
                let right = blurred(Double(x) + 0.5, Double(y) + 0.5, 2.5) { px, py in
                    px > 2 && py > 3 && (px - 2) / 28 + (py - 3) / 27 < 1
                }
                #expect(abs(Double(mask[x, y]) / 255 - right) < 0.035, "\(x) \(y)")
            }
        }
        let star = (0..<5).map { index in
            [Point(20, 0), Point(32, 36), Point(1, 14), Point(39, 14), Point(8, 36)][index]
        }
        let crossed = Mask(polygon: star, clip: Self.clip)
        #expect([crossed[20, 20], crossed[20, 5], crossed[0, 0]] == [0, 255, 0])
    }

    @Test("a clip changes nothing within it")
    func clip() {
        let clip = Rectangle(x: 15, y: 10, width: 9, height: 14)
        let shape = { (clip: Rectangle) in
            Mask(ellipse: Point(20, 20), halfAxes: Point(12, 7), angle: 30, softness: 3, clip: clip)
        }
        let (whole, part) = (shape(Self.clip), shape(clip))
        #expect([part.bounds.x, part.bounds.y, part.bounds.width, part.bounds.height] == [15, 10, 9, 14])
        for y in 0..<40 {
            for x in 0..<40 {
                let isIn = x >= 15 && x < 24 && y >= 10 && y < 24
                #expect(abs(Int(part[x, y]) - (isIn ? Int(whole[x, y]) : 0)) <= 1)
            }
        }
    }

    @Test("no shape, no mask")
    func nothing() {
        let clip = Self.clip
        #expect(Mask(polygon: [], clip: clip).bounds.isEmpty)
        #expect(Mask(polygon: [Point(1, 1), Point(9, 9)], clip: clip).bounds.isEmpty)
        #expect(Mask(polygon: [Point(1, 1), Point(.nan, 9), Point(5, 5)], clip: clip).bounds.isEmpty)
        #expect(Mask(ellipse: Point(1, 1), halfAxes: Point(-1, 3), clip: clip).bounds.isEmpty)
        #expect(Mask(ellipse: Point(1, .infinity), halfAxes: Point(1, 3), clip: clip).bounds.isEmpty)
        #expect(Mask(ellipse: Point(9, 9), halfAxes: Point(1, 3), clip: clip)[.min, .max] == 0)
    }
}
