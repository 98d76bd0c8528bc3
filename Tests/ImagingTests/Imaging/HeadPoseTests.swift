// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing

@Suite("Direction of a face")
struct HeadPoseTests {
    /// A point of a face: right, down, and towards the viewer. The unit is the distance between the eyes.
    private typealias Place = (x: Double, y: Double, z: Double)

    /// Left eye, right eye, nose, left corner of the mouth, right corner of the mouth.
    private static let generic: [Place] = [
        (-0.5, 0, 0), (0.5, 0, 0), (0, 0.62, 0.4), (-0.415, 1.155, 0.05), (0.415, 1.155, 0.05),
    ]
    /// A face with a longer nose and a smaller mouth, which is higher.
    private static let other: [Place] = [
        (-0.5, 0, 0), (0.5, 0, 0), (0, 0.66, 0.45), (-0.38, 1.1, 0.08), (0.38, 1.1, 0.08),
    ]

    /// Returns the image of a rotated face by a camera at this distance.
    private func image(of face: [Place], _ roll: Double, _ yaw: Double, _ pitch: Double, distance: Double)
        -> FaceLandmarks
    {
        func turned(_ a: Double, _ b: Double, _ degrees: Double) -> (Double, Double) {
            let angle = degrees * .pi / 180
            return (a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle))
        }
        let points = face.map { place -> Point in
            let (y, z) = turned(place.y, place.z, pitch)
            let (z2, x) = turned(z, place.x, yaw)
            let (x2, y2) = turned(x, y, roll)
            let size = 80 * distance / (distance - z2)
            return Point(300 + size * x2, 200 + size * y2)
        }
        return FaceLandmarks(
            leftEye: points[0], rightEye: points[1], nose: points[2], mouthLeft: points[3], mouthRight: points[4])
    }

    /// Returns the maximum errors of roll, yaw and pitch.
    private func errors(of face: [Place], distance: Double) throws -> [Double] {
        var worst = [0.0, 0, 0]
        for roll in stride(from: -170.0, through: 170, by: 34) {
            for yaw in stride(from: -60.0, through: 60, by: 15) {
                for pitch in stride(from: -40.0, through: 40, by: 10) {
                    let pose = try #require(HeadPose(image(of: face, roll, yaw, pitch, distance: distance)))
                    let errors = [remainder(pose.roll - roll, 360), pose.yaw - yaw, pose.pitch - pitch]
                    for index in errors.indices { worst[index] = max(worst[index], abs(errors[index])) }
                }
            }
        }
        return worst
    }

    @Test("Points of the generic face, projected in parallel, give the angles exactly")
    func exact() throws {
        let errors = try errors(of: Self.generic, distance: 1e7)
        #expect(errors.allSatisfy { $0 < 0.01 }, "\(errors)")
    }

    @Test("In perspective, and with the proportions of another face, the angles are near")
    func near() throws {
        for face in [Self.generic, Self.other] {
            let errors = try errors(of: face, distance: 10)
            #expect(errors[0] < 8 && errors[1] < 8 && errors[2] < 20, "\(errors)")
        }
    }

    @Test("A face looks to the viewer's right, up, and is tilted clockwise, with positive angles")
    func signs() throws {
        var face = image(of: Self.generic, 0, 0, 0, distance: 1e7)
        let straight = try #require(HeadPose(face))
        #expect([straight.roll, straight.yaw, straight.pitch].allSatisfy { abs($0) < 0.1 })
        face.nose.x += 10
        #expect(try #require(HeadPose(face)).yaw > 10)
        face.nose.x -= 10
        face.nose.y -= 10
        #expect(try #require(HeadPose(face)).pitch > 10)
        // Clockwise on the display: the right eye is lower.
        let tilted = image(of: Self.generic, 30, 0, 0, distance: 1e7)
        #expect(tilted.rightEye.y > tilted.leftEye.y + 30)
        #expect(abs(try #require(HeadPose(tilted)).roll - 30) < 0.1)
    }

    @Test("Points without an extent, or without numbers, have no direction; any others have angles in range")
    func degenerate() {
        #expect(HeadPose(FaceLandmarks(at: Point(5, 5))) == nil)
        #expect(HeadPose(FaceLandmarks(at: Point(.nan, 5))) == nil)
        #expect(HeadPose(FaceLandmarks(at: Point(.infinity, 5))) == nil)
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let place = { Point(random.between(-1e6, 1e6), random.between(-1, 1)) }
            let points = FaceLandmarks(
                leftEye: place(), rightEye: place(), nose: place(), mouthLeft: place(), mouthRight: place())
            guard let pose = HeadPose(points) else { continue }
            #expect(abs(pose.roll) <= 180 && abs(pose.yaw) <= 90 && abs(pose.pitch) <= 90)
        }
    }
}
