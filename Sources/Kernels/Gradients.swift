// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for Sobel gradients, for Canny's edge detector (A computational approach to edge detection, IEEE PAMI 8(6),
// 1986). The integer arithmetic is the same as in OpenCV's cv::Canny. Sobel's operators are separable, so the kernels
// process columns first, and then rows.

package import KernelTypes

extension RowKernels {
    /// Smooths the columns of 3, 5 or 7 rows with binomial coefficients (1 2 1; 1 4 6 4 1; 1 6 15 20 15 6 1).
    /// - Parameters:
    ///   - rows: the addresses of the rows of `count` bytes. `aperture` is the number of rows.
    ///   - output: `count` sums, at most 16320.
    @inline(never)
    package func smoothColumns(
        _ rows: UnsafePointer<UnsafePointer<UInt8>>, aperture: SobelAperture, into output: UnsafeMutablePointer<Int16>,
        count: Int
    ) {
        var i = 0
        switch aperture {
        case .three:
            let (a, b, c) = (rows[0], rows[1], rows[2])
            while i < count {
                output[i] = signed(a[i]) &+ 2 &* signed(b[i]) &+ signed(c[i])
                i &+= 1
            }
        case .five:
            let (a, b, c, d, e) = (rows[0], rows[1], rows[2], rows[3], rows[4])
            while i < count {
                output[i] =
                    signed(a[i]) &+ signed(e[i]) &+ 4 &* (signed(b[i]) &+ signed(d[i])) &+ 6 &* signed(c[i])
                i &+= 1
            }
        case .seven:
            let (a, b, c, d, e, f, g) = (rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6])
            while i < count {
                let outer = signed(a[i]) &+ signed(g[i]) &+ 6 &* (signed(b[i]) &+ signed(f[i]))
                output[i] = outer &+ 15 &* (signed(c[i]) &+ signed(e[i])) &+ 20 &* signed(d[i])
                i &+= 1
            }
        }
    }

    /// Differentiates the columns of 3, 5 or 7 rows with Sobel's coefficients (−1 0 1; −1 −2 0 2 1; −1 −4 −5 0 5 4 1).
    /// - Parameters: see `smoothColumns`. The output sums are within ±2550.
    @inline(never)
    package func slopeColumns(
        _ rows: UnsafePointer<UnsafePointer<UInt8>>, aperture: SobelAperture, into output: UnsafeMutablePointer<Int16>,
        count: Int
    ) {
        var i = 0
        switch aperture {
        case .three:
            let (a, c) = (rows[0], rows[2])
            while i < count {
                output[i] = signed(c[i]) &- signed(a[i])
                i &+= 1
            }
        case .five:
            let (a, b, d, e) = (rows[0], rows[1], rows[3], rows[4])
            while i < count {
                output[i] = signed(e[i]) &- signed(a[i]) &+ 2 &* (signed(d[i]) &- signed(b[i]))
                i &+= 1
            }
        case .seven:
            let (a, b, c, e, f, g) = (rows[0], rows[1], rows[2], rows[4], rows[5], rows[6])
            while i < count {
                let outer = signed(g[i]) &- signed(a[i]) &+ 4 &* (signed(f[i]) &- signed(b[i]))
                output[i] = outer &+ 5 &* (signed(e[i]) &- signed(c[i]))
                i &+= 1
            }
        }
    }
}

@inline(__always)
func signed(_ value: UInt8) -> Int16 { Int16(truncatingIfNeeded: value) }

// MARK: - Gradients

/// The horizontal part of Sobel's operator for one kernel size. The input is the result of the vertical part:
/// `smoothColumns` or `slopeColumns`.
protocol SobelRow {
    /// Returns the horizontal derivative of the smoothed columns at index `i`.
    static func across(_ smooth: UnsafePointer<Int16>, _ i: Int) -> Int16
    /// Returns the vertical derivative at index `i`: a weighted sum of the vertical derivatives of neighbouring
    /// columns.
    static func down(_ slope: UnsafePointer<Int16>, _ i: Int) -> Int16
}

enum Sobel3: SobelRow {
    @inline(__always)
    static func across(_ smooth: UnsafePointer<Int16>, _ i: Int) -> Int16 { smooth[i &+ 1] &- smooth[i &- 1] }

    @inline(__always)
    static func down(_ slope: UnsafePointer<Int16>, _ i: Int) -> Int16 {
        slope[i &- 1] &+ 2 &* slope[i] &+ slope[i &+ 1]
    }
}

enum Sobel5: SobelRow {
    @inline(__always)
    static func across(_ smooth: UnsafePointer<Int16>, _ i: Int) -> Int16 {
        smooth[i &+ 2] &- smooth[i &- 2] &+ 2 &* (smooth[i &+ 1] &- smooth[i &- 1])
    }

    @inline(__always)
    static func down(_ slope: UnsafePointer<Int16>, _ i: Int) -> Int16 {
        slope[i &- 2] &+ slope[i &+ 2] &+ 4 &* (slope[i &- 1] &+ slope[i &+ 1]) &+ 6 &* slope[i]
    }
}

