// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing

@Suite("Filters: places")
struct FiltersPlacesTests {
    // MARK: - Nothing is left out

    /// Each filter alone: with default parameters, with each parameter at its limits, and with all parameters at their
    /// limits.
    static let everyFilter: [String] = Filter.all.flatMap { filter -> [String] in
        let ends = filter.parameters.compactMap { parameter -> [String]? in
            switch parameter.kind {
            case .number(let range, _, _): [range.lowerBound, range.upperBound].map { "\(parameter.name)=\($0)" }
            case .choice(let words): [words.first, words.last].map { "\(parameter.name)=\($0 ?? "")" }
            case .color, .cubeFile: nil
            }
        }
        let all = [ends.compactMap(\.first), ends.compactMap(\.last)].map { $0.joined(separator: " ") }
        return Set([""] + ends.joined() + all).sorted().map { $0.isEmpty ? filter.name : "\(filter.name) \($0)" }
    }

    /// Returns the tolerated difference in levels. Far from its centre, a Gaussian has a small effect. For other
    /// filters, returns 0.
    private static func limit(_ text: String) -> Int {
        let gaussians = [
            "gaussian-blur", "sharpen-luminance", "unsharp-mask", "bloom", "gloom", "pencil-sketch", "crystallize",
        ]
        return gaussians.contains { text.contains($0) } ? 25 : 0
    }

    private func expectNothingOutside(_ text: String, _ width: Int, _ height: Int, background: UInt8? = nil) throws {
        let trial = try PlaceTrial(text, width: width, height: height, background: background)
        for box in trial.boxes {
            let outside = trial.changes(of: box, limit: Self.limit(text)).outside(trial.copies(of: box))
            #expect(outside.isEmpty, "\(text), \(width) x \(height), \(box): \(outside.prefix(8))")
        }
    }

    @Test("whatever shows a box is within its copies, for every filter", arguments: everyFilter)
    func everyPixel(text: String) throws {
        try expectNothingOutside(text, 64, 48)
        try expectNothingOutside(text, 37, 61)
    }

    @Test(
        "the same on black, grey and white, and for frames of which not every pixel is looked at",
        arguments: [
            "gaussian-blur", "gaussian-blur radius=30", "bloom threshold=0.95 intensity=1", "gloom intensity=1",
            "unsharp-mask intensity=4 radius=12", "sharpen-luminance sharpness=4 radius=12",
            "pencil-sketch strength=10 radius=8", "crystallize", "twirl", "pinch amount=1", "ripple",
            "ripple amplitude=50 length=4", "lens k1=-1 k2=1", "bump", "kaleidoscope count=7", "mirror-tile count=5",
            "perspective", "rotate angle=33 scale=0.7", "crop-zoom zoom=3", "zoom-blur amount=0.6", "pixellate size=50",
            "kaleidoscope count=3 center-x=0.1 edges=wrap", "rotate scale=0.3 edges=mirror", "ripple edges=transparent",
            "rotate scale=0.4 angle=20 edges=wrap", "lens k1=1 zoom=0.5 edges=mirror", "perspective edges=mirror",
            "bump amount=-1 radius=4 center-x=0 edges=wrap",
            "crystallize size=70", "crop-zoom zoom=1.3 | sepia-tone | crop-zoom zoom=1.3 | invert | crop-zoom zoom=1.3",
        ])
    func largeFrames(text: String) throws {
        try expectNothingOutside(text, 323, 201)
        for background: UInt8 in [0, 30, 255] { try expectNothingOutside(text, 90, 61, background: background) }
    }

    @Test(
        "single pixels are seen nowhere else",
        arguments: [
            "ripple amplitude=25 length=4 phase=22", "ripple amplitude=9 length=7 phase=40",
            "pinch amount=1 radius=1.3",
            "twirl angle=720", "lens k1=-1 k2=1", "kaleidoscope count=9 center-x=0.3", "mirror-tile count=3",
        ])
    func pixels(text: String) throws {
        let trial = try PlaceTrial(text, width: 101, height: 83)
        for index in 0..<120 {
            let box = Rectangle(x: index % 12 * 8 + index % 5, y: index / 12 * 8 + index % 4, width: 1, height: 1)
            let outside = trial.changes(of: box).outside(trial.copies(of: box))
            #expect(outside.isEmpty, "\(text), \(box): \(outside.prefix(8))")
        }
    }

