// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Handling of pixels outside of the matrix in a morphological operation.
enum Outside {
    case ignored
    case zero
}

// MARK: - Neighbourhoods

extension Matrix {
    /// Returns the matrix after a morphological operation. Erosion returns the minimum of the samples under the kernel
    /// around each pixel, and dilation returns the maximum. `sv_cv_open` erodes and then dilates. `sv_cv_close` dilates
    /// and then erodes.
    /// - Parameters:
    ///   - side: the side of the kernel, in pixels.
    ///   - anchor: the position in the kernel that lies on the result's pixel, as both column and row; nil for the
    ///     centre.
    ///   - isElliptic: true for an elliptic kernel, false for a square kernel.
    func morphed(
        _ operation: SVCVOperation, side: Int, anchor: Int? = nil, passes: Int = 1, isElliptic: Bool = false,
        outside: Outside = .ignored
    ) throws(VisionError) -> Matrix {
        let morphology = SVCVMorphology(
            operation: operation, side: Int32(clamping: max(1, side)), anchor: anchor.map { Int32(clamping: $0) } ?? -1,
            passes: Int32(clamping: passes), isElliptic: isElliptic, isOutsideZero: outside == .zero)
        return try Matrix(width: width, height: height, channels: channels) {
            sv_cv_morph(openCV, morphology, $0, $1)
        }
    }

    func dilated(side: Int) throws(VisionError) -> Matrix { try morphed(sv_cv_dilate, side: side) }

    func eroded(side: Int, outside: Outside = .ignored) throws(VisionError) -> Matrix {
        try morphed(sv_cv_erode, side: side, outside: outside)
    }

    /// - Parameters:
    ///   - side: the side of the kernel in pixels, an odd number; 0 to compute the side from `sigma`.
    ///   - sigma: the standard deviation in pixels; 0 to compute the standard deviation from `side`.
    func blurred(side: Int = 0, sigma: Double = 0) throws(VisionError) -> Matrix {
        try Matrix(width: width, height: height, channels: channels) {
            sv_cv_gaussian(openCV, Int32(clamping: side), sigma, $0, $1)
        }
    }

    // MARK: - Geometry

    func resized(width: Int, height: Int, _ interpolation: SVCVInterpolation) throws(VisionError) -> Matrix {
        guard !isEmpty else { return Matrix() }
        return try Matrix(width: width, height: height, channels: channels) {
            sv_cv_scale(openCV, interpolation, $0, $1)
        }
    }

    /// Returns the matrix, warped by an affine map, with the size `width` × `height`.
    /// - Parameters:
    ///   - map: maps positions in this matrix to positions in the result. If `isInverse` is true, `map` maps positions
    ///     in the result to positions in this matrix.
    ///   - isEdgeRepeated: if true, pixels outside of the matrix repeat the pixels at the matrix's edge. If false,
    ///     these pixels are 0.
    func warped(
        _ map: AffineMap, isInverse: Bool = false, width: Int, height: Int, _ interpolation: SVCVInterpolation,
        isEdgeRepeated: Bool = false
    ) throws(VisionError) -> Matrix {
        guard !isEmpty else { return Matrix(width: width, height: height, channels: channels) }
        return try Matrix(width: width, height: height, channels: channels) {
            sv_cv_warp(openCV, map.rows, isInverse, interpolation, isEdgeRepeated, $0, $1)
        }
    }
}

// MARK: - Floats

extension Matrix<Float> {
    /// Returns, for each position of the pattern in the matrix, the correlation: the sum of the products of the
    /// samples, without normalization. If the pattern is larger than the matrix, the result is empty.
    func correlated(with pattern: Matrix) throws(VisionError) -> Matrix {
        guard !pattern.isEmpty else { return Matrix() }
        return try Matrix(width: width - pattern.width + 1, height: height - pattern.height + 1) {
            sv_cv_correlate(openCV, pattern.openCV, $0, $1)
        }
    }

