// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Elements
import Testing

@Suite("Values per track")
struct PerTrackTests {
    @Test("A value stays with its track, and reading it is no use")
    func values() {
        var counts = PerTrack<Int, Int>()
        for track in [1, 2, 1, 1] { counts.use(track, default: 0) { $0 += 1 } }
        #expect(counts[1] == 3 && counts[2] == 1 && counts[3] == nil)
        counts[3] = 5
        #expect(counts[3] == 5)
        counts.changeAll { $0 *= 10 }
        #expect([1, 2, 3].map { counts[$0] } == [30, 10, 50])
        counts[1] = nil
        #expect(counts[1] == nil && counts.use(1, default: 7) { $0 } == 7)
    }

    @Test("Of more than 200 tracks the 100 are forgotten that were not used for longest")
    func most() {
        var tracks = PerTrack<Int, Int>()
        for track in 0..<200 { tracks.use(track, default: track) { _ in } }
        tracks.use(0, default: -1) { _ in }
        tracks.use(200, default: 200) { _ in }
        #expect(tracks[0] == 0 && tracks[200] == 200)
        #expect((1...100).allSatisfy { tracks[$0] == nil })
        #expect((101..<200).allSatisfy { tracks[$0] == $0 })
    }

    @Test("By frames, tracks are forgotten that were not seen since one")
    func frames() {
        var tracks = PerTrack<String, Int>()
        for frame in 0..<10 {
            tracks.use("a", at: frame, default: 1) { _ in }
            if frame < 5 { tracks.use("b", at: frame, default: 2) { _ in } }
        }
        tracks.forget(before: 4)
        #expect(tracks["a"] == 1 && tracks["b"] == 2)
        tracks.forget(before: 5)
        #expect(tracks["a"] == 1 && tracks["b"] == nil)
    }
}