    @Test("a board is not seen beyond its horizon")
    func horizon() throws {
        let far = "top-left-x=0.44 top-left-y=0.26 top-right-x=0.56 top-right-y=0.26"
        let trial = try PlaceTrial("perspective \(far) bottom-right-y=1 bottom-left-y=1", width: 323, height: 201)
        for y in stride(from: 0, to: 200, by: 10) {
            let box = Rectangle(x: 0, y: y, width: 323, height: 10)
            let (changes, copies) = (trial.changes(of: box), trial.copies(of: box))
            #expect(!changes.isEmpty && changes.outside(copies).isEmpty, "\(box): \(copies)")
            #expect(copies.allSatisfy { $0.y >= 51 }, "\(box): \(copies)")
        }
    }

    private static let movers = [
        "mirror", "rotate", "crop-zoom", "perspective", "pinch", "bump", "twirl", "lens", "ripple", "kaleidoscope",
        "mirror-tile", "box-blur", "motion-blur", "zoom-blur", "pixellate", "oil-paint", "median", "sepia-tone",
    ].compactMap { Filter(name: $0) }

    @Test("whatever shows a box is within its copies, for random chains", arguments: 0..<8)
    func randomChains(part: Int) throws {
        var random = Random(seed: UInt64(40 + part))
        for _ in 0..<12 {
            let count = 1 + Int(random.next() % 4)
            let uses = (0..<count).map { _ in FiltersRunTests.anyUse(&random, of: Self.movers) }
            let (width, height) = (1 + Int(random.next() % 90), 1 + Int(random.next() % 70))
            try expectNothingOutside(uses.joined(separator: " | "), width, height)
        }
    }

    // MARK: - Little more

    @Test("boxes of what is mirrored or turned by right angles are exact")
    func exact() throws {
        let box = Rectangle(x: 100, y: 40, width: 31, height: 22)
        for (text, expected) in [
            ("mirror", Rectangle(x: 640 - 131, y: 40, width: 31, height: 22)),
            ("mirror axis=vertical", Rectangle(x: 100, y: 361 - 62, width: 31, height: 22)),
            ("mirror axis=both | mirror | sepia-tone", Rectangle(x: 100, y: 361 - 62, width: 31, height: 22)),
            ("rotate angle=180", Rectangle(x: 640 - 131, y: 361 - 62, width: 31, height: 22)),
            ("crop-zoom zoom=2 center-x=0 center-y=0", Rectangle(x: 199, y: 79, width: 64, height: 46)),
            ("mirror | box-blur radius=3", Rectangle(x: 640 - 134, y: 37, width: 37, height: 28)),
            ("motion-blur radius=7 | mirror", Rectangle(x: 640 - 138, y: 40, width: 45, height: 22)),
            ("pixellate size=10", Rectangle(x: 100, y: 40, width: 40, height: 30)),
        ] {
            let map = try #require(PositionMap(FilterChain(text), width: 640, height: 361))
            #expect(map.copies(of: box) == [expected], "\(text)")
        }
    }

    @Test(
        "boxes are not much larger than what they show",
        arguments: [
            ("rotate", 1.1), ("rotate angle=45", 1.1), ("rotate angle=70 scale=2", 1.1), ("crop-zoom", 1.05),
            ("perspective", 1.1), ("mirror | rotate angle=30 | perspective", 1.25), ("lens", 1.2), ("bump", 1.2),
            ("pinch", 1.35), ("twirl", 1.3), ("ripple", 1.4), ("zoom-blur", 1.35), ("motion-blur angle=30", 1.2),
        ])
    func tight(text: String, factor: Double) throws {
        let trial = try PlaceTrial(text, width: 400, height: 229)
        for box in [Rectangle(x: 110, y: 60, width: 70, height: 60), Rectangle(x: 205, y: 120, width: 40, height: 54)] {
            let copies = trial.copies(of: box)
            let changes = trial.changes(of: box)
            let (columns, rows) = (changes.map(\.x), changes.map(\.y))
            let width = try #require(columns.max()) - #require(columns.min()) + 1
            let height = try #require(rows.max()) - #require(rows.min()) + 1
            #expect(copies.count == 1)
            let area = copies.reduce(0) { $0 + $1.width * $1.height }
            #expect(Double(area) <= factor * width * height, "\(text), \(box): \(copies), \(width) x \(height)")
        }
    }

