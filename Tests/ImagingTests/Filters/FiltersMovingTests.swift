// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import KernelTypes
import Testing

/// Distortions while their parameters change. The formulas are in FiltersPlaceFormulas.swift.
@Suite("Filters: moving distortions")
struct FiltersMovingTests {
    private static let chains = [
        "pinch", "pinch amount=1 radius=4 center-x=0.1", "pinch amount=0.1 radius=0.3", "bump",
        "bump amount=-1 radius=2 edges=mirror", "bump amount=0.95 radius=0.5 center-y=1", "twirl",
        "twirl angle=-720 radius=0.4", "twirl angle=500 radius=4 center-x=0 edges=mirror", "lens",
        "lens k1=1 k2=1 zoom=0.5 edges=mirror", "lens k1=-1 k2=1 zoom=4 center-x=0.2", "ripple",
        "ripple amplitude=50 length=500 phase=3600", "ripple amplitude=4 length=4 phase=-77",
        "kaleidoscope", "kaleidoscope count=2 angle=-200", "kaleidoscope count=3 angle=10 center-y=0.1",
        "kaleidoscope count=5 angle=359 edges=clamp", "kaleidoscope count=16", "kaleidoscope count=17 angle=33",
        "kaleidoscope count=31", "kaleidoscope count=32 center-x=1", "mirror-tile count=3", "rotate",
        "rotate angle=-130 scale=0.2 edges=mirror", "rotate scale=0.3 edges=wrap", "perspective edges=mirror",
        "perspective top-left-x=0.3 bottom-right-y=1.3",
    ]

    /// Returns an image with steep slopes: 12 levels per pixel in red and blue from left to right, and in green from
    /// top to bottom. Blue is half a slope ahead of red. An error of 0.1 pixel changes a slope by 1.2 levels.
    private func slopes(width: Int, height: Int) -> RealPicture {
        func wave(_ value: Int) -> Double { abs(Double(value % 40) - 20) * 12 / 255 }
        return RealPicture(width: width, height: height) { x, y in SIMD3(wave(x), wave(y), wave(x + 10)) }
    }

    @Test("while parameters change, positions differ by less than 0.1 pixel from the formula", arguments: chains)
    func error(text: String) throws {
        let chain = try FilterChain(text)
        for (width, height) in [(320, 180), (97, 203)] {
            let picture = slopes(width: width, height: height)
            let exact = picture.filtered(chain)
            // Where the source is a different mirrored copy, a wrapped copy or a transparent pixel, colours jump.
            let isTorn = text.contains("wrap") || exact.pixels.contains { $0 == SIMD3(repeating: 0) }
            for kernels in Processor.kernelSets {
                let frame = Picture(.bgrx, width: width, height: height)
                picture.write(to: frame)
                let runner = FilterRunner(threads: 2, kernels: kernels)
                runner.run(chain, on: frame.image, isAdjusted: true)
                // Bytes are rounded to half a level, and the formula rounds positions to 1/512 pixel.
                let found = exact.difference(from: frame, limit: 0.1 * 12 + 0.5 + 12.0 / 512)
                #expect(
                    found.count <= (isTorn ? (width + height) / 20 : 0),
                    "\(text), \(width), \(kernels.level.rawValue): \(found.count) \(found.worst) \(found.what)")
            }
        }
    }

    @Test(
        "a moving map of several distortions differs by less than 0.1 pixel from the fixed map",
        arguments: [
            "crop-zoom zoom=3 center-x=0.3 | twirl | mirror axis=both | kaleidoscope count=5 | rotate edges=mirror",
            "pinch | ripple | bump amount=-1 edges=mirror", "mirror-tile | kaleidoscope | lens edges=mirror",
        ])
    func severalDistortions(text: String) throws {
        let chain = try FilterChain(text)
        let picture = slopes(width: 320, height: 180)
        for kernels in Processor.kernelSets {
            let frames = [false, true].map { isAdjusted in
                let frame = Picture(.bgrx, width: 320, height: 180)
                picture.write(to: frame)
                FilterRunner(threads: 1, kernels: kernels).run(chain, on: frame.image, isAdjusted: isAdjusted)
                return frame.bytes
            }
            let worst = zip(frames[0], frames[1]).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
            // An error of 0.1 pixel is 1.2 levels, and both results are rounded.
            #expect(worst <= 2, "\(text), \(kernels.level.rawValue): \(worst)")
        }
    }

    @Test("a fade has the pixels of a moving map, and its end has the exact pixels")
    func fades() throws {
        let (width, height) = (320, 180)
        let picture = slopes(width: width, height: height)
        func run(_ text: String, at time: Double, isAdjusted: Bool = false) throws -> [UInt8] {
            let frame = Picture(.bgrx, width: width, height: height)
            picture.write(to: frame)
            let runner = FilterRunner(threads: 1)
            runner.run(try FilterChain(text), on: frame.image, at: UInt64(time * 1e9), isAdjusted: isAdjusted)
            return frame.bytes
        }
        let fade = "twirl angle=0->300@2s"
        #expect(try run(fade, at: 1) == run("twirl angle=150", at: 0, isAdjusted: true))
        #expect(try run(fade, at: 2) == run("twirl angle=300", at: 0))
        #expect(try run(fade, at: 1) != run(fade, at: 1.5))
    }

    @Test("a runner keeps the exact map of a distortion while another filter changes")
    func keptMap() throws {
        let (width, height) = (320, 180)
        let picture = slopes(width: width, height: height)
        let runner = FilterRunner(threads: 1)
        func run(_ text: String, isAdjusted: Bool) throws -> [UInt8] {
            let frame = Picture(.bgrx, width: width, height: height)
            picture.write(to: frame)
            runner.run(try FilterChain(text), on: frame.image, isAdjusted: isAdjusted)
            return frame.bytes
        }
        let exact = try run("twirl angle=333 | exposure ev=0.2", isAdjusted: false)
        #expect(try run("twirl angle=333 | exposure ev=0.1", isAdjusted: true) != exact)
        #expect(try run("twirl angle=333 | exposure ev=0.2", isAdjusted: true) == exact)
        #expect(try run("twirl angle=334 | exposure ev=0.2", isAdjusted: true) != exact)
        #expect(try run("twirl angle=333 | exposure ev=0.2", isAdjusted: false) == exact)
    }

    @Test("extreme parameters, tiny frames and large frames do not trap", arguments: [(1, 1), (1, 300), (9000, 2)])
    func extremes(width: Int, height: Int) throws {
        for text in FiltersPlacesTests.everyFilter where text.contains("center-x") || text.contains("edges") {
            let frame = Picture(.rgba, width: width, height: height)
            FilterRunner(threads: 1).run(try FilterChain(text), on: frame.image, isAdjusted: true)
            #expect(frame.isIntactAround, "\(text)")
        }
    }
}
