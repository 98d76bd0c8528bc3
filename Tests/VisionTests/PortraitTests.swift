// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestScope
import Testing
import Vision

/// Tests that learn faces from small images and find them in larger frames.
@Suite("Portraits") struct PortraitTests {
    private let cutter: PortraitCutter

    init() throws { cutter = try PortraitCutter(library: CascadeLibrary()) }

    /// Returns a frame of 640x480 pixels that contains the enlarged image.
    private func frame(_ picture: GrayPicture, enlarged factor: Int, at place: (x: Int, y: Int)) throws -> GrayPicture {
        let large = OwnedImage(.gray8)
        try withExtendedLifetime(picture) {
            try large.stretch(picture.image, width: picture.width * factor, height: picture.height * factor)
        }
        let frame = GrayPicture(width: 640, height: 480)
        for y in 0..<480 {
            for x in 0..<640 { frame[x, y] = UInt8(60 + x / 8 + y / 12 + (x * 7 + y * 13) % 5) }
        }
        for y in 0..<large.image.height {
            for x in 0..<large.image.width { frame[place.x + x, place.y + y] = large.image.row(y)[x] }
        }
        return frame
    }

    private func portrait(_ picture: GrayPicture) throws -> PortraitCutter.Portrait {
        try #require(try withExtendedLifetime(picture) { try cutter.portrait(in: picture.image) })
    }

    @Test(
        "People learned from pictures of 23x28 are known again where the detector finds them in larger frames",
        .enabled(if: RealData.isPresent, RealData.absence))
    func smallPictures() throws {
        let detector = try FaceDetector(settings: .balanced, library: CascadeLibrary())
        let faceCutter = FaceCutter()
        var (right, nearest, count) = (0, 0, 0)
        for half in 0..<2 {
            var gallery = Gallery()
            for (name, number, picture) in try RealFaces.pictures(1...10) where number % 2 == half {
                let portrait = try portrait(picture)
                #expect((15..<26).contains(portrait.side))
                gallery.add(portrait.face, of: name)
            }
            let recognizer = try Recognizer(gallery, .lbph)
            for (name, number, picture) in try RealFaces.pictures(1...10) where number % 2 != half {
                // Each person has pictures with both factors.
                for factor in [5, 9] where TestScope.runs(number / 2, oneIn: 2, offset: factor / 9) {
                    let frame = try frame(picture, enlarged: factor, at: (31 * number, 17 * number))
                    count += 1
                    guard let face = try detector.faces(in: frame).max(by: { $0.box.area < $1.box.area }),
                        let sample = try withExtendedLifetime(
                            frame,
                            {
                                try faceCutter.sample(of: frame.image, leftEye: face.leftEye, rightEye: face.rightEye)
                            })
                    else { continue }
                    let match = try recognizer.nearest(to: sample)
                    if match.name == name { nearest += 1 }
                    if match.name == name, match.distance <= recognizer.threshold { right += 1 }
                }
            }
        }
        #expect(
            count == TestScope.choose(50, all: 100) && nearest * 100 >= count * 85 && right * 5 >= count,
            "\(right) right of \(count), \(nearest) of the right person")
    }

    @Test(
        "With the network: in small pictures, and in those of hard faces where cascades see none",
        .enabled(if: RealData.hasModel, RealData.noModel))
    func network() throws {
        let own = try PortraitCutter(library: CascadeLibrary(), model: try #require(RealData.model))
        let small = try RealFaces.pictures(1...10).count { _, _, picture in
            try withExtendedLifetime(picture) { try own.portrait(in: picture.image)?.isFound == true }
        }
        #expect(small >= 47, "\(small) of 50")
        var found = (network: 0, cascade: 0)
        for face in try HardFaces.originals(perPerson: 1) {
            for change in [FaceChange.turned30, .dark12, .mask] {
                let picture = try face.changed(change)
                try withExtendedLifetime(picture) {
                    let (gray, colors) = (picture.gray.image, FrameImage(picture.colors.image))
                    found.network += try own.portrait(in: gray, colors: colors)?.isFound == true ? 1 : 0
                    found.cascade += try cutter.portrait(in: gray, colors: colors)?.isFound == true ? 1 : 0
                }
            }
        }
        #expect(found.network >= 24 && found.cascade <= 15, "\(found) of 30")
    }

    @Test("A picture that is a face is cut like a face in a frame: by its eyes, whatever its size")
    func sameGeometry() throws {
        let (_, face) = try #require(DrawnPeople.scenes[0].first)
        // The image is the sample itself, so its eyes are at the standard positions of a sample.
        let picture = GrayPicture(width: FaceSample.side, height: FaceSample.side)
        for (index, level) in face.pixels.enumerated() {
            picture[index % FaceSample.side, index / FaceSample.side] = level
        }
        let same = try portrait(picture)
        #expect(same.face.difference(from: face) < 0.1, "\(same.face.difference(from: face)) \(same.isFound)")
        #expect((same.side - Double(FaceSample.side)).magnitude < 8)
    }

    @Test("Without a face: the largest square, in the middle of a wide picture and at the foot of a high one")
    func noFace() throws {
        for (width, height, left, top) in [(80, 50, 15, 0), (50, 80, 0, 30), (60, 60, 0, 0)] {
            let side = min(width, height)
            let picture = GrayPicture(width: width, height: height, level: 90)
            // The square contains a ramp. The image around the square is plain.
            for y in 0..<side { for x in 0..<side { picture[left + x, top + y] = UInt8(4 * x) } }
            let portrait = try portrait(picture)
            #expect(!portrait.isFound && portrait.side == Double(side))
            // Ignore the outermost pixels, which are mixed with pixels outside of the square.
            let row = portrait.face.pixels[35 * FaceSample.side + 2..<36 * FaceSample.side - 2]
            #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
            #expect((row.first ?? 255) < 20 && (row.last ?? 0) > 235)
        }
    }
}
