// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Files
import Imaging
import Vision

/// Draws zones, counters and the heat map. Keeps the masks of areas until the zones or the frame size change.
struct ZoneDrawing {
    private var masks: [Mask?] = []
    private var list = ZoneList()
    private var size = PixelSize.zero
    private var writing: LabelWriter?
    private let heatLevels = OwnedImage(.gray8)
    private let hotLevels = OwnedImage(.gray8)
    private var heatTime: ClockTime?

    /// Maximum number of pixels of all masks. If the limit is reached, further areas are drawn only as outlines.
    private static let maxPixels = 64 << 20
    private static let colors: [Color] = [
        0xFF30_B0FF, 0xFFFF_A020, 0xFF50_D860, 0xFFFF_60B0, 0xFFB0_80FF, 0xFFF0_E040, 0xFF40_E0D0, 0xFFFF_7060,
    ]
    private static func color(_ index: Int) -> Color { colors[index % colors.count] }
    /// Opacity of an area without objects, and of an area with objects.
    private static let opacity = (empty: 0.18, occupied: 0.34)

    // MARK: - Zones

    /// - Parameter anchors: for each counted object, the point whose position decides whether the object is in a zone,
    ///   as fractions of the frame.
    mutating func draw(_ counter: ZoneCounter, anchors: [Point], on frame: FrameImage) throws {
        let width = frame.usualLineWidth
        func pixel(_ point: Point) -> Point { Point(point.x * Double(frame.width), point.y * Double(frame.height)) }
        makeMasks(counter.list, frame)
        var places: [Rectangle] = []
        for (index, zone) in counter.list.zones.enumerated() {
            let color = Self.color(index)
            switch zone.shape {
            case .area(let corners):
                let isOccupied = counter.counts[index].total > 0
                if let mask = masks[index] {
                    frame.fill(
                        mask, color: color.with(opacity: isOccupied ? Self.opacity.occupied : Self.opacity.empty))
                }
                let corners = corners.map(pixel)
                frame.outline(corners, lineWidth: Double(width), color: color)
                places.append(corners.box)
            case .line(let start, let end):
                let arrow = Arrow(from: pixel(start), to: pixel(end), frame)
                frame.line(from: pixel(start), to: pixel(end), width: Double(2 * width), color: color)
                frame.line(from: arrow.tail, to: arrow.neck, width: Double(2 * width), color: color)
                frame.polygon(arrow.head, color: color)
                places.append((arrow.head + [arrow.tail]).box)
            }
        }
        for anchor in anchors {
            frame.disc(pixel(anchor), radius: Double(2 * width) + 0.5, color: .black)
            frame.disc(pixel(anchor), radius: Double(2 * width) - 0.5, color: .white)
        }
        let writing = try LabelWriter.matching(&self.writing, font: nil, frame: frame.shape)
        let isSmall = min(frame.width, frame.height) < Self.smallFrame
        var taken: [Rectangle] = []
        for (index, place) in places.enumerated() {
            writing.label(
                Self.caption(counter.list.zones[index], counter.counts[index], isShort: isSmall), at: place, on: frame,
                color: Self.color(index), avoiding: &taken)
        }
    }

    private mutating func makeMasks(_ list: ZoneList, _ frame: FrameImage) {
        guard list != self.list || frame.size != size else { return }
        (self.list, size) = (list, frame.size)
        var pixels = 0
        masks = list.zones.map { zone in
            guard case .area(let corners) = zone.shape else { return nil }
            let placed = corners.map { Point($0.x * Double(size.width), $0.y * Double(size.height)) }
            let (area, overflow) = placed.box.width.multipliedReportingOverflow(by: placed.box.height)
            guard !overflow, area <= Self.maxPixels - pixels else { return nil }
            pixels += area
            return Mask(polygon: placed, clip: frame.bounds)
        }
    }

    /// If the frame's shorter side is shorter than this value, in pixels, the labels of areas contain only the name and
    /// the number of objects.
    private static let smallFrame = 180

