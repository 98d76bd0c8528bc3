// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The rules for counting objects in zones. Times are in seconds. Lengths are fractions of the frame height.
package struct ZoneRules: Sendable, Hashable {
    /// Minimum distance from the border or line at which an object counts as clearly on one side.
    package var margin = 0.02
    /// An object changes sides when this time has passed since its first position that is clearly on the other side.
    package var settle = 0.3
    /// Time in an area after which a dwell event is reported; 0 = off.
    package var dwell = 5.0
    /// An object counts as lost if it was not detected for longer than this time. The minimum is twice the frame
    /// interval.
    package var patience = 1.0

    package init() {}

    /// Returns true if a duration has passed. Timestamps in seconds have rounding errors, so the comparison has a
    /// tolerance of a microsecond.
    func isReached(_ duration: Double, since start: Double, at time: Double) -> Bool {
        time - start >= duration - 1e-6
    }
}

/// An object of a frame.
package struct ZoneObject: Sendable, Hashable {
    /// The key of an object. Detectors assign IDs independently of each other, so an ID is unique only among objects of
    /// one type.
    package struct Key: Sendable, Hashable {
        package var type: String
        package var id: Int32

        package init(type: String, id: Int32) { (self.type, self.id) = (type, id) }
    }

    /// The ID of the track; 0 if the detector does not track objects.
    package var id: Int32
    package var type: String
    /// The label under which the object is counted.
    package var label: String
    /// The name from a classifier, if there is one.
    package var name: String?
    /// The position of the object. The unit of both coordinates is the height of the frame on the display.
    package var anchor: Point
    /// The longer side of the object's box, in the same unit as `anchor`.
    package var size: Double

    package init(id: Int32, type: String, label: String, name: String? = nil, anchor: Point, size: Double) {
        (self.id, self.type, self.label, self.name) = (id, type, label, name)
        (self.anchor, self.size) = (anchor, size)
    }

    /// The key of the object; nil if the detector does not track objects.
    var key: Key? { id == 0 ? nil : Key(type: type, id: id) }
}

package struct ZoneEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case enter
        /// `duration`: the time in the area, in seconds. `isLost`: true if the object has disappeared inside the area.
        case leave(duration: Double, isLost: Bool)
        case cross(isForward: Bool)
        /// `duration`: the time in the area so far, in seconds.
        case dwell(duration: Double)
        /// `count`: the number of objects in the area with the label of the event. `total`: the number of all objects
        /// in the area.
        case occupancy(count: Int, total: Int)
    }

    package var kind: Kind
    /// Index of the zone.
    package var zone: Int
    package var label: String
    /// The object's ID; nil if the event is not about a single object, or if the object has no ID.
    package var id: Int32?
    /// The object's name.
    package var name: String?
    /// Time from the event to the frame that reports it, in seconds.
    package var delay = 0.0
}

extension ZoneEvent {
    init(kind: Kind, zone: Int, object: ZoneObject, delay: Double) {
        self.init(
            kind: kind, zone: zone, label: object.label, id: object.key?.id, name: object.name, delay: max(0, delay))
    }
}

/// The counts of a zone for each label, since the start or the last reset. `present` contains the current objects.
package struct ZoneCounts: Sendable, Hashable {
    package var present: [String: Int] = [:]
    package var entered: [String: Int] = [:]
    package var left: [String: Int] = [:]
    package var forward: [String: Int] = [:]
    package var backward: [String: Int] = [:]

    package init() {}

    /// Number of objects in the area.
    package var total: Int { present.values.reduce(0, +) }
}

/// A zone in a frame. The unit of all coordinates is the frame height on the display.
///
/// The boxes of objects are clipped to the frame, so the position of an object at an edge is exactly on the edge. If a
/// zone reached only to the edge, such an object would be on the zone's border. Therefore zones that reach an edge are
/// extended beyond the frame.
struct PlacedZone: Sendable {
    enum Shape: Sendable {
        /// `thickness`: see `ZonePolygon.thickness`.
        case area(ZonePolygon, thickness: Double)
        case line(DirectedLine)
    }

    let zone: ZoneList.Zone
    let shape: Shape

    /// - Parameter aspect: the width of the frame on the display, divided by its height.
    init(_ zone: ZoneList.Zone, aspect: Double) {
        func placed(_ point: Point) -> Point { Point(point.x * aspect, point.y) }
        self.zone = zone
        switch zone.shape {
        case .area(let corners):
            let thickness = ZonePolygon(corners.map(placed)).thickness
            shape = .area(ZonePolygon(Self.extended(corners, placed)), thickness: thickness)
        case .line(let start, let end):
            let (first, last) = (placed(start), placed(end))
            let length = (last - first).length
            let beyond = length > 0 ? (last - first) * (Self.extent / length) : Point(0, 0)
            shape = .line(
                DirectedLine(
                    from: Self.leaves(start, from: end) ? first - beyond : first,
                    to: Self.leaves(end, from: start) ? last + beyond : last))
        }
    }

    /// Length by which zones are extended beyond the frame. It is longer than the maximum of `ZoneRules.margin`.
    private static let extent = 2.0

    /// Returns true if a straight line from `start` leaves the frame at `end`.
    private static func leaves(_ end: Point, from start: Point) -> Bool {
        func leaves(_ end: Double, _ start: Double) -> Bool { end <= 0 && start > end || end >= 1 && start < end }
        return leaves(end.x, start.x) || leaves(end.y, start.y)
    }

    /// Returns the direction out of the frame if both points are on the same edge of the frame; otherwise (0, 0).
    private static func outwards(_ first: Point, _ second: Point) -> Point {
        func side(_ first: Double, _ second: Double) -> Double {
            if first <= 0, second <= 0 { return -1 }
            return first >= 1 && second >= 1 ? 1 : 0
        }
        let across = side(first.x, second.x)
        return across != 0 ? Point(across, 0) : Point(0, side(first.y, second.y))
    }

    /// Moves the sides of a polygon that are on edges of the frame outwards. The other sides do not change.
    private static func extended(_ corners: [Point], _ placed: (Point) -> Point) -> [Point] {
        corners.indices.flatMap { index -> [Point] in
            let corner = corners[index]
            let before = outwards(corners[(index + corners.count - 1) % corners.count], corner) * extent
            let after = outwards(corner, corners[(index + 1) % corners.count]) * extent
            let place = placed(corner)
            if before == after { return [place + before] }
            // A corner between two sides on different edges of the frame moves diagonally.
            if before != Point(0, 0), after != Point(0, 0) { return [place + before + after] }
            return [place + before, place + after]
        }
    }
}