/// Sobel's operator for 7 x 7 pixels, divided by 16 and rounded half to even. cv::Canny also divides by 16 for this
/// aperture.
enum Sobel7: SobelRow {
    @inline(__always)
    static func across(_ smooth: UnsafePointer<Int16>, _ i: Int) -> Int16 {
        let outer = long(smooth[i &+ 3]) &- long(smooth[i &- 3])
        let middle = long(smooth[i &+ 2]) &- long(smooth[i &- 2])
        return sixteenth(outer &+ 4 &* middle &+ 5 &* (long(smooth[i &+ 1]) &- long(smooth[i &- 1])))
    }

    @inline(__always)
    static func down(_ slope: UnsafePointer<Int16>, _ i: Int) -> Int16 {
        let outer = long(slope[i &- 3]) &+ long(slope[i &+ 3])
        let middle = long(slope[i &- 2]) &+ long(slope[i &+ 2])
        let inner = long(slope[i &- 1]) &+ long(slope[i &+ 1])
        return sixteenth(outer &+ 6 &* middle &+ 15 &* inner &+ 20 &* long(slope[i]))
    }
}

@inline(__always)
func long(_ value: Int16) -> Int32 { Int32(truncatingIfNeeded: value) }

/// Returns `value / 16`, rounded half to even.
@inline(__always)
func sixteenth(_ value: Int32) -> Int16 { Int16(truncatingIfNeeded: (value &+ 7 &+ ((value >> 4) & 1)) >> 4) }

@inline(__always)
func magnitude(_ value: Int16) -> Int16 { greater(value, 0 &- value) }

/// Returns the direction of a gradient as a pair of neighbours: 0 for left and right, 1 for above and below, 2 for
/// upper left and lower right, 3 for upper right and lower left. The directions change at 22.5° and 67.5°. The tangents
/// of these angles are 13573 / 2¹⁵ and 2 + 13573 / 2¹⁵. |dx| and |dy| must be at most 12240.
@inline(__always)
func direction(_ dx: Int16, _ dy: Int16) -> Int16 {
    let (x, y) = (magnitude(dx), magnitude(dy))
    let flat = highProduct(x &+ x, 13573)
    // Each of the following values is a bit mask: all bits are 1, or all bits are 0.
    let isTurned = (flat &- y) >> 15
    let isSteep = (x &+ x &+ flat &- y) >> 15
    let slanted = 2 &- ((dx ^ dy) >> 15)
    return isTurned & (slanted ^ ((slanted ^ 1) & isSteep))
}

extension RowKernels {
    /// Computes the gradients of a row: the direction (see `direction`) and the magnitude |dx| + |dy|.
    /// - Parameters:
    ///   - smooth: `count` sums of `smoothColumns`, and aperture / 2 more sums before and after.
    ///   - slope: `count` sums of `slopeColumns`, and aperture / 2 more sums before and after.
    ///   - directions: `count` directions.
    ///   - sizes: `count` magnitudes, at most 24480.
    @inline(never)
    package func gradients(
        _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>, aperture: SobelAperture,
        directions: UnsafeMutablePointer<Int16>, sizes: UnsafeMutablePointer<Int16>, count: Int
    ) {
        switch aperture {
        case .three: measure(Sobel3.self, smooth, slope, directions, sizes, count)
        case .five: measure(Sobel5.self, smooth, slope, directions, sizes, count)
        case .seven: measure(Sobel7.self, smooth, slope, directions, sizes, count)
        }
    }
}

@inline(__always)
func measure<Sobel: SobelRow>(
    _ sobel: Sobel.Type, _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>,
    _ directions: UnsafeMutablePointer<Int16>, _ sizes: UnsafeMutablePointer<Int16>, _ count: Int
) {
    var i = 0
    while i < count {
        let (dx, dy) = (Sobel.across(smooth, i), Sobel.down(slope, i))
        directions[i] = direction(dx, dy)
        sizes[i] = magnitude(dx) &+ magnitude(dy)
        i &+= 1
    }
}

extension RowKernels {
    /// Computes the same directions as `gradients`, and the squared magnitude dx² + dy², at most 299 635 200.
    @inline(never)
    package func squaredGradients(
        _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>, aperture: SobelAperture,
        directions: UnsafeMutablePointer<Int16>, sizes: UnsafeMutablePointer<Int32>, count: Int
    ) {
        switch aperture {
        case .three: measureSquared(Sobel3.self, smooth, slope, directions, sizes, count)
        case .five: measureSquared(Sobel5.self, smooth, slope, directions, sizes, count)
        case .seven: measureSquared(Sobel7.self, smooth, slope, directions, sizes, count)
        }
    }
}

@inline(__always)
func measureSquared<Sobel: SobelRow>(
    _ sobel: Sobel.Type, _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>,
    _ directions: UnsafeMutablePointer<Int16>, _ sizes: UnsafeMutablePointer<Int32>, _ count: Int
) {
    var i = 0
    while i < count {
        let (dx, dy) = (Sobel.across(smooth, i), Sobel.down(slope, i))
        directions[i] = direction(dx, dy)
        sizes[i] = long(dx) &* long(dx) &+ long(dy) &* long(dy)
        i &+= 1
    }
}
