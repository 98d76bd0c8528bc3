// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing

@Suite("Filters: chains on frames")
struct FiltersRunTests {
    private func near(_ text: String, _ width: Int, _ height: Int, _ format: PixelFormat, seed: UInt64 = 5) throws {
        let chain = try FilterChain(text)
        var picture = RealPicture.sample(width: width, height: height, seed: seed)
        if format.isGray { picture = picture.map { SIMD3(repeating: ($0.luma * 255).rounded() / 255) } }
        let frame = Picture(format, width: width, height: height, padding: 3)
        picture.write(to: frame)
        FilterRunner(threads: 1).run(chain, on: frame.image)
        let found = picture.filtered(chain).difference(from: frame, limit: 1)
        #expect(found.count == 0, "\(text), \(format.name): \(found.worst) \(found.what)")
    }

    static let chains = [
        "sepia-tone | hue | saturation | white-point | color-matrix red-green=0.3",
        // Values leave 0…1 and return. Nothing is clipped between linear filters.
        "exposure ev=3 | exposure ev=-3", "brightness-contrast brightness=-0.9 | brightness-contrast brightness=0.9",
        "invert | exposure ev=2 | vignette | invert", "saturation saturation=4 | saturation saturation=0.25",
        // Values are clipped before a curve.
        "exposure ev=2 | gamma gamma=1 | exposure ev=-2", "sepia-tone | tone-curve | saturation",
        "gamma gamma=0.6 | photo-instant | levels gamma=1.4", "exposure ev=-1 | gamma | exposure ev=1 | invert",
        "sepia-tone | gamma gamma=10", "hue | gamma gamma=0.1",
        "exposure ev=1 | gamma gamma=2.2 | posterize levels=3 | exposure ev=-1",
        // Values are clipped before a spatial filter. The pass of this filter also computes the next colour filters.
        "exposure ev=2 | gaussian-blur radius=3 | exposure ev=-2 | gamma", "saturation saturation=3 | median | hue",
        "gaussian-blur radius=1 | box-blur radius=2 | gaussian-blur radius=5",
        "sepia-tone | bloom radius=2 | unsharp-mask | vignette",
        "vibrance | sharpen-luminance | dot-screen sharpness=1",
        "motion-blur radius=3 angle=30 | motion-blur radius=3 angle=120", "edges | gloom radius=2 | invert",
        "pixellate size=6 | stripes | gaussian-blur radius=1.5", "zoom-blur | invert | zoom-blur",
        "mirror | hue | mirror axis=vertical | photo-fade", "oil-paint | pencil-sketch | sepia-tone",
        "crop-zoom | checkerboard | mirror-tile", "gaussian-blur radius=6 | emboss | false-color",
        "gaussian-blur radius=9 | gaussian-blur radius=9", "gaussian-blur radius=8 | unsharp-mask radius=6 | gamma",
    ]

    @Test("a chain is what its filters' formulas say, one after another", arguments: chains)
    func fused(text: String) throws {
        try near(text, 31, 22, .bgra)
        try near(text, 13, 17, .rgb)
        try near(text, 9, 8, .gray8)
    }

    /// Colour filters without jumps. Their parameters do not amplify internal rounding.
    private static let mild: [@Sendable (inout Random) -> String] = [
        { "sepia-tone intensity=\(share(&$0))" }, { "invert intensity=\(share(&$0))" },
        { "hue angle=\((share(&$0) * 360 - 180))" }, { "saturation saturation=\(share(&$0) * 2)" },
        { "exposure ev=\(share(&$0) * 4 - 2)" }, { "gamma gamma=\(0.5 + share(&$0) * 1.5)" },
        { "tone-curve shadows=\(share(&$0)) lights=\(share(&$0))" }, { "vibrance amount=\(share(&$0) * 2 - 1)" },
        { "brightness-contrast contrast=\(share(&$0) * 2) brightness=\(share(&$0) - 0.5)" },
        { "monochrome intensity=\(share(&$0))" }, { _ in "photo-chrome" },
        { "vignette radius=\(0.2 + share(&$0))" }, { "temperature-tint temperature=\(3000 + 9000 * share(&$0))" },
        { "white-point color=#\(share(&$0) < 0.5 ? "c0d0e0" : "ffe0a0")" }, { _ in "photo-instant" },
        { "color-matrix red-blue=\(share(&$0) - 0.5) green-offset=\(share(&$0) * 0.4 - 0.2)" },
    ]

    private static func share(_ random: inout Random) -> Double { Double(random.next() >> 44) / Double(1 << 20) }

    @Test("random chains of colour filters")
    func randomColours() throws {
        var random = Random(seed: 3)
        for _ in 0..<60 {
            let count = 2 + Int(random.next() % 5)
            let names = (0..<count).map { _ in Self.mild[Int(random.next() % UInt64(Self.mild.count))](&random) }
            let format = PixelFormat.all[Int(random.next() % UInt64(PixelFormat.all.count))]
            try near(names.joined(separator: " | "), 16, 9, format, seed: random.next())
        }
    }

