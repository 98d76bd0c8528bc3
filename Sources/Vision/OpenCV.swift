import COpenCV
import Pixels

/// An error with OpenCV's message.
package struct VisionError: Error, CustomStringConvertible {
    package let description: String

    /// Error of work that nobody needs any more.
    static let givenUp = VisionError(description: "the work was given up")
}

/// Calls a function of COpenCV and turns its status into an error.
func check(_ call: (UnsafeMutablePointer<CChar>?) -> Int32) throws(VisionError) {
    var text = [CChar](repeating: 0, count: Int(sv_cv_error_size))
    guard call(&text) != 0 else { return }
    throw VisionError(description: message(text))
}

/// Returns the text in a buffer that COpenCV wrote to.
func message(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension Image {
    var openCV: SVCVImage {
        SVCVImage(
            data: base.assumingMemoryBound(to: UInt8.self), width: Int32(clamping: width),
            height: Int32(clamping: height),
            stride: stride, channels: Int32(format.bytesPerPixel))
    }
}
