// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The visible part of a plane of a frame, as rows of units.
struct PlaneView {
    let base: UnsafeMutableRawPointer
    let stride: Int
    /// `units`: number of units in a row. `rows`: number of rows.
    let units: Int
    let rows: Int
    let layout: PlaneLayout

    var rowBytes: Int { units * layout.unitBytes }

    /// Returns the first byte of a row, which must be in 0 ..< rows.
    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { (base + y * stride).assumingMemoryBound(to: UInt8.self) }

    /// Returns the rows of the plane for a band of pixel rows that begins at a row of chroma.
    func rows(of band: Range<Int>) -> Range<Int> {
        let last = min(rows, layout.unitRows(height: band.upperBound))
        return min(last, band.lowerBound / layout.rows)..<last
    }

    /// A sequence of samples in a row at equal distances, each for the same number of pixels.
    struct Lane {
        /// `first`: index of the first byte in a row. `step`: distance between samples, in bytes. `channels`: number of
        /// adjacent bytes per sample.
        let first, step, channels: Int
        /// Number of adjacent pixels per sample.
        let columns: Int
        let count: Int
    }

    /// Returns the lanes of the plane: one lane of whole units, or, if a unit contains the luma of two pixels and
    /// chroma, separate lanes for luma and for each chroma channel.
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
        // For odd widths, the last unit has luma for an invisible pixel too.
        return [Lane(first: luma, step: step, channels: 1, columns: 1, count: units * layout.columns)]
            + chroma.map {
                Lane(first: $0, step: layout.unitBytes, channels: 1, columns: layout.columns, count: units)
            }
    }
}

extension FrameImage {
    /// The planes of a frame. The visible part of the frame must begin at a whole unit of chroma.
    var views: [PlaneView] {
        zip(format.planes, planes).map { layout, plane in
            let (x, y) = (window.x / layout.columns, window.y / layout.rows)
            return PlaneView(
                base: plane.base + (y * plane.stride + x * layout.unitBytes), stride: plane.stride,
                units: layout.units(width: width), rows: layout.unitRows(height: height), layout: layout)
        }
    }

    /// True if samples are bytes and the visible part begins at a whole unit of chroma.
    private var isPlain: Bool {
        format.shift == nil
            && format.planes.allSatisfy { window.x % $0.columns == 0 && window.y % $0.rows == 0 }
    }

    /// Returns true if transitions between the two frames can be drawn directly in their samples: format, size,
    /// colorimetry and interlacing are the same.
    package func isAlike(_ other: FrameImage) -> Bool {
        isPlain && other.isPlain && format == other.format && width == other.width && height == other.height
            && (!format.isYUV || colorimetry == other.colorimetry) && isInterlaced == other.isInterlaced
    }
}