    // MARK: - Any parameters

    /// Returns a filter with any valid parameters, often at their limits.
    static func anyUse(_ random: inout Random, of filters: [Filter] = Filter.all) -> String {
        let filter = filters[Int(random.next() % UInt64(filters.count))]
        var words = [filter.name]
        for parameter in filter.parameters where random.next() % 3 > 0 {
            switch parameter.kind {
            case .number(let range, _, let isInteger):
                let place = [0, 1, share(&random), share(&random), share(&random)][Int(random.next() % 5)]
                let number = range.lowerBound + (range.upperBound - range.lowerBound) * place
                words.append("\(parameter.name)=\(isInteger ? number.rounded() : number)")
            case .color: words.append("\(parameter.name)=#" + ["000000", "ffffff", "12c0ff"][Int(random.next() % 3)])
            case .choice(let choices):
                words.append("\(parameter.name)=\(choices[Int(random.next() % UInt64(choices.count))])")
            case .cubeFile: break
            }
        }
        return words.joined(separator: " ")
    }

    @Test("500 random chains stay inside of the frame and do the same on any number of threads", arguments: 0..<10)
    func anything(part: Int) throws {
        var random = Random(seed: UInt64(100 + part))
        let runners = [FilterRunner(threads: 1), FilterRunner(threads: 3)]
        for _ in 0..<50 {
            let text = (0...Int(random.next() % 4)).map { _ in Self.anyUse(&random) }.joined(separator: " | ")
            let chain = try FilterChain(text)
            let format = PixelFormat.all[Int(random.next() % UInt64(PixelFormat.all.count))]
            let (width, height) = (1 + Int(random.next() % 45), 1 + Int(random.next() % 45))
            let padding = Int(random.next() % 9)
            let first = Picture(format, width: width, height: height, padding: padding)
            first.fillAtRandom(&random)
            let second = Picture(format, width: width, height: height, padding: padding)
            second.restore(first.bytes)
            #expect(runners[0].run(chain, on: first.image))
            #expect(runners[1].run(chain, on: second.image))
            #expect(first.isIntactAround, "\(text), \(format.name) \(width) x \(height)")
            #expect(first.bytes == second.bytes, "\(text), \(format.name) \(width) x \(height)")
        }
    }

    @Test("frames larger than a piece of work, on one thread and on several")
    func threads() throws {
        let chains = [
            "sepia-tone | gamma", "invert", "gamma", "gaussian-blur radius=2", "gaussian-blur radius=20", "box-blur",
            "motion-blur angle=30", "zoom-blur", "median", "comic", "oil-paint", "twirl | hue", "crystallize",
            "pixellate",
            "dot-screen", "bloom", "night-vision",
        ]
        for text in chains {
            let chain = try FilterChain(text)
            var random = Random(seed: 8)
            let one = Picture(.bgrx, width: 1100, height: 70, padding: 12)
            one.fillAtRandom(&random)
            let two = Picture(.bgrx, width: 1100, height: 70, padding: 12)
            two.restore(one.bytes)
            let before = one.bytes
            FilterRunner(threads: 1).run(chain, on: one.image)
            FilterRunner(threads: 4).run(chain, on: two.image)
            #expect(one.bytes == two.bytes, "\(text)")
            #expect(one.bytes != before, "\(text)")
            #expect(one.isIntactAround, "\(text)")
        }
    }

    @Test("crystals are of one colour each, and there are about as many as squares")
    func crystals() throws {
        let frame = Picture(.bgra, width: 80, height: 60)
        RealPicture.sample(width: 80, height: 60).write(to: frame)
        FilterRunner(threads: 1).run(try FilterChain("crystallize size=20"), on: frame.image)
        let colors = Set((0..<60).flatMap { y in (0..<80).map { Array(frame[$0, y][0..<3]) } })
        // There are 4 x 3 whole squares, and more squares around them that are partly visible.
        #expect((10...30).contains(colors.count), "\(colors.count)")
        let other = Picture(.bgra, width: 80, height: 60)
        RealPicture.sample(width: 80, height: 60).write(to: other)
        FilterRunner(threads: 1).run(try FilterChain("crystallize size=20 seed=2"), on: other.image)
        #expect(other.bytes != frame.bytes)
    }

    @Test("frames of another size one after the other")
    func sizes() throws {
        let runner = FilterRunner(threads: 2)
        let chain = try FilterChain("gaussian-blur radius=5 | twirl | bloom")
        for (width, height) in [(30, 20), (7, 50), (1, 1), (64, 3), (30, 20)] {
            let picture = RealPicture.sample(width: width, height: height)
            let (frame, fresh) = (
                Picture(.rgba, width: width, height: height), Picture(.rgba, width: width, height: height)
            )
            picture.write(to: frame)
            picture.write(to: fresh)
            runner.run(chain, on: frame.image)
            FilterRunner(threads: 1).run(chain, on: fresh.image)
            #expect(frame.bytes == fresh.bytes, "\(width) x \(height)")
        }
    }
}
