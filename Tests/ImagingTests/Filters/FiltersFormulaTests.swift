// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing
import KernelTypes

/// Chains of filters. The result of each chain is compared with its formula.
private let chains =
    Filter.all.map(\.name).filter { !withoutFormula.contains($0) } + [
        "gaussian-blur radius=0.4", "gaussian-blur radius=1.3", "gaussian-blur radius=2.2", "gaussian-blur radius=2.6",
        "gaussian-blur radius=4", "gaussian-blur radius=30", "box-blur radius=0.5", "box-blur radius=2.75",
        "box-blur radius=60", "motion-blur angle=30 radius=5", "motion-blur angle=-90 radius=3.5",
        "motion-blur angle=120 radius=9", "motion-blur angle=-160 radius=40", "zoom-blur amount=0.5 center-x=0.2",
        "median radius=2", "exposure ev=-2", "exposure ev=3", "gamma gamma=0.4", "gamma gamma=4",
        "brightness-contrast brightness=-0.3 contrast=3", "brightness-contrast brightness=0.5 contrast=0.2",
        "saturation saturation=0", "saturation saturation=3", "vibrance amount=-1", "hue angle=-35",
        "temperature-tint temperature=2100 tint=0.5", "temperature-tint temperature=12000 tint=-0.6",
        "white-point color=#8090a0", "tone-curve black=0.3 shadows=0.1 middle=0.9 lights=0.2 white=0.7",
        "levels black=0.3 white=0.6 gamma=2 out-black=0.2 out-white=0.8", "levels black=0.2 white=0.7",
        "color-matrix red-green=0.5 green-red=-0.5 blue-blue=0 blue-offset=0.4", "sepia-tone intensity=0.4",
        "monochrome color=#ff8000 intensity=0.7", "invert intensity=0.7", "posterize levels=2",
        "posterize levels=17", "solarize threshold=0.2", "threshold threshold=0.3",
        "false-color dark=#ffffff light=#102030", "vignette radius=0.5 softness=0 center-x=0.3",
        "vignette radius=1.5 softness=1 intensity=1", "sharpen-luminance sharpness=3 radius=0.7",
        "unsharp-mask intensity=2 radius=5 threshold=0.05", "pinch amount=1 radius=2", "bump amount=-0.8 radius=0.7",
        "twirl angle=-400 radius=1.5 center-y=0.2", "lens k1=-0.4 k2=0.3 zoom=1.4",
        "ripple amplitude=3 length=9 phase=40",
        "mirror axis=vertical", "mirror axis=both", "mirror | mirror axis=vertical", "mirror | gamma",
        "rotate angle=90", "rotate angle=-130 scale=1.7",
        "crop-zoom zoom=3 center-x=0.9 center-y=0", "perspective top-left-x=0.3 bottom-right-y=1.3", "pixellate size=5",
        "perspective top-left-x=0.44 top-left-y=0.26 top-right-x=0.56 top-right-y=0.26",
        "pixellate size=100", "edges intensity=0.5", "bloom threshold=0 radius=2", "gloom radius=3 intensity=1",
        "emboss angle=20 height=9", "comic levels=3 threshold=0.3", "oil-paint radius=1", "oil-paint radius=5",
        "pencil-sketch strength=6 radius=1", "night-vision gain=4", "dot-screen size=5 angle=10 sharpness=1",
        "line-screen size=9 angle=-20 sharpness=0.7", "kaleidoscope count=5 angle=25 center-x=0.4",
        "mirror-tile count=3", "checkerboard size=6 angle=30 color=#ff0000", "stripes size=4 angle=0 opacity=1",
        "radial-gradient radius=0.4 opacity=0.9 center-y=1", "crop-zoom | mirror axis=both",
        "gaussian-blur radius=2 | crop-zoom", "crop-zoom zoom=1.2 center-x=0.1 | sepia-tone", "mirror | crop-zoom",
        "crop-zoom zoom=1.05", "crop-zoom zoom=1.9 center-y=0.2", "crop-zoom zoom=20 center-x=1 center-y=1",
        "crop-zoom zoom=6 center-y=0",
        "pinch amount=1 radius=3 edges=mirror", "bump amount=-1 radius=3 edges=wrap center-x=0.3",
        "twirl edges=transparent center-x=0.1", "lens k1=1 edges=wrap zoom=0.5", "lens k1=1 edges=clamp",
        "ripple amplitude=20 edges=mirror", "rotate angle=40 scale=0.4 edges=mirror", "rotate edges=wrap scale=0.3",
        "perspective edges=mirror", "kaleidoscope edges=clamp", "kaleidoscope count=7 edges=transparent center-x=0.1",
        "kaleidoscope count=32 edges=wrap center-y=0",
        "sepia-tone | gamma | hue", "sepia-tone | tone-curve | hue", "hue | gamma gamma=4 | saturation",
        "sepia-tone | levels gamma=0.3 | hue angle=60", "hue | tone-curve black=0.3 shadows=0.1 white=0.7 | hue",
    ]

