// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import KernelTypes
import TestScope
import Testing

/// Compares layers over YUV frames with the formulas in Double. The colours of each image are converted by its matrix
/// and range, and the modes are applied one after another. The result is converted by the matrix and range of the
/// frame. Chroma is the mean of the pixels of a sample.
@Suite("Layers over YUV")
struct FrameMixingTests {
    /// A layer and its values for the formulas.
    private struct Layer {
        let video: Video
        let x, y: Int
        let mode: BlendMode
        var opacity = 1.0
        var weights: Picture?

        var layer: FrameLayer {
            FrameLayer(video.frame, x: x, y: y, mode: mode, opacity: opacity, weights: weights?.image)
        }

        /// Returns the weight at a pixel of the frame. Returns nil outside of the layer.
        func weight(_ column: Int, _ row: Int) -> Double? {
            let (fx, fy) = (column - x, row - y)
            guard 0..<video.frame.width ~= fx, 0..<video.frame.height ~= fy else { return nil }
            let alpha = Double(video["A", fx, fy] ?? 255) / 255
            return opacity * alpha * (weights.map { Double($0[fx, fy][0]) / 255 } ?? 1)
        }

        func color(_ column: Int, _ row: Int) -> RGB { video.color(column - x, row - y) }
    }

    private struct Error {
        var luma = 0.0
        var colors = 0.0
        var count = 0.0
    }

