// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The visible part of a plane of a frame, as rows of units.
struct PlaneView {
    let base: UnsafeMutableRawPointer
    let stride: Int
    /// Units in a row, and rows of units.
    let units: Int
    let rows: Int
    let layout: PlaneLayout

    var rowBytes: Int { units * layout.unitBytes }

    /// Returns the first byte of a row, which must be in 0 ..< rows.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { (base + y * stride).assumingMemoryBound(to: UInt8.self) }

    /// Returns the rows that belong to rows of pixels which begin where chroma does.
    func rows(of band: Range<Int>) -> Range<Int> {
        let last = min(rows, layout.unitRows(height: band.upperBound))
        return min(last, band.lowerBound / layout.rows)..<last
    }

    /// Samples of a plane that lie at equal distances and stand for the same kind of pixels.
    struct Lane {
        /// The first one's place in a row, bytes from one to the next, and bytes that belong together in each.
        let first, step, channels: Int
        /// Pixels side by side that one stands for.
        let columns: Int
        let count: Int
    }

    /// The plane's samples: pixels or units as they are, or, where luma of two pixels shares a unit with chroma, each kind
    /// apart.
    func lanes(width: Int) -> [Lane] {
        guard layout.hasOwnLuma else {
            return [
                Lane(
                    first: 0, step: layout.unitBytes, channels: layout.unitBytes, columns: layout.columns, count: units)
            ]
        }
        let luma = layout.samples.firstIndex(of: .luma) ?? 0
        let chroma = [FrameFormat.Sample.chromaBlue, .chromaRed].compactMap(layout.samples.firstIndex(of:))
        let step = layout.unitBytes / layout.columns
        // Units of odd widths have luma for a pixel that is not seen.
        return [Lane(first: luma, step: step, channels: 1, columns: 1, count: units * layout.columns)]
            + chroma.map {
                Lane(first: $0, step: layout.unitBytes, channels: 1, columns: layout.columns, count: units)
            }
    }
}

extension FrameImage {
    /// The planes of a frame whose visible part begins where chroma does.
    var views: [PlaneView] {
        zip(format.planes, planes).map { layout, plane in
            let (x, y) = (window.x / layout.columns, window.y / layout.rows)
            return PlaneView(
                base: plane.base + (y * plane.stride + x * layout.unitBytes), stride: plane.stride,
                units: layout.units(width: width), rows: layout.unitRows(height: height), layout: layout)
        }
    }

    /// True if samples are bytes and the visible part begins where chroma does.
    private var isPlain: Bool {
        format.shift == nil
            && format.planes.allSatisfy { window.x % $0.columns == 0 && window.y % $0.rows == 0 }
    }

    /// Returns whether samples of both frames mean the same and stand for the same pixels, so that transitions can be
    /// drawn with them.
    package func isAlike(_ other: FrameImage) -> Bool {
        isPlain && other.isPlain && format == other.format && width == other.width && height == other.height
            && (!format.isYUV || colorimetry == other.colorimetry) && isInterlaced == other.isInterlaced
    }
}