    @Test("there is a box for each copy, that nearest to the thing first")
    func copies() throws {
        let box = Rectangle(x: 70, y: 52, width: 8, height: 6)
        let tiles = try #require(PositionMap(FilterChain("mirror-tile count=3"), width: 300, height: 240))
        let copies = tiles.copies(of: box)
        let columns = [23, 174, 223], rows = [17, 141, 177]
        #expect(copies.count == 9)
        #expect(copies.first.map { abs($0.x - 23) <= 1 && abs($0.y - 17) <= 1 } == true, "\(copies)")
        for copy in copies {
            #expect(columns.contains { abs($0 - copy.x) <= 2 } && rows.contains { abs($0 - copy.y) <= 2 }, "\(copy)")
            #expect(copy.width <= 6 && copy.height <= 5, "\(copy)")
        }
        let mirrors = try #require(PositionMap(FilterChain("kaleidoscope count=5 angle=90"), width: 300, height: 240))
        // The box is in one of the ten sectors, at an angle of 0 to 36° from the downward direction.
        let sectors = mirrors.copies(of: Rectangle(x: 130, y: 180, width: 6, height: 6))
        #expect(sectors.count == 10)
        #expect(sectors.first?.intersection(Rectangle(x: 130, y: 180, width: 6, height: 6)).isEmpty == false)
        #expect(mirrors.copies(of: Rectangle(x: 130, y: 20, width: 6, height: 6)).isEmpty)
    }

    @Test("many copies share boxes")
    func manyCopies() throws {
        let trial = try PlaceTrial("mirror-tile count=16", width: 480, height: 320)
        let box = Rectangle(x: 200, y: 100, width: 60, height: 60)
        let copies = trial.copies(of: box)
        #expect((32...64).contains(copies.count))
        #expect(trial.changes(of: box).outside(copies).isEmpty)
        #expect(copies.allSatisfy { $0.width <= 60 && $0.height <= 40 }, "no larger than four tiles: \(copies)")
    }

    @Test("what is not shown has no copies")
    func hidden() throws {
        for (text, box) in [
            ("crop-zoom zoom=4", Rectangle(x: 10, y: 10, width: 40, height: 30)),
            ("rotate angle=45 scale=2", Rectangle(x: 0, y: 0, width: 20, height: 20)),
            ("rotate angle=45 | rotate angle=-45", Rectangle(x: 0, y: 0, width: 12, height: 12)),
            ("lens k1=-0.5 zoom=2", Rectangle(x: 0, y: 0, width: 20, height: 20)),
            ("mirror", Rectangle(x: 320, y: 0, width: 20, height: 20)),
            ("mirror", Rectangle(x: 30, y: 20, width: 0, height: 20)),
            ("mirror", Rectangle(x: .max, y: .min, width: .max, height: .max)),
        ] {
            let map = try #require(PositionMap(FilterChain(text), width: 320, height: 240))
            #expect(map.copies(of: box).isEmpty, "\(text)")
        }
    }

    // MARK: - Points

    @Test("points are where boxes are mirrored, turned and enlarged")
    func points() throws {
        let box = Rectangle(x: 60, y: 40, width: 40, height: 50)
        let point = Point(71.25, 63.5)
        for (text, expected) in [
            ("mirror", Point(320 - 71.25, 63.5)), ("mirror axis=both", Point(320 - 71.25, 240 - 63.5)),
            ("rotate angle=90", Point(160 + 120 - 63.5, 120 + 71.25 - 160)),
            ("crop-zoom zoom=2 center-x=0 center-y=0", Point(142.5, 127)),
            ("gaussian-blur", point), ("gaussian-blur | mirror | zoom-blur", Point(320 - 71.25, 63.5)),
            ("crystallize", point), ("mirror-tile", Point(71.25 / 2, 63.5 / 2)),
            ("rotate angle=20 | twirl angle=0 | rotate angle=-20", point),
        ] {
            let map = try #require(PositionMap(FilterChain(text), width: 320, height: 240))
            let copy = try #require(map.copies(of: box).first)
            let position = try #require(map.position(of: point, in: copy), "\(text)")
            #expect(abs(position.x - expected.x) < 0.02 && abs(position.y - expected.y) < 0.02, "\(text): \(position)")
        }
    }

    @Test(
        "at the place of a point there is what was there before",
        arguments: [
            "perspective", "pinch", "bump", "twirl", "lens", "ripple", "kaleidoscope angle=200", "mirror-tile count=3",
            "rotate angle=77 scale=0.6", "twirl | lens | mirror", "zoom-blur amount=0.001 | bump | ripple amplitude=4",
        ])
    func pointsAreSeen(text: String) throws {
        let (width, height) = (250, 180)
        let map = try #require(PositionMap(FilterChain(text), width: width, height: height))
        // The colour of each pixel contains its original position.
        let frame = Picture(.bgrx, width: width, height: height)
        RealPicture(width: width, height: height) { x, y in SIMD3(Double(x), Double(y), 255) / 255 }.write(to: frame)
        FilterRunner(threads: 1).run(try FilterChain(text), on: frame.image)
        var shown = 0
        for (x, y) in [(30, 30), (90, 61), (118, 80), (140, 100), (171, 40), (60, 140), (219, 150)] {
            let point = Point(Double(x) + 0.5, Double(y) + 0.5)
            for copy in map.copies(of: Rectangle(x: x - 6, y: y - 6, width: 13, height: 13)) {
                guard let position = map.position(of: point, in: copy) else { continue }
                shown += 1
                let pixel = frame[min(width - 1, Int(position.x)), min(height - 1, Int(position.y))]
                let off = max(abs(Int(pixel[2]) - x), abs(Int(pixel[1]) - y))
                #expect(off <= 4, "\(text): \(point) at \(position), where \(pixel) is")
            }
        }
        #expect(shown >= 3)
    }

