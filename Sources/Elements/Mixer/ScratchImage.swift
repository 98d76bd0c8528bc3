// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An image with its own memory, which can be reused for each frame.
final class ScratchImage {
    let image: Image

    /// Creates an image with the size and format of `other`, without padding. The pixels are uninitialised.
    init(like other: Image) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, other.rowBytes * other.height), alignment: 64)
        image = Image(
            base: memory, width: other.width, height: other.height, stride: other.rowBytes, format: other.format)
    }

    deinit { image.base.deallocate() }

    func fits(_ other: Image) -> Bool {
        image.width == other.width && image.height == other.height && image.format == other.format
    }
}
