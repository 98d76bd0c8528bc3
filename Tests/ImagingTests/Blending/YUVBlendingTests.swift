// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import KernelTypes
import TestScope
import Testing

/// Compares blending over YUV with the formulas in Double. Colours are converted by the frame's matrix, blended, and
/// converted back. Chroma is the mean of the pixels of a sample.
@Suite("Blending over YUV")
struct YUVBlendingTests {
    /// Modes that jump, or whose result changes by more than twice the change of the background. A small error in the
    /// background can then become a large error. Linear light clips most results.
    private static let steep = Set(
        BlendMode.allCases.filter { !$0.isSeparable || $0 == .linearLight || largestStep(of: $0) > 2.01 })

    /// Returns the maximum change of the result in levels, if the background changes by one level.
    private static func largestStep(of mode: BlendMode) -> Double {
        func result(_ b: Int, _ f: Int) -> Double {
            min(255, max(0, 255 * mode.formula(Double(b) / 255, Double(f) / 255)))
        }
        return (0..<255).flatMap { b in (0...255).map { f in abs(result(b + 1, f) - result(b, f)) } }.max() ?? 0
    }

    private struct Error {
        var luma = 0.0
        var colors = 0.0
        var count = 0.0
    }

    /// Blends random pixels, and compares all samples.
    private func compare(
        _ mode: BlendMode, _ format: FrameFormat, _ colorimetry: Colorimetry, _ kernels: any KernelSet, width: Int,
        height: Int, crop: Rectangle? = nil, x: Int = 0, y: Int = 0, size: (width: Int, height: Int)? = nil,
        opacity: Double = 1, isWeighted: Bool = false, samples: ForegroundSamples? = nil, seed: UInt64
    ) -> Error {
        let video = Video(format, width: width, height: height, padding: 7, crop: crop, colorimetry: colorimetry)
        var random = Random(seed: seed)
        let equations = ColorEquations(colorimetry)
        // The frame has samples of valid colours. For linear modes, which do not clip, the pixels of a chroma sample
        // differ only in brightness, so that all of them have valid colours.
        func level() -> Double { Double(random.byte()) / 255 }
        var shared: [Int: RGB] = [:]
        for y in 0..<video.frame.height {
            for x in 0..<video.frame.width {
                var color: RGB = (level(), level(), level())
                if samples != nil {
                    let unit = (y + (crop?.y ?? 0)) / 2 * 10_000 + (x + (crop?.x ?? 0)) / 2
                    let (base, gray) = (shared[unit] ?? color, level())
                    shared[unit] = base
                    func near(_ base: Double) -> Double { 0.2 + 0.4 * base + 0.2 * gray }
                    color = (near(base.red), near(base.green), near(base.blue))
                }
                let exact = equations.samples(color)
                video["Y", x, y] = UInt8(exact.y)
                if samples != nil || x % 2 == 0 && (y % 2 == 0 || video.sharing("U").rows == 1) {
                    (video["U", x, y], video["V", x, y]) = (UInt8(min(255, exact.u)), UInt8(min(255, exact.v)))
                }
            }
        }
        let before = video.bytes
        let samplesAt = { (x: Int, y: Int) in
            (Double(video["Y", x, y] ?? 0), Double(video["U", x, y] ?? 0), Double(video["V", x, y] ?? 0))
        }
        let own = size ?? (video.frame.width, video.frame.height)
        let stacked = Picture(.gray8, width: own.width, height: 3 * own.height, padding: 5)
        let weights = Picture(.gray8, width: own.width, height: own.height, padding: 2)
        stacked.fillAtRandom(&random)
        weights.fill { x, y in (x + y) % 3 == 0 ? 0 : (x + y) % 3 == 1 ? 255 : UInt8((37 * x + 11 * y) % 256) }
        let samplesBefore = (0..<video.frame.height).map { y in
            (0..<video.frame.width).map { x in samplesAt(x, y) }
        }
        var colors: [[RGB]] = []
        var isChanged: [[Bool]] = []
        for row in 0..<video.frame.height {
            var (line, changes): ([RGB], [Bool]) = ([], [])
            for column in 0..<video.frame.width {
                let samples = samplesBefore[row][column]
                let b = equations.color(samples.0, samples.1, samples.2)
                let (fx, fy) = (column - x, row - y)
                guard (0..<own.width).contains(fx), (0..<own.height).contains(fy) else {
                    line.append(b)
                    changes.append(false)
                    continue
                }
                func level(_ plane: Int) -> Double { Double(stacked[fx, fy + plane * own.height][0]) / 255 }
                let f: RGB = (level(0), level(1), level(2))
                let weight = opacity * (isWeighted ? Double(weights[fx, fy][0]) / 255 : 1)
                let full: RGB
                if mode.isSeparable {
                    func one(_ b: Double, _ f: Double) -> Double { max(0, min(1, mode.formula(b, f))) }
                    full = (one(b.red, f.red), one(b.green, f.green), one(b.blue, f.blue))
                } else {
                    full = mode.colorFormula(b, f)
                }
                func mixed(_ b: Double, _ f: Double) -> Double { b + (f - b) * weight }
                line.append((mixed(b.red, full.red), mixed(b.green, full.green), mixed(b.blue, full.blue)))
                changes.append((weight * 255).rounded() > 0)
            }
            colors.append(line)
            isChanged.append(changes)
        }
        let blender = Blender(kernels: kernels)
        blender.blend(
            PlanarImage(stacked: stacked.image), onto: video.frame, x: x, y: y, mode: mode, opacity: opacity,
            weights: isWeighted ? weights.image : nil, samples: samples)
        #expect(video.isIntactAround(before))
        var error = Error()
        for row in 0..<video.frame.height {
            for column in 0..<video.frame.width {
                let (now, then) = (samplesAt(column, row), samplesBefore[row][column])
                let sharers = video.sharers("U", column, row)
                if !isChanged[row][column] { #expect(now.0 == then.0) }
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
                error.luma = max(error.luma, abs(now.0 - right.y))
                let (found, wanted) = (equations.color(now.0, now.1, now.2), equations.color(right.y, u, v))
                error.colors +=
                    85
                    * (abs(found.red - wanted.red) + abs(found.green - wanted.green) + abs(found.blue - wanted.blue))
                error.count += 1
            }
        }
        return error
    }

    @Test("every mode, in every matrix and range", arguments: BlendMode.allCases.filter { $0 != .none && $0 != .hud })
    func modes(mode: BlendMode) {
        for (index, colorimetry) in colorimetries.enumerated() {
            for kernels in Processor.kernelSets {
                let error = compare(
                    mode, .y444, colorimetry, kernels, width: 61, height: 23, seed: UInt64(100 + index))
                #expect(error.colors / error.count <= (Self.steep.contains(mode) ? 1.6 : 0.8), "\(error)")
                if !Self.steep.contains(mode) { #expect(error.luma <= 2.5) }
            }
        }
    }

    @Test("every format, cropped, at every parity", arguments: FrameFormat.allYUV)
    func formats(format: FrameFormat) {
        var seed: UInt64 = 1
        for (width, height) in [(1, 1), (2, 2), (3, 5), (29, 7), (1027, 4)] {
            for crop in [nil, Rectangle(x: 1, y: 1, width: width - 1, height: height - 1)] where crop?.isEmpty != true {
                for (x, y) in [(0, 0), (1, 0), (0, 1), (-1, -1), (2, 3)] {
                    for isWeighted in [false, true] {
                        seed += 1
                        let error = compare(
                            .screen, format, Colorimetry(.bt709),
                            Processor.kernelSets[Int(seed) % Processor.kernelSets.count],
                            width: width, height: height, crop: crop, x: x, y: y,
                            size: (max(1, width - 2), max(1, height - 1)), opacity: seed % 2 == 0 ? 1 : 0.6,
                            isWeighted: isWeighted, seed: seed)
                        guard error.count > 0 else { continue }
                        #expect(error.luma <= 2.5)
                        if error.count > 50 { #expect(error.colors / error.count <= 0.8) }
                    }
                }
            }
        }
    }

    @Test(
        "linear modes in the frame's samples: every format, matrix and range, cropped, at every parity",
        arguments: FrameFormat.allYUV, [BlendMode.normal, .average])
    func linear(format: FrameFormat, mode: BlendMode) {
        // Formats and modes share the cases, so that together they have all cases.
        let offset = (FrameFormat.allYUV.firstIndex(of: format) ?? 0) + (mode == .normal ? 0 : 1)
        var seed: UInt64 = 1000
        for (width, height) in [(2, 2), (3, 5), (30, 8), (1030, 4)] {
            for crop in [
                nil, Rectangle(x: 1, y: 1, width: width - 1, height: height - 1),
                Rectangle(x: 2, y: 2, width: width - 2, height: height - 2),
            ] where crop?.isEmpty != true {
                for (x, y) in [(0, 0), (1, 0), (-1, -1), (2, 3)] {
                    for (isWeighted, isSmaller) in [(false, false), (true, false), (false, true), (true, true)] {
                        seed += 1
                        guard TestScope.runs(Int(seed), oneIn: 3, offset: offset) else { continue }
                        let error = compare(
                            mode, format, colorimetries[Int(seed) % colorimetries.count],
                            Processor.kernelSets[Int(seed / 7) % Processor.kernelSets.count], width: width,
                            height: height, crop: crop, x: x, y: y,
                            size: isSmaller ? (max(1, width - 3), max(1, height - 1)) : (width + 2, height + 2),
                            opacity: seed % 2 == 0 ? 1 : 0.6, isWeighted: isWeighted, samples: ForegroundSamples(),
                            seed: seed)
                        guard error.count > 0 else { continue }
                        #expect(error.luma <= 2.5)
                        if error.count > 50 { #expect(error.colors / error.count <= 0.8) }
                    }
                }
            }
        }
    }

    @Test("What is kept of a foreground serves for its place alone, and for its format alone")
    func kept() {
        var random = Random(seed: 21)
        let stacked = Picture(.gray8, width: 20, height: 30)
        stacked.fillAtRandom(&random)
        let (samples, blender) = (ForegroundSamples(), Blender())
        for format in [FrameFormat.i420, .yuy2, .i420, .y444] {
            for (x, y) in [(0, 0), (1, 0), (0, 1), (2, 2), (3, 1)] {
                let (first, second) = (
                    Video(format, width: 32, height: 16, padding: 1), Video(format, width: 32, height: 16, padding: 1)
                )
                for (video, samples) in [(first, samples), (second, ForegroundSamples())] {
                    video.fillAtRandom(seed: 22)
                    blender.blend(
                        PlanarImage(stacked: stacked.image), onto: video.frame, x: x, y: y, mode: .normal, opacity: 0.5,
                        samples: samples)
                }
                #expect(first.bytes == second.bytes)
            }
        }
    }

    @Test("fields of interlaced 4:2:0 have chroma of their own", arguments: [FrameFormat.i420, .nv12])
    func fields(format: FrameFormat) {
        let (width, height) = (21, 16)
        let video = Video(format, width: width, height: height, padding: 3)
        video.fillAtRandom(seed: 5)
        let before = video.bytes
        var random = Random(seed: 6)
        let stacked = Picture(.gray8, width: width, height: 3 * height)
        stacked.fillAtRandom(&random)
        let interlaced = FrameImage(
            format, width: width, height: height, planes: video.whole.planes, colorimetry: video.whole.colorimetry,
            isInterlaced: true)
        let blender = Blender()
        blender.blend(
            PlanarImage(stacked: stacked.image), onto: interlaced, x: 0, y: 0, mode: .multiply, opacity: 1)
        let together = video.bytes
        video.restore(before)
        for field in 0..<2 {
            let half = FrameImage(
                format, width: width, height: height / 2,
                planes: video.whole.planes.map { .init(base: $0.base + field * $0.stride, stride: 2 * $0.stride) },
                colorimetry: video.whole.colorimetry)
            let rows = Picture(.gray8, width: width, height: 3 * height / 2)
            rows.fill { x, y in stacked[x, y / (height / 2) * height + y % (height / 2) * 2 + field][0] }
            blender.blend(PlanarImage(stacked: rows.image), onto: half, x: 0, y: 0, mode: .multiply, opacity: 1)
        }
        #expect(video.bytes == together)
        #expect(together != before)
    }

    @Test(
        "10 bits: as 8, and what is not touched keeps its own",
        arguments: [(FrameFormat.i420Deep, FrameFormat.i420, 2), (.p010, .nv12, 8)])
    func deep(format: FrameFormat, bytes: FrameFormat, shift: Int) {
        let (width, height) = (15, 9)
        let video = Video(bytes, width: width, height: height, padding: 1)
        video.fillAtRandom(seed: 7)
        // The same values as 16-bit words. The bits below the upper 8 bits are set, too.
        let rows = Video.sizes(bytes, width, height)
        var planes = video.whole.planes.indices.map { plane in
            (0..<rows[plane].rows * rows[plane].rowBytes).map { index in
                let row =
                    video.whole.planes[plane].base + index / rows[plane].rowBytes * video.whole.planes[plane].stride
                return UInt16(row.load(fromByteOffset: index % rows[plane].rowBytes, as: UInt8.self)) << UInt16(shift)
                    | (shift == 2 ? 1 : 0x40)
            }
        }
        let before = planes
        let stacked = Picture(.gray8, width: 6, height: 15)
        var random = Random(seed: 8)
        stacked.fillAtRandom(&random)
        let blender = Blender()
        blender.blend(
            PlanarImage(stacked: stacked.image), onto: video.frame, x: 3, y: 2, mode: .difference, opacity: 0.7)
        let addresses = planes.indices.map { plane in planes[plane].withUnsafeMutableBytes { $0.baseAddress } }
        let frame = FrameImage(
            format, width: width, height: height,
            planes: zip(addresses, rows).compactMap { address, size in
                address.map { .init(base: $0, stride: 2 * size.rowBytes) }
            })
        withExtendedLifetime(planes) {
            blender.blend(PlanarImage(stacked: stacked.image), onto: frame, x: 3, y: 2, mode: .difference, opacity: 0.7)
        }
        var changed = 0
        for plane in planes.indices {
            for index in planes[plane].indices {
                let row =
                    video.whole.planes[plane].base + index / rows[plane].rowBytes * video.whole.planes[plane].stride
                let byte = row.load(fromByteOffset: index % rows[plane].rowBytes, as: UInt8.self)
                if planes[plane][index] == before[plane][index] { continue }
                changed += 1
                #expect(planes[plane][index] == UInt16(byte) << UInt16(shift))
            }
        }
        // 30 pixels and about 12 chroma samples.
        #expect((30...60).contains(changed))
    }
}
