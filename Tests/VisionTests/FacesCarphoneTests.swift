// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

/// The centres of the eyes, marked by hand: left eye and right eye from the viewer's side.
private let eyeMarks: [(frame: Int, left: Point, right: Point)] = [
    (0, Point(76, 60), Point(98, 54)), (30, Point(66, 62), Point(89, 56)),
    (60, Point(65, 54), Point(86, 49)), (90, Point(50, 67), Point(70, 53)),
    (110, Point(55, 60), Point(75, 51)),
]

private func distance(_ a: Point, _ b: Point) -> Double { hypot(a.x - b.x, a.y - b.y) }

@Suite("Faces: the carphone clip", .enabled(if: RealData.isPresent, RealData.absence))
struct FacesCarphoneTests {
    @Test("one face throughout: found, nothing else, hardly a change", arguments: ["fast", "balanced", "accurate"])
    func found(preset: String) throws {
        let settings = ["fast": FaceSettings.fast, "balanced": .balanced, "accurate": .accurate][preset]
        var count = 0
        let tracker = try FaceTracker(settings: try #require(settings), library: CascadeLibrary()) {
            count += 1
            return count
        }
        var (found, wrong, changes) = (0, 0, 0)
        var last: Int?
        try #require(RealData.carphone.count == 120)
        for (frame, picture) in RealData.carphone.enumerated() {
            let faces = try tracker.faces(in: picture, frame: frame)
            let distances = faces.map { distance($0.box.center, CarphoneTruth.center(frame)) }
            found += distances.contains { $0 < CarphoneTruth.reach } ? 1 : 0
            wrong += distances.contains { $0 >= CarphoneTruth.reach } ? 1 : 0
            changes += last.map { $0 != faces.count } == true ? 1 : 0
            last = faces.count
            #expect(faces.allSatisfy { $0.species == .human })
        }
        #expect(found >= 115 && wrong <= 2 && changes <= 4, "\(found) found, \(wrong) wrong, \(changes) changes")
        #expect(count == 1)
    }

    @Test("eyes within 4 pixels of the hand's marks")
    func eyes() throws {
        let tracker = try FaceTracker(settings: .balanced, library: CascadeLibrary()) { 1 }
        for (frame, picture) in RealData.carphone.enumerated() {
            let face = try tracker.faces(in: picture, frame: frame).first
            guard let mark = eyeMarks.first(where: { $0.frame == frame }) else { continue }
            let found = try #require(face)
            #expect(found.isLeftEyeFound && found.isRightEyeFound)
            #expect(distance(found.leftEye, mark.left) < 4 && distance(found.rightEye, mark.right) < 4)
        }
    }

    @Test("the astronaut, in the very first frame")
    func astronaut() throws {
        let picture = try #require(RealData.astronaut.first)
        for settings in [FaceSettings.fast, .balanced, .accurate] {
            let tracker = try FaceTracker(settings: settings, library: CascadeLibrary()) { 1 }
            let faces = try tracker.faces(in: picture, frame: 0)
            #expect(faces.count == 1)
            let face = try #require(faces.first)
            #expect(face.species == .human)
            #expect(distance(face.box.center, Point(223, 113)) < 25)
        }
    }
}
