// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Foundation
import Imaging
import KernelTypes
import Testing

/// Compares mattes with the formula in Double. The mode `normal` with white over black shows the matte.
@Suite("Keying")
struct KeyerTests {
    private let full = Colorimetry(.bt601, isFullRange: true)

    /// Returns the weight of a colour (0…1) with BT.601.
    private func weight(_ color: [Double], _ key: [Double], range: Double, softness: Double) -> Double {
        func chroma(_ c: [Double]) -> (Double, Double) {
            let y = 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
            return ((c[2] - y) / 1.772, (c[0] - y) / 1.402)
        }
        return weight(chroma(color), chroma(key), range: range, softness: softness)
    }

    /// Returns the weight of a chroma, in which grey is 0.
    private func weight(_ c: (Double, Double), _ k: (Double, Double), range: Double, softness: Double) -> Double {
        let length = (k.0 * k.0 + k.1 * k.1).squareRoot()
        let p = (c.0 * k.0 + c.1 * k.1) / length
        let q = (c.1 * k.0 - c.0 * k.1) / length
        let missing = max(0, length - p)
        let distance = (missing * missing + q * q).squareRoot() / length
        return min(1, max(0, (distance - range) / softness))
    }

    @Test("A matte is what the formula says, in packed formats", arguments: [PixelFormat.bgra, .argb, .rgb])
    func packed(_ format: PixelFormat) throws {
        var random = Random(seed: 5)
        for (key, range, softness) in [([0.0, 255, 0], 0.6, 0.2), ([20, 60, 200], 0.2, 0.7), ([0, 177, 64], 0, 1)] {
            let color = Color(key[0], key[1], key[2])
            let keyer = try #require(
                Keyer(Key(.chroma, color: color, range: range, softness: softness, spill: 0), colorimetry: full))
            let (above, below) = (Picture(format, width: 1100, height: 2), Picture(format, width: 1100, height: 2))
            above.fillAtRandom(&random)
            below.fillAtRandom(&random)
            let before = below.bytes
            Blender().blend(
                above.image, onto: below.image, mode: .normal, opacity: 1, useForegroundAlpha: false, key: keyer)
            let after = below.bytes
            for x in 0..<1100 {
                let f = above[x, 1].map(Double.init)
                let share = weight(
                    [f[format.red], f[format.green], f[format.blue]], key, range: range, softness: softness)
                let now = below[x, 1].map(Double.init)
                below.restore(before)
                let then = below[x, 1].map(Double.init)
                below.restore(after)
                for place in [format.red, format.green, format.blue] {
                    let expected = then[place] + (f[place] - then[place]) * share
                    #expect(abs(now[place] - expected) <= 2, "\(x): \(now) of \(then) and \(f) by \(share)")
                }
            }
        }
    }

    @Test("In planar YUV the matte is that of the samples", arguments: [FrameFormat.nv12, .nv21, .i420, .y42b, .y444])
    func planar(_ format: FrameFormat) throws {
        let key = Key(.chroma, color: Color(0, 255, 0), range: 0.6, softness: 0.2, spill: 1)
        for (color, isSeen) in [(UInt32(0xFF00_FF00), false), (0xFF00_B140, false), (0xFFB0_7060, true)] {
            let above = Video(format, width: 33, height: 10)
            let below = Video(format, width: 33, height: 10)
            for letter in ["Y", "U", "V"] as [Character] {
                above.fill(letter, UInt8(Samples.of(color, letter, above.frame.colorimetry).rounded()))
                below.fill(letter, 90)
            }
            let keyer = try #require(Keyer(key, colorimetry: above.frame.colorimetry))
            let layer = FrameLayer(above.frame, x: 0, y: 0, mode: .normal, opacity: 1, key: keyer)
            Blender().mix([layer], over: nil, into: below.frame, rows: 0..<10)
            for letter in ["Y", "U", "V"] as [Character] {
                let expected = isSeen ? above[letter, 32, 9] : 90
                #expect(below[letter, 32, 9] == expected && below[letter, 0, 0] == expected, "\(letter) of \(color)")
            }
        }
    }

    /// Blends a keyed layer over another image. Returns the maximum error of a level.
    /// - Parameters:
    ///   - width: greater than the number of pixels that the keyer processes together.
    ///   - weight: returns the expected weight of a sample.
    private func worst(
        _ format: FrameFormat, _ key: Key, overALayer isOverALayer: Bool, width: Int = 1057, height: Int = 5,
        weight: (_ above: Video, _ letter: Character, _ x: Int, _ y: Int) -> Double
    ) throws -> Double {
        let (above, below) = (
            Video(format, width: width, height: height, colorimetry: full),
            Video(format, width: width, height: height, colorimetry: full)
        )
        above.fillAtRandom(seed: 3)
        below.fillAtRandom(seed: 4)
        let bytes = below.bytes
        let keyer = try #require(Keyer(key, colorimetry: full))
        let expected = below.letters.map { letter in
            (0..<height).map { y in
                (0..<width).map { x in
                    let (then, level) = (Double(below[letter, x, y] ?? 0), Double(above[letter, x, y] ?? 0))
                    return then + (level - then) * weight(above, letter, x, y)
                }
            }
        }
        var worst = 0.0
        for kernels in Processor.kernelSets {
            let frame = isOverALayer ? Video(format, width: width, height: height, colorimetry: full) : below
            below.restore(bytes)
            var layers = [FrameLayer(above.frame, x: 0, y: 0, mode: .normal, opacity: 1, key: keyer)]
            if isOverALayer { layers.insert(FrameLayer(below.frame, x: 0, y: 0, mode: .normal, opacity: 1), at: 0) }
            Blender(kernels: kernels).mix(layers, over: nil, into: frame.frame, rows: 0..<height)
            for (letter, rows) in zip(frame.letters, expected) {
                for (y, row) in rows.enumerated() {
                    for (x, level) in row.enumerated() {
                        worst = max(worst, abs(level - Double(try #require(frame[letter, x, y]))))
                    }
                }
            }
        }
        return worst
    }

    private static let planes = [FrameFormat.nv12, .nv21, .i420, .yv12, .y42b, .y444]

    @Test("In planar YUV, luma has the weights of chroma, interpolated along rows", arguments: planes, [false, true])
    func interpolated(_ format: FrameFormat, _ isOverALayer: Bool) throws {
        let key = Key(.chroma, color: Color(0, 255, 0), range: 0.4, softness: 0.9, spill: 0)
        let worst = try worst(format, key, overALayer: isOverALayer) { above, letter, x, y in
            func weight(_ x: Int) -> Double {
                guard let blue = above["U", x, y], let red = above["V", x, y] else { return -1 }
                return self.weight(
                    (Double(blue) - 128, Double(red) - 128), (-0.587 * 255 / 1.772, -0.587 * 255 / 1.402),
                    range: 0.4, softness: 0.9)
            }
            guard letter == "Y", format != .y444 else { return weight(x) }
            let neighbour = x % 2 == 0 ? max(0, x - 2) : x + 1 < above.frame.width ? x + 1 : x
            return (3 * weight(x) + weight(neighbour)) / 4
        }
        // Half a level, half a step of a weight, and half a step of an interpolated weight.
        #expect(worst < 1.6)
    }

    @Test("By luma, a sample's weight is the mean of those of its pixels", arguments: planes, [false, true])
    func luma(_ format: FrameFormat, _ isOverALayer: Bool) throws {
        let key = Key(.luma, color: Color(50, 50, 50), range: 0.1, softness: 0.3, spill: 1)
        let worst = try worst(format, key, overALayer: isOverALayer) { above, letter, x, y in
            // If the size is odd, missing pixels have the weight of existing pixels.
            let (columns, rows) = above.sharing(letter)
            let weights = (y / rows * rows..<(y / rows + 1) * rows).flatMap { row in
                (x / columns * columns..<(x / columns + 1) * columns).map { column in
                    let luma = above["Y", min(column, above.frame.width - 1), min(row, above.frame.height - 1)] ?? 0
                    return min(1, max(0, (abs(Double(luma) - 50) / 255 - 0.1) / 0.3))
                }
            }
            return weights.reduce(0, +) / Double(weights.count)
        }
        #expect(worst < 1.6)
    }

    /// Returns the colour after the removal of spill. The weight of each pixel is 1, because the range is 0 and the
    /// colour is far from the key.
    private func despilled(_ color: [Double], spill: Double) throws -> [Double] {
        let key = Key(.chroma, color: Color(0, 255, 0), range: 0, softness: 0.001, spill: spill)
        let keyer = try #require(Keyer(key, colorimetry: full))
        let picture = Picture(.rgb, width: 1, height: 1)
        picture[0, 0] = color.map { UInt8($0) }
        let matte = Picture(.gray8, width: 1, height: 1)
        Blender().key(picture.image, by: keyer, matte: matte.image)
        #expect(matte[0, 0] == [255])
        return picture[0, 0].map(Double.init)
    }

    @Test("With spill=2, skin that is mixed with the key colour keeps its luma and loses all of the key's hue")
    func strongSpill() throws {
        func luma(_ c: [Double]) -> Double { 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] }
        func chroma(_ c: [Double]) -> (blue: Double, red: Double) {
            ((c[2] - luma(c)) / 1.772, (c[0] - luma(c)) / 1.402)
        }
        let key = chroma([0, 255, 0])
        let length = (key.blue * key.blue + key.red * key.red).squareRoot()
        /// Returns the chroma in the direction of green, and the chroma perpendicular to green.
        func parts(_ c: [Double]) -> (along: Double, across: Double) {
            let c = chroma(c)
            return ((c.blue * key.blue + c.red * key.red) / length, (c.red * key.blue - c.blue * key.red) / length)
        }
        let skin = [220.0, 170, 140]
        for share in [0.3, 0.5, 0.6] {
            let edge = [skin[0] * share, skin[1] * share + 255 * (1 - share), skin[2] * share].map { $0.rounded() }
            let before = parts(edge)
            #expect(before.along > abs(before.across) / 1.428, "the edge has spill")
            let (usual, strong) = (try despilled(edge, spill: 1), try despilled(edge, spill: 2))
            // tan 55° = 1.428
            #expect(abs(parts(usual).along - abs(before.across) / 1.428) < 1.5, "\(share): \(usual)")
            #expect(abs(parts(strong).along) < 1.5, "\(share): \(strong)")
            let middle = parts(try despilled(edge, spill: 1.5)).along
            #expect(abs(middle - abs(before.across) / 1.428 / 2) < 1.5, "\(share): \(middle)")
            for color in [usual, strong] {
                #expect(abs(luma(color) - luma(edge)) < 1.5 && abs(parts(color).across - before.across) < 1.5)
            }
        }
        // Skin without spill does not change. A grey pixel in green light becomes grey.
        #expect(try despilled(skin, spill: 2) == skin)
        let grey = try despilled([80, 160, 80], spill: 2)
        #expect((grey.max() ?? 0) - (grey.min() ?? 0) <= 2, "\(grey)")
        for spill in [Double.nan, .infinity, -9, 1e9] { _ = try despilled([110, 212, 70], spill: spill) }
    }
}

@Suite("Keying: choke")
struct MatteChokeTests {
    private func shrunk(_ radius: Double, width: Int, height: Int, _ weight: (Int, Int) -> UInt8) -> Picture {
        let matte = Picture(.gray8, width: width, height: height)
        for y in 0..<height {
            for x in 0..<width { matte[x, y] = [weight(x, y)] }
        }
        MatteChoke().shrink(matte.image, by: radius)
        return matte
    }

    @Test("A straight edge moves by the radius, also by fractions of a pixel", arguments: [0, 0.25, 1, 2.5, 7, 20])
    func edges(radius: Double) {
        for isAcross in [true, false] {
            let matte = shrunk(radius, width: 50, height: 50) { x, y in (isAcross ? x : y) < 20 ? 0 : 255 }
            for place in 0..<50 {
                // A pixel is partly covered if the moved edge is inside of the pixel.
                let covered = min(1, max(0, Double(place) + 1 - (20 + radius)))
                let level = matte[isAcross ? place : 7, isAcross ? 7 : place][0]
                #expect(abs(Double(level) - 255 * covered) <= 1, "\(radius), \(place): \(level)")
            }
        }
    }

    @Test("A disk shrinks by the radius in every direction", arguments: [2.0, 3, 4.5, 8])
    func disk(radius: Double) {
        func size(_ x: Int, _ y: Int) -> Double { (Double(x * x + y * y)).squareRoot() }
        let matte = shrunk(radius, width: 101, height: 101) { size($0 - 50, $1 - 50) <= 40 ? 255 : 0 }
        let area = (0..<101).reduce(0.0) { sum, y in (0..<101).reduce(sum) { $0 + Double(matte[$1, y][0]) / 255 } }
        let found = (area / .pi).squareRoot()
        #expect(abs(found - (40 - radius)) < 0.6, "\(found)")
        for degrees in stride(from: 0.0, to: 360, by: 15) {
            let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
            func level(_ distance: Double) -> UInt8 {
                matte[50 + Int((distance * c).rounded()), 50 + Int((distance * s).rounded())][0]
            }
            #expect(level(40 - radius - 2) == 255 && level(40 - radius + 2) == 0, "\(degrees)")
        }
    }

    @Test("A matte does not shrink at the borders of the image, and a plain matte stays as it is")
    func borders() {
        let matte = shrunk(5, width: 40, height: 12) { x, _ in x < 20 ? 255 : 0 }
        for y in 0..<12 { #expect((0..<40).map { matte[$0, y][0] } == (0..<40).map { $0 < 15 ? 255 : 0 }) }
        for level: UInt8 in [0, 90, 255] {
            let plain = shrunk(2.3, width: 9, height: 3) { _, _ in level }
            #expect((0..<9).allSatisfy { plain[$0, 1][0] == level })
        }
        for radius in [Double.nan, -1, .infinity, 1e300] { _ = shrunk(radius, width: 3, height: 1) { _, _ in 200 } }
        #expect(shrunk(.nan, width: 30, height: 1) { x, _ in x < 9 ? 0 : 255 }[9, 0] == [255])
    }

    @Test("The matte times the weights of the choke is the choked matte")
    func weights() throws {
        let key = Key(.luma, color: Color(0, 0, 0), range: 0, softness: 1, spill: 0)
        let keyer = try #require(Keyer(key, colorimetry: Colorimetry(.bt601, isFullRange: true)))
        let picture = Picture(.bgrx, width: 60, height: 4)
        for y in 0..<4 {
            for x in 0..<60 { picture[x, y] = [UInt8](repeating: UInt8(min(255, max(0, (x - 10) * 10))), count: 4) }
        }
        let choke = MatteChoke()
        let weights = try #require(choke.weights(of: FrameImage(picture.image), by: keyer, radius: 3))
        for x in 0..<60 {
            // The matte is the grey level. The choke moves the slope by 3 pixels.
            let (level, moved) = (max(0, min(255, (x - 10) * 10)), max(0, min(255, (x - 13) * 10)))
            let product = Double(weights.row(2)[x]) * Double(level) / 255
            #expect(abs(product - Double(moved)) <= 2, "\(x): \(product)")
        }
        #expect(choke.weights(of: FrameImage(picture.image), by: keyer, radius: 0) == nil)
    }
}
