// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A pass that changes the colour of each pixel independently of other pixels. Such a pass can process a YUV frame in
/// strips.
protocol StripPass {
    /// The relative time per pixel: 1 for each colour change. The time of the conversion to RGB and back is not
    /// included.
    var cost: Int { get }

    func change(_ strip: StripColors, _ frame: FrameRun, _ memory: WorkerMemory)
}

/// The RGB colours of the visible pixels in a strip. A strip is a part of one or two rows of a YUV frame.
struct StripColors {
    fileprivate let strip: YUVStrip
    /// Number of rows, 1 or 2.
    let rowCount: Int
    /// Index of the first visible pixel in the rows of the strip.
    let first: Int
    /// Column of the first visible pixel in the frame.
    let x: Int
    /// The indices of the rows in the frame.
    let rows: (Int, Int)
    let count: Int

    /// Returns the frame's row index for a row of the strip (0 or 1).
    func y(_ row: Int) -> Int { row == 0 ? rows.0 : rows.1 }

    /// Returns the address of the red byte of the first visible pixel in a row. The green byte is `YUVStrip.plane`
    /// bytes after it, and the blue byte is 2 · `YUVStrip.plane` bytes after it.
    func row(_ row: Int) -> UnsafeMutablePointer<UInt8> { strip.colors(row) + first }
}

extension FilterPlan {
    /// The only pass of the plan, if this pass can process a YUV frame in strips. Otherwise nil.
    var stripPass: (any StripPass)? {
        guard passes.count == 1 else { return nil }
        if let pass = passes[0] as? RowPass { return pass.source is Copy ? pass : nil }
        return passes[0] as? any StripPass
    }
}

extension RowPass: StripPass {
    var cost: Int { stages.count }

    func change(_ strip: StripColors, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (tile, plane) = (memory.tile, WorkerMemory.plane)
        for row in 0..<strip.rowCount {
            frame.kernels.loadTile(
                colors: strip.row(row), colorPlane: YUVStrip.plane, into: tile, plane: plane, count: strip.count)
            for stage in stages {
                frame.run(stage, count: strip.count, memory) { mask in
                    mask.fill(memory.mask, x: strip.x, y: strip.y(row), count: strip.count, frame.kernels)
                }
            }
            memory.strip.storeLevels(tile, tilePlane: plane, into: strip.row(row), count: strip.count)
        }
    }
}

extension FrameRun {
    /// The relative time per pixel for the conversion to RGB and back. The unit is the time of one colour change.
    private static let conversion = 2

    /// Number of bytes of a row of the strip: red, green and blue. The second row starts after this number of bytes.
    private static let colorBytes = 3 * YUVStrip.plane

    /// Runs a pass on a YUV frame, in strips.
    func run(_ pass: any StripPass, on frame: FrameImage) {
        change(frame, alone: isCheap(stages: pass.cost + Self.conversion)) { pass.change($0, self, $1) }
    }

    /// Copies the colours of a YUV frame into an image of the same size.
    func copyColors(of frame: FrameImage, into picture: Image) {
        share(frame.height, alone: isCheap()) { rows, memory in
            let part = Rectangle(y: rows.lowerBound, width: frame.width, height: rows.count)
            frame.cropped(to: part).copyColors(into: picture.cropped(to: part), with: memory.strip)
        }
    }

    /// Copies the colours of an image with four bytes per pixel into a YUV frame of the same size.
    func copyColors(of picture: Image, into frame: FrameImage) {
        let format = picture.format
        change(frame, alone: isCheap(stages: Self.conversion)) { strip, _ in
            for row in 0..<strip.rowCount {
                let (pixels, colors) = (picture.row(strip.y(row)) + 4 * strip.x, strip.row(row))
                kernels.extractByte(at: format.red, of: pixels, into: colors, count: strip.count)
                kernels.extractByte(
                    at: format.green, of: pixels, into: colors + YUVStrip.plane, count: strip.count)
                kernels.extractByte(
                    at: format.blue, of: pixels, into: colors + 2 * YUVStrip.plane, count: strip.count)
            }
        }
    }

    /// Calls `body` to change the colours of a YUV frame. If the colour of a pixel does not change, its luma does not
    /// change. A chroma sample changes only if the colour of at least one of its pixels changes.
    private func change(_ frame: FrameImage, alone: Bool, _ body: (StripColors, WorkerMemory) -> Void) {
        // `share` divides the rows into pieces of sixteen rows. The pieces start at multiples of 16 in the whole frame,
        // so that two pieces never share a row of chroma samples. `hidden` is the number of rows of the first piece
        // that are above the visible part.
        let hidden = frame.window.y % 16
        share(frame.height + hidden, by: 16, alone: alone) { rows, memory in
            let top = max(0, rows.lowerBound - hidden)
            let part = Rectangle(y: top, width: frame.width, height: rows.upperBound - hidden - top)
            frame.forEachStrip(of: part) { change($0, of: frame, memory, body) }
        }
    }

    private func change(
        _ part: FrameImage.Strip, of frame: FrameImage, _ memory: WorkerMemory,
        _ body: (StripColors, WorkerMemory) -> Void
    ) {
        let (strip, before) = (memory.strip, memory.pixels.assumingMemoryBound(to: UInt8.self))
        strip.load(part, of: frame)
        // The first pixel of the strip may be outside of the visible part of the frame. The strip contains this pixel
        // because it shares chroma with a visible pixel.
        let first = max(0, frame.window.x - part.x)
        let colors = StripColors(
            strip: strip, rowCount: part.rowCount, first: first, x: part.x + first - frame.window.x,
            rows: (part.row(0) - frame.window.y, part.row(1) - frame.window.y), count: part.width - first)
        before.update(from: strip.colors(0), count: part.rowCount * Self.colorBytes)
        body(colors, memory)
        var (isAll, isAny) = (true, false)
        for row in 0..<part.rowCount {
            let marks = strip.weights(row) + first
            kernels.markChanges(
                of: colors.row(row), since: before + row * Self.colorBytes + first, plane: YUVStrip.plane, into: marks,
                count: colors.count)
            let range = kernels.rangeOfWeights(marks, count: colors.count)
            isAll = isAll && range.minimum > 0
            isAny = isAny || range.maximum > 0
        }
        if isAny { strip.store(part, into: frame, masked: !isAll) }
    }
}
