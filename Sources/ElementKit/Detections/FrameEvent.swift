// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// An event that an element has observed in a frame, such as an object that enters a zone. Messages, metadata and JSON
/// contain the same fields.
package struct FrameEvent: Sendable, Hashable {
    /// The kind of the event, such as `enter`.
    package var event: String
    /// The name of the zone.
    package var zone: String
    package var label: String
    /// The name of the object from a classifier, if there is one.
    package var name: String?
    package var id: Int32?
    package var direction: String?
    /// The time that the object has spent in the zone, in nanoseconds.
    package var duration: UInt64?
    package var isLost: Bool?
    package var count: Int32?
    package var total: Int32?
    /// The time from the event to this frame, which reports the event, in nanoseconds.
    package var delay: UInt64?
    /// The number of the event. Each element numbers its events 1, 2, 3, …
    package var number: UInt64

    package init(event: String, zone: String, label: String, number: UInt64) {
        (self.event, self.zone, self.label, self.number) = (event, zone, label, number)
    }

    private init() { self.init(event: "", zone: "", label: "", number: 0) }
}

/// The number of objects in a zone.
package struct ZoneCount: Sendable, Hashable {
    package var name: String
    package var count: Int32

    package init(name: String, count: Int32) { (self.name, self.count) = (name, count) }
}

extension FrameEvent {
    static let fields: [Field<FrameEvent>] = [
        Field("zone", at: \.zone, isRequired: true), Field("label", at: \.label), Field("name", at: \.name),
        Field("id", at: \.id), Field("direction", at: \.direction), Field("duration", at: \.duration),
        Field("lost", at: \.isLost), Field("count", at: \.count), Field("total", at: \.total),
        Field("delay", at: \.delay), Field("number", at: \.number),
    ]

    /// The field `event` is separate, because `Host.post` writes it first.
    static let allFields: [Field<FrameEvent>] = [Field("event", at: \.event, isRequired: true)] + fields

    fileprivate var structure: Structure {
        var structure = Structure("event")
        structure.set(Self.allFields, of: self)
        return structure
    }

    fileprivate init?(_ view: StructureView) {
        self.init()
        guard view.read(Self.allFields, into: &self) else { return nil }
    }
}

extension ZoneCount {
    static let fields: [Field<ZoneCount>] = [
        Field("name", at: \.name, isRequired: true), Field("count", at: \.count, isRequired: true),
    ]

    fileprivate var structure: Structure {
        var structure = Structure("zone")
        structure.set(Self.fields, of: self)
        return structure
    }

    fileprivate init?(_ view: StructureView) {
        self.init(name: "", count: 0)
        guard view.read(Self.fields, into: &self) else { return nil }
    }
}

extension UInt64: FieldValue {
    var parts: [JSONValue] { [.count(self)] }

    init?(parts: [JSONValue]) {
        guard let count = parts.first?.count else { return nil }
        self = count
    }
}

extension Classification {
    /// The name of the classification that contains the names of the zones of an object, separated by commas.
    package static let zone = "zone"
}

// MARK: - Metadata

/// The results of the element svzones for a frame.
package struct FrameZones: Sendable {
    package let counts: [ZoneCount]
    package let events: [FrameEvent]

    static let (countsField, eventsField) = ("zones", "events")
    /// The maximum number of entries to read. Metadata from other elements can contain any number of entries.
    private static let limit = 1000

    init(_ view: StructureView) {
        counts = view.list(Self.countsField, atMost: Self.limit).compactMap { ZoneCount($0) }
        events = view.list(Self.eventsField, atMost: Self.limit).compactMap { FrameEvent($0) }
    }

    fileprivate init() { (counts, events) = ([], []) }
}

extension SearchMark {
    var zones: FrameZones { FrameZones(view) }

    /// Adds zones and events to the results of elements upstream. A zone replaces a zone with the same name.
    func add(_ zones: [ZoneCount], _ events: [FrameEvent]) {
        let earlier = self.zones
        if !zones.isEmpty {
            let names = Set(zones.map(\.name))
            structure.set(
                FrameZones.countsField, each: earlier.counts.filter { !names.contains($0.name) } + zones
            ) { $0.structure }
        }
        if !events.isEmpty {
            structure.set(FrameZones.eventsField, each: earlier.events + events) { $0.structure }
        }
    }
}

extension Frame {
    /// Attaches the results for elements downstream: the number of objects in each zone, and the events.
    package func attach(_ zones: [ZoneCount], _ events: [FrameEvent]) {
        guard !zones.isEmpty || !events.isEmpty else { return }
        SearchMark.marking(on: buffer)?.add(zones, events)
    }
}

extension InputFrame {
    /// The results of svzones elements upstream.
    package var zones: FrameZones { SearchMark.on(buffer)?.zones ?? FrameZones() }
}

// MARK: - Messages

extension Host {
    /// Posts an element message about an event, and writes the message to the file `lines`.
    package func post(_ event: FrameEvent, at time: FrameTime) {
        post(event: event.event, at: time) { $0.set(FrameEvent.fields, of: event) }
    }
}

extension JSONWriter {
    /// Writes the members `zones`, a table with the number of objects in each zone, and `events`, a list. Writes no
    /// member if the frame has no zones.
    package mutating func write(_ zones: FrameZones) {
        guard !zones.counts.isEmpty || !zones.events.isEmpty else { return }
        name("zones")
        table { writer in
            for zone in zones.counts {
                writer.name(any: zone.name)
                writer.write(Int(zone.count))
            }
        }
        name("events")
        list { writer in
            for event in zones.events { writer.table { $0.write(FrameEvent.allFields, of: event) } }
        }
    }
}
