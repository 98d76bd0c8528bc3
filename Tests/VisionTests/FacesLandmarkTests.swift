// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import TestScope
import Testing
import Vision

/// Tests of the eye positions in drawn scenes.
@Suite("Faces: landmarks")
struct FacesLandmarkTests {
    /// Tracks the face of one actor in a grey scene. Returns the errors of the eye positions, relative to the width of
    /// the face, and the positions of the left eye.
    private func errors(
        _ kind: Scene.Kind = .faces, seed: UInt64, speed: Double, frames: Int
    ) throws -> (errors: [Double], places: [Point]) {
        let (width, height) = (480, 400)
        let scene = Scene(kind, count: 1, seed: seed, speed: speed, width: width, height: height)
        let artist = ScenePainter(scene)
        let tracker = try FaceTracker(settings: .balanced, library: CascadeLibrary()) { 1 }
        let plane = OwnedImage(.gray8)
        plane.resize(width: width, height: height)
        var (errors, places): ([Double], [Point]) = ([], [])
        for frame in 0..<frames {
            fill(plane.image, frame)
            let actors = artist.draw(on: FrameImage(plane.image), at: Double(frame) / 30)
            let actor = try #require(actors.first)
            guard let face = try tracker.faces(in: plane.image, frame: frame).first else { continue }
            let size = Double(actor.rectangle.width)
            errors += [distance(face.leftEye, actor.leftEye) / size, distance(face.rightEye, actor.rightEye) / size]
            places.append(face.leftEye)
        }
        return (errors.sorted(), places)
    }

    /// Fills the background. A strip at the bottom changes in each frame, as in live video.
    private func fill(_ image: Image, _ frame: Int) {
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.width {
                row[x] = y > 380 ? UInt8(truncatingIfNeeded: (x &* 31 &+ frame &* 77) & 127) : 110
            }
        }
    }

    private func distance(_ a: Point, _ b: Point) -> Double {
        ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
    }

    private static let seeds: ClosedRange<UInt64> = TestScope.choose(1...3, all: 1...8)

    @Test("eyes of moving faces: the median within 1.5 % of the face's size, 95 % within 3 %", arguments: seeds)
    func moving(seed: UInt64) throws {
        let errors = try errors(seed: seed, speed: 1, frames: 60).errors
        try #require(errors.count > 100)
        #expect(errors[errors.count / 2] <= 0.015)
        #expect(errors[errors.count * 95 / 100] <= 0.03)
    }

    @Test("eyes of moving cats: the median within 3 % of the face's size, 95 % within 6 %", arguments: seeds)
    func cats(seed: UInt64) throws {
        let errors = try errors(.cats, seed: seed, speed: 1, frames: 60).errors
        try #require(errors.count > 90)
        #expect(errors[errors.count / 2] <= 0.03)
        #expect(errors[errors.count * 95 / 100] <= 0.06)
    }

    @Test("eyes of still faces do not shake", arguments: seeds)
    func still(seed: UInt64) throws {
        let places = try errors(seed: seed, speed: 0, frames: 60).places.dropFirst(15)
        try #require(places.count >= 40)
        let mean = Point(
            places.map(\.x).reduce(0, +) / Double(places.count), places.map(\.y).reduce(0, +) / Double(places.count))
        let shake = (places.map { pow2(distance($0, mean)) }.reduce(0, +) / Double(places.count)).squareRoot()
        #expect(shake < 0.5)
    }

    private func pow2(_ x: Double) -> Double { x * x }
}
