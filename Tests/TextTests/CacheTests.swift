// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
import Text

@Suite("Stamps that are kept")
struct CacheTests {
    private final class Weak {
        weak var stamp: Stamp?
        init(_ stamp: Stamp?) { self.stamp = stamp }
    }

    @Test("the same object for the same text in the same style")
    func identity() throws {
        let painter = try painter()
        let stamp = try #require(painter.stamp("face", color: white, outline: 1))
        #expect(stamp === painter.stamp("face", color: white, outline: 1))
        for other in [
            painter.stamp("faces", color: white, outline: 1), painter.stamp("face", color: 0xFF_FF_00_00, outline: 1),
            painter.stamp("face", color: white, outline: 2),
            painter.stamp("face", color: white, outline: 1, maximumWidth: 200),
        ] {
            #expect(other != nil && stamp !== other)
        }
        #expect(stamp === painter.stamp("face", color: white, outline: 1))
    }

    @Test("at most so many, least recently used first")
    func count() throws {
        let painter = try painter("Sans 8px", cachedStamps: 10)
        let stamps = (0..<50).map { number in
            _ = painter.stamp("0", color: white)
            return Weak(painter.stamp("\(number)", color: white))
        }
        // The first stamp was used all the time. The last nine stamps are the newest.
        #expect(stamps.indices.filter { stamps[$0].stamp != nil } == [0] + Array(41..<50))
    }

    @Test("at most so many bytes")
    func bytes() throws {
        let size = try #require(painter("Sans 8px").stamp("00", color: white)).bounds
        let pixels = size.width * size.height
        let painter = try painter("Sans 8px", cachedBytes: 100 * pixels)
        let stamps = (10..<60).map { Weak(painter.stamp("\($0)", color: white)) }
        let kept = stamps.indices.filter { stamps[$0].stamp != nil }
        // Each stamp needs at least 5 bytes per pixel. The newest stamps are kept.
        #expect((2...20).contains(kept.count) && kept == Array(50 - kept.count..<50))
        // If a stamp is larger than the whole cache, it is not kept.
        let large = Weak(painter.stamp(String(repeating: "0", count: 1000), color: white))
        #expect(large.stamp == nil && stamps.last?.stamp != nil)
    }

    @Test("none at all", arguments: [(0, 1 << 20), (-1, 1 << 20), (256, 0), (256, -1)])
    func none(stamps: Int, bytes: Int) throws {
        let painter = try painter(cachedStamps: stamps, cachedBytes: bytes)
        let stamp = try #require(painter.stamp("face", color: white))
        #expect(stamp !== painter.stamp("face", color: white))
    }

    @Test("released with the painter")
    func released() throws {
        var owner: TextPainter? = try painter()
        let stamp = Weak(owner?.stamp("face", color: white))
        #expect(stamp.stamp != nil)
        owner = nil
        #expect(stamp.stamp == nil)
    }
}
