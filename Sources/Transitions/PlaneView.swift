// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The visible part of a plane of a frame. A row consists of units. A unit is the smallest group of bytes that contains
/// whole pixels.
struct PlaneView {
    let base: UnsafeMutableRawPointer
    let stride: Int
    /// `units`: number of units in a row. `rows`: number of rows.
    let units: Int
    let rows: Int
    let layout: PlaneLayout

    var rowBytes: Int { units * layout.unitBytes }

    /// Returns the first byte of a row. `y` must be in 0 ..< `rows`.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { (base + y * stride).assumingMemoryBound(to: UInt8.self) }

    /// Returns the rows of the plane that contain a band of pixel rows. The first row of the band must also be the
    /// first row of a chroma sample.
    func rows(of band: Range<Int>) -> Range<Int> {
        let last = min(rows, layout.unitRows(height: band.upperBound))
        return min(last, band.lowerBound / layout.rows)..<last
    }

    /// Samples at equal distances in a row. Each sample covers the same number of pixels.
    struct Lane {
        /// `first`: index of the first sample's first byte in a row. `step`: distance between two samples, in bytes.
        /// `channels`: number of adjacent bytes in a sample.
        let first, step, channels: Int
        /// Number of adjacent pixels in a row that a sample covers.
        let columns: Int
        let count: Int
    }

    /// Returns the lanes of the plane. Most planes have one lane, whose samples are whole units. In packed 4:2:2
    /// formats, a unit contains chroma and the luma of two pixels. Luma and each chroma channel then have separate
    /// lanes.
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
        // If the width is odd, the last unit also contains luma of a pixel outside the frame.
        return [Lane(first: luma, step: step, channels: 1, columns: 1, count: units * layout.columns)]
            + chroma.map {
                Lane(first: $0, step: layout.unitBytes, channels: 1, columns: layout.columns, count: units)
            }
    }
}

extension FrameImage {
    /// The visible parts of the frame's planes. The visible part must begin at the edge of a chroma sample.
    var views: [PlaneView] {
        zip(format.planes, planes).map { layout, plane in
            let (x, y) = (window.x / layout.columns, window.y / layout.rows)
            return PlaneView(
                base: plane.base + (y * plane.stride + x * layout.unitBytes), stride: plane.stride,
                units: layout.units(width: width), rows: layout.unitRows(height: height), layout: layout)
        }
    }

    /// True if each sample is a byte and the visible part begins at the edge of a chroma sample.
    private var isPlain: Bool {
        format.shift == nil
            && format.planes.allSatisfy { window.x % $0.columns == 0 && window.y % $0.rows == 0 }
    }

    /// Returns true if a transition can mix samples of both frames directly. Both frames must have the same format,
    /// size, colorimetry and interlacing.
    package func isAlike(_ other: FrameImage) -> Bool {
        isPlain && other.isPlain && format == other.format && width == other.width && height == other.height
            && (!format.isYUV || colorimetry == other.colorimetry) && isInterlaced == other.isInterlaced
    }
}
