// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// The old image grows around its middle while the new one fades in.
struct Zoom: TransitionEffect {
    private func magnification(at p: Double, of frame: FrameImage) -> Magnification {
        Magnification(at: p, width: frame.width, height: frame.height)
    }

    func draw(_ scene: Scene) { scene.magnify(magnification(at: scene.progress, of: scene.output)) }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        let zoom = magnification(at: view.moment.progress, of: view.frame)
        switch side {
        case .old: return zoom.isOldSeen ? zoom.sight(of: box, in: view.frame.bounds) : nil
        case .new: return zoom.isNewSeen ? .init(box: box) : nil
        }
    }
}

/// The old image is magnified around its middle, z = 1 + 3 p² times, while the new one appears: with the weight
/// t² (3 − 2t), t = 1.25 p − 0.25.
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

    var isOldSeen: Bool { weight < 255 }
    var isNewSeen: Bool { weight > 0 }

    /// Samples of a row or column between which one of the output lies; beyond the edge are those of the edge.
    struct Place {
        let first, second: Int
        /// Share of the second one, in 256ths.
        let fraction: UInt32
    }

    /// Returns where a sample of the output comes from, across or down.
    /// - Parameters:
    ///   - pixels: number that a sample stands for.
    ///   - count: number of samples, above 0.
    private func place(of index: Int, middle: Double, pixels: Int, count: Int) -> Place {
        let center = middle + ((Double(index) + 0.5) * Double(pixels) - middle) / scale
        let place = floored((center / Double(pixels) - 0.5) * 256 + 0.5)
        let sample = place >> 8
        return Place(
            first: min(count - 1, max(0, sample)), second: min(count - 1, max(0, sample + 1)),
            fraction: UInt32(truncatingIfNeeded: place & 255))
    }

    /// Returns the rows of a plane between which one of the output lies.
    func rows(of row: Int, in plane: PlaneView) -> Place {
        place(of: row, middle: middle.y, pixels: plane.layout.rows, count: plane.rows)
    }

    /// Returns the columns of a lane between which one of the output lies.
    func columns(of column: Int, in lane: PlaneView.Lane) -> Place {
        place(of: column, middle: middle.x, pixels: lane.columns, count: lane.count)
    }

    func sight(of box: Rectangle, in bounds: Rectangle) -> TransitionPainter.Sight? {
        func moved(_ place: Int, _ middle: Double) -> Double { middle + (Double(place) - middle) * scale }
        let (left, top) = (Int(moved(box.x, middle.x).rounded(.down)), Int(moved(box.y, middle.y).rounded(.down)))
        let (right, bottom) = (moved(box.x + box.width, middle.x), moved(box.y + box.height, middle.y))
        let seen = Rectangle(
            x: left, y: top, width: Int(right.rounded(.up)) - left, height: Int(bottom.rounded(.up)) - top
        ).intersection(bounds)
        return seen.isEmpty
            ? nil : .init(box: seen, scale: scale, offset: Point(middle.x * (1 - scale), middle.y * (1 - scale)))
    }
}

extension Scene {
    /// Fills the output with the old image, magnified, mixed with the new one. Samples are interpolated between the nearest
    /// four: first along rows of the old image, most of which two rows of the output share, then between these.
    func magnify(_ zoom: Magnification) {
        guard zoom.isOldSeen else { return copy(.new) }
        let tables = planes.map { ColumnTable($0.output, width: output.width, zoom) }
        forEachBand { band in
            for (plane, columns) in zip(planes, tables) {
                let lines = MagnifiedRows(of: plane.old, columns, output.kernels)
                for row in plane.output.rows(of: band) {
                    let place = zoom.rows(of: row, in: plane.old)
                    let (first, second) = lines.rows(place)
                    output.kernels.mixLines(
                        first, second, fraction: place.fraction, plane.new.row(row), weight: zoom.weight,
                        into: plane.output.row(row), count: plane.output.rowBytes)
                }
            }
        }
    }
}

/// Where the bytes of each row of a plane come from.
private struct ColumnTable {
    /// For each byte of a row that of the sample to the left, times 256, and the share of that to the right in 256ths.
    private(set) var places: [UInt32]
    /// The byte of the sample to the right.
    private(set) var neighbours: [UInt32]

    init(_ plane: PlaneView, width: Int, _ zoom: Magnification) {
        places = Array(repeating: 0, count: plane.rowBytes)
        neighbours = places
        for lane in plane.lanes(width: width) {
            for i in 0..<lane.count {
                let place = zoom.columns(of: i, in: lane)
                for channel in lane.first..<lane.first + lane.channels {
                    let (left, right) = (channel + place.first * lane.step, channel + place.second * lane.step)
                    places[channel + i * lane.step] = UInt32(truncatingIfNeeded: left) << 8 | place.fraction
                    neighbours[channel + i * lane.step] = UInt32(truncatingIfNeeded: right)
                }
            }
        }
    }
}

/// The last two rows of a plane that were magnified. It belongs to one thread.
private final class MagnifiedRows {
    private let plane: PlaneView
    private let columns: ColumnTable
    private let kernels: any KernelSet
    private let memory: UnsafeMutablePointer<UInt16>
    /// Their numbers in the plane, of which one is even and the other odd.
    private var kept = (even: -1, odd: -1)

    init(of plane: PlaneView, _ columns: ColumnTable, _ kernels: any KernelSet) {
        (self.plane, self.columns, self.kernels) = (plane, columns, kernels)
        memory = .allocate(capacity: 2 * plane.rowBytes)
        memory.initialize(repeating: 0, count: 2 * plane.rowBytes)
    }

    deinit { memory.deallocate() }

    /// Returns two rows, of 256 times the samples; they are valid until the next call.
    func rows(_ place: Magnification.Place) -> (first: UnsafePointer<UInt16>, second: UnsafePointer<UInt16>) {
        (row(place.first), row(place.second))
    }

    private func row(_ row: Int) -> UnsafePointer<UInt16> {
        let isEven = row % 2 == 0
        let line = isEven ? memory : memory + plane.rowBytes
        if row != (isEven ? kept.even : kept.odd) {
            columns.places.withUnsafeBufferPointer { places in
                columns.neighbours.withUnsafeBufferPointer { neighbours in
                    guard let places = places.baseAddress, let neighbours = neighbours.baseAddress else { return }
                    kernels.resampleRow(
                        plane.row(row), places: places, neighbours: neighbours, into: line, count: plane.rowBytes)
                }
            }
            if isEven { kept.even = row } else { kept.odd = row }
        }
        return UnsafePointer(line)
    }
}
