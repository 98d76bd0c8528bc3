// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Detects edges in grey images with Canny's detector (A computational approach to edge detection, IEEE PAMI 8(6),
/// 1986), but without the initial blur. The edges are identical to the edges of cv::Canny. The finder reuses its memory
/// for the next image, so each thread needs a separate finder.
package final class EdgeFinder {
    /// Thresholds and gradient operator of Canny's detector. For aperture 7, the detector divides gradients and
    /// thresholds by 16.
    package struct Settings: Sendable, Equatable {
        /// Thresholds of the gradient magnitude (`low`, `high`). Pixels on a ridge above `low` are edges if they are
        /// connected to a ridge above `high`. `low` and `high` may be swapped; NaN counts as 0.
        package var low: Double
        package var high: Double
        package var aperture = SobelAperture.three
        /// If true, the gradient magnitude is √(dx² + dy²). If false, it is |dx| + |dy|.
        package var isEuclidean = false

        package init(
            low: Double, high: Double, aperture: SobelAperture = .three, isEuclidean: Bool = false
        ) {
            self.low = low
            self.high = high
            self.aperture = aperture
            self.isEuclidean = isEuclidean
        }
    }

    let kernels: any KernelSet
    private(set) var bits = EdgeBits(width: 0, height: 0)
    private var lines = GradientLines(width: 0, height: 0)

    /// Width and height of the last image, in pixels.
    package var width: Int { bits.width }
    package var height: Int { bits.height }

    /// - Parameter kernels: the kernels to use, by default the fastest for this processor. Tests pass other kernels.
    package init(kernels: any KernelSet = Processor.kernels) { self.kernels = kernels }

    /// Detects the edges of an image. After this call, the finder does not access the image.
    /// - Parameter picture: a GRAY8 image. Images of other formats have no edges.
    package func find(in picture: Image, _ settings: Settings) {
        let size = picture.format.isGray ? (picture.width, picture.height) : (0, 0)
        if bits.width != size.0 || bits.height != size.1 {
            bits = EdgeBits(width: size.0, height: size.1)
            lines = GradientLines(width: size.0, height: size.1)
        }
        guard bits.height > 0 else { return }
        let limits = Limits(settings)
        for y in 0...picture.height {
            if y < picture.height { measure(picture, row: y, settings) }
            if y > 0 { mark(row: y - 1, limits, settings) }
        }
        kernels.joinEdges(
            bits.edges, candidates: bits.candidates, pending: bits.pending, stack: bits.stack, stride: bits.stride,
            count: bits.height * bits.stride)
    }

    /// Returns true if a pixel is on an edge. For positions outside of the image, returns false.
    package func isEdge(x: Int, y: Int) -> Bool {
        guard x >= 0, x < width, y >= 0, y < height else { return false }
        return bits.edges[y * bits.stride + x / 64] >> UInt64(x % 64) & 1 != 0
    }

    // MARK: - Rows

    private func measure(_ picture: Image, row y: Int, _ settings: Settings) {
        let (width, aperture) = (bits.width, settings.aperture)
        let reach = Int(aperture.rawValue) / 2
        // Above and below the image, the first and the last row are repeated.
        for k in 0..<Int(aperture.rawValue) {
            lines.rows[k] = UnsafePointer(picture.row(min(picture.height - 1, max(0, y + k - reach))))
        }
        kernels.smoothColumns(UnsafePointer(lines.rows), aperture: aperture, into: lines.smooth, count: width)
        kernels.slopeColumns(UnsafePointer(lines.rows), aperture: aperture, into: lines.slope, count: width)
        repeatEnds(of: lines.smooth)
        repeatEnds(of: lines.slope)
        // At the left and right of the image, set the gradient magnitudes to 0.
        if settings.isEuclidean {
            let sizes = lines.sizes(y, Int32.self)
            kernels.squaredGradients(
                lines.smooth, lines.slope, aperture: aperture, directions: lines.directions(y), sizes: sizes,
                count: width)
            (sizes[-1], sizes[width]) = (0, 0)
        } else {
            let sizes = lines.sizes(y, Int16.self)
            kernels.gradients(
                lines.smooth, lines.slope, aperture: aperture, directions: lines.directions(y), sizes: sizes,
                count: width)
            (sizes[-1], sizes[width]) = (0, 0)
        }
    }

    private func repeatEnds(of line: UnsafeMutablePointer<Int16>) {
        for k in 1...3 {
            line[-k] = line[0]
            line[width - 1 + k] = line[width - 1]
        }
    }

    private func mark(row y: Int, _ limits: Limits, _ settings: Settings) {
        let (low, high) = (limits.low, limits.high)
        if settings.isEuclidean {
            kernels.markSquaredRidges(
                above: lines.sizes(y - 1), lines.sizes(y), below: lines.sizes(y + 1), directions: lines.directions(y),
                low: low,
                high: high, into: lines.marks, count: bits.width)
        } else {
            kernels.markRidges(
                above: lines.sizes(y - 1), lines.sizes(y), below: lines.sizes(y + 1), directions: lines.directions(y),
                low: Int16(clamping: low), high: Int16(clamping: high), into: lines.marks, count: bits.width)
        }
        let row = y * bits.stride
        kernels.packMarks(lines.marks, candidates: bits.candidates + row, edges: bits.edges + row, words: bits.words)
    }
}

