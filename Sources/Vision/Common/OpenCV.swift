// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// An error of the Vision module or of OpenCV.
package struct VisionError: Error, CustomStringConvertible {
    package let description: String

    /// The error that cancelled work throws. Work is cancelled if its result is no longer needed.
    static let givenUp = VisionError(description: "the work was cancelled")
}

extension VisionError {
    /// Creates an error from a null-terminated message of the C module COpenCV. Inlining would make the code of each
    /// OpenCV call larger.
    @inline(never)
    init(_ text: [CChar]) {
        description = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A buffer for the error message of a function of the C module COpenCV.
typealias ErrorText = UnsafeMutablePointer<CChar>?

/// Calls a function of the C module COpenCV. If its result is not 0, the call has failed, and `check` throws an error.
func check(_ call: (ErrorText) -> Int32) throws(VisionError) {
    var text = [CChar](repeating: 0, count: Int(sv_cv_error_size))
    guard call(&text) != 0 else { return }
    throw VisionError(text)
}

/// Calls a function of the C module COpenCV that returns a pointer to an array. The array belongs to an OpenCV object.
/// The array is valid until the next use of this object.
func lent<Element>(
    _ call: (UnsafeMutablePointer<UnsafePointer<Element>?>, UnsafeMutablePointer<Int32>, ErrorText) -> Int32
) throws(VisionError) -> UnsafeBufferPointer<Element> {
    var (elements, count): (UnsafePointer<Element>?, Int32) = (nil, 0)
    try check { call(&elements, &count, $0) }
    return UnsafeBufferPointer(start: elements, count: Int(count))
}

/// Owns an object of the C module COpenCV, and frees this object on release. Only one thread at a time may use the
/// object.
class OpenCVObject {
    let handle: OpaquePointer

    init(create: (ErrorText) -> OpaquePointer?) throws(VisionError) {
        var text = [CChar](repeating: 0, count: Int(sv_cv_error_size))
        guard let handle = create(&text) else { throw VisionError(text) }
        self.handle = handle
    }

    deinit { sv_cv_free(handle) }
}

extension Image {
    var openCV: SVCVImage {
        SVCVImage(
            data: base.assumingMemoryBound(to: UInt8.self), width: Int32(clamping: width),
            height: Int32(clamping: height), stride: stride, channels: Int32(format.bytesPerPixel))
    }
}

extension SVCVPoint {
    init(_ point: Point) { self.init(x: point.x, y: point.y) }
}

extension Point {
    init(_ point: SVCVPoint) { self.init(point.x, point.y) }
}

extension Rectangle {
    init(_ box: SVCVBox) {
        self.init(x: Int(box.x), y: Int(box.y), width: Int(box.width), height: Int(box.height))
    }
}
