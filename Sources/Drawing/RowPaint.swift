// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

extension FrameImage {
    /// Fills the whole frame with a different colour for each row. If two rows share chroma samples, the samples get
    /// the mean of the two colours. A rectangle per row would not work: at the edges of the rectangles, a part of the
    /// old chroma would remain.
    /// - Parameter color: returns the colour of row `y`. The opacity of the colour is ignored.
    package func fill(rows color: (_ y: Int) -> Color) {
        guard !isEmpty else { return }
        let colors = (0..<height).map { color($0).rounded }
        RowPaint.with(colors, for: self) { paint in
            Painter.paint(self) { $0.paint(Box(bounds), paint) }
        }
    }
}

private struct RowPaint: Paint {
    private static let bytes = 512 * 4

    private let frame: FrameImage
    private let colors: [Color]
    /// For each plane, the samples of the row that was requested last.
    private let memory: UnsafeMutablePointer<UInt8>
    /// For each plane, the index of the row that `memory` contains; -1 before the first use.
    private let rows: UnsafeMutablePointer<Int>

    /// - Parameter colors: a colour for each visible row.
    static func with(_ colors: [Color], for frame: FrameImage, _ body: (RowPaint) -> Void) {
        let count = frame.format.planes.count
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes * count)
        defer { memory.deallocate() }
        let rows = UnsafeMutablePointer<Int>.allocate(capacity: count)
        defer { rows.deallocate() }
        rows.initialize(repeating: -1, count: count)
        body(RowPaint(frame: frame, colors: colors, memory: memory, rows: rows))
    }

    func samples(plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8> {
        let start = memory + plane * Self.bytes
        guard rows[plane] != row else { return UnsafePointer(start) }
        rows[plane] = row
        let layout = frame.format.planes[plane]
        let samples = frame.format.unit(of: layout, color(of: row, layout), frame.colorimetry)
        for i in 0..<layout.unitBytes { start[i] = samples[i] }
        start.repeatBytes(layout.unitBytes, count: Self.bytes)
        return UnsafePointer(start)
    }

    /// Returns the mean colour of the visible rows that share a row of a plane.
    private func color(of row: Int, _ layout: PlaneLayout) -> Color {
        let top = row * layout.rows - frame.window.y
        let first = colors[max(0, min(colors.count - 1, top))]
        let last = colors[max(0, min(colors.count - 1, top + layout.rows - 1))]
        return Color((first.red + last.red) / 2, (first.green + last.green) / 2, (first.blue + last.blue) / 2)
    }
}
