// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import Synchronization

/// A still picture that owns its pixels and never changes.
package final class Picture: @unchecked Sendable {
    // Unchecked because of `buffer`: it has one owner, this object, and is only read once it is filled.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// Number of the picture, unique in the process.
    package let id = Picture.count.add(1, ordering: .relaxed).newValue
    private static let count = Atomic<UInt64>(0)
    package let format: VideoFormat
    package let pixelFormat: PixelFormat
    /// True if some pixel lets the background through.
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

    /// Creates a picture that `draw` fills; its memory is uninitialised before. Nil if memory is short.
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

    /// Copies `image`, in its size.
    /// - Parameter format: that of the stream it comes from, if any.
    package convenience init?(copying image: Image, format: VideoFormat? = nil) {
        self.init(image.format, size: image.size, like: format) { copy in
            copy.copy(from: image)
        }
    }

    /// Copies a frame, in its size: YUV becomes BGRx, by the frame's own matrix and range.
    /// - Parameter format: that of the stream it comes from.
    package convenience init?(copying frame: FrameImage, format: VideoFormat) {
        self.init(frame.format.packed ?? .bgrx, size: PixelSize(width: frame.width, height: frame.height), like: format)
        {
            frame.copyColors(into: $0, with: YUVStrip(kernels: frame.kernels))
        }
    }

    /// Gives the pixels to `body` for reading. Returns nil if they cannot be mapped.
    @discardableResult
    package func withImage<Result>(_ body: (Image) throws -> Result) rethrows -> Result? {
        try withMappedFrame(buffer, format.info, GST_MAP_READ) { try $0.packed.map(body) }.flatMap { $0 }
    }
}
