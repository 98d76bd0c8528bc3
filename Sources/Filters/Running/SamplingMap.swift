// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The source positions of all pixels of a frame: the positions in the input from which the pixels get their colours.
/// They are computed when the frame size or a parameter of the warps changes, and not for each frame.
final class SamplingMap: Source {
    let name = "map"
    let others: [FilterLocation] = []

    /// For each pixel of the result, the index of an input pixel. This pixel is the upper left of the four pixels
    /// around the source position.
    let indices: UnsafeMutablePointer<UInt32>
    /// For each pixel, the offset of the source position from the pixel in `indices`, in units of 1/256 pixel. The low
    /// byte is the offset to the right, and the high byte is the offset down.
    let distances: UnsafeMutablePointer<UInt16>
    /// True if all source positions are pixel centres.
    private(set) var isIntegral = true
    private let width: Int

    /// - Parameter warps: the warps, in the order of their application.
    init(_ warps: [Warp], width: Int, height: Int, pool: ThreadPool) {
        let count = width * height
        indices = .allocate(capacity: count)
        indices.initialize(repeating: 0, count: count)
        distances = .allocate(capacity: count)
        distances.initialize(repeating: 0, count: count)
        self.width = width
        let (right, bottom) = (Double(width), Double(height))
        // The map goes from the result to the input. So apply the last warp first.
        let sources = warps.reversed().map { $0.source(right, bottom) }
        let stride = Surface.stride(width: width)
        let outside = UInt32(truncatingIfNeeded: Surface.emptyPixel(width: width, height: height))
        let (indices, distances) = (indices, distances)
        let isNearest = warps.contains(where: \.isNearest)
        var fractions = [UInt16](repeating: 0, count: height)
        fractions.withUnsafeMutableBufferPointer { fractions in
            let fractions = fractions.baseAddress
            pool.run(units: height) { _, y in
                var all: UInt16 = 0
                for x in 0..<width {
                    let index = y &* width &+ x
                    var point: Point? = Point(Double(x) + 0.5, Double(y) + 0.5)
                    for source in sources {
                        guard let next = point.flatMap(source) else {
                            point = nil
                            break
                        }
                        point = next.inside(width: right, height: bottom)
                    }
                    guard let point else {
                        indices[index] = outside
                        continue
                    }
                    guard !isNearest else {
                        indices[index] = UInt32(truncatingIfNeeded: Int(point.y) &* stride &+ Int(point.x))
                        continue
                    }
                    let (column, row) = (fixedPoint(point.x), fixedPoint(point.y))
                    indices[index] = UInt32(truncatingIfNeeded: (row >> 8) &* stride &+ (column >> 8))
                    distances[index] = UInt16(truncatingIfNeeded: (column & 255) | (row & 255) << 8)
                    all |= distances[index]
                }
                fractions?[y] = all
            }
        }
        isIntegral = fractions.allSatisfy { $0 == 0 }
    }

    deinit {
        indices.deallocate()
        distances.deallocate()
    }
}

extension SamplingMap {
    func begin(_ pass: RowPass, _ frame: FrameRun) { frame.clearEmptyPixel(pass) }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        for y in part.rows {
            let first = y * width + part.x
            frame.sample(pass, part, y, indices + first, isIntegral ? nil : distances + first, memory)
        }
    }
}

extension FrameRun {
    /// Sets the empty pixel below the image to 0. Transparent pixels of the result are copies of this pixel. Another
    /// pass may have used its memory for an image with 16-bit samples.
    func clearEmptyPixel(_ pass: RowPass) {
        let rows = rows(pass.input)
        let pixel = Surface.emptyPixel(width: width, height: height)
        (rows.base + pixel * rows.depth.rawValue).storeBytes(of: 0, as: UInt64.self)
    }

    /// Samples the input of a pass at the source positions of a row, changes the colours, and writes the row.
    /// - Parameters:
    ///   - indices, distances: the source positions (see `SamplingMap`). If `distances` is nil, all positions are pixel
    ///     centres.
    func sample(
        _ pass: RowPass, _ part: RowPass.Part, _ y: Int, _ indices: UnsafePointer<UInt32>,
        _ distances: UnsafePointer<UInt16>?, _ memory: WorkerMemory
    ) {
        let (input, count) = (rows(pass.input), part.count)
        let (upper, lower) = (memory.collected, memory.collected + 8 * WorkerMemory.tile)
        var pixels = mixed(pass, x: part.x, y: y, memory)
        if let distances, input.depth == .four {
            kernels.collectPairs(
                input.base, stride: input.stride, indices: indices, upper: upper, lower: lower, count: count)
            kernels.mixPairs(
                upper, lower, distances: distances, into: pixels.base, sixteenBit: pixels.depth == .sixteenBit,
                count: count)
        } else if let distances {
            pixels = mix(input, indices, distances, count: count, memory)
        } else {
            if pixels.depth != input.depth {
                pixels = PixelRows(base: memory.pixels, stride: 0, depth: input.depth)
            }
            kernels.copyPixels(
                input.base, sixteenBit: input.depth == .sixteenBit, indices: indices, into: pixels.base, count: count)
        }
        finish(pass, pixels, movesAlpha: movesAlpha, part, y, memory)
    }
}

extension FrameRun {
    /// Returns pixels with 16-bit samples, interpolated bilinearly.
    func mix(
        _ input: PixelRows, _ indices: UnsafePointer<UInt32>, _ distances: UnsafePointer<UInt16>, count: Int,
        _ memory: WorkerMemory
    ) -> PixelRows {
        let row = 8 * WorkerMemory.tile
        let (right, down) = (memory.shares, memory.shares + row)
        kernels.collectSquares(
            input.base, stride: input.stride, indices: indices, into: memory.collected, row: row, count: count)
        kernels.replicateDistances(distances, right: right, down: down, count: count)
        kernels.mixSquares(
            memory.collected.assumingMemoryBound(to: UInt16.self), row: row / 2,
            right: right.assumingMemoryBound(to: UInt16.self),
            down: down.assumingMemoryBound(to: UInt16.self), into: memory.pixels.assumingMemoryBound(to: UInt16.self),
            count: 4 * count)
        return PixelRows(base: memory.pixels, stride: 0, depth: .sixteenBit)
    }
}

extension Point {
    /// Returns the position, limited to the area between the centres of the border pixels.
    func inside(width: Double, height: Double) -> Point { Point(nearest(x, width), nearest(y, height)) }
}

private func nearest(_ value: Double, _ size: Double) -> Double {
    value > 0.5 ? (value < size - 0.5 ? value : size - 0.5) : 0.5
}

/// Converts a coordinate to units of 1/256 pixel, relative to the centre of the first pixel, rounded.
func fixedPoint(_ value: Double) -> Int { Int((value - 0.5) * 256 + 0.5) }