/// Thresholds, rounded down. If gradient magnitudes are squared, the thresholds are squared, too.
private struct Limits {
    let low: Int32
    let high: Int32

    init(_ settings: EdgeFinder.Settings) {
        let divisor: Double = settings.aperture == .seven ? 16 : 1
        func limit(_ value: Double) -> Int32 {
            let limit = value > 0 ? value / divisor : 0
            guard settings.isEuclidean else { return Int32(clamping: floored(limit)) }
            let bounded = min(32767, limit)
            return Int32(clamping: floored(bounded * bounded))
        }
        let (first, second) = (limit(settings.low), limit(settings.high))
        low = min(first, second)
        high = max(first, second)
    }
}

/// Sets of pixels, stored as one bit per pixel. Each word has 64 pixels, and the leftmost pixel is in the lowest bit.
/// The rows have the margins that the kernel `joinEdges` requires. Each pointer points to the first word of the first
/// row, after the margins.
final class EdgeBits {
    let width: Int
    let height: Int
    let words: Int
    /// Number of words from the start of a row to the start of the next row.
    let stride: Int
    let edges: UnsafeMutablePointer<UInt64>
    let candidates: UnsafeMutablePointer<UInt64>
    let pending: UnsafeMutablePointer<UInt64>
    let stack: UnsafeMutablePointer<Int32>
    private let memory: UnsafeMutablePointer<UInt64>

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        words = (width + 63) / 64
        stride = words + 1
        let count = (height + 2) * stride + 2
        memory = .allocate(capacity: 4 * count)
        memory.initialize(repeating: 0, count: 4 * count)
        edges = memory + (stride + 1)
        candidates = edges + count
        pending = candidates + count
        stack = UnsafeMutableRawPointer(memory + 3 * count).assumingMemoryBound(to: Int32.self)
    }

    deinit { memory.deallocate() }
}

/// Memory for intermediate results: smoothed rows, gradients and marks.
private final class GradientLines {
    let rows: UnsafeMutablePointer<UnsafePointer<UInt8>>
    private let memory: UnsafeMutableRawPointer
    private let lineBytes: Int
    private let height: Int

    init(width: Int, height: Int) {
        self.height = height
        // A line has 32 bits per pixel, and a margin before and after the pixels.
        lineBytes = ((width + 63) / 64 * 64 + 32) * 4
        memory = .allocate(byteCount: 9 * lineBytes + 64, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 9 * lineBytes + 64)
        rows = .allocate(capacity: 7)
        rows.initialize(repeating: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)), count: 7)
    }

    deinit {
        rows.deallocate()
        memory.deallocate()
    }

    private func line<Sample>(_ number: Int) -> UnsafeMutablePointer<Sample> {
        (memory + (number * lineBytes + 64)).assumingMemoryBound(to: Sample.self)
    }

    var smooth: UnsafeMutablePointer<Int16> { line(0) }
    var slope: UnsafeMutablePointer<Int16> { line(1) }
    /// A byte for each pixel of a row: the output of the kernel `markRidges`. Bytes after the last pixel are 0.
    var marks: UnsafeMutablePointer<UInt8> { line(2) }

    /// Returns the memory for the gradient magnitudes of row `y`, as 16-bit or 32-bit integers. The memory keeps only
    /// the last three rows. For rows outside of the image, returns zeros.
    func sizes<Size>(_ y: Int, _ type: Size.Type = Size.self) -> UnsafeMutablePointer<Size> {
        line(3 + (y < 0 || y >= height ? 3 : y % 3))
    }

    /// Returns the memory for the gradient directions of row `y`. The memory keeps only the last two rows.
    func directions(_ y: Int) -> UnsafeMutablePointer<Int16> { line(7 + y % 2) }
}
