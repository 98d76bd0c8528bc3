// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

/// The layout of the bytes that a `ByteChange` changes.
enum ByteLayout: Hashable {
    /// Four-byte pixels, at most `WorkerMemory.largeTile` pixels.
    case pixels(SampleOffsets)
    /// Separate rows of red, green and blue bytes, with the layout of a `YUVStrip`.
    case rows
}

/// A colour change that computes each byte without reading other bytes.
protocol ByteChange: Sendable {
    /// Changes bytes in place.
    /// - Parameter bytes: the bytes of the pixels. They must have the layout for which the change was created.
    func apply(to bytes: UnsafeMutablePointer<UInt8>, pixels: Int, _ kernels: any KernelSet)
}

/// Changes the bytes of the frame in place, without a conversion to floats.
struct BytePass: FilterPass {
    let change: any ByteChange
    let description: String

    func run(on frame: FrameRun) {
        let (rows, columns) = (frame.rows(.frame), WorkerMemory.largeTile)
        frame.share(frame.height, alone: frame.isCheap()) { part, _ in
            for x in stride(from: 0, to: frame.width, by: columns) {
                for y in part {
                    change.apply(
                        to: rows.pixel(x, y).assumingMemoryBound(to: UInt8.self),
                        pixels: min(columns, frame.width - x), frame.kernels)
                }
            }
        }
    }
}

extension BytePass: StripPass {
    var cost: Int { 0 }

    func change(_ strip: StripColors, _ frame: FrameRun, _ memory: WorkerMemory) {
        for row in 0..<strip.rowCount {
            // Start at the first pixel of the strip, even if this pixel is outside of the visible part. The change of
            // such a pixel has no effect on the result.
            change.apply(to: strip.row(row) - strip.first, pixels: strip.first + strip.count, frame.kernels)
        }
    }
}

/// Mirrors the frame in place.
struct MirrorPass: FilterPass {
    let flip: Flip
    let description = "mirror in place"

    func run(on frame: FrameRun) {
        let (rows, width, height) = (frame.rows(.frame), frame.width, frame.height)
        let mask = frame.movesAlpha ? .max : frame.sampleOffsets.colorByteMask
        let half = width / 2
        // Swap each row with its mirror row. If the height is odd, the mirror row of the middle row is the middle row
        // itself.
        frame.share(flip.isDown ? (height + 1) / 2 : height, alone: frame.isCheap()) { part, _ in
            for y in part {
                let other = flip.isDown ? height - 1 - y : y
                let (reversed, count) = (flip.isAcross, other == y ? half : width)
                if other != y || reversed {
                    frame.kernels.exchange(
                        rows.pixel(0, y), rows.pixel(width - count, other), reversed: reversed, mask: mask, count: count
                    )
                }
            }
        }
    }
}
