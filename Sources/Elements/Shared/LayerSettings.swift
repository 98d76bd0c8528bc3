// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import KernelTypes

/// The longest side, in pixels, that a picture may be given, and the farthest that it may be moved.
let longestSide: Int32 = 16384

/// The settings of a picture that is blended over others.
struct LayerSettings: KeyedSettings {
    var mode = BlendMode.normal
    var opacity = 1.0
    var mask = Assigned<String>()
    var xpos: Int32 = 0
    var ypos: Int32 = 0
    /// 0 for what suits the picture.
    var width: Int32 = 0
    var height: Int32 = 0
    var fit = Fit.stretch
    var hudColor: Color = 0xFF80_FF00
    /// Not used in mode hud, which shows lines alone.
    var key = KeySettings()

    var isSeen: Bool { mode != .none && opacity > 0 }

    /// The size of the picture, whose usual one is given.
    func size(orElse usual: PixelSize) -> PixelSize {
        PixelSize(width: width > 0 ? Int(width) : usual.width, height: height > 0 ? Int(height) : usual.height)
    }
}