    @Test("points beside a box are found beside its copy; what is not shown is not found")
    func pointsBeside() throws {
        let map = try #require(PositionMap(FilterChain("mirror"), width: 320, height: 240))
        let copy = try #require(map.copies(of: Rectangle(x: 60, y: 40, width: 40, height: 50)).first)
        let below = try #require(map.position(of: Point(80, 95), in: copy))
        #expect(abs(below.x - 240) < 0.02 && abs(below.y - 95) < 0.02)
        #expect(map.position(of: Point(80, 160), in: copy) == nil)
        let part = try #require(PositionMap(FilterChain("crop-zoom zoom=4"), width: 320, height: 240))
        for point in [Point(10, 10), Point(-5, 100), Point(.nan, 0), Point(.infinity, 1e300)] {
            #expect(part.position(of: point, in: Rectangle(width: 320, height: 240)) == nil, "\(point)")
        }
        #expect(map.position(of: Point(80, 60), in: Rectangle(x: .min, y: .max, width: .max, height: 9)) == nil)
    }

    // MARK: - Conditions for a map

    @Test("what changes only colours, or next to nothing, has no map")
    func unmoved() throws {
        for filter in Filter.all
        where ["color-adjustment", "color-effect", "halftone", "overlay"].contains(filter.category.rawValue) {
            #expect(PositionMap(FilterChain(filter), width: 64, height: 48) == nil, "\(filter.name)")
        }
        for text in [
            "", "median radius=2", "edges", "emboss", "comic", "gaussian-blur radius=0.5", "box-blur radius=0",
            "pixellate size=1", "zoom-blur amount=0", "perspective top-left-x=1 top-left-y=1", "median | edges",
        ] {
            #expect(try PositionMap(FilterChain(text), width: 64, height: 48) == nil, "\(text)")
        }
        #expect(try PositionMap(FilterChain("median | edges | median"), width: 64, height: 48) != nil)
        for (width, height) in [(0, 10), (10, -1), (1 << 20, 1), (1 << 19, 1 << 19)] {
            #expect(try PositionMap(FilterChain("mirror"), width: width, height: height) == nil)
        }
        #expect(try PositionMap(FilterChain("twirl"), width: 1, height: 1 << 19) != nil)
    }

    @Test("a map is made anew when things move otherwise, and only then")
    func keeping() throws {
        let keeper = PositionMapCache()
        func map(_ chain: FilterChain, at seconds: UInt64 = 0, width: Int = 64) -> PositionMap? {
            keeper.map(of: chain, at: seconds * 1_000_000_000, width: width, height: 48)
        }
        var chain = try FilterChain("sepia-tone intensity=0->1@1s | rotate angle=0->90@2s | gaussian-blur")
        let first = try #require(map(chain))
        #expect(map(chain) === first)
        let turned = try #require(map(chain, at: 2))
        #expect(turned !== first)
        #expect(map(chain, at: 30) === turned)
        try chain.set("sepia-tone.intensity", to: 0.2)
        #expect(map(chain, at: 30) === turned)
        #expect(map(try FilterChain("rotate angle=90 | invert | gaussian-blur"), at: 30) === turned)
        #expect(map(chain, at: 30, width: 65) !== turned)
        try chain.set("rotate.angle", to: 20)
        let set = try #require(map(chain, at: 30))
        #expect(set !== turned)
        #expect(map(try FilterChain("sepia-tone"), at: 30) == nil)
        #expect(map(try FilterChain("mirror"), at: 30)?.copies(of: Rectangle(width: 4, height: 4)).first?.x == 60)
    }

    @Test("a map is that of its moment")
    func fading() throws {
        let chain = try FilterChain("crop-zoom zoom=1->4@3s center-x=0 center-y=0")
        let box = Rectangle(x: 20, y: 10, width: 5, height: 5)
        for (time, zoom) in [(0 as UInt64, 1), (1, 2), (2, 3), (9, 4)] {
            let map = try #require(PositionMap(chain, at: time * 1_000_000_000, width: 320, height: 240))
            let copy = try #require(map.copies(of: box).first)
            #expect(abs(copy.x - 20 * zoom) <= zoom && abs(copy.width - 5 * zoom) <= 2 * zoom, "\(time): \(copy)")
        }
    }
}
