// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// The old image grows around its centre and fades to the new image.
struct Zoom: TransitionEffect {
    private func magnification(at p: Double, of frame: FrameImage) -> Magnification {
        Magnification(at: p, width: frame.width, height: frame.height)
    }

    func draw(_ scene: Scene) { scene.magnify(magnification(at: scene.progress, of: scene.output)) }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        let zoom = magnification(at: view.moment.progress, of: view.frame)
        switch side {
        case .old: return zoom.isOldVisible ? zoom.sight(of: box, in: view.frame.bounds) : nil
        case .new: return zoom.isNewVisible ? .init(box: box) : nil
        }
    }
}

/// The scale of the old image and the weight of the new image. At the progress p, the old image is scaled by 1 + 3 p².
/// The weight is t² (3 − 2t), where t = 1.25 p − 0.25, but at least 0.
struct Magnification {
    private let scale: Double
    private let middle: Point
    let weight: UInt8

    init(at p: Double, width: Int, height: Int) {
        scale = 1 + 3 * p * p
        middle = Point(Double(width) / 2, Double(height) / 2)
        let t = max(0, 1.25 * p - 0.25)
        weight = byte(255 * t * t * (3 - 2 * t))
    }

    var isOldVisible: Bool { weight < 255 }
    var isNewVisible: Bool { weight > 0 }

    /// The two adjacent rows of the old image from which an output row is interpolated, or the same for columns. Beyond
    /// the edges, border samples are repeated.
    struct Position {
        let first, second: Int
        /// Weight of the second row or column, in 1/256.
        let fraction: UInt32
    }

    /// Returns the position in the old image from which an output sample comes, horizontally or vertically.
    /// - Parameters:
    ///   - pixels: number of pixels that a sample covers.
    ///   - count: number of samples, at least 1.
    private func position(of index: Int, middle: Double, pixels: Int, count: Int) -> Position {
        let center = middle + ((Double(index) + 0.5) * Double(pixels) - middle) / scale
        let position = floored((center / Double(pixels) - 0.5) * 256 + 0.5)
        let sample = position >> 8
        return Position(
            first: min(count - 1, max(0, sample)), second: min(count - 1, max(0, sample + 1)),
            fraction: UInt32(truncatingIfNeeded: position & 255))
    }

    /// Returns the rows of the old image around an output row.
    func rows(of row: Int, in plane: PlaneView) -> Position {
        position(of: row, middle: middle.y, pixels: plane.layout.rows, count: plane.rows)
    }

    /// Returns the columns of the old image around an output column.
    func columns(of column: Int, in lane: PlaneView.Lane) -> Position {
        position(of: column, middle: middle.x, pixels: lane.columns, count: lane.count)
    }

    func sight(of box: Rectangle, in bounds: Rectangle) -> TransitionPainter.Sight? {
        func moved(_ position: Int, _ middle: Double) -> Double { middle + (Double(position) - middle) * scale }
        let (left, top) = (Int(moved(box.x, middle.x).rounded(.down)), Int(moved(box.y, middle.y).rounded(.down)))
        let (right, bottom) = (moved(box.x + box.width, middle.x), moved(box.y + box.height, middle.y))
        let visible = Rectangle(
            x: left, y: top, width: Int(right.rounded(.up)) - left, height: Int(bottom.rounded(.up)) - top
        ).intersection(bounds)
        return visible.isEmpty
            ? nil : .init(box: visible, scale: scale, offset: Point(middle.x * (1 - scale), middle.y * (1 - scale)))
    }
}

extension Scene {
    /// Fills the output with a mixture of the scaled old image and the new image. First, rows of the old image are
    /// scaled horizontally. Then each output row is interpolated between two scaled rows. Adjacent output rows usually
    /// need the same two scaled rows.
    func magnify(_ zoom: Magnification) {
        guard zoom.isOldVisible else { return copy(.new) }
        let tables = planes.map { ColumnTable($0.output, width: output.width, zoom) }
        forEachBand { band in
            for (plane, columns) in zip(planes, tables) {
                let lines = MagnifiedRows(of: plane.old, columns, output.kernels)
                for row in plane.output.rows(of: band) {
                    let position = zoom.rows(of: row, in: plane.old)
                    let (first, second) = lines.rows(position)
                    output.kernels.mixLines(
                        first, second, fraction: position.fraction, plane.new.row(row), weight: zoom.weight,
                        into: plane.output.row(row), count: plane.output.rowBytes)
                }
            }
        }
    }
}

/// Positions in the old image for the bytes of an output row.
private struct ColumnTable {
    /// For each byte of an output row: the position in a row of the old image. A value is 256 times the index of the
    /// left byte, plus the weight of the right byte in 1/256.
    private(set) var offsets: [UInt32]
    /// For each byte of an output row: the index of the right byte in a row of the old image.
    private(set) var neighbours: [UInt32]

    init(_ plane: PlaneView, width: Int, _ zoom: Magnification) {
        offsets = Array(repeating: 0, count: plane.rowBytes)
        neighbours = offsets
        for lane in plane.lanes(width: width) {
            for i in 0..<lane.count {
                let position = zoom.columns(of: i, in: lane)
                for channel in lane.first..<lane.first + lane.channels {
                    let (left, right) = (channel + position.first * lane.step, channel + position.second * lane.step)
                    offsets[channel + i * lane.step] = UInt32(truncatingIfNeeded: left) << 8 | position.fraction
                    neighbours[channel + i * lane.step] = UInt32(truncatingIfNeeded: right)
                }
            }
        }
    }
}

/// A cache of the last two scaled rows of a plane. Only one thread may use an instance.
private final class MagnifiedRows {
    private let plane: PlaneView
    private let columns: ColumnTable
    private let kernels: any KernelSet
    private let memory: UnsafeMutablePointer<UInt16>
    /// The indices of the cached rows, one even and one odd.
    private var kept = (even: -1, odd: -1)

    init(of plane: PlaneView, _ columns: ColumnTable, _ kernels: any KernelSet) {
        (self.plane, self.columns, self.kernels) = (plane, columns, kernels)
        memory = .allocate(capacity: 2 * plane.rowBytes)
        memory.initialize(repeating: 0, count: 2 * plane.rowBytes)
    }

    deinit { memory.deallocate() }

    /// Returns two scaled rows, whose values are samples times 256. The pointers are valid until the next call.
    func rows(_ position: Magnification.Position) -> (first: UnsafePointer<UInt16>, second: UnsafePointer<UInt16>) {
        (row(position.first), row(position.second))
    }

    private func row(_ row: Int) -> UnsafePointer<UInt16> {
        let isEven = row % 2 == 0
        let line = isEven ? memory : memory + plane.rowBytes
        if row != (isEven ? kept.even : kept.odd) {
            columns.offsets.withUnsafeBufferPointer { offsets in
                columns.neighbours.withUnsafeBufferPointer { neighbours in
                    guard let offsets = offsets.baseAddress, let neighbours = neighbours.baseAddress else { return }
                    kernels.resampleRow(
                        plane.row(row), offsets: offsets, neighbours: neighbours, into: line, count: plane.rowBytes)
                }
            }
            if isEven { kept.even = row } else { kept.odd = row }
        }
        return UnsafePointer(line)
    }
}
