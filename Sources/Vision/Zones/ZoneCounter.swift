// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Counts tracked objects in areas and at lines. The results depend on the timestamps of the frames, not on the number
/// of frames.
package struct ZoneCounter: Sendable {
    package var rules: ZoneRules
    package private(set) var list = ZoneList()
    /// The counts of each zone, in the order of the zones.
    package private(set) var counts: [ZoneCounts] = []
    private var zones: [PlacedZone] = []
    private var aspect = 1.0
    /// The tracks, by an internal track number. `numbers` maps the keys of objects that have an ID to these numbers.
    private var tracks: [Int: ZoneTrack] = [:]
    private(set) var numbers: [ZoneObject.Key: Int] = [:]
    private var nextNumber = 0
    private var interval = FrameInterval()
    /// True if `present` in `counts` may be outdated.
    private var isMoved = false

    /// Maximum number of objects. Further objects are ignored.
    package static let maxTracks = 1000
    /// Maximum number of labels in a dictionary of `ZoneCounts`. Further labels count as `otherLabel`.
    package static let maxLabels = 100
    package static let otherLabel = "other"
    /// Maximum number of compared pairs of a new and a missing object per frame. Beyond this limit, new objects do not
    /// continue the track of a missing object.
    private static let maxPairs = 40_000

    package init(rules: ZoneRules = ZoneRules()) { self.rules = rules }

    /// Changes the zones or the shape of the frame. Zones with the same name and the same kind (area or line) keep
    /// their counts.
    /// - Parameter aspect: the width of the frame on the display, divided by its height.
    package mutating func setZones(_ list: ZoneList, aspect: Double) {
        guard list != self.list || aspect != self.aspect else { return }
        let old = zones
        zones = list.zones.map { PlacedZone($0, aspect: aspect) }
        let sources = zones.map { zone in old.firstIndex { $0.zone.name == zone.zone.name && $0.isArea == zone.isArea }
        }
        counts = sources.map { $0.map { counts[$0] } ?? ZoneCounts() }
        for number in tracks.keys {
            guard var track = tracks[number] else { continue }
            track.states = zip(zones, sources).map { zone, source in
                // If a line has moved, the stored side of the object may be wrong, so the object gets a new state. The
                // state for a moved area stays, and the next positions correct it.
                guard let source, zone.isArea || zone.zone == old[source].zone else {
                    return ZoneTrack.State(for: zone)
                }
                return track.states[source]
            }
            tracks[number] = track
        }
        (self.list, self.aspect, isMoved) = (list, aspect, true)
    }

    /// Forgets all objects, for example after a seek. The next positions of objects then start new paths. The counts of
    /// the zones do not change.
    package mutating func forgetTracks() {
        tracks = [:]
        numbers = [:]
        interval.interrupt()
        isMoved = true
    }

    /// Sets the counts of all zones to 0, except for the numbers of present objects.
    package mutating func resetCounts() {
        for index in counts.indices {
            let present = counts[index].present
            counts[index] = ZoneCounts()
            counts[index].present = present
        }
    }

    /// Returns the indices of the areas that contain the object with this key.
    package func areas(of key: ZoneObject.Key) -> [Int] {
        guard let number = numbers[key], let track = tracks[number] else { return [] }
        return track.states.indices.filter { track.isInside($0) }
    }

    // MARK: - Frames

    /// Adds a frame.
    /// - Parameters:
    ///   - objects: the objects of the frame. If an ID appears twice, the first object counts.
    ///   - time: the time of the frame in seconds. The time must not decrease.
    /// - Returns: the events: first of lost objects, then of each object, then the changes of the occupancy.
    package mutating func add(_ objects: [ZoneObject], at time: Double) -> [ZoneEvent] {
        var events: [ZoneEvent] = []
        var unknown: [ZoneObject] = []
        var seen: Set<Int> = []
        let patience = max(rules.patience, 2 * interval.add(time))
        // Remove lost tracks first. After a long gap, an object with the same ID is then a new object, even if the
        // stream had no frames in the gap.
        removeLost(at: time, patience, &events)
        for object in objects.prefix(Self.maxTracks) {
            if let key = object.key, let number = numbers[key] {
                if seen.insert(number).inserted { move(number, to: object, at: time, &events) }
            } else {
                unknown.append(object)
            }
        }
        if !unknown.isEmpty { begin(unknown, at: time, seen, &events) }
        if isMoved { updateOccupancy(&events) }
        return events
    }

    private mutating func move(
        _ number: Int, to object: ZoneObject, at time: Double, isNew: Bool = false, _ events: inout [ZoneEvent]
    ) {
        guard var track = tracks[number] else { return }
        // Releases the array in the dictionary. Otherwise, the changes of `track` below would copy the array.
        tracks[number]?.states = []
        let step = ZoneStep(
            start: isNew ? nil : track.object.anchor, end: object.anchor, startTime: track.lastTime, time: time)
        if track.object.label != object.label { isMoved = true }
        track.move(to: object, at: time)
        for index in zones.indices {
            switch (zones[index].shape, track.states[index]) {
            case (.area(let polygon, let thickness), .area(var state)):
                let change = state.follow(step, polygon, thickness: thickness, rules)
                if let change { note(change, state, index, track, &events) }
                if state.dwells(at: time, rules) {
                    let duration = time - state.entryTime
                    events.append(
                        ZoneEvent(
                            kind: .dwell(duration: duration), zone: index, object: object,
                            delay: duration - rules.dwell))
                }
                track.states[index] = .area(state)
            case (.line(let line), .line(var state)):
                if let isForward = state.follow(step, line, rules) {
                    if isForward {
                        counts[index].forward.count(object.label)
                    } else {
                        counts[index].backward.count(object.label)
                    }
                    events.append(
                        ZoneEvent(
                            kind: .cross(isForward: isForward), zone: index, object: object,
                            delay: time - state.crossingTime))
                }
                track.states[index] = .line(state)
            case (.area, .line), (.line, .area): break
            }
        }
        tracks[number] = track
    }

    private mutating func note(
        _ change: AreaState.Change, _ state: AreaState, _ zone: Int, _ track: ZoneTrack, _ events: inout [ZoneEvent]
    ) {
        isMoved = true
        var event = ZoneEvent(
            kind: .enter, zone: zone, object: track.object, delay: track.lastTime - state.borderTime)
        switch change {
        case .entered: counts[zone].entered.count(event.label)
        case .left(let duration):
            counts[zone].left.count(event.label)
            event.kind = .leave(duration: duration, isLost: false)
        }
        events.append(event)
    }

    // MARK: - New and lost objects

    /// Starts tracks. An object with a new ID continues the track of a missing object if the object is near the
    /// expected position of the missing object.
    private mutating func begin(
        _ objects: [ZoneObject], at time: Double, _ seen: Set<Int>, _ events: inout [ZoneEvent]
    ) {
        var pairs: [(object: Int, number: Int, distance: Double)] = []
        let missing = tracks.filter { !seen.contains($0.key) }
        for (index, object) in objects.prefix(Self.maxPairs / max(1, missing.count)).enumerated() {
            for (number, track) in missing where track.object.type == object.type {
                let gap = max(0, time - track.lastTime)
                let reach = 0.5 * max(object.size, track.object.size) + 0.5 * track.velocity.length * gap
                let distance = (track.expected(at: time) - object.anchor).length
                if distance <= reach { pairs.append((index, number, distance)) }
            }
        }
        pairs.sort { ($0.distance, $0.object, $0.number) < ($1.distance, $1.object, $1.number) }
        var continued: [Int: Int] = [:]
        var taken: Set<Int> = []
        for pair in pairs where continued[pair.object] == nil && taken.insert(pair.number).inserted {
            continued[pair.object] = pair.number
        }
        for (index, object) in objects.enumerated() {
            // `objects` may contain the same ID twice. Ignore the second object.
            if let key = object.key, numbers[key] != nil { continue }
            if let number = continued[index] {
                if let key = tracks[number]?.object.key, numbers[key] == number { numbers[key] = nil }
                if let key = object.key { numbers[key] = number }
                move(number, to: object, at: time, &events)
            } else if tracks.count < Self.maxTracks {
                nextNumber &+= 1
                tracks[nextNumber] = ZoneTrack(object, at: time, zones)
                if let key = object.key { numbers[key] = nextNumber }
                move(nextNumber, to: object, at: time, isNew: true, &events)
            }
        }
    }

    /// Removes the tracks of objects that have disappeared, and adds an event for each area that such an object leaves.
    private mutating func removeLost(at time: Double, _ patience: Double, _ events: inout [ZoneEvent]) {
        let lost = tracks.filter { time - $0.value.lastTime > patience + 1e-6 }
        guard !lost.isEmpty else { return }
        for (number, track) in lost.sorted(by: { $0.key < $1.key }) {
            for (index, state) in track.states.enumerated() {
                guard case .area(let area) = state, area.isInside else { continue }
                isMoved = true
                counts[index].left.count(track.object.label)
                events.append(
                    ZoneEvent(
                        kind: .leave(duration: max(0, track.lastTime - area.entryTime), isLost: true), zone: index,
                        object: track.object, delay: time - track.lastTime))
            }
            tracks[number] = nil
            if let key = track.object.key, numbers[key] == number { numbers[key] = nil }
        }
    }

    private mutating func updateOccupancy(_ events: inout [ZoneEvent]) {
        isMoved = false
        for index in zones.indices where zones[index].isArea {
            var present: [String: Int] = [:]
            for track in tracks.values where track.isInside(index) { present.count(track.object.label) }
            let old = counts[index].present
            guard present != old else { continue }
            counts[index].present = present
            let total = counts[index].total
            for label in Set(old.keys).union(present.keys).sorted() where old[label] != present[label] {
                events.append(
                    ZoneEvent(kind: .occupancy(count: present[label] ?? 0, total: total), zone: index, label: label))
            }
        }
    }
}

extension ZoneTrack {
    func isInside(_ index: Int) -> Bool {
        guard states.indices.contains(index), case .area(let state) = states[index] else { return false }
        return state.isInside
    }
}

extension PlacedZone {
    var isArea: Bool { if case .area = shape { true } else { false } }
}

extension [String: Int] {
    /// Adds 1 to the number of a label.
    fileprivate mutating func count(_ label: String) {
        let key = self[label] != nil || count < ZoneCounter.maxLabels ? label : ZoneCounter.otherLabel
        self[key, default: 0] &+= 1
    }
}
