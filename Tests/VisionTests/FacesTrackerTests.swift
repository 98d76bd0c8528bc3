// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import TestScope
import Testing
import Vision

@Suite("Faces: the tracker")
struct FacesTrackerTests {
    /// Returns a tracker that numbers the faces from 1.
    private func tracker(_ settings: FaceSettings = .balanced) throws -> FaceTracker {
        var count = 0
        return try FaceTracker(settings: settings, library: CascadeLibrary()) {
            count += 1
            return count
        }
    }

    private func scene(_ humans: [Point], cats: [Point] = [], size: Double = 110) -> GrayPicture {
        let scene = DrawnScene(width: 480, height: 320, level: 98)
        for center in humans { scene.draw(.human, center: center, size: size, tilt: 0) }
        for center in cats { scene.draw(.cat, center: center, size: size, tilt: 0) }
        return scene.picture
    }

    @Test("drawn faces in a stream: found, nothing else, one number each", arguments: DrawnStream.all.indices)
    func drawn(index: Int) throws {
        let stream = DrawnStream.all[index]
        let tracker = try tracker()
        var tally = Tally()
        for frame in 0..<TestScope.choose(120, all: 300) {
            let picture = stream.picture(frame)
            tally.note(try tracker.faces(in: picture, frame: frame), stream.actors, frame: frame)
        }
        for species in Species.allCases {
            let there = try #require(tally.there[species])
            #expect(tally.found[species, default: 0] * 100 >= there * 98, "\(species)")
            #expect(tally.wrong[species, default: 0] * 100 <= there, "\(species)")
        }
        #expect(tally.ids.values.allSatisfy { $0.count == 1 })
        #expect(tally.ids.count == stream.actors.count)
    }

    @Test("strong finds are shown in the first frame, humans and cats")
    func first() throws {
        let picture = scene([Point(120, 150)], cats: [Point(350, 170)])
        let faces = try tracker().faces(in: picture, frame: 0)
        #expect(faces.count == 2)
        #expect(Set(faces.map(\.species)) == [.human, .cat])
        #expect(Set(faces.map(\.id)) == [1, 2])
        #expect(faces.allSatisfy { (0...1).contains($0.confidence) })
    }

