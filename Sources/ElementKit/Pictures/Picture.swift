// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import Synchronization

/// An immutable image with its pixels in memory.
package final class Picture: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `buffer` is a pointer. Only this object owns the buffer, and after
    // initialisation the buffer is only read.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The ID of the image, unique in the process.
    package let id = Picture.count.add(1, ordering: .relaxed).newValue
    private static let count = Atomic<UInt64>(0)
    package let format: VideoFormat
    package let pixelFormat: PixelFormat
    /// True if some pixels are not opaque.
    package let hasAlpha: Bool

    package var size: PixelSize { format.size }
    package var shape: FrameShape { format.shape }

    /// Takes ownership of a reference to `buffer`.
    init(
        buffer: UnsafeMutablePointer<GstBuffer>, format: VideoFormat, pixelFormat: PixelFormat, hasAlpha: Bool
    ) {
        self.buffer = buffer
        self.format = format
        self.pixelFormat = pixelFormat
        self.hasAlpha = hasAlpha
    }

    deinit {
        gst_buffer_unref(buffer)
    }

    /// Creates an image. `draw` must fill the uninitialised pixels. Returns nil if there is not enough memory.
    package convenience init?(
        _ pixelFormat: PixelFormat, size: PixelSize, like other: VideoFormat? = nil, hasAlpha: Bool = false,
        draw: (Image) -> Void
    ) {
        guard let format = VideoFormat(pixelFormat, size: size, like: other),
            let buffer = gst_buffer_new_allocate(nil, format.info.size, nil)
        else { return nil }
        self.init(buffer: buffer, format: format, pixelFormat: pixelFormat, hasAlpha: hasAlpha)
        guard withMappedFrame(buffer, format.info, GST_MAP_WRITE, { $0.packed.map(draw) }) != nil else { return nil }
    }

    /// Copies an image without scaling.
    /// - Parameter format: the format of the source stream, if any.
    package convenience init?(copying image: Image, format: VideoFormat? = nil) {
        self.init(image.format, size: image.size, like: format) { copy in
            copy.copy(from: image)
        }
    }

    /// Copies a frame without scaling. YUV becomes BGRx, using the frame's matrix and range.
    /// - Parameter format: the format of the source stream.
    package convenience init?(copying frame: FrameImage, format: VideoFormat) {
        self.init(frame.format.packed ?? .bgrx, size: PixelSize(width: frame.width, height: frame.height), like: format)
        {
            frame.copyColors(into: $0, with: YUVStrip(kernels: frame.kernels))
        }
    }

    /// Calls `body` with the pixels, for reading. Returns nil if the buffer cannot be mapped.
    @discardableResult
    package func withImage<Result>(_ body: (Image) throws -> Result) rethrows -> Result? {
        try withMappedFrame(buffer, format.info, GST_MAP_READ) { try $0.packed.map(body) }.flatMap { $0 }
    }
}
