// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing

@Suite("Filters: plans")
struct FiltersPlanTests {
    private func plan(_ text: String, _ format: PixelFormat = .bgra) throws -> [String] {
        let frame = Picture(format, width: 64, height: 48)
        let plan = FilterRunner(threads: 1).explain(try FilterChain(text), on: FrameImage(frame.image))
        let lines = plan.split(separator: "\n")
        return lines.map(String.init)
    }

    @Test func neighbouringMatricesAreOne() throws {
        let one = try plan("sepia-tone | hue | saturation")
        #expect(one == ["1 pass", "1: matrix of sepia-tone, hue, saturation"])
        let five = try plan("sepia-tone | hue | saturation | white-point | color-matrix")
        #expect(five == ["1 pass", "1: matrix of sepia-tone, hue, saturation, white-point, color-matrix"])
    }

    @Test func neighbouringCurvesAreOne() throws {
        #expect(try plan("gamma | tone-curve | posterize") == ["1 pass", "1: curve of gamma, tone-curve, posterize"])
        let three = try plan("sepia-tone | gamma | saturation")
        #expect(three == ["1 pass", "1: matrix of sepia-tone, curve of gamma, matrix of saturation"])
    }

    @Test func gainsAfterACurveArePartOfIt() throws {
        let one = try plan("photo-chrome | brightness-contrast contrast=1.2 | exposure ev=0.1")
        #expect(one == ["1 pass", "1: matrix of photo-chrome, curve of photo-chrome, brightness-contrast, exposure"])
        // Larger gains would need a finer curve. Filters with their own loop need no curve.
        for text in ["photo-noir | brightness-contrast contrast=3", "saturation | posterize | exposure"] {
            #expect(try plan(text).last?.contains(", matrix of ") == true, "\(text)")
        }
    }

    @Test func neighbouringWarpsAreOneMap() throws {
        let plan = try plan("mirror | twirl | rotate angle=20")
        #expect(plan.count == 3, "bytes are copied, and then sampled: \(plan)")
        #expect(plan.last == "2: map of mirror, twirl, rotate")
    }

    @Test func mirrorsWorkInPlace() throws {
        for text in ["mirror", "mirror axis=vertical", "mirror axis=both", "mirror | mirror axis=vertical"] {
            #expect(try plan(text) == ["1 pass", "1: mirror in place"], "\(text)")
        }
        #expect(try plan("mirror | sepia-tone").count == 3)
        #expect(try plan("mirror", .rgb).count == 3)
    }

    @Test("a part of the picture is enlarged in place")
    func enlarging() throws {
        #expect(try plan("crop-zoom") == ["1 pass", "1: map of crop-zoom"])
        let two = "1: map of crop-zoom, matrix of sepia-tone"
        #expect(try plan("crop-zoom zoom=4 center-y=1 | sepia-tone", .xrgb) == ["1 pass", two])
        // With the vertical mirror, both halves need rows of the other half.
        #expect(try plan("crop-zoom | mirror axis=vertical").count == 3)
        #expect(try plan("crop-zoom", .rgb).count == 3)
    }

    @Test("colours are changed in the pass that brings them")
    func coloursRideAlong() throws {
        #expect(try plan("twirl | sepia-tone | gamma").last == "2: map of twirl, matrix of sepia-tone, curve of gamma")
        #expect(try plan("edges | invert").last == "2: neighbours of edges, matrix of invert")
    }

    @Test func nothingIsDoneForNothing() throws {
        for text in [
            "", "gaussian-blur radius=0", "box-blur radius=0 | pixellate size=1", "zoom-blur amount=0", "cube",
        ] {
            #expect(try plan(text) == ["no pass"], "\(text)")
        }
    }

    @Test("what a blur does to a pixel does not depend on the radius")
    func blurs() throws {
        let box = try plan("box-blur radius=1")
        #expect(try plan("box-blur radius=100") == box)
        let near = try plan("gaussian-blur radius=4")
        let far = try plan("gaussian-blur radius=32")
        #expect(near.count == far.count)
        // Each halving leaves a quarter of the pixels. So there are few weights for any radius.
        for radius in [3.0, 4, 8, 16, 32, 64, 100] {
            let plan = try plan("gaussian-blur radius=\(radius)")
            let counts = plan.joined().matches(of: #/(\d+) weights/#).compactMap { Int($0.1) }
            #expect(counts.allSatisfy { $0 <= 19 }, "\(plan)")
        }
    }

    @Test("a plan is made anew when something changes, and only then")
    func plansAreKept() throws {
        let runner = FilterRunner(threads: 1)
        let picture = RealPicture.sample(width: 20, height: 10)
        func run(_ chain: FilterChain, _ format: PixelFormat, at time: UInt64) -> [UInt8] {
            let frame = Picture(format, width: 20, height: 10)
            picture.write(to: frame)
            runner.run(chain, on: frame.image, at: time)
            return frame.bytes
        }
        func alone(_ chain: FilterChain, _ format: PixelFormat, at time: UInt64) -> [UInt8] {
            let frame = Picture(format, width: 20, height: 10)
            picture.write(to: frame)
            FilterRunner(threads: 1).run(chain, on: frame.image, at: time)
            return frame.bytes
        }
        var chain = try FilterChain("gamma gamma=1->3@1s | twirl angle=0->90@2s | gaussian-blur radius=2")
        let second: UInt64 = 1_000_000_000
        for time in [0, second / 2, second, 3 * second / 2, 2 * second, second / 2] {
            #expect(run(chain, .bgra, at: time) == alone(chain, .bgra, at: time), "\(time)")
        }
        #expect(run(chain, .rgbx, at: second) == alone(chain, .rgbx, at: second))
        try chain.set("twirl.angle", to: 300)
        #expect(run(chain, .rgb, at: second) == alone(chain, .rgb, at: second))
    }
}
