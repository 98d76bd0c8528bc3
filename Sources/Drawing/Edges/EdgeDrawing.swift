// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

// Methods that draw edges on frames of all formats.

extension EdgeFinder {
    /// Replaces the frame by a black and white image of the edges. Alpha and padding do not change. If the sizes of the
    /// frame and the edge image differ, only the common part is drawn.
    package func draw(on frame: FrameImage, blackOnWhite: Bool) {
        let area = frame.cropped(to: Rectangle(width: width, height: height))
        guard !area.isEmpty else { return }
        let (set, clear): (Color, Color) = blackOnWhite ? (.black, .white) : (.white, .black)
        if let packed = area.packed {
            drawPacked(packed, set: byte(set.luma), clear: byte(clear.luma))
        } else {
            func luma(_ color: Color) -> UInt8 { byte(area.colorimetry.samples(of: color).luma) }
            drawYUV(area, set: luma(set), clear: luma(clear))
        }
    }

    /// Draws the edges in a colour over the frame.
    package func draw(on frame: FrameImage, color: Color) {
        let opacity = color.alpha
        let area = frame.cropped(to: Rectangle(width: width, height: height))
        guard opacity > 0, !area.isEmpty else { return }
        if opacity == 255, let packed = area.packed, packed.format.bytesPerPixel == 4 {
            return drawOpaque(packed, color)
        }
        PlainPaint.with(color, for: area) { paint in
            Painter.paint(area) { $0.paint(EdgeShape(bits: bits), paint, opacity: opacity) }
        }
    }

    // MARK: - Formats

    /// Calls `body` with each row of the edge image. In a row, each pixel is a byte: 255 for an edge, else 0.
    private func forEachRow(_ rows: Int, _ body: (Int, UnsafeMutablePointer<UInt8>) -> Void) {
        let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: 64 * bits.words)
        defer { mask.deallocate() }
        for y in 0..<rows {
            kernels.spreadBits(bits.edges + y * bits.stride, into: mask, words: bits.words)
            body(y, mask)
        }
    }

    private func drawPacked(_ image: Image, set: UInt8, clear: UInt8) {
        let keeps = ~image.format.colorMask
        forEachRow(image.height) { y, mask in
            let row = image.row(y)
            switch image.format.bytesPerPixel {
            case 4:
                kernels.choosePixels(
                    mask, set: UInt32(set) &* 0x0101_0101 & ~keeps, setKeeps: keeps,
                    clear: UInt32(clear) &* 0x0101_0101 & ~keeps, clearKeeps: keeps,
                    into: row, count: image.width)
            case 3:
                kernels.chooseBytes(mask, set: set, clear: clear, into: mask, count: image.width)
                kernels.spreadWeights(mask, into: row, count: image.width)
            default: kernels.chooseBytes(mask, set: set, clear: clear, into: row, count: image.width)
            }
        }
    }

    private func drawYUV(_ frame: FrameImage, set: UInt8, clear: UInt8) {
        guard let luma = frame.channel(.luma) else { return }
        forEachRow(luma.height) { y, mask in
            if luma.step == 1 {
                kernels.chooseBytes(mask, set: set, clear: clear, into: luma.row(y), count: luma.width)
            } else {
                kernels.chooseBytes(mask, set: set, clear: clear, into: mask, count: luma.width)
                scatter(mask, to: luma.row(y), step: luma.step, count: luma.width)
            }
        }
        for chroma in [frame.channel(.chromaBlue), frame.channel(.chromaRed)].compactMap({ $0 }) {
            for y in 0..<chroma.height {
                let row = chroma.row(y)
                var x = 0
                while x < chroma.width {
                    row[x &* chroma.step] = 128
                    x &+= 1
                }
            }
        }
    }

    private func drawOpaque(_ image: Image, _ color: Color) {
        let pixel: UInt32 = image.format.bytes(of: color).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        let keeps: UInt32 = image.format.padding.map { 255 << UInt32(8 * $0) } ?? 0
        forEachRow(image.height) { y, mask in
            kernels.choosePixels(
                mask, set: pixel & ~keeps, setKeeps: keeps, clear: 0, clearKeeps: .max, into: image.row(y),
                count: image.width)
        }
    }
}

private struct EdgeShape: Shape {
    let bits: EdgeBits

    var bounds: Rectangle { Rectangle(width: bits.width, height: bits.height) }

    /// Returns a span of columns that contains all edges in row `y`. The span begins and ends at multiples of 64,
    /// because the edge image has 64 pixels per word.
    func spans(_ y: Int) -> Spans {
        guard y >= 0, y < bits.height else { return .none }
        let row = bits.edges + y * bits.stride
        var (first, last) = (0, bits.words)
        while first < last, row[first] == 0 { first += 1 }
        while last > first, row[last - 1] == 0 { last -= 1 }
        return first < last ? Spans(from: 64 * first, to: 64 * last) : .none
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        guard y >= 0, y < bits.height else { return output.update(repeating: 0, count: count) }
        let row = bits.edges + y * bits.stride
        for i in 0..<count {
            let column = x + i
            let isSet = column >= 0 && column < bits.width && row[column / 64] >> UInt64(column % 64) & 1 != 0
            output[i] = isSet ? 255 : 0
        }
    }
}
