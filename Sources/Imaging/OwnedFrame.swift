// SPDX-License-Identifier: LGPL-2.1-or-later
/// A frame of any format that owns its memory. It allocates new memory only if a property of the frame changes, such as
/// its size or format.
package final class OwnedFrame {
    private var memory: [UnsafeMutableRawPointer] = []
    /// The frame. At first, the frame is empty. The frame is valid until the next call of `adapt`, and only while this
    /// object exists.
    package private(set) var image: FrameImage

    package init() { image = FrameImage(.i420, width: 0, height: 0, planes: []) }

    deinit { for plane in memory { plane.deallocate() } }

    /// Adopts the size, format, colorimetry, interlacing and pixel aspect ratio of another frame. If any of these
    /// changes, the contents become undefined.
    /// - Parameter format: the format; nil for the format of the other frame.
    package func adapt(to other: FrameImage, format: FrameFormat? = nil) {
        let format = format ?? other.format
        guard
            image.format != format || image.width != other.width || image.height != other.height
                || image.colorimetry != other.colorimetry || image.isInterlaced != other.isInterlaced
                || image.pixelAspect != other.pixelAspect
        else { return }
        for plane in memory { plane.deallocate() }
        // In interlaced 4:2:0 frames, each group of four luma rows has two chroma rows. So round the height up to a
        // multiple of 4.
        let height = (other.height + 3) & ~3
        let planes = format.planes.map { layout in
            let rowBytes = (layout.units(width: other.width) * layout.unitBytes + 63) & ~63
            let size = max(64, rowBytes * layout.unitRows(height: height))
            let plane = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
            plane.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            return FrameImage.Plane(base: plane, stride: rowBytes)
        }
        memory = planes.map(\.base)
        image = FrameImage(
            format, width: other.width, height: other.height, planes: planes, colorimetry: other.colorimetry,
            isInterlaced: other.isInterlaced, pixelAspect: other.pixelAspect)
    }
}

extension FrameFormat {
    /// The format with the same planes, but with bytes as samples. If the samples are already bytes, the unchanged
    /// format.
    package var ofBytes: FrameFormat {
        guard shift != nil else { return self }
        return planes.count == 2 ? .nv12 : .i420
    }
}
