// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
import Vision

@Suite("Faces: crowds, and what there is no time for")
struct FacesCrowdTests {
    /// Returns a tracker that examines all frames.
    private func tracker(looks: Int? = nil, minNeighbors: Int? = nil) throws -> FaceTracker {
        var settings = FaceSettings.balanced
        settings.interval = 1
        if let minNeighbors {
            settings.human.minNeighbors = minNeighbors
            settings.cat.minNeighbors = minNeighbors
        }
        if let looks { settings.candidatesPerFrame = looks }
        var count = 0
        return try FaceTracker(settings: settings, library: CascadeLibrary()) {
            count += 1
            return count
        }
    }

    /// Positions of twenty humans of several sizes, in rows of five.
    private static let places: [(center: Point, size: Double)] = (0..<20).map { (i: Int) -> (Point, Double) in
        let x = Double(70 + 120 * (i % 5))
        let y = Double(70 + 120 * (i / 5))
        return (Point(x, y), Double(60 + 5 * (i % 4)))
    }

    private static func crowd(level: UInt8 = 98) -> GrayPicture {
        let scene = DrawnScene(width: 620, height: 500, level: level)
        for (i, place) in places.enumerated() {
            scene.draw(.human, center: place.center, size: place.size, tilt: Double(i % 5) * 5 - 10)
        }
        return scene.picture
    }

    private func isEveryone(_ faces: [Face]) -> Bool {
        func isNear(_ face: Face, _ place: Point) -> Bool {
            let center = face.box.center
            return abs(center.x - place.x) < 20 && abs(center.y - place.y) < 20
        }
        guard faces.count == Self.places.count else { return false }
        return Self.places.allSatisfy { place in faces.contains { isNear($0, place.center) } }
    }

    @Test("twenty faces: all in the first frame, with tracks and without")
    func twenty() throws {
        let picture = Self.crowd()
        let tracker = try tracker()
        #expect(isEveryone(try tracker.faces(in: picture, frame: 0)))
        #expect(tracker.hasSearched)
        #expect(isEveryone(try FaceDetector(settings: .balanced, library: CascadeLibrary()).faces(in: picture)))
    }

    @Test("what there is no time for is told, and looked at in the next frames of a still picture")
    func later() throws {
        let picture = Self.crowd()
        let tracker = try tracker(looks: 6)
        var counts: [Int] = []
        var searched: [Bool] = []
        for frame in 0..<8 {
            let faces = try tracker.faces(in: picture, frame: frame)
            counts.append(faces.count)
            searched.append(tracker.hasSearched)
            #expect(!tracker.hasSearched || isEveryone(faces))
        }
        #expect(counts.prefix(3) == [6, 12, 18])
        #expect(searched.prefix(3) == [false, false, false])
        // A few candidates that are not faces may be proposed, too.
        #expect(searched.dropFirst(5) == [true, true, true])
    }

    @Test("the likeliest is looked at first")
    func likeliest() throws {
        let scene = DrawnScene(width: 620, height: 300, level: 98)
        for x in 0..<4 { scene.draw(.human, center: Point(60 + 90 * Double(x), 80), size: 30, tilt: 0) }
        scene.draw(.human, center: Point(500, 150), size: 120, tilt: 0)
        let tracker = try tracker(looks: 1)
        #expect(try tracker.faces(in: scene.picture, frame: 0).map { $0.box.center.x > 400 } == [true])
        #expect(!tracker.hasSearched)
    }

    @Test("searches elsewhere, too, leave something over, which is searched next")
    func elsewhere() throws {
        let picture = Self.crowd()
        let tracker = try tracker(looks: 6)
        let worker = try FaceDetector(settings: tracker.settings, library: CascadeLibrary())
        var counts: [Int] = []
        for frame in 0..<8 {
            counts.append(try tracker.faces(in: picture, frame: frame, searching: .elsewhere).count)
            #expect(!tracker.hasSearched || counts.last == 20)
            guard let search = tracker.dueSearch else { continue }
            let findings = try withExtendedLifetime(picture) { try worker.search(picture.image, search) }
            try withExtendedLifetime(picture) { try tracker.add(findings, seenIn: picture.image) }
        }
        #expect(counts.prefix(4) == [0, 6, 12, 18])
        #expect(counts.last == 20)
        #expect(tracker.hasSearched)
    }

    @Test("a picture that changes all the time does not pile up what is left over")
    func changing() throws {
        // If a face needs this number of detections, no face is known. So all candidates are proposed again and again.
        let tracker = try tracker(looks: 2, minNeighbors: 1000)
        let levels = (0..<12).map { UInt8(60 + 10 * $0) } + [UInt8](repeating: 170, count: 24)
        let searched = try levels.enumerated().map { frame, level in
            let faces = try tracker.faces(in: Self.crowd(level: level), frame: frame)
            #expect(faces.isEmpty)
            return tracker.hasSearched
        }
        #expect(searched.prefix(12).allSatisfy { !$0 })
        #expect(searched.last == true)
    }

    @Test("a cut drops what is left over")
    func cut() throws {
        let tracker = try tracker(looks: 1)
        _ = try tracker.faces(in: Self.crowd(), frame: 0)
        #expect(!tracker.hasSearched)
        #expect(try tracker.faces(in: GrayPicture(width: 620, height: 500, level: 255), frame: 1).isEmpty)
        #expect(tracker.hasSearched)
    }
}