    /// Returns the text of a zone: the name and the numbers.
    private static func caption(_ zone: ZoneList.Zone, _ counts: ZoneCounts, isShort: Bool) -> String {
        func sum(_ numbers: [String: Int]) -> Int { numbers.values.reduce(0, +) }
        // The Unicode isolates (U+2068, U+2069) keep the writing direction of the name. The whole text is left to
        // right.
        let name = "\u{200E}\u{2068}\(zone.name)\u{2069}"
        return switch zone.shape {
        case .area where isShort: "\(name) \(counts.total)"
        case .area: "\(name) \(counts.total) (+\(sum(counts.entered)) −\(sum(counts.left)))"
        case .line: "\(name) +\(sum(counts.forward)) −\(sum(counts.backward))"
        }
    }

    // MARK: - Heat map

    /// Minimum time between two updates of the heat map's levels. Each update takes several milliseconds for large
    /// frames.
    private static let heatInterval = ClockTime.second / 5
    /// Levels of the heat map above this fraction of the maximum are yellow.
    private static let hot = 0.5

    mutating func draw(_ heat: HeatMap, on frame: FrameImage, at time: ClockTime) {
        let isDue = heatTime.map { time < $0 || time >= $0 + Self.heatInterval } ?? true
        if isDue || heatLevels.image.width != frame.width || heatLevels.image.height != frame.height {
            heatTime = time
            for (levels, threshold) in [(heatLevels, 0.02), (hotLevels, Self.hot)] {
                levels.resize(width: frame.width, height: frame.height)
                heat.write(to: levels.image, above: threshold)
            }
        }
        frame.fill(heatLevels.image, color: Color(argb: 0xB0F0_2010))
        frame.fill(hotLevels.image, color: Color(argb: 0xC0FF_E030))
    }
}

/// The arrow at the middle of a line, which shows the direction of forward crossings. The arrow points to the right
/// side of a viewer who looks along the line from its start to its end.
private struct Arrow {
    let tail: Point
    let neck: Point
    let head: [Point]

    /// - Parameters: the ends of the line, in pixels.
    init(from start: Point, to end: Point, _ frame: FrameImage) {
        let aspect = frame.pixelAspect.ratio
        // On the display, pixels are `aspect` wide and 1 high.
        let along = Point((end.x - start.x) * aspect, end.y - start.y)
        let length = max(1e-9, (along.x * along.x + along.y * along.y).squareRoot())
        let unit = Point(along.x / length, along.y / length)
        let middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
        let size = max(5, 0.05 * Double(min(frame.height, frame.width)))
        func place(_ forward: Double, _ side: Double) -> Point {
            Point(
                middle.x + size * (-unit.y * forward + unit.x * side) / aspect,
                middle.y + size * (unit.x * forward + unit.y * side))
        }
        (tail, neck) = (place(0, 0), place(0.8, 0))
        head = [place(1.5, 0), place(0.7, 0.45), place(0.7, -0.45)]
    }
}

extension [Point] {
    /// The smallest rectangle that contains all points.
    fileprivate var box: Rectangle {
        Rectangle(
            left: map(\.x).min() ?? 0, right: map(\.x).max() ?? 0, top: map(\.y).min() ?? 0, bottom: map(\.y).max() ?? 0
        )
    }
}

// MARK: - Counts

extension ZoneCounter {
    /// The numbers of all zones, as JSON.
    var json: String {
        func table(_ numbers: [String: Int]) -> JSONValue {
            .table(numbers.sorted { $0.key < $1.key }.map { ($0.key, .whole(Int64($0.value))) })
        }
        let members = zip(list.zones, counts).map { zone, counts -> (name: String, value: JSONValue) in
            switch zone.shape {
            case .area:
                (
                    zone.name,
                    .table([
                        ("count", .whole(Int64(counts.total))), ("counts", table(counts.present)),
                        ("entered", table(counts.entered)), ("left", table(counts.left)),
                    ])
                )
            case .line:
                (zone.name, .table([("forward", table(counts.forward)), ("backward", table(counts.backward))]))
            }
        }
        return JSONValue.table(members).line
    }
}
