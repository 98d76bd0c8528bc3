// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Imaging
import TestScope
import Testing
import Vision

/// Compares the preset `classic` with direct calls of OpenCV and with the formulas of its landmarks.
@Suite("Faces: classic")
struct FacesClassicTests {
    /// Returns the boxes that OpenCV detects, scaled to the frame. As in the algorithm, cats that intersect a human are
    /// omitted.
    private func expected(_ picture: GrayPicture, _ settings: FaceSettings) throws -> (humans: [Box], cats: [Box]) {
        func boxes(_ species: Species, _ search: FaceSettings.Search) throws -> [Box] {
            try openCVFinds(
                picture, scale: settings.scale, cascade: settings.faceCascade(of: species),
                scaleFactor: search.scaleFactor, minNeighbors: search.minNeighbors, minFraction: search.minSize
            ).map {
                Box(
                    x: Double($0.x) / settings.scale, y: Double($0.y) / settings.scale,
                    width: Double($0.width) / settings.scale, height: Double($0.height) / settings.scale)
            }
        }
        let humans = try boxes(.human, settings.human)
        let cats = try boxes(.cat, settings.cat).filter { cat in humans.allSatisfy { $0.overlap(cat) == 0 } }
        return (humans, cats)
    }

    private func compare(_ picture: GrayPicture, _ settings: FaceSettings) throws -> (humans: Int, cats: Int) {
        let faces = try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: picture)
        let (humans, cats) = try expected(picture, settings)
        #expect(Set(faces.filter { $0.species == .human }.map(\.box)) == Set(humans))
        #expect(Set(faces.filter { $0.species == .cat }.map(\.box)) == Set(cats))
        #expect(faces.count == humans.count + cats.count)
        return (humans.count, cats.count)
    }

    @Test("its numbers")
    func numbers() {
        let classic = FaceSettings.classic
        #expect(classic.scale == 0.5 && classic.equalize == .histogram && !classic.track && classic.interval == 1)
        #expect(classic.human == .init(scaleFactor: 1.4, minNeighbors: 4, minSize: 0.25))
        #expect(classic.cat == .init(scaleFactor: 1.4, minNeighbors: 6, minSize: 0.2))
        #expect(classic.eye == .init(scaleFactor: 1.2, minNeighbors: 2, minSize: 0.1))
        #expect(classic.faceCascade(of: .human) == "haarcascade_frontalface_alt")
        #expect(classic.faceCascade(of: .cat) == "haarcascade_frontalcatface_extended")
    }

    @Test("astronaut: OpenCV's rectangles", .enabled(if: RealData.isPresent, RealData.absence))
    func astronaut() throws {
        let picture = try #require(RealData.astronaut.first)
        #expect(try compare(picture, .classic) == (0, 0))
        var settings = FaceSettings.classic
        settings.human.minSize = 0.1
        settings.cat.minSize = 0.1
        #expect(try compare(picture, settings).humans > 0)
    }

    @Test("carphone: OpenCV's rectangles", .enabled(if: RealData.isPresent, RealData.absence))
    func carphone() throws {
        #expect(RealData.carphone.count == 120)
        var settings = FaceSettings.classic
        var found = 0
        for picture in RealData.carphone.prefix(TestScope.choose(8, all: 20)) {
            found += try compare(picture, settings).humans
        }
        #expect(found == 0)
        settings.scale = 1
        settings.human.scaleFactor = 1.1
        settings.human.minNeighbors = 3
        settings.cat.scaleFactor = 1.1
        settings.cat.minNeighbors = 3
        for index in stride(from: 0, to: 120, by: TestScope.choose(10, all: 4)) {
            found += try compare(RealData.carphone[index], settings).humans
        }
        #expect(found >= TestScope.choose(4, all: 10))
    }

    @Test("drawn humans and cats: OpenCV's rectangles, found with the plain preset")
    func drawn() throws {
        var humans = 0
        var cats = 0
        for step in 0..<10 where TestScope.runs(step, oneIn: 2) {
            let size = 160 + 10 * Double(step)
            let both = DrawnScene(width: 640, height: 360, level: 88)
            both.draw(.human, center: Point(160, 180), size: size, tilt: 3)
            both.draw(.cat, center: Point(470, 200), size: size, tilt: 0)
            let alone = DrawnScene(width: 400, height: 400, level: 60)
            alone.draw(.cat, center: Point(200, 220), size: size, tilt: 0)
            for scene in [both, alone] {
                let found = try compare(scene.picture, .classic)
                humans += found.humans
                cats += found.cats
            }
        }
        #expect(humans >= TestScope.choose(5, all: 10))
        #expect(cats >= TestScope.choose(3, all: 5))
    }

    @Test("eyes are those of the split cascades in the viewer's halves; the nose by the formula")
    func eyes() throws {
        let scene = DrawnScene(width: 640, height: 360, level: 88)
        scene.draw(.human, center: Point(160, 180), size: 200, tilt: 3)
        scene.draw(.cat, center: Point(470, 200), size: 200, tilt: 0)
        let face = try #require(
            try FaceDetector(settings: .classic, library: CascadeLibrary()).faces(in: scene.picture).first)
        // The rectangle in the reduced image, and its halves.
        let whole = Rectangle(
            x: Int(face.box.x / 2), y: Int(face.box.y / 2), width: Int(face.box.width / 2),
            height: Int(face.box.height / 2))
        for (isRight, cascade, eye, isFound) in [
            (false, "haarcascade_lefteye_2splits", face.leftEye, face.isLeftEyeFound),
            (true, "haarcascade_righteye_2splits", face.rightEye, face.isRightEyeFound),
        ] {
            var half = whole
            half.width = whole.width / 2
            if isRight { half.x += half.width }
            let found = try openCVFinds(
                scene.picture, scale: 0.5, cascade: cascade, part: half, scaleFactor: 1.2, minNeighbors: 2,
                minSize: whole.width / 10)
            let centers = found.map {
                Point(
                    2 * (Double(half.x + $0.x) + 0.5 * Double($0.width)),
                    2 * (Double(half.y + $0.y) + 0.65 * Double($0.height)))
            }
            #expect(isFound)
            #expect(centers.contains { abs($0.x - eye.x) < 1e-9 && abs($0.y - eye.y) < 1e-9 })
        }
        let middle = Point((face.leftEye.x + face.rightEye.x) / 2, (face.leftEye.y + face.rightEye.y) / 2)
        let toNose = Point(face.nose.x - middle.x, face.nose.y - middle.y)
        let line = Point(face.rightEye.x - face.leftEye.x, face.rightEye.y - face.leftEye.y)
        #expect(abs((toNose.x * toNose.x + toNose.y * toNose.y).squareRoot() - 0.2 * face.box.height) < 1e-9)
        #expect(abs(toNose.x * line.x + toNose.y * line.y) < 1e-6)
        #expect(toNose.y > 0)
    }

    @Test("where no eye is found, and in cats, geometry places it")
    func geometry() throws {
        var settings = FaceSettings.classic
        settings.landmarks = []
        let scene = DrawnScene(width: 640, height: 360, level: 93)
        scene.draw(.human, center: Point(160, 180), size: 200, tilt: 0)
        scene.draw(.cat, center: Point(470, 200), size: 206, tilt: 0)
        let faces = try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: scene.picture)
        let human = try #require(faces.first { $0.species == .human })
        #expect(!human.isLeftEyeFound && !human.isRightEyeFound && !human.isMouthFound)
        #expect(human.leftEye == human.box.point(0.3, 0.4) && human.rightEye == human.box.point(0.7, 0.4))
        #expect(abs(human.nose.x - human.box.point(0.5, 0).x) < 1e-9)
        #expect(abs(human.nose.y - human.box.point(0, 0.6).y) < 1e-9)
        for cat in faces where cat.species == .cat {
            #expect(cat.leftEye == cat.box.point(0.25, 0.4) && cat.rightEye == cat.box.point(0.75, 0.4))
            #expect(cat.nose == cat.box.point(0.5, 0.75))
        }
    }

    /// Other threads may be using OpenCV's threads, so their number must not change.
    @Test("OpenCV's thread count stays as it was", arguments: [0, 1, 2, 256])
    func threads(_ count: Int) throws {
        let before = sv_check_threads()
        let scene = DrawnScene(width: 200, height: 200, level: 98)
        var settings = FaceSettings.classic
        settings.threads = count
        _ = try FaceDetector(settings: settings, library: CascadeLibrary()).faces(in: scene.picture)
        #expect(sv_check_threads() == before)
    }
}
