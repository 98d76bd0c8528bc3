// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Foundation
import Imaging
import Vision

/// An object with a single colour and sharp edges on a plain background, in any rotation and size.
struct SilhouetteScene {
    var width = 400
    var height = 400
    /// The position of the object's centre in pixels (`center`), and the number of pixels per unit of the object's
    /// coordinates (`unit`).
    var center = Point(200, 200)
    var unit = 150.0
    /// Rotation in radians.
    var angle = 0.0
    /// Blue, green and red of the background (`ground`) and of the object (`color`).
    var ground = SIMD3(255.0, 255, 255)
    var color = SIMD3(0.0, 0, 0)
    /// The factor of the light (`light`), and the fraction by which it decreases from the left to the right edge
    /// (`fall`).
    var light = 1.0
    var fall = 0.0
    /// Standard deviations of the blur in pixels, and of the noise in levels.
    var blur = 0.0
    var noise = 0.0
    /// Offset of the hard shadow in pixels, standard deviation of its additional blur (`penumbra`), and the fraction of
    /// light that it removes (`darkness`).
    var shadow = Point(0, 0)
    var penumbra = 0.0
    var darkness = 0.0

    /// Creates a scene without blur, noise and shadow, for a training image.
    init() {}

    /// Creates a scene with any rotation. The object's size is 0.05 to 0.6 of the frame height, and the light varies by
    /// ±20 %.
    init(_ random: inout SeededRandom, color: SIMD3<Double> = [34, 32, 30]) {
        (width, height) = [(1280, 720), (960, 540), (640, 480)].randomElement(using: &random) ?? (640, 480)
        unit = Double(height) * random.between(0.05, 0.6) / 2
        center = Point(
            random.between(unit + 4, Double(width) - unit - 4), random.between(unit + 4, Double(height) - unit - 4))
        angle = random.between(0, 2 * .pi)
        let white = random.between(190, 205)
        ground = [white * random.between(0.96, 1), white, white * random.between(1, 1.03)]
        self.color = color
        light = random.between(0.8, 1.2)
        fall = random.between(-0.1, 0.1)
        blur = random.between(0.3, 1.1) * Double(height) / 720
        noise = random.between(0.5, 3)
    }

    /// Creates a similar scene with a hard shadow. The object's size is 0.1 to 0.5 of the frame height. The offset of
    /// the shadow is at most the size of the object.
    init(inHardLight random: inout SeededRandom, color: SIMD3<Double> = [34, 32, 30]) {
        self.init(&random, color: color)
        unit = Double(height) * random.between(0.1, 0.5) / 2
        center = Point(
            random.between(unit + 4, Double(width) - unit - 4), random.between(unit + 4, Double(height) - unit - 4))
        let (way, direction) = (2 * unit * random.between(0, 1), random.between(0, 2 * .pi))
        shadow = Point(way * cos(direction), way * sin(direction))
        penumbra = 0.02 * unit
        darkness = random.between(0.3, 0.6)
    }

    /// Returns corners of the object in pixels of the frame.
    private func placed(_ corners: [Point]) -> [Point] {
        let (c, s) = (cos(angle) * unit, sin(angle) * unit)
        return corners.map { Point(center.x + c * $0.x - s * $0.y, center.y + s * $0.x + c * $0.y) }
    }

    /// Returns the blob of the object. Its outline has the precision of a detector that reduces the frame to 240 rows.
    func blob(_ parts: [[Point]]) -> Blob {
        let pixel = Double(height) / 240
        let outline = placed(parts[0]).map { Point(($0.x / pixel).rounded() * pixel, ($0.y / pixel).rounded() * pixel) }
        return Blob(box: Self.box(outline), outline: outline, area: outline.enclosedArea, color: 0)
    }

    /// Returns the bounding box of the object without its shadow.
    func box(_ parts: [[Point]]) -> Box { Self.box(placed(parts[0])) }

    private static func box(_ outline: [Point]) -> Box {
        let (left, right) = (outline.map(\.x).min() ?? 0, outline.map(\.x).max() ?? 0)
        let (top, bottom) = (outline.map(\.y).min() ?? 0, outline.map(\.y).max() ?? 0)
        return Box(x: left, y: top, width: right - left, height: bottom - top)
    }

    func picture(_ parts: [[Point]], _ random: inout SeededRandom) -> ColorPicture {
        let picture = ColorPicture(width: width, height: height)
        let thing = parts.map(placed)
        // The sum of three uniform random numbers is approximately normally distributed.
        let errors = (0..<4096).map { _ in
            (random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1)) * noise
        }
        let starts = (0..<height).map { _ in Int32(Int.random(in: 0..<4096, using: &random)) }
        let lights = (0..<width).map { light * (1 - fall * (Double($0) / Double(width) - 0.5)) }
        let corners = thing.joined().flatMap { [$0.x, $0.y] }
        let counts = thing.map { Int32($0.count) }
        var scene = SVCheckSilhouette()
        (scene.parts, scene.errorCount, scene.blur) = (Int32(thing.count), 4096, blur)
        (scene.shadowX, scene.shadowY, scene.penumbra, scene.darkness) = (shadow.x, shadow.y, penumbra, darkness)
        scene.ground = (ground.x, ground.y, ground.z)
        scene.color = (color.x, color.y, color.z)
        let status = corners.withUnsafeBufferPointer { corners in
            counts.withUnsafeBufferPointer { counts in
                lights.withUnsafeBufferPointer { lights in
                    errors.withUnsafeBufferPointer { errors in
                        starts.withUnsafeBufferPointer { starts in
                            (scene.corners, scene.counts) = (corners.baseAddress, counts.baseAddress)
                            (scene.lights, scene.errors) = (lights.baseAddress, errors.baseAddress)
                            scene.starts = starts.baseAddress
                            return sv_check_silhouette(
                                &scene, picture.pixels, Int32(width), Int32(height), picture.stride)
                        }
                    }
                }
            }
        }
        precondition(status == 0)
        return picture
    }
}
