// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import KernelTypes

/// Maximum width and height of an image, and maximum absolute value of the coordinates of its position, in pixels.
let longestSide: Int32 = 16384

/// The settings of an image that is blended over other images.
struct LayerSettings: KeyedSettings, FittedSettings, LabelledSettings {
    /// The label of an input of svmixer.
    var label: String?
    var mode = BlendMode.normal
    var opacity = 1.0
    var mask = Assigned<String>()
    var xpos: Int32 = 0
    var ypos: Int32 = 0
    /// Width and height of the scaled image, in pixels; 0 = the default size of the image.
    var width: Int32 = 0
    var height: Int32 = 0
    var fit = Fit.stretch
    var alignment = Fit.Alignment()
    var hudColor: Color = 0xFF80_FF00
    /// The settings of the keyer. The mode hud ignores these settings, because hud draws only edges.
    var key = KeySettings()

    var isVisible: Bool { mode != .none && opacity > 0 }

    /// Returns the size of the scaled image, in pixels.
    /// - Parameter usual: the default size of the image.
    func size(orElse usual: PixelSize) -> PixelSize {
        PixelSize(width: width > 0 ? Int(width) : usual.width, height: height > 0 ? Int(height) : usual.height)
    }
}

/// Settings that include the alignment of an image.
protocol FittedSettings: ElementSettings {
    var alignment: Fit.Alignment { get set }
}

extension Property where Settings: FittedSettings {
    /// Returns the properties for the alignment of an image.
    /// - Parameter picture: the name of the image in the blurbs, such as "input".
    static func alignment(of picture: String) -> [Property] {
        [
            Property(
                "align-x", \.alignment.x, in: 0...1,
                "Horizontal alignment of the \(picture) with fit=cover or fit=contain (0 = left, 1 = right)",
                flags: .animated),
            Property(
                "align-y", \.alignment.y, in: 0...1,
                "Vertical alignment of the \(picture) with fit=cover or fit=contain (0 = top, 1 = bottom)",
                flags: .animated),
        ]
    }
}
