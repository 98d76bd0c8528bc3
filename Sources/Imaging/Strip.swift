// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor

extension FrameImage {
    /// A part of a YUV frame: adjacent pixels of the one or two rows that share a chroma row. The strip is at most
    /// `YUVStrip.width` pixels wide.
    package struct Strip {
        /// Column of the strip's first pixel, counted from the left edge of the planes (not of the visible part). If
        /// pixels share a chroma sample, `x` is the first of these pixels.
        package let x: Int
        package let width: Int
        /// Number of rows, 1 or 2.
        package let rowCount: Int
        let chromaRow: Int
        fileprivate let rows: (Int, Int)

        /// Returns the index in the luma plane of a row of the strip.
        /// - Parameter index: 0 for the first row of the strip, 1 for the second row.
        package func row(_ index: Int) -> Int { index == 0 ? rows.0 : rows.1 }

        package func rowsLie(in range: Range<Int>) -> Bool {
            range.contains(rows.0) && (rowCount == 1 || range.contains(rows.1))
        }
    }

    /// Calls `body` with strips that cover `part` and all visible pixels that share chroma with `part`.
    /// - Parameter longest: the maximum width of a strip in pixels, an even number up to `YUVStrip.width`.
    package func forEachStrip(of part: Rectangle, longest: Int = YUVStrip.width, _ body: (Strip) -> Void) {
        let part = bounds.intersection(part)
        let chroma = format.layout
        guard !part.isEmpty, format.isYUV else { return }
        // Load the memory of each strip into the cache while `body` processes the strip before it.
        var waiting: Strip?
        func give(_ next: Strip) {
            fetch(next)
            if let waiting { body(waiting) }
            waiting = next
        }
        let (left, right) = (window.x + part.x, window.x + part.x + part.width)
        let (top, bottom) = (window.y + part.y, window.y + part.y + part.height)
        let begin = left - left % chroma.columns
        let end = min(window.x + width, right + right % chroma.columns)
        // The assignment of luma rows to chroma rows repeats every `period` luma rows.
        let isByField = isInterlaced && chroma.rows == 2
        let period = isByField ? 4 : chroma.rows
        for row in top / period * period / chroma.rows..<(bottom + period - 1) / period * period / chroma.rows {
            let first = isByField ? row / 2 * 4 + row % 2 : row * chroma.rows
            let second = isByField ? first + 2 : first + chroma.rows - 1
            guard first < bottom, second >= top else { continue }
            // Rows outside of the visible part may not exist in memory. So a strip contains only visible rows.
            let isFirstVisible = first >= window.y, isSecondVisible = second < window.y + height
            guard isFirstVisible || isSecondVisible else { continue }
            let visible = (isFirstVisible ? first : second, isSecondVisible ? second : first)
            for x in stride(from: begin, to: end, by: longest) {
                give(
                    Strip(
                        x: x, width: min(longest, end - x), rowCount: visible.0 == visible.1 ? 1 : 2,
                        chromaRow: row, rows: visible))
            }
        }
        if let waiting { body(waiting) }
    }

    func sharesChroma(_ first: Int, _ second: Int) -> Bool { chromaRow(of: first) == chromaRow(of: second) }

    private func chromaRow(of row: Int) -> Int {
        let rows = format.planes.last?.rows ?? 1
        return isInterlaced && rows == 2 ? row / 4 * 2 + row % 2 : row / rows
    }

    /// Returns a strip of a YUV frame.
    /// - Parameters:
    ///   - columns: visible columns of the planes. If the first column shares its chroma sample with the column before
    ///     it, the strip also includes that column. The strip may have at most `YUVStrip.width` columns.
    ///   - first: a visible row of the planes.
    ///   - second: a row that shares chroma with `first`, or `first` itself.
    func strip(columns: Range<Int>, first: Int, second: Int) -> Strip {
        let x = columns.lowerBound - columns.lowerBound % (format.planes.last?.columns ?? 1)
        return Strip(
            x: x, width: columns.upperBound - x, rowCount: first == second ? 1 : 2, chromaRow: chromaRow(of: first),
            rows: (first, second))
    }

    /// Returns the address of a strip's first sample in a row of the plane with the index `plane`.
    func address(of strip: Strip, plane: Int, row: Int) -> UnsafeMutableRawPointer {
        planes[plane].base + (row &* planes[plane].stride &+ format.layout.offset(ofPixel: strip.x, plane: plane))
    }

    private func fetch(_ strip: Strip) {
        func fetch(plane: Int, row: Int) {
            sv_prefetch(
                address(of: strip, plane: plane, row: row), format.layout.offset(ofPixel: strip.width, plane: plane))
        }
        for plane in 0..<format.layout.planes {
            fetch(plane: plane, row: plane == 0 ? strip.row(0) : strip.chromaRow)
            if plane == 0, strip.rowCount == 2 { fetch(plane: 0, row: strip.row(1)) }
        }
    }
}
