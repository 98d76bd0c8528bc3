// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Type of the samples in a matrix.
protocol MatrixSample: Sendable, Numeric, Comparable {
    static var kind: SVCVKind { get }
}

extension UInt8: MatrixSample { static var kind: SVCVKind { sv_cv_bytes } }
extension Int32: MatrixSample { static var kind: SVCVKind { sv_cv_integers } }
extension Float: MatrixSample { static var kind: SVCVKind { sv_cv_floats } }

/// A matrix of samples. Each row consists of pixels with 1 to 4 interleaved channels. A matrix has value semantics:
/// copies and parts of a matrix share its memory until one of them changes.
///
///     var luma = Matrix<Float>(width: 320, height: 240)
///     for y in 0..<luma.height {
///         let row = luma.mutableRow(y)
///         for x in 0..<luma.width { row[x] = Float(x) }
///     }
///     luma[3, 0]  // 3
struct Matrix<Sample: MatrixSample>: Sendable {
    /// Memory that several matrices may share. A matrix writes to the memory only if no other matrix uses the memory.
    private final class Storage: @unchecked Sendable {
        let base: UnsafeMutablePointer<Sample>

        init(count: Int) { base = .allocate(capacity: max(1, count)) }

        deinit { base.deallocate() }
    }

    private var storage: Storage
    /// `start` is the index of the first sample in the memory. `stride` is the number of samples from the start of a
    /// row to the start of the next row.
    private var start = 0
    private(set) var stride: Int
    let width: Int
    let height: Int
    let channels: Int

    /// Creates a matrix of uninitialized samples. If the size is negative or too large, the matrix is empty.
    private init(undefined width: Int, _ height: Int, _ channels: Int) {
        let row = max(0, width).multipliedReportingOverflow(by: max(1, channels))
        let all = row.partialValue.multipliedReportingOverflow(by: max(0, height))
        let isSound = width > 0 && !row.overflow && !all.overflow && all.partialValue <= Int(Int32.max)
        self.width = isSound ? width : 0
        self.height = isSound ? max(0, height) : 0
        self.channels = max(1, channels)
        stride = isSound ? row.partialValue : 0
        storage = Storage(count: isSound ? all.partialValue : 0)
    }

    /// Creates a matrix of equal samples. If the size is negative or too large, the matrix is empty.
    init(width: Int, height: Int, channels: Int = 1, filledWith sample: Sample = 0) {
        self.init(undefined: width, height, channels)
        let count = stride * self.height
        if sample == 0 {
            // Fill the memory as bytes, because this is also fast in debug builds.
            let bytes = count * MemoryLayout<Sample>.stride
            UnsafeMutableRawPointer(storage.base).initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        } else {
            storage.base.initialize(repeating: sample, count: count)
        }
    }

    /// Creates a matrix of zeros with the size of another matrix.
    init<Other>(sizeOf other: Matrix<Other>, channels: Int = 1) {
        self.init(width: other.width, height: other.height, channels: channels)
    }

    init() { self.init(undefined: 0, 0, 1) }

    /// Creates a matrix, and calls a function of the C module COpenCV to fill the matrix. If the matrix is empty, does
    /// not call the function.
    init(
        width: Int, height: Int, channels: Int = 1, by primitive: (SVCVMatrix, ErrorText) -> Int32
    ) throws(VisionError) {
        self.init(undefined: width, height, channels)
        guard !isEmpty else { return }
        try check { primitive(openCV, $0) }
    }

    var isEmpty: Bool { width == 0 || height == 0 }
    var bounds: Rectangle { Rectangle(width: width, height: height) }

    // MARK: Access

    /// A sample of the pixel at (`x`, `y`). 0 outside of the matrix.
    subscript(x: Int, y: Int, channel: Int = 0) -> Sample {
        guard x >= 0, x < width, y >= 0, y < height, channel >= 0, channel < channels else { return 0 }
        return storage.base[start + y * stride + x * channels + channel]
    }

    /// The samples of row `y`, 0 ..< height. Valid until the matrix changes or is released.
    func row(_ y: Int) -> UnsafePointer<Sample> { UnsafePointer(storage.base + (start &+ y &* stride)) }

    /// The samples of row `y`, 0 ..< height, for writing.
    mutating func mutableRow(_ y: Int) -> UnsafeMutablePointer<Sample> {
        if !isKnownUniquelyReferenced(&storage) { self = copy() }
        return storage.base + (start &+ y &* stride)
    }

    private func copy() -> Matrix {
        let copy = Matrix(undefined: width, height, channels)
        for y in 0..<height {
            (copy.storage.base + y &* copy.stride).initialize(from: row(y), count: width &* channels)
        }
        return copy
    }

    // MARK: Parts

    /// Returns the part of the matrix inside a rectangle, without a copy. If the rectangle is outside of the matrix,
    /// the part is empty.
    func cropped(to rectangle: Rectangle) -> Matrix {
        let part = bounds.intersection(rectangle)
        return Matrix(part: part.isEmpty ? Rectangle(width: 0, height: 0) : part, of: self)
    }

    private init(part: Rectangle, of matrix: Matrix) {
        storage = matrix.storage
        start = matrix.start + part.y * matrix.stride + part.x * matrix.channels
        (stride, width, height, channels) = (matrix.stride, part.width, part.height, matrix.channels)
    }

    /// Copies `other` into this matrix. Ignores pixels of `other` that would be outside of this matrix. Both matrices
    /// must have the same number of channels.
    /// - Parameters:
    ///   - x: the column of this matrix for the first pixel of `other`.
    ///   - y: the row of this matrix for the first pixel of `other`.
    mutating func paste(_ other: Matrix, x: Int, y: Int) {
        let area = bounds.intersection(Rectangle(x: x, y: y, width: other.width, height: other.height))
        guard !area.isEmpty, other.channels == channels else { return }
        for row in area.y..<area.y + area.height {
            (mutableRow(row) + area.x * channels)
                .update(from: other.row(row - y) + (area.x - x) * channels, count: area.width * channels)
        }
    }

    // MARK: OpenCV

    /// The matrix as an argument for functions of the C module COpenCV. The argument is valid until the matrix changes
    /// or is released.
    var openCV: SVCVMatrix {
        SVCVMatrix(
            data: storage.base + start, width: Int32(width), height: Int32(height), channels: Int32(channels),
            kind: Sample.kind, stride: stride * MemoryLayout<Sample>.stride)
    }

    /// Calls a function of the C module COpenCV that changes the matrix. If the matrix is empty, does not call the
    /// function.
    mutating func change(by primitive: (SVCVMatrix, ErrorText) -> Int32) throws(VisionError) {
        guard !isEmpty else { return }
        _ = mutableRow(0)
        try check { primitive(openCV, $0) }
    }
}

extension Matrix<UInt8> {
    /// Creates a matrix from the bytes of an image. Each byte of a pixel becomes a channel.
    init(_ image: Image) {
        self.init(width: image.width, height: image.height, channels: image.format.bytesPerPixel)
        for y in 0..<height { mutableRow(y).update(from: image.row(y), count: image.rowBytes) }
    }

    /// The matrix as a read-only image: BGR if the matrix has three channels, grey if it has one channel. The image is
    /// valid until the matrix changes or is released.
    var image: Image {
        Image(
            base: UnsafeMutableRawPointer(mutating: row(0)), width: width, height: height, stride: stride,
            format: channels == 3 ? .bgr : .gray8)
    }
}
