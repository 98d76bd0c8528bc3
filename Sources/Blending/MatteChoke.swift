// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

/// Shrinks mattes: moves the edges of a matte inwards, so that blended edges of the background disappear.
///
/// The choke is a greyscale erosion by a disk: each weight becomes the minimum of the weights within the radius (J.
/// Serra, Image Analysis and Mathematical Morphology, 1982). For a radius between two integers, the result is the
/// weighted mean of the erosions by both integers. Outside of the image, the weights are those of the border pixels. So
/// the matte does not shrink at the borders of the image.
package final class MatteChoke {
    private let colors = OwnedImage(.bgrx)
    private let matte = OwnedImage(.gray8)
    private let choked = OwnedImage(.gray8)
    private lazy var strip = YUVStrip()
    private lazy var blender = Blender()
    private var rows: [UInt8] = []
    private var minima: [UInt8] = []
    private var smaller: [UInt8] = []

    package init() {}

    /// Maximum radius, in pixels.
    package static let maxRadius = 20.0

    /// Shrinks a matte in place.
    /// - Parameters:
    ///   - matte: a GRAY8 image. Other images do not change.
    ///   - radius: the distance by which edges move, in pixels, limited to 0…`maxRadius`.
    package func shrink(_ matte: Image, by radius: Double) {
        // NaN fails this comparison.
        guard radius > 0, matte.format.isGray, !matte.isEmpty else { return }
        let radius = min(radius, Self.maxRadius)
        let whole = Int(radius)
        let fraction = Int(((radius - Double(whole)) * 256).rounded())
        let (width, height) = (matte.width, matte.height)
        let count = width * height
        rows = [UInt8](repeating: 0, count: count)
        for y in 0..<height {
            let row = matte.row(y)
            for x in 0..<width { rows[y * width + x] = row[x] }
        }
        let original = rows
        erode(width: width, height: height, radius: whole)
        smaller = minima
        if fraction > 0 {
            rows = original
            erode(width: width, height: height, radius: whole + 1)
        }
        for y in 0..<height {
            let row = matte.row(y)
            for x in 0..<width {
                let (a, b) = (Int(smaller[y * width + x]), Int(minima[y * width + x]))
                row[x] = UInt8(truncatingIfNeeded: (a * (256 - fraction) + b * fraction + 128) >> 8)
            }
        }
    }

    /// Writes the erosion of `rows` by a disk to `minima`. Overwrites `rows`.
    private func erode(width: Int, height: Int, radius: Int) {
        minima = [UInt8](repeating: 255, count: width * height)
        rows.withUnsafeMutableBufferPointer { rows in
            minima.withUnsafeMutableBufferPointer { minima in
                guard let rows = rows.baseAddress, let minima = minima.baseAddress else { return }
                // In each step, `rows` contains minima over all pixels that are at most `reach` columns away.
                for reach in 0...radius {
                    if reach > 0 {
                        for y in 0..<height { Self.widen(rows + y * width, count: width, reach: reach) }
                    }
                    for down in -radius...radius where Self.reach(of: radius, at: down) == reach {
                        for y in 0..<height {
                            let other = min(height - 1, max(0, y + down))
                            Self.limit(minima + y * width, to: rows + other * width, count: width)
                        }
                    }
                }
            }
        }
    }

    /// Returns the number of columns on each side of a disk's centre, in the row `down` of the disk.
    private static func reach(of radius: Int, at down: Int) -> Int {
        // Use a limit that is slightly greater than the square of the radius, so that small disks are rounder.
        let square = Double(radius * radius) + Double(radius) / 2 - Double(down * down)
        return square > 0 ? Int(square.squareRoot()) : 0
    }

    /// Computes the minima for `reach` from the minima for `reach` − 1: replaces each value by the minimum of its left
    /// and right neighbours. For a reach above 1, the neighbours are already minima that include the value. For the
    /// reach 1, they are single pixels, so the method also includes the value.
    private static func widen(_ values: UnsafeMutablePointer<UInt8>, count: Int, reach: Int) {
        var before = values[0]
        for x in 0..<count {
            let (here, after) = (values[x], values[min(count - 1, x + 1)])
            let sides = min(before, after)
            values[x] = reach == 1 ? min(sides, here) : sides
            before = here
        }
    }

    private static func limit(_ values: UnsafeMutablePointer<UInt8>, to others: UnsafePointer<UInt8>, count: Int) {
        for x in 0..<count { values[x] = min(values[x], others[x]) }
    }

    /// Returns the quotient of the choked matte and the keyer's matte. The caller multiplies the keyer's matte by these
    /// weights to get the choked matte. The result is valid until the next call. Returns nil if `radius` is 0 or less.
    /// - Parameters:
    ///   - frame: the image to key.
    ///   - mask: other weights of the image, a GRAY8 image of the same size. The result includes these weights.
    package func weights(of frame: FrameImage, by key: Keyer, radius: Double, mask: Image? = nil) -> Image? {
        guard radius > 0 else { return nil }
        matte.resize(width: frame.width, height: frame.height)
        choked.resize(width: frame.width, height: frame.height)
        guard matte.image.bounds == frame.bounds, choked.image.bounds == frame.bounds, !frame.isEmpty else {
            return nil
        }
        if let packed = frame.packed {
            blender.computeMatte(of: packed, by: key, into: matte.image)
        } else {
            colors.resize(width: frame.width, height: frame.height)
            guard colors.image.bounds == frame.bounds else { return nil }
            frame.copyColors(into: colors.image, with: strip)
            blender.computeMatte(of: colors.image, by: key, into: matte.image)
        }
        choked.image.copy(from: matte.image)
        shrink(choked.image, by: radius)
        for y in 0..<frame.height {
            let (before, after) = (matte.image.row(y), choked.image.row(y))
            for x in 0..<frame.width {
                let (whole, part) = (Int(before[x]), Int(after[x]))
                after[x] = whole == 0 ? 0 : UInt8(min(255, (255 * part + whole / 2) / whole))
            }
        }
        if let mask { multiply(weights: choked.image, by: mask) }
        return choked.image
    }
}
