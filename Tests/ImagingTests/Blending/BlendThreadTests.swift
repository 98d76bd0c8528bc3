// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import KernelTypes
import Synchronization
import TestScope
import Testing

@Suite("Blending by several threads")
struct BlendThreadTests {
    // Frames of this size are divided among several threads.
    private let width = 1031
    private let height = 403
    private let blenders = [1, 2, 3, 8].map { Blender(threads: $0) }

    @Test("gives the same packed picture", arguments: [BlendMode.softLight, .luminosity], [true, false])
    func packed(_ mode: BlendMode, _ isWeighted: Bool) {
        var random = Random(seed: 1)
        let foreground = Picture(.bgra, width: width, height: height)
        let weights = Picture(.gray8, width: width, height: height, padding: 1)
        let background = Picture(.bgrx, width: width, height: height, padding: 4)
        for picture in [foreground, weights, background] { picture.fillAtRandom(&random) }
        let before = background.bytes
        let results = blenders.map { blender in
            background.restore(before)
            blender.blend(
                foreground.image, onto: background.image, mode: mode, opacity: 0.7,
                weights: isWeighted ? weights.image : nil)
            return background.bytes
        }
        #expect(results.allSatisfy { $0 == results[0] && $0 != before })
    }

    @Test(
        "gives the same YUV frame, wherever its chroma begins",
        arguments: TestScope.pairs(
            FrameFormat.allYUV, [(BlendMode.screen, false), (.screen, true), (.normal, false)]))
    func yuv(_ format: FrameFormat, _ way: (mode: BlendMode, isInterlaced: Bool)) {
        var random = Random(seed: 2)
        let video = Video(format, width: width, height: height + height % 2, padding: 3)
        video.fillAtRandom(seed: 3)
        let whole = FrameImage(
            format, width: width, height: video.whole.height, planes: video.whole.planes, isInterlaced: way.isInterlaced
        )
        let stacked = Picture(.gray8, width: width, height: 3 * height)
        let weights = Picture(.gray8, width: width, height: height)
        for picture in [stacked, weights] { picture.fillAtRandom(&random) }
        let before = video.bytes
        for (top, y) in [(0, 0), (1, 0), (3, 17), (2, -3)] {
            let frame = whole.cropped(to: Rectangle(x: 1, y: top, width: width, height: height))
            let results = blenders.map { blender in
                video.restore(before)
                blender.blend(
                    PlanarImage(stacked: stacked.image), onto: frame, x: 1, y: y, mode: way.mode, opacity: 0.7,
                    weights: weights.image, samples: ForegroundSamples())
                return video.bytes
            }
            #expect(results.allSatisfy { $0 == results[0] && $0 != before })
        }
    }

    @Test("Who shares what is shared already does it alone")
    func nested() {
        let blender = Blender(threads: 4)
        let seen = Mutex((bands: 0, strangers: 0))
        blender.share(0..<160, width: 1 << 24) { _, helper in
            helper.share(0..<160, width: 1 << 24) { _, another in
                seen.withLock {
                    $0.bands += 1
                    if another !== helper { $0.strangers += 1 }
                }
            }
        }
        seen.withLock { #expect($0.bands == 100 && $0.strangers == 0) }
    }

    @Test("Every row is in one band, whose blender no other thread has")
    func bands() {
        let blender = Blender(threads: 4)
        for rows in [0..<0, 3..<4, 15..<17, 5..<1000] {
            let seen = Mutex((rows: [Int](), busy: Set<ObjectIdentifier>(), isShared: false))
            blender.share(rows, width: 10_000) { band, helper in
                seen.withLock { if !$0.busy.insert(ObjectIdentifier(helper)).inserted { $0.isShared = true } }
                seen.withLock {
                    $0.rows += band
                    $0.busy.remove(ObjectIdentifier(helper))
                }
                #expect(band.lowerBound / Blender.bandHeight == (band.upperBound - 1) / Blender.bandHeight)
            }
            seen.withLock {
                #expect($0.rows.sorted() == Array(rows))
                #expect(!$0.isShared)
            }
        }
    }
}
