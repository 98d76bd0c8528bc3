// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Vision

/// A face that moves along a path in a drawn scene.
struct DrawnActor {
    var species: Species
    var x: Double
    var y: Double
    /// `reach` is the amplitude of the path in pixels. `speed` is in radians per frame.
    var reach: (x: Double, y: Double)
    var speed: (x: Double, y: Double)
    var size: Double
    /// Amplitude of the change in size, relative to the size.
    var growth = 0.15
    /// Maximum tilt in degrees.
    var tilt: Double

    func placed(_ frame: Int) -> (center: Point, size: Double, tilt: Double) {
        let t = Double(frame)
        let center = Point(x + reach.x * sin(speed.x * t), y + reach.y * sin(speed.y * t + 1))
        return (center, size * (1 + growth * sin(0.03 * t)), tilt * sin(0.041 * t + x))
    }
}

/// A sequence of drawn scenes with known faces.
struct DrawnStream {
    var width: Int
    var height: Int
    /// Levels of the vertical stripes in the background.
    var stripes: [UInt8]
    var noise: Int
    var actors: [DrawnActor]

    static let all = [
        DrawnStream(
            width: 640, height: 480, stripes: [98], noise: 4,
            actors: [
                DrawnActor(
                    species: .human, x: 170, y: 150, reach: (70, 30), speed: (0.05, 0.031), size: 110, tilt: 12),
                DrawnActor(
                    species: .human, x: 480, y: 340, reach: (80, 50), speed: (0.023, 0.04), size: 150, tilt: 10),
                DrawnActor(species: .cat, x: 470, y: 120, reach: (80, 20), speed: (0.033, 0.05), size: 95, tilt: 8),
                DrawnActor(species: .cat, x: 170, y: 360, reach: (70, 30), speed: (0.04, 0.03), size: 130, tilt: 8),
            ]),
        DrawnStream(
            width: 640, height: 360, stripes: [180, 162, 131, 112, 84, 65, 35], noise: 2,
            actors: [
                DrawnActor(
                    species: .human, x: 200, y: 170, reach: (90, 60), speed: (0.04, 0.05), size: 100, tilt: 12),
                DrawnActor(species: .cat, x: 470, y: 190, reach: (90, 40), speed: (0.03, 0.04), size: 105, tilt: 8),
            ]),
        DrawnStream(
            width: 320, height: 240, stripes: [60], noise: 6,
            actors: [
                DrawnActor(
                    species: .human, x: 90, y: 120, reach: (30, 40), speed: (0.06, 0.04), size: 75, tilt: 12),
                DrawnActor(species: .cat, x: 230, y: 130, reach: (30, 30), speed: (0.05, 0.06), size: 80, tilt: 8),
            ]),
    ]

    func picture(_ frame: Int) -> GrayPicture {
        let scene = DrawnScene(width: width, height: height, level: 0)
        for y in 0..<height {
            let row = scene.picture.pixels + y * scene.picture.stride
            for x in 0..<width { row[x] = stripes[x * stripes.count / width] }
        }
        for actor in actors {
            let (center, size, tilt) = actor.placed(frame)
            scene.draw(actor.species, center: center, size: size, tilt: tilt)
        }
        if noise > 0 { scene.addNoise(noise, seed: UInt64(frame)) }
        return scene.picture
    }
}

/// Detection results of a stream.
struct Tally {
    /// Number of actual faces (`there`), detected faces (`found`) and false detections (`wrong`) of each species.
    var there: [Species: Int] = [:]
    var found: [Species: Int] = [:]
    var wrong: [Species: Int] = [:]
    /// Ids of the detected faces, by index of the actor.
    var ids: [Int: Set<Int>] = [:]

    mutating func note(_ faces: [Face], _ actors: [DrawnActor], frame: Int) {
        var used = Set<Int>()
        for (i, actor) in actors.enumerated() {
            let (center, size, _) = actor.placed(frame)
            there[actor.species, default: 0] += 1
            let match = faces.indices.first { index in
                let box = faces[index].box
                return !used.contains(index) && faces[index].species == actor.species
                    && hypot(box.center.x - center.x, box.center.y - center.y) < 0.35 * size
                    && box.width > 0.5 * size && box.width < 1.6 * size
            }
            guard let match else { continue }
            used.insert(match)
            found[actor.species, default: 0] += 1
            // Only a face that is certain has an id.
            if !faces[match].isPossible { ids[i, default: []].insert(faces[match].id) }
        }
        for index in faces.indices where !used.contains(index) { wrong[faces[index].species, default: 0] += 1 }
    }
}
