// SPDX-License-Identifier: LGPL-2.1-or-later
/// A frame of any format that owns its memory. It reuses the memory while the size and the format do not change.
package final class OwnedFrame {
    private var memory: [UnsafeMutableRawPointer] = []
    /// The frame; empty at first. Valid until the next call of `adapt`, and while the owner lives.
    package private(set) var image: FrameImage

    package init() { image = FrameImage(.i420, width: 0, height: 0, planes: []) }

    deinit { for plane in memory { plane.deallocate() } }

    /// Adopts the size, format and colorimetry of another frame. Afterwards the contents are undefined, unless nothing
    /// changed.
    /// - Parameter format: the format; nil for the format of the other frame.
    package func adapt(to other: FrameImage, format: FrameFormat? = nil) {
        let format = format ?? other.format
        guard
            image.format != format || image.width != other.width || image.height != other.height
                || image.colorimetry != other.colorimetry || image.isInterlaced != other.isInterlaced
                || image.pixelAspect != other.pixelAspect
        else { return }
        for plane in memory { plane.deallocate() }
        // Interlaced frames have chroma for whole groups of four rows.
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
    /// The format with the same planes and byte samples; the same format if samples are bytes.
    package var ofBytes: FrameFormat {
        guard shift != nil else { return self }
        return planes.count == 2 ? .nv12 : .i420
    }
}
