// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor

extension FrameImage {
    /// Pixels of a YUV frame: up to `YUVStrip.width` side by side, of the one or two rows that share a row of chroma.
    package struct Strip {
        /// The first pixel, with which its chroma begins; pixels are counted from the left edge of the planes, not of
        /// what is visible.
        package let x: Int
        package let width: Int
        /// 1 or 2.
        package let rowCount: Int
        let chromaRow: Int
        fileprivate let rows: (Int, Int)

        /// Returns the row in the luma plane.
        /// - Parameter index: 0 or 1.
        package func row(_ index: Int) -> Int { index == 0 ? rows.0 : rows.1 }

        /// Returns whether all rows are among these.
        package func rowsLie(in range: Range<Int>) -> Bool {
            range.contains(rows.0) && (rowCount == 1 || range.contains(rows.1))
        }
    }

    /// Calls `body` with strips that cover a part of a YUV frame, and all visible pixels that share chroma with it.
    /// - Parameter longest: the most pixels of a strip's row; even, at most `YUVStrip.width`.
    package func forEachStrip(of part: Rectangle, longest: Int = YUVStrip.width, _ body: (Strip) -> Void) {
        let part = bounds.intersection(part)
        let chroma = format.places
        guard !part.isEmpty, format.isYUV else { return }
        // What the next strip needs is on its way while one is worked on.
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
        // The rows that take part in one pattern of rows and chroma.
        let isByField = isInterlaced && chroma.rows == 2
        let period = isByField ? 4 : chroma.rows
        for row in top / period * period / chroma.rows..<(bottom + period - 1) / period * period / chroma.rows {
            let first = isByField ? row / 2 * 4 + row % 2 : row * chroma.rows
            let second = isByField ? first + 2 : first + chroma.rows - 1
            guard first < bottom, second >= top else { continue }
            // Rows beside the visible ones have no say in their chroma, and may not be there.
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

    /// Returns whether two rows of the planes share chroma.
    func sharesChroma(_ first: Int, _ second: Int) -> Bool { chromaRow(of: first) == chromaRow(of: second) }

    private func chromaRow(of row: Int) -> Int {
        let rows = format.planes.last?.rows ?? 1
        return isInterlaced && rows == 2 ? row / 4 * 2 + row % 2 : row / rows
    }

    /// Returns pixels of a YUV frame, to be loaded.
    /// - Parameters:
    ///   - columns: visible columns of the planes, at most `YUVStrip.width` with those that share chroma with the first.
    ///   - first: a visible row of the planes.
    ///   - second: one that shares chroma with the first; the same if there is none.
    func strip(columns: Range<Int>, first: Int, second: Int) -> Strip {
        let x = columns.lowerBound - columns.lowerBound % (format.planes.last?.columns ?? 1)
        return Strip(
            x: x, width: columns.upperBound - x, rowCount: first == second ? 1 : 2, chromaRow: chromaRow(of: first),
            rows: (first, second))
    }

    /// Returns the first of a strip's samples in a row of a plane.
    func address(of strip: Strip, plane: Int, row: Int) -> UnsafeMutableRawPointer {
        planes[plane].base + (row &* planes[plane].stride &+ format.places.offset(ofPixel: strip.x, plane: plane))
    }

    private func fetch(_ strip: Strip) {
        func fetch(plane: Int, row: Int) {
            sv_prefetch(
                address(of: strip, plane: plane, row: row), format.places.offset(ofPixel: strip.width, plane: plane))
        }
        for plane in 0..<format.places.planes {
            fetch(plane: plane, row: plane == 0 ? strip.row(0) : strip.chromaRow)
            if plane == 0, strip.rowCount == 2 { fetch(plane: 0, row: strip.row(1)) }
        }
    }
}
