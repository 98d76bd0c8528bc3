// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A mask for one frame size, computed row by row.
struct MaskRows: Sendable {
    private enum Kind: Sendable {
        case radial(x: Double, y: Double, slope: Double, offset: Double, smoothness: Double)
        case waves(Waves)
    }

    private let kind: Kind

    init(_ mask: FilterMask, width: Int, height: Int) {
        let (width, height) = (Double(width), Double(height))
        switch mask {
        case .radial(let center, let inner, let outer, let isSmooth):
            let half = (width * width + height * height).squareRoot() / 2
            let span = max(1e-6, outer - inner)
            kind = .radial(
                x: center.x * width, y: center.y * height, slope: 1 / (span * half), offset: -inner / span,
                smoothness: isSmooth ? 1 : 0)
        case .waves(let center, let length, let angle, let isCrossed, let contrast):
            let (sine, cosine) = sineAndCosine(degrees: angle)
            let degrees = 360 / max(1e-3, length)
            let first =
                isCrossed
                ? Waves.Step(x: degrees * (cosine - sine), y: degrees * (sine + cosine))
                : Waves.Step(x: degrees * cosine, y: degrees * sine)
            // cos(a) · cos(b) = (cos(a − b) + cos(a + b)) / 2. So the product of two waves is half of the sum of two
            // other waves.
            let second = Waves.Step(x: degrees * (cosine + sine), y: degrees * (sine - cosine))
            kind = .waves(
                Waves(
                    first: first, second: second, x: center.x * width, y: center.y * height,
                    heights: isCrossed ? (contrast / 2, contrast / 2) : (contrast, 0), width: Int(width)))
        }
    }

    /// Computes the mask for pixels of a row.
    func fill(_ mask: UnsafeMutablePointer<Float>, x: Int, y: Int, count: Int, _ kernels: any KernelSet) {
        let (column, row) = (Double(x) + 0.5, Double(y) + 0.5)
        switch kind {
        case .radial(let centerX, let centerY, let slope, let offset, let smoothness):
            kernels.fillRadialMask(
                mask, x: Float(column - centerX), y: Float(row - centerY), slope: Float(slope), offset: Float(offset),
                smoothness: Float(smoothness),
                count: count)
        case .waves(let waves):
            waves.table.withUnsafeBufferPointer { table in
                withUnsafePointer(to: waves.row(row)) { factors in
                    guard let table = table.baseAddress else { return }
                    factors.withMemoryRebound(to: Float.self, capacity: 8) { factors in
                        kernels.fillWaveMask(mask, waves: table + x, width: waves.width, row: factors, count: count)
                    }
                }
            }
        }
    }
}

/// The sum of two plane waves. Tables contain the cosines and sines for all columns.
private struct Waves: Sendable {
    /// Phase difference between neighbouring columns (`x`) and neighbouring rows (`y`), in degrees.
    struct Step: Sendable {
        let x: Double
        let y: Double
    }

    private let first: Step
    private let second: Step
    private let y: Double
    private let heights: (Double, Double)
    let width: Int
    /// Cosines and sines of the first wave, then cosines and sines of the second wave. Each of the four tables has
    /// `width` values.
    let table: [Float]

    init(first: Step, second: Step, x: Double, y: Double, heights: (Double, Double), width: Int) {
        (self.first, self.second, self.y, self.heights, self.width) = (first, second, y, heights, width)
        let angles = [first, second].map { step in
            (0..<width).map { sineAndCosine(degrees: ((Double($0) + 0.5 - x) * step.x).remainder(dividingBy: 360)) }
        }
        table = angles.flatMap { $0.map { Float($0.cosine) } + $0.map { Float($0.sine) } }
    }

    /// Returns the coefficients of a row for the kernel `fillWaveMask`: one factor for each of the four tables, and a
    /// constant term.
    func row(_ row: Double) -> SIMD8<Float> {
        let firstWave = sineAndCosine(degrees: ((row - y) * first.y).remainder(dividingBy: 360))
        let secondWave = sineAndCosine(degrees: ((row - y) * second.y).remainder(dividingBy: 360))
        return SIMD8(
            Float(heights.0 * firstWave.cosine), Float(-heights.0 * firstWave.sine),
            Float(heights.1 * secondWave.cosine),
            Float(-heights.1 * secondWave.sine), 0.5, 0, 0, 0)
    }
}
