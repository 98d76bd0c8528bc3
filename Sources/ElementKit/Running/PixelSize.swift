// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A size in pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package static let zero = PixelSize(width: 0, height: 0)

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The rectangle of all pixels of an image with this size.
    package var bounds: Rectangle { Rectangle(width: width, height: height) }
}

extension Rectangle {
    package var size: PixelSize { PixelSize(width: width, height: height) }
    /// The area in pixels. The type is `Double`, because the area of a box from another program may be too large for
    /// `Int`.
    package var area: Double { Double(width) * Double(height) }
}

extension Image {
    package var size: PixelSize { PixelSize(width: width, height: height) }
}

extension FrameImage {
    package var size: PixelSize { PixelSize(width: width, height: height) }
}

extension GstVideoInfo {
    var frameSize: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
