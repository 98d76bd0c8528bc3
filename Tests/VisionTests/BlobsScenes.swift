// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Foundation
import Imaging
import Testing
import Vision

/// An object on paper with any rotation. Its size is 0.28 to 0.55 of the frame height. The light varies by ±15 % and
/// decreases towards one side, and the colour cast is ±3 %. There are a shadow, blur and noise.
struct PaperScene {
    let thing: Thing
    let picture: ColorPicture
    let truth: Box

    init(_ thing: Thing, seed: UInt64) throws {
        var random = SeededRandom(seed)
        let (width, height) = [(1280, 720), (640, 480), (960, 540)].randomElement(using: &random) ?? (640, 480)
        var scene = SVCheckScene()
        scene.width = Int32(width)
        scene.height = Int32(height)
        scene.size = Double(height) * random.between(0.28, 0.55)
        let room = scene.size / 2 + 4 + 0.02 * Double(height)
        scene.x = random.between(room, Double(width) - room)
        scene.y = random.between(room, Double(height) - room)
        scene.angle = random.between(0, 360)
        let white = random.between(195, 225)
        scene.paper = (white * random.between(0.94, 1), white, white * random.between(1, 1.03))
        scene.grain = random.between(0.5, 2.5)
        let direction = random.between(0, 2 * .pi)
        let distance = scene.size * random.between(0.02, 0.1)
        scene.shadowX = distance * cos(direction)
        scene.shadowY = distance * sin(direction)
        scene.shadowBlur = scene.size * random.between(0.01, 0.06)
        scene.shadow = random.between(0.1, 0.5)
        let light = random.between(0.85, 1.15)
        func cast() -> Double { light * random.between(0.97, 1.03) }
        scene.light = (cast(), cast(), cast())
        scene.gradient = random.between(0, 0.15)
        scene.gradientAngle = random.between(0, 360)
        scene.blur = random.between(0, 1.8) * Double(height) / 720
        scene.noise = random.between(1, 6)
        scene.seed = random.next()
        try self.init(thing, scene)
    }

    init(_ thing: Thing, _ scene: SVCheckScene) throws {
        self.thing = thing
        let picture = ColorPicture(width: Int(scene.width), height: Int(scene.height))
        let outline = thing.outline.flatMap { [$0.x, $0.y] }
        var found = SVCheckRectangle()
        var scene = scene
        let status = outline.withUnsafeBufferPointer { corners in
            var drawn = SVCheckThing(
                pixels: thing.picture.pixels, width: Int32(thing.picture.width), height: Int32(thing.picture.height),
                stride: thing.picture.stride, outline: corners.baseAddress, corners: Int32(thing.outline.count))
            return sv_check_scene(&drawn, &scene, picture.pixels, picture.stride, &found)
        }
        try #require(status == 0)
        self.picture = picture
        truth = Box(found)
    }

    /// Calls `body` with `count` scenes, which show the objects one after another.
    /// - Parameter seed: seed of the first scene. The next scenes have consecutive seeds.
    static func each(
        _ things: [Thing], count: Int, seed: UInt64, _ body: (PaperScene) throws -> Void
    ) throws {
        for index in 0..<count where !things.isEmpty {
            try body(try PaperScene(things[index % things.count], seed: seed &+ UInt64(index)))
        }
    }
}
