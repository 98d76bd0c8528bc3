// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension Zones {
    struct Settings: SnapshotSettings {
        var zones: String?
        var zonesLocation = Assigned<String>()
        var labels: String?
        var anchor = Anchor.bottom
        var margin = ZoneRules().margin
        var settle = ClockTime(nanoseconds: 300_000_000)
        var dwell = 5 * ClockTime.second
        var lostTime = ClockTime.second
        var events = Events.all
        var draw = true
        var heatmap = false
        var heatmapFade = 60 * ClockTime.second
        var messageLocation = Assigned<String>()
        var snapshotLocation: String?
        var counts: String?
        var activeZones: String?

        var rules: ZoneRules {
            var rules = ZoneRules()
            rules.margin = margin
            rules.settle = settle.seconds
            rules.dwell = dwell.seconds
            rules.patience = lostTime.seconds
            return rules
        }
    }

    /// Returns an error message without the name of the property if the text is malformed; otherwise nil.
    @Sendable private static func obstacle(_ text: String) -> String? {
        do throws(ZoneError) {
            _ = try ZoneList(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "zones", \.zones,
            "Areas and lines, as fractions of the frame, such as door: 0.1,0.2 0.4,0.2 0.4,0.9; gate: 0.5,0.1 -> "
                + "0.5,0.9", text: .parsed(obstacle)),
        Property(
            "zones-location", \.zonesLocation,
            "JSON file with areas and lines (none = use the property zones). While zones-location is set, svzones "
                + "ignores the property zones. After each change of the file, svzones reloads the file"),
        Property(
            "labels", \.labels,
            "Objects to count: types, labels or names, separated by commas, such as face,cup (none = all objects)",
            text: .words),
        Property("anchor", \.anchor, "Point of an object's box that svzones uses as the position of the object"),
        Property(
            "margin", \.margin, in: 0...0.5,
            "Width of the margin on each side of a line or border, as a fraction of the frame height. svzones reports "
                + "a crossing only when the object has left the margin on the other side (hysteresis)"),
        Property(
            "settle", \.settle, in: .zero...60 * .second,
            "Time that an object must stay on the other side of a line or border before svzones reports the crossing, "
                + "in nanoseconds (300000000 = 300 ms)"),
        Property(
            "dwell", \.dwell, in: .zero...86_400 * .second,
            "Time in an area after which svzones reports the event dwell, in nanoseconds (0 = off, 5000000000 = 5 s)"),
        Property(
            "lost-time", \.lostTime, in: .zero...60 * .second,
            "Time without a detection after which svzones treats an object as gone, in nanoseconds (1000000000 = 1 s)"),
        Property("events", \.events, "Events to report"),
        Property("draw", \.draw, "Draw areas, lines and counters (false = leave frames unchanged)"),
        Property("heatmap", \.heatmap, "Draw a heat map of the positions of objects", nick: "Heat map"),
        Property(
            "heatmap-fade", \.heatmapFade, in: .second...86_400 * .second,
            "Half-life of the heat map, in nanoseconds (60000000000 = 1 min)", nick: "Heat map fade"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        .snapshotLocation,
        Property(
            "counts", \.counts, "Counters of all zones, as JSON", flags: .readOnly),
        Property(
            "active-zones", \.activeZones,
            "Current areas and lines, from the property zones or the file zones-location, in the syntax of the "
                + "property zones",
            flags: .readOnly, text: .words),
    ]

    static let actions: [Action<Zones>] = [
        Action("reset", "Set all counters to 0, and clear the heat map") { (zones: Zones) in zones.requestReset() },
        .snapshot,
    ]

    enum Anchor: Int32, PropertyEnum {
        case bottom, center, top, left, right

        static let typeName = "GstSvZonesAnchor"

        static let members: [(value: Self, blurb: String)] = [
            (.bottom, "Middle of the lower edge"), (.center, "Centre of the box"), (.top, "Middle of the upper edge"),
            (.left, "Middle of the left edge"), (.right, "Middle of the right edge"),
        ]

        /// Returns the point of the box that this anchor selects, as fractions of the frame.
        func point(of box: Rectangle, in frame: PixelSize) -> Point {
            let (across, down) =
                switch self {
                case .bottom: (0.5, 1.0)
                case .center: (0.5, 0.5)
                case .top: (0.5, 0.0)
                case .left: (0.0, 0.5)
                case .right: (1.0, 0.5)
                }
            return Point(
                (Double(box.x) + across * Double(box.width)) / Double(max(1, frame.width)),
                (Double(box.y) + down * Double(box.height)) / Double(max(1, frame.height)))
        }
    }

    struct Events: PropertyFlagSet {
        let rawValue: UInt32

        static let enter = Events(rawValue: 1)
        static let leave = Events(rawValue: 2)
        static let cross = Events(rawValue: 4)
        static let dwell = Events(rawValue: 8)
        static let occupancy = Events(rawValue: 16)
        static let all: Events = [.enter, .leave, .cross, .dwell, .occupancy]

        static let typeName = "GstSvZonesEvents"

        static let members: [(value: Self, nick: String, blurb: String)] = [
            (.enter, "enter", "An object enters an area"), (.leave, "leave", "An object leaves an area"),
            (.cross, "cross", "An object crosses a line"), (.dwell, "dwell", "An object stays in an area"),
            (.occupancy, "occupancy", "The number of objects in an area changes"),
        ]
    }
}
