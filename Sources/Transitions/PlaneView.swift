// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The visible part of a plane of a frame. A unit is the smallest group of bytes with a whole number of pixels.
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

    /// Returns the rows of the plane for a band of pixel rows. The band must begin at the first row of a chroma sample.
    func rows(of band: Range<Int>) -> Range<Int> {
        let last = min(rows, layout.unitRows(height: band.upperBound))
        return min(last, band.lowerBound / layout.rows)..<last
    }

    /// Samples in a row that have equal distances. Each sample covers the same number of pixels.
    struct Lane {
        /// `first`: index of the first sample's byte in a row. `step`: distance between two samples, in bytes.
        /// `channels`: number of adjacent bytes in a sample.
        let first, step, channels: Int
        /// Number of adjacent pixels that a sample covers.
        let columns: Int
        let count: Int
    }

    /// Returns the lanes of the plane. Usually this is one lane of whole units. If a unit contains chroma and the luma
    /// of two pixels, luma and the chroma channels have separate lanes.
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
        // If the width is odd, the last unit also has luma for a pixel outside of the frame.
        return [Lane(first: luma, step: step, channels: 1, columns: 1, count: units * layout.columns)]
            + chroma.map {
                Lane(first: $0, step: layout.unitBytes, channels: 1, columns: layout.columns, count: units)
            }
    }
}

extension FrameImage {
    /// The planes of a frame. The visible part of the frame must begin at the edge of a chroma sample.
    var views: [PlaneView] {
        zip(format.planes, planes).map { layout, plane in
            let (x, y) = (window.x / layout.columns, window.y / layout.rows)
            return PlaneView(
                base: plane.base + (y * plane.stride + x * layout.unitBytes), stride: plane.stride,
                units: layout.units(width: width), rows: layout.unitRows(height: height), layout: layout)
        }
    }

    /// True if samples are bytes and the visible part begins at the edge of a chroma sample.
    private var isPlain: Bool {
        format.shift == nil
            && format.planes.allSatisfy { window.x % $0.columns == 0 && window.y % $0.rows == 0 }
    }

    /// Returns true if transitions between the frames can use their samples directly. For this, format, size,
    /// colorimetry and interlacing must be the same.
    package func isAlike(_ other: FrameImage) -> Bool {
        isPlain && other.isPlain && format == other.format && width == other.width && height == other.height
            && (!format.isYUV || colorimetry == other.colorimetry) && isInterlaced == other.isInterlaced
    }
}
