// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing
import KernelTypes

@Suite("Filters: sampling")
struct FiltersSamplingTests {
    private static let distortions = Filter.all.filter { $0.category == .distortion }.map(\.name)

    @Test("a lens that doubles the picture by the nearest pixels has each of them four times")
    func doubled() throws {
        let picture = RealPicture.sample(width: 8, height: 4)
        let frame = Picture(.rgba, width: 8, height: 4)
        let source = Picture(.rgba, width: 8, height: 4)
        picture.write(to: frame)
        picture.write(to: source)
        FilterRunner(threads: 1).run(try FilterChain("lens k1=0 zoom=2 sampling=nearest"), on: frame.image)
        for y in 0..<4 {
            for x in 0..<8 { #expect(frame[x, y] == source[2 + x / 2, 1 + y / 2], "\(x), \(y)") }
        }
    }

    @Test("the nearest pixels are those where a distortion leads", arguments: distortions)
    func nearest(name: String) throws {
        let (width, height) = (41, 30)
        // The colour of each pixel is its position, so that interpolated colours are positions, too.
        let places = RealPicture(width: width, height: height) { x, y in SIMD3(Double(x), Double(y), 200) / 255 }
        let exact = places.filtered(try FilterChain(name))
        let frame = Picture(.bgra, width: width, height: height)
        places.write(to: frame)
        FilterRunner(threads: 1).run(try FilterChain("\(name) sampling=nearest"), on: frame.image)
        for y in 0..<height {
            for x in 0..<width {
                let (pixel, place) = (frame[x, y], exact[x, y] * 255)
                let isNear = abs(Double(pixel[2]) - place.x) < 0.51 && abs(Double(pixel[1]) - place.y) < 0.51
                #expect(isNear && abs(Double(pixel[0]) - place.z) < 0.51, "\(name): \(x), \(y)")
            }
        }
    }

    @Test(
        "without the parameter edges, the bytes of a frame stay the same in all versions",
        arguments: [
            ("pinch", 0x5874_FE95_975D_E1D2), ("bump", 0xC05A_8325_35EA_8CF5), ("twirl", 0x3E79_9CD4_509F_8252),
            ("lens", 0x64F1_35A8_3A60_91B6), ("lens sampling=nearest", 0x035F_3E46_4172_773D),
            ("ripple", 0x6A61_B589_9B78_D1B5), ("rotate", 0xE4F9_E207_72C4_C3F9),
            ("perspective", 0xE414_8165_80B5_8A60), ("mirror-tile", 0x8CB7_92CB_DAC7_84E5),
            ("crop-zoom", 0x16B9_2C15_21E1_C594), ("kaleidoscope edges=clamp", 0x4090_03AF_3D8F_A125),
        ] as [(String, UInt64)])
    func unchanged(text: String, hash: UInt64) throws {
        let frame = Picture(.bgra, width: 64, height: 48)
        for y in 0..<48 {
            for x in 0..<64 {
                frame[x, y] = (0..<4).map { UInt8(truncatingIfNeeded: x * 5 + y * 9 + $0 * 70 + x * y / 7) }
            }
        }
        FilterRunner(threads: 1).run(try FilterChain(text), on: frame.image)
        // The hash function is FNV-1a.
        var found: UInt64 = 0xCBF2_9CE4_8422_2325
        for y in 0..<48 {
            for x in 0..<64 {
                for byte in frame[x, y] { found = (found ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
        }
        #expect(found == hash)
    }

    @Test("nothing is mixed of the nearest pixels", arguments: distortions)
    func unmixed(name: String) throws {
        let board = RealPicture(width: 41, height: 30) { x, y in SIMD3(repeating: Double((x + y) % 2)) }
        // If one filter of a map has this sampling, the whole map uses it.
        for chain in ["\(name) sampling=nearest", "rotate | \(name) sampling=nearest"] {
            let frame = Picture(.bgrx, width: 41, height: 30)
            board.write(to: frame)
            FilterRunner(threads: 1).run(try FilterChain(chain), on: frame.image)
            let isUnmixed = (0..<30).allSatisfy { y in
                (0..<41).allSatisfy { [0, 255].contains(frame[$0, y][1]) }
            }
            #expect(isUnmixed, "\(chain)")
        }
    }

    @Test(
        "rows longer than what is worked on at once",
        arguments: ["crop-zoom zoom=1.3 center-x=0.9", "mirror | crop-zoom"])
    func longRows(text: String) throws {
        let chain = try FilterChain(text)
        let picture = RealPicture.sample(width: 1100, height: 5)
        let exact = picture.filtered(chain)
        for kernels in Processor.kernelSets {
            for format in [PixelFormat.rgba, .bgrx, .rgb] {
                let frame = Picture(format, width: 1100, height: 5, padding: 4)
                picture.write(to: frame)
                FilterRunner(threads: 2, kernels: kernels).run(chain, on: frame.image)
                let found = exact.difference(from: frame, limit: 1)
                #expect(found.count == 0, "\(kernels.level.rawValue), \(format.name): \(found.worst) \(found.what)")
                #expect(frame.isIntactAround)
            }
        }
    }
}
