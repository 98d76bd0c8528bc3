// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing
import Vision

@Suite("Logos: tracking")
struct LogosTrackerTests {
    private static let template = Result { try drawnTemplate() }

    private func tracker(_ settings: LogoSettings = LogoSettings()) throws -> LogoTracker {
        var last = 0
        return try LogoTracker(settings: settings, templates: [try Self.template.get()]) {
            last += 1
            return last
        }
    }

    /// The drawn scene, or only its wall, in frames of 320x240.
    private struct Film {
        let artist = ScenePainter(Scene(.logo, count: 1, seed: 3, width: 320, height: 240))
        let plane = OwnedImage(.gray8)

        init() { plane.resize(width: 320, height: 240) }

        func frame(_ number: Int) -> Box {
            let actors = artist.draw(on: FrameImage(plane.image), at: Double(number) / 25)
            return actors.first.map { Box($0.rectangle) } ?? Box(x: 0, y: 0, width: 0, height: 0)
        }

        func wall() { Backdrop(seed: 3, width: 320, height: 240).draw(on: FrameImage(plane.image)) }
    }

    @Test("One logo along its path is one track")
    func path() throws {
        let (tracker, film) = (try tracker(), Film())
        var ids: Set<Int> = []
        for number in 0..<25 {
            let truth = film.frame(number)
            let logos = try tracker.logos(in: film.plane.image, frame: number)
            #expect(logos.count == 1)
            #expect((logos.first?.box.intersectionOverUnion(truth) ?? 0) >= 0.6, "\(number)")
            ids.formUnion(logos.map(\.id))
        }
        #expect(ids == [1])
        #expect(tracker.hasSearched)
    }

    @Test("A logo that is gone is not told of, and is found again where it comes back")
    func gone() throws {
        let (tracker, film) = (try tracker(), Film())
        _ = film.frame(0)
        #expect(try tracker.logos(in: film.plane.image, frame: 0).count == 1)
        film.wall()
        for number in 1..<12 { #expect(try tracker.logos(in: film.plane.image, frame: number).isEmpty) }
        let truth = film.frame(200)
        var found: [LogoMatch] = []
        for number in 12..<15 { found = try tracker.logos(in: film.plane.image, frame: number) }
        #expect((found.first?.box.intersectionOverUnion(truth) ?? 0) >= 0.6)
        #expect(found.first?.id == 2)
    }

    @Test("Searches elsewhere: asked for, taken in later, dropped after a reset")
    func elsewhere() throws {
        let (tracker, film) = (try tracker(), Film())
        let worker = try LogoDetector(settings: LogoSettings(), templates: [try Self.template.get()])
        _ = film.frame(0)
        #expect(try tracker.logos(in: film.plane.image, frame: 0, searching: .elsewhere).isEmpty)
        let search = try #require(tracker.dueSearch)
        #expect(!tracker.hasSearched)
        let findings = try worker.search(film.plane.image, search)
        let truth = film.frame(2)
        #expect(try tracker.logos(in: film.plane.image, frame: 1, searching: .later).isEmpty)
        #expect(tracker.dueSearch == nil)
        tracker.add(findings)
        #expect(tracker.hasSearched)
        let logos = try tracker.logos(in: film.plane.image, frame: 2, searching: .elsewhere)
        #expect((logos.first?.box.intersectionOverUnion(truth) ?? 0) >= 0.6)
        // It is in sight, so that nothing remains to be searched for.
        #expect(tracker.dueSearch == nil)
        tracker.reset()
        tracker.add(findings)
        #expect(try !tracker.hasSearched && tracker.logos(in: film.plane.image, frame: 3, searching: .later).isEmpty)
    }

    @Test("Without tracks every frame is searched, whatever the interval is, and each logo has an id of its own")
    func untracked() throws {
        var settings = LogoSettings()
        settings.track = false
        settings.interval = 3
        let (tracker, film) = (try tracker(settings), Film())
        _ = film.frame(0)
        let found = try (0..<4).map { number in
            let logos = try tracker.logos(in: film.plane.image, frame: number)
            #expect(tracker.hasSearched)
            return logos.map(\.id)
        }
        #expect(found == [[1], [2], [3], [4]])
        film.wall()
        #expect(try tracker.logos(in: film.plane.image, frame: 4).isEmpty && tracker.hasSearched)
    }

    @Test("Without tracks, what a search elsewhere has found stays until the next, and no frame counts as searched")
    func untrackedElsewhere() throws {
        var settings = LogoSettings()
        settings.track = false
        let (tracker, film) = (try tracker(settings), Film())
        let worker = try LogoDetector(settings: settings, templates: [try Self.template.get()])
        _ = film.frame(0)
        #expect(try tracker.logos(in: film.plane.image, frame: 0, searching: .elsewhere).isEmpty)
        let findings = try worker.search(film.plane.image, try #require(tracker.dueSearch))
        #expect(try tracker.logos(in: film.plane.image, frame: 1, searching: .later).isEmpty)
        #expect(tracker.dueSearch == nil)
        tracker.add(findings)
        let found = try (2..<4).map { number in
            try tracker.logos(in: film.plane.image, frame: number, searching: .elsewhere).map(\.id)
        }
        #expect(found == [[1], [1]] && tracker.dueSearch != nil && !tracker.hasSearched)
        tracker.reset()
        tracker.add(findings)
        #expect(try tracker.logos(in: film.plane.image, frame: 4, searching: .later).isEmpty)
    }
}