/// Filters without a formula. The cells of `crystallize` are only defined by the code, and `cube` needs a file. Both
/// have other tests.
private let withoutFormula: Set = ["crystallize", "cube"]

/// Filters with jumps. If a value is near a jump, both sides of the jump are right.
private let jumping = ["threshold", "solarize", "posterize", "comic", "oil-paint", "unsharp-mask intensity=2"]

@Suite("Filters: formulas")
struct FiltersFormulaTests {
    @Test("each filter is what its formula says", arguments: chains)
    func formula(text: String) throws {
        let chain = try FilterChain(text)
        for (width, height) in [(37, 23), (8, 6), (1, 1), (3, 40)] {
            let picture = RealPicture.sample(width: width, height: height)
            let exact = picture.filtered(chain)
            let frame = Picture(.bgra, width: width, height: height)
            picture.write(to: frame)
            FilterRunner(threads: 1).run(chain, on: frame.image)
            expect(frame, isNear: exact, text, "\(width) x \(height)")
        }
    }

    @Test("every kernel set does the same", arguments: chains.filter { !$0.contains("=") })
    func kernelSets(text: String) throws {
        let chain = try FilterChain(text)
        let picture = RealPicture.sample(width: 53, height: 19)
        let exact = picture.filtered(chain)
        for kernels in Processor.kernelSets {
            let frame = Picture(.rgbx, width: 53, height: 19)
            picture.write(to: frame)
            FilterRunner(threads: 1, kernels: kernels).run(chain, on: frame.image)
            expect(frame, isNear: exact, text, kernels.level.rawValue)
        }
    }

    @Test("every order of bytes, and grey", arguments: chains.filter { !$0.contains("=") })
    func formats(text: String) throws {
        let chain = try FilterChain(text)
        let moving: Set<Filter.Category> = [.distortion, .geometry, .tile]
        let movesAlpha = chain.uses.contains { moving.contains($0.filter.category) }
        for format in PixelFormat.all {
            var picture = RealPicture.sample(width: 21, height: 13)
            if format.isGray { picture = picture.map { SIMD3(repeating: ($0.luma * 255).rounded() / 255) } }
            let frame = Picture(format, width: 21, height: 13, padding: 5)
            picture.write(to: frame)
            FilterRunner(threads: 1).run(chain, on: frame.image)
            expect(frame, isNear: picture.filtered(chain), text, format.name)
            #expect(frame.isIntactAround, "\(format.name)")
            if let fourth = format.padding ?? (movesAlpha ? nil : format.alpha) {
                let stayed = (0..<13).allSatisfy { y in
                    (0..<21).allSatisfy { frame[$0, y][fourth] == RealPicture.fourth($0, y) }
                }
                #expect(stayed, "\(format.name): the fourth byte")
            }
        }
    }

    @Test("alpha goes with the pixels")
    func alpha() throws {
        let picture = RealPicture.sample(width: 12, height: 7)
        for text in [
            "mirror", "gaussian-blur radius=1 | mirror | gamma", "sepia-tone | mirror | gaussian-blur radius=3",
            "motion-blur angle=30 | mirror", "mirror | motion-blur angle=70 | gamma",
        ] {
            for format in [PixelFormat.rgba, .abgr] {
                let frame = Picture(format, width: 12, height: 7)
                picture.write(to: frame)
                FilterRunner(threads: 1).run(try FilterChain(text), on: frame.image)
                let moved = (0..<7).allSatisfy { y in
                    (0..<12).allSatisfy { frame[$0, y][format.alpha ?? 0] == RealPicture.fourth(11 - $0, y) }
                }
                #expect(moved, "\(text), \(format.name)")
            }
        }
        let frame = Picture(.bgra, width: 12, height: 7)
        picture.write(to: frame)
        FilterRunner(threads: 1).run(try FilterChain("rotate angle=45"), on: frame.image)
        #expect(frame[0, 0] == [0, 0, 0, 0], "nothing is there, and that is transparent")
    }

    private func expect(_ frame: Picture, isNear exact: RealPicture, _ text: String, _ what: String) {
        let jumps = jumping.contains { text.hasPrefix($0) }
        let found = exact.difference(from: frame, limit: 1)
        let allowed = jumps ? 1 + exact.pixels.count / 50 : 0
        #expect(found.count <= allowed, "\(text), \(what): \(found.worst) \(found.what)")
    }
}
