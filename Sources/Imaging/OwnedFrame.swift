// SPDX-License-Identifier: LGPL-2.1-or-later
/// A frame of any format in memory of its own, which is used again as long as the next one is like it.
package final class OwnedFrame {
    private var memory: [UnsafeMutableRawPointer] = []
    /// The frame; valid until the next `adapt`, and as long as its owner lives. Empty at first.
    package private(set) var image: FrameImage

    package init() { image = FrameImage(.i420, width: 0, height: 0, planes: []) }

    deinit { for plane in memory { plane.deallocate() } }

    /// Takes the shape and colorimetry of another frame. Its contents are then undefined, unless nothing is new.
    /// - Parameter format: the format, if it is not that of the other frame.
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
    /// The format of bytes with the same planes as this one of words; the same if samples are bytes.
    package var ofBytes: FrameFormat {
        guard shift != nil else { return self }
        return planes.count == 2 ? .nv12 : .i420
    }
}