    /// Mixes layers, and compares all samples.
    private func compare(
        _ layers: [Layer], over background: Color? = nil, into video: Video, _ kernels: any KernelSet
    ) -> Error {
        let equations = ColorEquations(video.frame.colorimetry)
        let before = video.bytes
        var colors: [[RGB]] = []
        var samples: [[(y: Double, u: Double, v: Double)]] = []
        var isChanged: [[Bool]] = []
        for row in 0..<video.frame.height {
            colors.append([])
            isChanged.append([])
            samples.append([])
            for column in 0..<video.frame.width {
                var color = video.color(column, row)
                if let background {
                    color = (background.red / 255, background.green / 255, background.blue / 255)
                }
                var changes = background != nil
                for layer in layers {
                    guard let weight = layer.weight(column, row) else { continue }
                    let f = layer.color(column, row)
                    func mixed(_ b: Double, _ f: Double) -> Double {
                        b + (max(0, min(1, layer.mode.formula(b, f))) - b) * weight
                    }
                    color = (mixed(color.red, f.red), mixed(color.green, f.green), mixed(color.blue, f.blue))
                    changes = changes || (weight * 255).rounded() > 0
                }
                colors[row].append(color)
                samples[row].append(video.samples(column, row))
                isChanged[row].append(changes)
            }
        }
        let blender = Blender(kernels: kernels)
        for top in stride(from: 0, to: video.frame.height, by: 4) {
            blender.mix(
                layers.map(\.layer), over: background, into: video.frame, rows: top..<min(top + 4, video.frame.height))
        }
        #expect(video.isIntactAround(before))
        var error = Error()
        for row in 0..<video.frame.height {
            for column in 0..<video.frame.width {
                let (now, then) = (video.samples(column, row), samples[row][column])
                let sharers = video.sharers("U", column, row)
                if !isChanged[row][column] { #expect(now.y == then.y) }
                guard sharers.contains(where: { isChanged[$0.y][$0.x] }) else {
                    #expect(now == then)
                    continue
                }
                guard isChanged[row][column] else { continue }
                let right = equations.samples(colors[row][column])
                var (u, v) = (0.0, 0.0)
                for sharer in sharers {
                    let samples = equations.samples(colors[sharer.y][sharer.x])
                    u += samples.u / Double(sharers.count)
                    v += samples.v / Double(sharers.count)
                }
                error.luma = max(error.luma, abs(now.y - right.y))
                let (found, wanted) = (equations.color(now.y, now.u, now.v), equations.color(right.y, u, v))
                error.colors +=
                    85
                    * (abs(found.red - wanted.red) + abs(found.green - wanted.green) + abs(found.blue - wanted.blue))
                error.count += 1
            }
        }
        return error
    }

    private static let modes: [BlendMode] = [.normal, .screen, .average, .multiply, .difference, .add]
    private static let inputs =
        FrameFormat.allYUV + [PixelFormat.bgra, .argb, .rgb, .xbgr, .gray8].map { FrameFormat($0) }

    @Test("every format over every other, at every parity", arguments: FrameFormat.allYUV, inputs)
    func formats(output: FrameFormat, input: FrameFormat) {
        // Each pair of formats has some of the cases. Together, the pairs of a format have all cases.
        let offset = (FrameFormat.allYUV.firstIndex(of: output) ?? 0) + (Self.inputs.firstIndex(of: input) ?? 0)
        var seed: UInt64 = 0
        for (width, height) in [(1, 1), (2, 2), (5, 3), (29, 10), (1033, 6)] {
            for (x, y) in [(0, 0), (1, 0), (0, 1), (-1, -1), (2, 4), (-3, 2)] {
                for isWeighted in [false, true] {
                    seed += 1
                    guard TestScope.runs(Int(seed), oneIn: 7, offset: offset) else { continue }
                    var random = Random(seed: seed)
                    let target = Video(
                        output, width: width, height: height, padding: 3, colorimetry: colorimetries[Int(seed % 6)])
                    target.fillWithColors(&random)
                    // Some layers have the same matrix and range as the frame.
                    let colorimetry = seed % 3 == 0 ? target.frame.colorimetry : colorimetries[Int(seed / 2 % 6)]
                    let own = (width: max(1, width - Int(seed % 3)), height: max(1, height - Int(seed % 2)))
                    let crop = Rectangle(
                        x: Int(seed / 5 % 2), y: Int(seed / 7 % 2), width: own.width, height: own.height)
                    let above = Video(
                        input, width: own.width + 1, height: own.height + 1, padding: 5, crop: crop,
                        colorimetry: input.isYUV ? colorimetry : nil)
                    above.fillWithColors(&random)
                    var layer = Layer(
                        video: above, x: x, y: y, mode: Self.modes[Int(seed % 6)], opacity: seed % 2 == 0 ? 1 : 0.6)
                    if isWeighted {
                        let weights = Picture(.gray8, width: own.width, height: own.height, padding: 2)
                        weights.fill { x, y in (x + y) % 3 == 0 ? 0 : (x + y) % 3 == 1 ? 255 : UInt8(37 * x % 256) }
                        layer.weights = weights
                    }
                    let set = Processor.kernelSets[Int(seed) % Processor.kernelSets.count]
                    let error = compare([layer], into: target, set)
                    guard error.count > 0 else { continue }
                    #expect(error.luma <= 2.5, "\(layer.mode) \(width)x\(height) at \(x), \(y)")
                    if error.count > 50 { #expect(error.colors / error.count <= 0.8, "\(layer.mode) \(width)") }
                }
            }
        }
    }

    @Test("several layers over a colour", arguments: FrameFormat.allYUV, colorimetries)
    func layers(output: FrameFormat, colorimetry: Colorimetry) {
        var random = Random(seed: 9)
        // If the width is odd, the last unit of YUY2 has an invisible pixel. It is filled, too.
        let width = output.planes.count == 1 ? 46 : 47
        let target = Video(output, width: width, height: 21, padding: 1, colorimetry: colorimetry)
        target.fillAtRandom(seed: 3)
        func video(_ format: FrameFormat, _ width: Int, _ height: Int, _ colorimetry: Colorimetry? = nil) -> Video {
            let video = Video(format, width: width, height: height, colorimetry: colorimetry)
            video.fillWithColors(&random)
            return video
        }
        // Layers of the frame's format at an even and an odd position, a layer of another format, and a layer with
        // alpha.
        let layers = [
            Layer(video: video(output, 20, 12, colorimetry), x: 4, y: 2, mode: .normal),
            Layer(video: video(output, 13, 7, colorimetry), x: 19, y: 5, mode: .normal, opacity: 0.5),
            Layer(video: video(.yuy2, 30, 9, Colorimetry(.bt709)), x: -3, y: 9, mode: .screen),
            Layer(video: video(output, 16, 8, colorimetry), x: 30, y: 12, mode: .average, opacity: 0.7),
            Layer(video: video(FrameFormat(.bgra), 11, 30), x: 5, y: -4, mode: .multiply),
        ]
        let error = compare(layers, over: Color(90, 140, 60), into: target, Processor.kernels)
        #expect(error.count == Double(width) * 21)
        #expect(error.luma <= 2.5)
        #expect(error.colors / error.count <= 0.8)
    }

    @Test("what covers everything and is of the frame's kind is copied bit for bit", arguments: FrameFormat.allYUV)
    func copied(format: FrameFormat) {
        for (width, height) in [(format.planes.count == 1 ? 8 : 7, 5), (16, 4), (600, 3)] {
            let source = Video(format, width: width, height: height, padding: 4)
            source.fillAtRandom(seed: 4)
            let target = Video(format, width: width, height: height, padding: 9)
            let before = target.bytes
            Blender().mix(
                [FrameLayer(source.frame, x: 0, y: 0, mode: .normal, opacity: 1)], over: nil, into: target.frame,
                rows: 0..<height)
            #expect(target.isIntactAround(before))
            for y in 0..<height {
                for x in 0..<width { #expect(source.samples(x, y) == target.samples(x, y)) }
            }
        }
    }

    @Test("10 bits are copied as they are, and else rounded", arguments: FrameFormat.deep)
    func deep(format: FrameFormat) throws {
        let (width, height) = (18, 6)
        let shift = UInt16(try #require(format.shift))
        // The planes are one after another in memory.
        let sizes = format.planes.map { ($0.units(width: width) * $0.unitBytes, $0.unitRows(height: height)) }
        var target = [UInt16](repeating: 0, count: sizes.reduce(0) { $0 + $1.0 * $1.1 / 2 })
        var random = Random(seed: 12)
        var source = target.map { _ in UInt16(120 + random.byte() / 16) << shift | (shift == 2 ? 3 : 0xC0) }
        func withFrame(_ words: inout [UInt16], _ body: (FrameImage) -> Void) {
            words.withUnsafeMutableBytes { bytes in
                var start = 0
                let planes = sizes.compactMap { size in
                    defer { start += size.0 * size.1 }
                    return bytes.baseAddress.map { FrameImage.Plane(base: $0 + start, stride: size.0) }
                }
                body(FrameImage(format, width: width, height: height, planes: planes))
            }
        }
        let blender = Blender()
        func mix(_ mode: BlendMode, _ opacity: Double) {
            withFrame(&source) { from in
                withFrame(&target) { to in
                    blender.mix(
                        [FrameLayer(from, x: 0, y: 0, mode: mode, opacity: opacity)], over: nil, into: to,
                        rows: 0..<height)
                }
            }
        }
        mix(.normal, 1)
        #expect(target == source)
        // The mean of two equal values is the same value, but it is computed with 8 bits.
        mix(.average, 1)
        #expect(target != source)
        #expect(zip(target, source).allSatisfy { abs(Int($0 >> shift) - Int($1 >> shift)) <= 2 })
        #expect(target.allSatisfy { $0 & (1 << shift - 1) == 0 })
        withFrame(&target) { $0.fill(.white) }
        #expect(target[0] == 235 << shift && target[width * height] == 128 << shift)
    }
}

extension Video {
    /// Returns red, green and blue of a pixel (0…1), from the equations.
    fileprivate func color(_ x: Int, _ y: Int) -> RGB {
        if frame.format.isYUV {
            let samples = samples(x, y)
            return ColorEquations(frame.colorimetry).color(samples.y, samples.u, samples.v)
        }
        func level(_ letter: Character) -> Double { Double(self[letter, x, y] ?? self["Y", x, y] ?? 0) / 255 }
        return (level("R"), level("G"), level("B"))
    }

    fileprivate func samples(_ x: Int, _ y: Int) -> (y: Double, u: Double, v: Double) {
        (Double(self["Y", x, y] ?? 0), Double(self["U", x, y] ?? 0), Double(self["V", x, y] ?? 0))
    }

    /// Fills all bytes with random values. In YUV, the visible part gets samples of colours whose mixtures are not
    /// clipped.
    fileprivate func fillWithColors(_ random: inout Random) {
        fillAtRandom(seed: random.next())
        guard frame.format.isYUV else { return }
        let equations = ColorEquations(frame.colorimetry)
        func level(_ minimum: Double, _ maximum: Double) -> Double {
            minimum + (maximum - minimum) * Double(random.byte()) / 255
        }
        for y in 0..<frame.height {
            for x in 0..<frame.width {
                let samples = equations.samples((level(0.3, 0.7), level(0.3, 0.7), level(0.3, 0.7)))
                let gray = equations.samples((0.5, 0.5, 0.5)).y
                // The last of the pixels that share a chroma sample sets this sample.
                (self["Y", x, y], self["U", x, y], self["V", x, y]) = (
                    UInt8(gray + level(-25, 25)), UInt8(samples.u), UInt8(samples.v)
                )
            }
        }
    }
}
