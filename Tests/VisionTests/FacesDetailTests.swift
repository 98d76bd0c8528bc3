// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

@Suite("Faces: direction, mouth and lids", .enabled(if: RealData.hasModel, RealData.noModel))
struct FacesDetailTests {
    /// Returns the only face of an image as a tracker reports it. By default, the network detects it.
    private func face(in picture: RealPicture, _ settings: FaceSettings = .balanced, usesNetwork: Bool = true) throws
        -> Face
    {
        let tracker = try FaceTracker(
            settings: settings, library: CascadeLibrary(), model: usesNetwork ? try #require(RealData.model) : nil
        ) { 1 }
        return try withExtendedLifetime(picture) {
            let faces = try tracker.faces(in: picture.gray.image, colors: FrameImage(picture.colors.image), frame: 0)
            #expect(faces.count == 1)
            return try #require(faces.first)
        }
    }

    @Test("The network tells where a face looks: straight ahead, to the left and to the right")
    func directions() throws {
        let faces = try HardFaces.originals(perPerson: 0)
        let expected: [(person: String, yaw: ClosedRange<Double>)] = [
            ("astronaut", -12...12), ("man with a rose", -85 ... -25), ("woman with a rose", 35...90),
            ("man with a hat", -25...5),
        ]
        for (person, yaw) in expected {
            let original = try #require(faces.first { $0.person == person })
            let face = try face(in: try original.changed(.none))
            let pose = try #require(face.landmarks.pose, "\(person)")
            #expect(yaw.contains(pose.yaw) && abs(pose.pitch) < 25 && abs(pose.roll) < 15, "\(person) \(pose)")
            #expect(face.isMouthFound)
        }
    }

    @Test("The roll follows a face that is turned in the image")
    func roll() throws {
        let astronaut = try #require(try HardFaces.originals(perPerson: 0).first)
        for change in [FaceChange.turned30, .turned45] {
            let pose = try #require(try face(in: try astronaut.changed(change)).landmarks.pose)
            #expect(abs(pose.roll - change.angle) < 12, "\(change) \(pose)")
        }
    }

    @Test("Without the network the direction is unknown, and the mouth is an estimate unless it is searched for")
    func unknown() throws {
        let astronaut = try #require(try HardFaces.originals(perPerson: 0).first).changed(.none)
        let face = try face(in: astronaut, usesNetwork: false)
        #expect(face.landmarks.pose == nil && !face.isMouthFound)
    }

    @Test("Each eye is closed or open by itself")
    func lids() throws {
        let astronaut = try #require(try HardFaces.originals(perPerson: 0).first)
        var settings = FaceSettings.balanced
        settings.eyesClosed = true
        let open = try face(in: try astronaut.changed(.none), settings)
        #expect(open.landmarks.closedEyes == ClosedEyes(left: false, right: false) && open.hasClosedEyes == false)
        for isLeft in [true, false] {
            let eye = isLeft ? open.leftEye : open.rightEye
            let picture = try astronaut.picture.around(astronaut.center, scale: 120 / astronaut.size) { image in
                // Cover the eye with the colour of the cheek below, like a closed lid.
                let cheek = image.row(Int(eye.y) + 26) + 3 * Int(eye.x)
                for y in Int(eye.y) - 9...Int(eye.y) + 9 {
                    for x in Int(eye.x) - 16...Int(eye.x) + 16 {
                        for channel in 0..<3 { image.row(y)[3 * x + channel] = cheek[channel] }
                    }
                }
            }
            let face = try face(in: picture, settings)
            #expect(face.landmarks.closedEyes == ClosedEyes(left: isLeft, right: !isLeft))
            #expect(face.hasClosedEyes == false)
        }
    }
}
