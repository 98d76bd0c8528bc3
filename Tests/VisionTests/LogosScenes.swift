// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Imaging
import Scenes
import Testing
import Vision

/// A frame with a background of letters and shapes, with or without the drawn logo. The logo has any rotation, a size
/// of 10 % to 60 % of the frame's height, and a tilt of up to 40 degrees in any direction. The light is ±20 %, and blur
/// and noise are added.
struct LogoScene {
    let plane: OwnedImage
    /// Pose of the logo; nil for a frame without the logo.
    let pose: LogoPose?
    var truth: Box? {
        pose.map { Box($0.rectangle) }
    }

    init(seed: UInt64, hasLogo: Bool = true, width: Int = 640, height: Int = 480) throws {
        var random = SeededRandom(seed)
        plane = OwnedImage(.gray8)
        plane.resize(width: width, height: height)
        let frame = FrameImage(plane.image)
        Backdrop(seed: seed, width: width, height: height).draw(on: frame)
        let size = Double(height) * random.between(0.1, 0.6)
        // 1.6 times the size is sufficient for the logo at any rotation and tilt.
        let room = (x: Double(width) - 1.6 * size, y: Double(height) - 1.6 * size)
        let pose = LogoPose(
            center: Point(
                Double(width) / 2 + max(0, room.x) * random.between(-0.5, 0.5),
                Double(height) / 2 + max(0, room.y) * random.between(-0.5, 0.5)),
            size: size, turn: random.between(0, 360), tilt: random.between(0, 40),
            tiltDirection: random.between(0, 360), frameHeight: Double(height))
        self.pose = hasLogo ? pose : nil
        if hasLogo { pose.draw(on: frame, isBright: random.between(0, 1) < 0.5) }
        let status = sv_check_weather(
            plane.image.row(0), Int32(width), Int32(height), plane.image.stride, random.between(0.8, 1.2),
            random.between(0, 1.5), random.between(0, 4), random.next())
        try #require(status == 0)
    }
}

/// Returns the drawn logo as a template.
func drawnTemplate(isBright: Bool = false) throws -> LogoTemplate {
    let picture = OwnedImage(.gray8)
    picture.resize(width: 248, height: 248)
    SceneLogo.draw(on: FrameImage(picture.image), isBright: isBright)
    return try LogoTemplate(picture.image, name: "emblem")
}