    /// Returns the two-dimensional cosine transform or its inverse. Width and height must be even.
    func cosineTransformed(isInverse: Bool = false) throws(VisionError) -> Matrix {
        try Matrix(width: width, height: height) { sv_cv_cosine_transform(openCV, isInverse, $0, $1) }
    }
}

// MARK: - Masks

extension Matrix<UInt8> {
    /// Returns the mask of the edges that the Canny algorithm detects.
    func edges(low: Double, high: Double) throws(VisionError) -> Matrix {
        try Matrix(width: width, height: height) { sv_cv_canny(openCV, low, high, $0, $1) }
    }

    /// Treats the matrix as a mask. Returns, for each pixel, the Euclidean distance to the nearest pixel with the value
    /// 0.
    func distances() throws(VisionError) -> Matrix<Float> {
        try Matrix<Float>(width: width, height: height) { sv_cv_distances(openCV, $0, $1) }
    }

    /// Returns the connected parts of the mask.
    /// - Parameter connectivity: the number of neighbours of a pixel, 4 or 8.
    func parts(connectivity: Int32) throws(VisionError) -> MaskParts {
        var count: Int32 = 0
        let labels = try Matrix<Int32>(width: width, height: height) {
            sv_cv_label(openCV, connectivity, $0, &count, $1)
        }
        return MaskParts(labels: labels, count: Int(count))
    }

    /// Returns the contours of the connected parts of the mask.
    /// - Parameter isSimplified: true to return only the end points of straight segments.
    func contours(
        _ mode: SVCVContourMode = sv_cv_external, isSimplified: Bool = false
    ) throws(VisionError) -> [Contour] {
        guard !isEmpty else { return [] }
        let contours = try OpenCVObject { sv_cv_contours_create(openCV, mode, isSimplified, $0) }
        var (pixels, parents): (UnsafePointer<SVCVPixel>?, UnsafePointer<Int32>?) = (nil, nil)
        let counts: UnsafeBufferPointer<Int32> = try lent {
            sv_cv_contours_read(contours.handle, &pixels, $0, &parents, $1, $2)
        }
        defer { withExtendedLifetime(contours) {} }
        guard var pixels, let parents else { return [] }
        var result: [Contour] = []
        for (index, count) in counts.enumerated() {
            let parent = Int(parents[index])
            result.append(
                Contour(
                    pixels: Array(UnsafeBufferPointer(start: pixels, count: Int(count))),
                    parent: parent < 0 ? nil : parent))
            pixels += Int(count)
        }
        return result
    }

    /// Fills the inside and the edges of polygons by the even-odd rule.
    /// - Parameter shift: the number of fractional bits in the coordinates.
    mutating func fill(_ polygons: [[SVCVPixel]], shift: Int32 = 0, with value: UInt8 = 255) throws(VisionError) {
        let polygons = polygons.filter { !$0.isEmpty }
        let (corners, counts) = (Array(polygons.joined()), polygons.map { Int32($0.count) })
        try change { sv_cv_fill($0, corners, counts, Int32(counts.count), shift, Double(value), $1) }
    }
}

struct MaskParts {
    struct Part {
        let label: Int32
        var box: Rectangle
        var area: Int
    }

    /// For each pixel of the mask, the label of the connected part that contains the pixel; 0 outside of all parts.
    let labels: Matrix<Int32>
    /// The connected parts of the mask, sorted by label. The first label is 1.
    let all: [Part]