    @Test("a still picture keeps its faces as they are")
    func still() throws {
        let picture = scene([Point(120, 150)])
        let tracker = try tracker()
        let first = try tracker.faces(in: picture, frame: 0)
        #expect(first.count == 1)
        for frame in 1..<40 { #expect(try tracker.faces(in: picture, frame: frame) == first) }
    }

    @Test("a cut drops all tracks; what the new picture shows is found at once and has new numbers")
    func cut() throws {
        let tracker = try tracker()
        let before = scene([Point(120, 150)])
        for frame in 0..<5 { #expect(try tracker.faces(in: before, frame: frame).map(\.id) == [1]) }
        let after = DrawnScene(width: 480, height: 320, level: 20)
        for y in 0..<320 {
            for x in 0..<480 where (x / 60 + y / 80) % 2 == 0 { after.picture[x, y] = 230 }
        }
        after.draw(.human, center: Point(340, 160), size: 120, tilt: 0)
        let faces = try tracker.faces(in: after.picture, frame: 5)
        #expect(faces.map(\.id) == [2])
        #expect(faces.allSatisfy { abs($0.box.center.x - 340) < 30 })
    }

    @Test("a frame number that does not grow begins anew; so does reset")
    func anew() throws {
        let tracker = try tracker()
        let picture = scene([Point(120, 150)])
        #expect(try tracker.faces(in: picture, frame: 7).map(\.id) == [1])
        #expect(try tracker.faces(in: picture, frame: 7).map(\.id) == [2])
        tracker.reset()
        #expect(try tracker.faces(in: picture, frame: 8).map(\.id) == [3])
    }

    @Test("a face that leaves, half out of the picture and then all, is let go")
    func leaves() throws {
        let tracker = try tracker()
        var last: [Face] = []
        for frame in 0..<90 {
            let picture = scene([Point(200 - 4 * Double(frame), 150)])
            last = try tracker.faces(in: picture, frame: frame)
            if frame < 30 { #expect(last.count == 1) }
        }
        #expect(last.isEmpty)
    }

    @Test("a new face is found within an interval")
    func enters() throws {
        let tracker = try tracker()
        var found: Int?
        for frame in 0..<40 {
            let humans = [Point(120, 150)] + (frame >= 5 ? [Point(350, 160)] : [])
            let faces = try tracker.faces(in: scene(humans), frame: frame)
            if found == nil, faces.count == 2 { found = frame }
        }
        #expect(try #require(found) <= 5 + FaceSettings.balanced.interval)
    }

    @Test("a search elsewhere: found there, followed here")
    func elsewhere() throws {
        let tracker = try tracker()
        let worker = try FaceDetector(settings: .balanced, library: CascadeLibrary())
        let center = { (frame: Int) in Point(120 + 3 * Double(frame), 150) }
        let seen = scene([center(0)])
        #expect(try tracker.faces(in: seen, frame: 0, searching: .elsewhere).isEmpty)
        let search = try #require(tracker.dueSearch)
        let findings = try withExtendedLifetime(seen) { try worker.search(seen.image, search) }
        for frame in 1..<4 {
            #expect(try tracker.faces(in: scene([center(frame)]), frame: frame, searching: .later).isEmpty)
            #expect(tracker.dueSearch == nil && !tracker.hasSearched)
        }
        try withExtendedLifetime(seen) { try tracker.add(findings, seenIn: seen.image) }
        #expect(tracker.hasSearched)
        for frame in 4..<30 {
            let faces = try tracker.faces(in: scene([center(frame)]), frame: frame, searching: .elsewhere)
            #expect(faces.map(\.id) == [1])
            #expect(faces.allSatisfy { abs($0.box.center.x - center(frame).x) < 12 })
        }
    }

    @Test("With an interval of 1 all that a search of the frame finds is reported where it is, however it moves")
    func everyFrame() throws {
        var settings = FaceSettings.balanced
        settings.interval = 1
        let tracker = try tracker(settings)
        let detector = try FaceDetector(settings: settings, library: CascadeLibrary())
        var found = 0
        for frame in 0..<20 {
            // The face jumps by half of its size, and its size changes by a third.
            let size = [100.0, 140, 110, 160][frame % 4]
            let picture = scene(
                [Point(frame % 3 == 0 ? 120 : 190, 150)], cats: [Point(frame % 5 < 2 ? 370 : 400, 170)], size: size)
            let there = try detector.faces(in: picture)
            let reported = try tracker.faces(in: picture, frame: frame)
            found += there.count
            for face in there {
                #expect(
                    reported.contains { $0.box.intersectionOverUnion(face.box) > 0.7 },
                    "frame \(frame): \(face.box) is not among \(reported.map(\.box))")
            }
            #expect(tracker.hasSearched)
        }
        #expect(found > 33)
    }

    @Test("With an interval of 1 a face that has vanished without a trace is kept for at most three frames")
    func vanished() throws {
        var settings = FaceSettings.balanced
        settings.interval = 1
        let tracker = try tracker(settings)
        var (kept, ids) = (0, Set<Int>())
        for frame in 0..<40 {
            let mover = Point(100 + 2 * Double(frame), 150)
            let faces = try tracker.faces(
                in: scene(frame < 20 ? [mover, Point(380, 150 + Double(frame % 3))] : [mover]), frame: frame)
            ids.formUnion(faces.map(\.id))
            #expect(faces.contains { abs($0.box.center.x - mover.x) < 20 }, "frame \(frame)")
            #expect(faces.allSatisfy { !$0.isExact })
            let isThere = faces.contains { $0.box.center.x > 320 }
            if frame < 20 { #expect(isThere, "frame \(frame)") } else { kept += isThere ? 1 : 0 }
        }
        #expect((1...3).contains(kept), "\(kept)")
        #expect(ids == [1, 2])
    }

    @Test("A face that vanishes is dropped, even if the image does not change any more")
    func vanishedFromStillImage() throws {
        let tracker = try tracker()
        for frame in 0..<20 {
            let picture = scene([Point(100 + 2 * Double(frame), 150), Point(380, 150)])
            #expect(try tracker.faces(in: picture, frame: frame).count == 2)
        }
        let rest = scene([Point(138, 150)])
        var last: [Face] = []
        for frame in 20..<45 { last = try tracker.faces(in: rest, frame: frame) }
        #expect(last.map(\.id) == [1])
    }

    @Test("A detection after a sudden change of a face restores the confidence, even if the image then stays still")
    func confidenceAfterChange() throws {
        let tracker = try tracker()
        let first = try #require(try tracker.faces(in: scene([Point(200, 150)]), frame: 0).first)
        // The tracker verifies the face in frame 4. In this frame the face is suddenly larger.
        for frame in 1..<8 {
            let center = Point(200 + 2 * Double(min(frame, 4)), 150)
            let picture = scene([center], size: frame < 4 ? 110 : 125)
            let face = try #require(try tracker.faces(in: picture, frame: frame).first)
            #expect(face.id == first.id && face.confidence > 0.9 * first.confidence, "frame \(frame)")
        }
    }

    @Test("A face that appears slowly is found, even if something else moves all the time")
    func appears() throws {
        var settings = FaceSettings.balanced
        settings.interval = 1
        let tracker = try tracker(settings)
        let face = scene([Point(340, 160)])
        var last: [Face] = []
        for frame in 0..<100 {
            let picture = scene([])
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    picture[x, y] = UInt8((Int(picture[x, y]) * (99 - frame) + Int(face[x, y]) * frame) / 99)
                }
            }
            for y in 40..<100 { for x in 0..<40 { picture[20 + 2 * (frame % 30) + x, y] = 200 } }
            last = try tracker.faces(in: picture, frame: frame)
        }
        #expect(last.contains { abs($0.box.center.x - 340) < 20 && abs($0.box.center.y - 160) < 20 })
    }

    @Test("A late find whose face is elsewhere by now is dropped, and leaves the frame unsearched")
    func late() throws {
        let tracker = try tracker()
        let worker = try FaceDetector(settings: .balanced, library: CascadeLibrary())
        let center = { (frame: Int) in Point(80 + 40 * Double(frame), 150) }
        let seen = scene([center(0)])
        _ = try tracker.faces(in: seen, frame: 0, searching: .elsewhere)
        let search = try #require(tracker.dueSearch)
        let findings = try withExtendedLifetime(seen) { try worker.search(seen.image, search) }
        for frame in 1..<5 { _ = try tracker.faces(in: scene([center(frame)]), frame: frame, searching: .later) }
        try withExtendedLifetime(seen) { try tracker.add(findings, seenIn: seen.image) }
        let faces = try tracker.faces(in: scene([center(5)]), frame: 5, searching: .elsewhere)
        #expect(faces.isEmpty && !tracker.hasSearched)
        #expect(tracker.dueSearch != nil)
    }

    @Test("With searches elsewhere, a face lost from sight leaves frames unsearched until a later search has ended")
    func lost() throws {
        let tracker = try tracker()
        let worker = try FaceDetector(settings: .balanced, library: CascadeLibrary())
        let before = scene([Point(100, 150)])
        let after = scene([Point(340, 160)])
        func findings(in picture: GrayPicture) throws -> FaceFindings {
            let search = try #require(tracker.dueSearch)
            return try withExtendedLifetime(picture) { try worker.search(picture.image, search) }
        }
        _ = try tracker.faces(in: before, frame: 0, searching: .elsewhere)
        try tracker.add(findings(in: before), seenIn: before.image)
        for frame in 1..<4 {
            #expect(try tracker.faces(in: before, frame: frame, searching: .later).map(\.id) == [1])
            #expect(tracker.hasSearched)
        }
        // The face jumps.
        _ = try tracker.faces(in: after, frame: 4, searching: .elsewhere)
        #expect(!tracker.hasSearched)
        let found = try findings(in: after)
        _ = try tracker.faces(in: after, frame: 5, searching: .later)
        #expect(!tracker.hasSearched)
        try tracker.add(found, seenIn: after.image)
        let faces = try tracker.faces(in: after, frame: 6, searching: .later)
        #expect(tracker.hasSearched)
        #expect(faces.contains { abs($0.box.center.x - 340) < 20 })
        withExtendedLifetime((before, after)) {}
    }

    @Test("what was found elsewhere before a reset is dropped")
    func outdated() throws {
        let tracker = try tracker()
        let worker = try FaceDetector(settings: .balanced, library: CascadeLibrary())
        let seen = scene([Point(120, 150)])
        _ = try tracker.faces(in: seen, frame: 0, searching: .elsewhere)
        let search = try #require(tracker.dueSearch)
        let findings = try withExtendedLifetime(seen) { try worker.search(seen.image, search) }
        tracker.reset()
        try withExtendedLifetime(seen) { try tracker.add(findings, seenIn: seen.image) }
        #expect(try tracker.faces(in: seen, frame: 1, searching: .later).isEmpty)
        #expect(!tracker.hasSearched)
    }

    @Test("without tracks, a search elsewhere is held until the next")
    func untrackedElsewhere() throws {
        var settings = FaceSettings.balanced
        settings.track = false
        let tracker = try tracker(settings)
        let worker = try FaceDetector(settings: settings, library: CascadeLibrary())
        let seen = scene([Point(120, 150)])
        #expect(try tracker.faces(in: seen, frame: 0, searching: .elsewhere).isEmpty)
        let search = try #require(tracker.dueSearch)
        let findings = try withExtendedLifetime(seen) { try worker.search(seen.image, search) }
        try withExtendedLifetime(seen) { try tracker.add(findings, seenIn: seen.image) }
        #expect(try tracker.faces(in: seen, frame: 1, searching: .later).map(\.id) == [1])
    }

    @Test("region and the largest number of faces")
    func limits() throws {
        let picture = scene([Point(120, 150), Point(350, 160)])
        var settings = FaceSettings.balanced
        settings.maxFaces = 1
        #expect(try tracker(settings).faces(in: picture, frame: 0).count == 1)
        settings.maxFaces = 0
        settings.region = Rectangle(x: 240, y: 30, width: 240, height: 260)
        let faces = try tracker(settings).faces(in: picture, frame: 0)
        #expect(faces.count == 1)
        #expect(faces.allSatisfy { abs($0.box.center.x - 350) < 15 && abs($0.box.center.y - 165) < 15 })
        settings.track = false
        let alone = try tracker(settings).faces(in: picture, frame: 0)
        #expect(alone.map { abs($0.box.center.x - 350) < 15 } == [true])
    }

    @Test("without tracks: every frame is searched, whatever the interval is, new numbers each time")
    func untracked() throws {
        var settings = FaceSettings.balanced
        settings.track = false
        settings.interval = 3
        let tracker = try tracker(settings)
        let ids = try (0..<4).map { frame in
            let ids = try tracker.faces(in: scene([Point(120 + Double(frame), 150)]), frame: frame).map(\.id)
            #expect(tracker.hasSearched)
            return ids
        }
        #expect(ids == [[1], [2], [3], [4]])
    }
}