    init(labels: Matrix<Int32>, count: Int) {
        self.labels = labels
        var edges = [(left: Int, top: Int, right: Int, bottom: Int, area: Int)](
            repeating: (.max, .max, 0, 0, 0), count: max(1, count))
        edges.withUnsafeMutableBufferPointer { edges in
            for y in 0..<labels.height {
                let row = labels.row(y)
                for x in 0..<labels.width where row[x] > 0 && Int(row[x]) < edges.count {
                    let edge = edges[Int(row[x])]
                    edges[Int(row[x])] = (
                        min(edge.left, x), min(edge.top, y), max(edge.right, x), max(edge.bottom, y), edge.area &+ 1
                    )
                }
            }
        }
        all = edges.indices.dropFirst().map { label in
            let edge = edges[label]
            let isEmpty = edge.area == 0
            return Part(
                label: Int32(label),
                box: Rectangle(
                    x: isEmpty ? 0 : edge.left, y: isEmpty ? 0 : edge.top,
                    width: isEmpty ? 0 : edge.right - edge.left + 1,
                    height: isEmpty ? 0 : edge.bottom - edge.top + 1),
                area: edge.area)
        }
    }

    /// Returns the mask of a connected part. The mask has the size of the part's bounding box.
    func mask(of part: Part) -> Matrix<UInt8> { labels.cropped(to: part.box).mask(where: part.label) }

    /// Counts the pixels of another mask in each connected part of this mask. The first element of the result is the
    /// number of pixels outside of all parts. The other elements are in the order of `all`.
    func counts(_ mask: Matrix<UInt8>) -> [Int] {
        var counts = [Int](repeating: 0, count: all.count + 1)
        counts.withUnsafeMutableBufferPointer { counts in
            for y in 0..<min(labels.height, mask.height) {
                let (label, use) = (labels.row(y), mask.row(y))
                for x in 0..<min(labels.width, mask.width) where use[x] != 0 { counts[Int(label[x])] &+= 1 }
            }
        }
        return counts
    }

    /// Returns the mask of all connected parts for which `isKept` returns true. The result has the size of `labels`.
    func mask(where isKept: (Part) -> Bool) -> Matrix<UInt8> {
        let levels: [UInt8] = [0] + all.map { isKept($0) ? 255 : 0 }
        var result = Matrix<UInt8>(sizeOf: labels)
        levels.withUnsafeBufferPointer { levels in
            for y in 0..<labels.height {
                let (from, to) = (labels.row(y), result.mutableRow(y))
                for x in 0..<labels.width { to[x] = levels[Int(from[x])] }
            }
        }
        return result
    }
}

// MARK: - Contours

/// The pixels along the outer edge of a connected part of a mask, or along the edge of a hole in the part.
struct Contour: Sendable {
    var pixels: [SVCVPixel]
    /// Index of the contour that encloses this contour. Nil if no contour encloses this contour.
    var parent: Int?

    var box: Rectangle {
        guard let first = pixels.first else { return Rectangle(width: 0, height: 0) }
        var (left, right, top, bottom) = (first.x, first.x, first.y, first.y)
        for pixel in pixels {
            (left, right) = (min(left, pixel.x), max(right, pixel.x))
            (top, bottom) = (min(top, pixel.y), max(bottom, pixel.y))
        }
        return Rectangle(
            x: Int(left), y: Int(top), width: Int(right) - Int(left) + 1, height: Int(bottom) - Int(top) + 1)
    }

    /// Area of the polygon whose corners are the centres of the contour's pixels, in square pixels.
    var area: Double { pixels.map { Point(Double($0.x), Double($0.y)) }.enclosedArea }

    func moved(x: Int, y: Int) -> Contour {
        let (x, y) = (Int32(clamping: x), Int32(clamping: y))
        return Contour(pixels: pixels.map { SVCVPixel(x: $0.x &+ x, y: $0.y &+ y) }, parent: parent)
    }

    /// Returns the corners of the contour, simplified by the algorithm of Douglas and Peucker.
    /// - Parameter precision: the maximum distance between the simplified and the original contour, in pixels.
    func simplified(precision: Double) throws(VisionError) -> [SVCVPixel] {
        guard !pixels.isEmpty else { return [] }
        var corners = [SVCVPixel](repeating: SVCVPixel(), count: pixels.count)
        var count: Int32 = 0
        try check { sv_cv_simplify(pixels, Int32(clamping: pixels.count), precision, &corners, &count, $0) }
        return Array(corners.prefix(Int(count)))
    }
}
