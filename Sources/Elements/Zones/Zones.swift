// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization
import Vision

/// `svzones` counts tracked objects in areas and at lines of the frame, and reports events.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect draw=false !
///         svzones zones="left: 0,0 0.5,0 0.5,1 0,1" ! videoconvert ! autovideosink
final class Zones: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svzones", longName: "Zone Counter", category: .analyzer,
        description: "Counts tracked objects in areas and at lines, and reports events")

    let host: Host<Settings>
    private let file = WatchedText("a list of zones", atMost: ZoneList.maxBytes)
    /// The zones of the last file that was read.
    private let loaded = Mutex<ZoneList?>(nil)
    private let isResetRequested = Atomic(false)

    struct State {
        /// The zones of the property `zones`.
        var text: Made<String?, ZoneList>
        var labels: Made<String?, ZoneLabels>
        var counter = ZoneCounter()
        var heat = HeatMap()
        var drawing = ZoneDrawing()
        var upstream = UpstreamMonitor(
            detectors: ["svfacedetect", "svblobdetect", "svlogodetect"], objects: "objects")
        var pixel = PixelAspect.square
        /// Size of the visible part of the last frame.
        var size: PixelSize?
        /// Number of events so far.
        var number: UInt64 = 0
        /// The results for the current frame. `prepare` sets this value for `transform`.
        var result = Result()
    }

    struct Result {
        var objects: [TrackedObject] = []
        /// For each object, the point whose position decides whether the object is in a zone, as fractions of the
        /// frame.
        var anchors: [Point] = []
        var events: [FrameEvent] = []
    }

    init(host: Host<Settings>) { self.host = host }

    func requestReset() { isResetRequested.store(true, ordering: .relaxed) }

    // MARK: - Zones

    /// The last sentence of the message about malformed zones. At the start, there are no previous zones to keep, so
    /// the sentence is empty.
    private static let (startNote, changeNote) = ("", " The zones do not change.")

    private static func list(_ text: String?, _ note: String) throws -> ZoneList {
        do throws(ZoneError) {
            return try ZoneList(text ?? "")
        } catch {
            throw ElementError(.settings, "zones, \(error).\(note)")
        }
    }

    private func load(_ content: WatchedText.Content, _ note: String) throws {
        do throws(ZoneError) {
            let list = try ZoneList(json: Array((content.text.value ?? "").utf8))
            loaded.withLock { $0 = list }
        } catch {
            throw ElementError(.decode, "cannot read \"\(content.path)\": \(error).\(note)")
        }
    }

    /// Returns the current zones, and starts to read the file if it has changed. If the text or the file is malformed,
    /// posts a warning, and returns the previous zones.
    private func zones(_ state: inout State, _ settings: Settings) -> ZoneList {
        guard settings.zonesLocation.value != nil else {
            loaded.withLock { $0 = nil }
            do {
                try state.text.follow(settings.zones) { try Self.list($0, Self.changeNote) }
            } catch {
                host.post(warning: error)
                host.set(\.zones, to: state.text.value, ifStill: settings.zones)
            }
            return state.text.product
        }
        if file.isDue(settings.zonesLocation) {
            host.worker.run { [self] in
                host.warning {
                    if let content = try file.poll(settings.zonesLocation) { try load(content, Self.changeNote) }
                }
            }
        }
        return loaded.withLock { $0 } ?? state.counter.list
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        file.close()
        loaded.withLock { $0 = nil }
        isResetRequested.store(false, ordering: .relaxed)
        if let content = try file.poll(settings.zonesLocation) { try load(content, Self.startNote) }
        host.set(\.counts, to: nil)
        host.set(\.activeZones, to: nil)
        // With a file, the property `zones` has no effect, so a malformed text must not stop the start.
        let text = settings.zonesLocation.value == nil ? settings.zones : nil
        return State(
            text: try Made(text) { try Self.list($0, Self.startNote) }, labels: Made(settings.labels) { ZoneLabels($0) }
        )
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.pixel = video.shape.pixel
        // The size or the pixel aspect ratio of the frames may have changed, so the previous positions of objects are
        // invalid.
        discontinuity(&state)
    }

    func discontinuity(_ state: inout State) {
        state.counter.forgetTracks()
        state.heat.interrupt()
    }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        try state.labels.follow(settings.labels) { ZoneLabels($0) }
        let size = frame.visibleSize
        // If the visible part of the frame has a new size, the previous positions of objects are invalid.
        if let last = state.size, last != size { discontinuity(&state) }
        state.size = size
        let aspect = Double(size.width) * state.pixel.ratio / Double(max(1, size.height))
        let list = zones(&state, settings)
        let isNew = list != state.counter.list
        state.counter.setZones(list, aspect: aspect)
        if isNew { host.set(\.activeZones, to: list.zones.isEmpty ? nil : list.description) }
        state.counter.rules = settings.rules
        let isReset = isResetRequested.exchange(false, ordering: .relaxed)
        if isReset {
            state.counter.resetCounts()
            state.heat = HeatMap()
        }
        state.result = Result()
        guard !list.zones.isEmpty || settings.heatmap else {
            // Objects are not tracked now. Zones that are set later must not continue the old paths of objects.
            discontinuity(&state)
            if isNew || isReset { host.set(\.counts, to: state.counter.json) }
            return .passThrough
        }
        let all = frame.trackedObjects
        let objects = all.filter(state.labels.product.matches)
        // Check all objects, because a working detector may detect no object that `labels` selects.
        state.upstream.check(
            all.isEmpty ? frame.searchTypes.map { frame.search(for: $0) } : [], hasDetections: !all.isEmpty,
            at: frame.time.elapsed, host)
        state.result.objects = objects
        state.result.anchors = objects.map { settings.anchor.point(of: $0.box, in: size) }
        let time = frame.time.elapsed.seconds
        if settings.heatmap { state.heat.add(state.result.anchors, at: time, fade: settings.heatmapFade.seconds) }
        let events = count(&state, aspect: aspect, size, at: time)
        if isNew || isReset || !events.isEmpty { host.set(\.counts, to: state.counter.json) }
        report(events, &state, settings, at: frame.time)
        return settings.draw && !list.zones.isEmpty || settings.heatmap ? .transform : .read
    }

    private func count(_ state: inout State, aspect: Double, _ size: PixelSize, at time: Double) -> [ZoneEvent] {
        let scale = Double(max(1, size.height))
        let objects = zip(state.result.objects, state.result.anchors).map { object, anchor in
            ZoneObject(
                id: object.track, type: object.type.rawValue, label: object.countedLabel, name: object.name,
                anchor: Point(anchor.x * aspect, anchor.y),
                size: max(Double(object.box.width) * state.pixel.ratio, Double(object.box.height)) / scale)
        }
        return state.counter.add(objects, at: time)
    }

    private func report(_ events: [ZoneEvent], _ state: inout State, _ settings: Settings, at time: FrameTime) {
        let zones = state.counter.list.zones
        for event in events where settings.events.contains(event.kind.flag) && zones.indices.contains(event.zone) {
            state.number &+= 1
            let report = FrameEvent(event, zone: zones[event.zone].name, number: state.number)
            state.result.events.append(report)
            host.post(report, at: time)
        }
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let zones = state.counter.list.zones
        let inside = state.result.objects.compactMap { object -> (TrackedObject, Classification)? in
            let areas = state.counter.areas(of: .init(type: object.type.rawValue, id: object.track))
            guard let first = areas.first else { return nil }
            let names = areas.map { zones[$0].name }.joined(separator: ",")
            return (object, Classification(name: Classification.zone, label: names, labelID: Int32(first) + 1))
        }
        frame.attach(inside)
        let counts = zip(zones, state.counter.counts).compactMap { zone, counts -> ZoneCount? in
            guard case .area = zone.shape else { return nil }
            return ZoneCount(name: zone.name, count: Int32(clamping: counts.total))
        }
        frame.attach(counts, state.result.events)
        if settings.heatmap { state.drawing.draw(state.heat, on: frame.pixels, at: frame.time.elapsed) }
        guard settings.draw, !zones.isEmpty else { return }
        try state.drawing.draw(state.counter, anchors: state.result.anchors, on: frame.pixels)
    }
}

/// The parsed words of the property `labels`.
struct ZoneLabels: Sendable, Equatable {
    private let words: Set<String>

    init(_ text: String?) {
        words = Set(
            (text ?? "").split(separator: ",").map { word in
                String(word.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()).folded
            }.filter { !$0.isEmpty })
    }

    /// Returns true if svzones counts the object. Without words, every object counts except ground truth. With words, a
    /// word must be the type, the label or the name of the object. For ground truth, a word must be its type.
    @Sendable func matches(_ object: TrackedObject) -> Bool {
        if words.contains(object.type.rawValue.folded) { return true }
        guard !object.type.isTruth else { return false }
        return words.isEmpty || words.contains(object.label.folded)
            || object.name.map { words.contains($0.folded) } ?? false
    }
}

extension TrackedObject {
    /// The label for counters and events. If the label of ground truth is only its type, the result is the type that a
    /// detector would report.
    fileprivate var countedLabel: String { type.isTruth && label == type.rawValue ? type.found.rawValue : label }
}

extension ZoneEvent.Kind {
    fileprivate var flag: Zones.Events {
        switch self {
        case .enter: .enter
        case .leave: .leave
        case .cross: .cross
        case .dwell: .dwell
        case .occupancy: .occupancy
        }
    }

    fileprivate var name: String {
        switch self {
        case .enter: "enter"
        case .leave: "leave"
        case .cross: "cross"
        case .dwell: "dwell"
        case .occupancy: "occupancy"
        }
    }
}

extension FrameEvent {
    fileprivate init(_ event: ZoneEvent, zone: String, number: UInt64) {
        self.init(event: event.kind.name, zone: zone, label: event.label, number: number)
        (id, name) = (event.id, event.name)
        func nanoseconds(_ seconds: Double) -> UInt64 { ClockTime(nearest: seconds * 1e9).nanoseconds }
        switch event.kind {
        case .enter: break
        case .leave(let time, let isLost): (duration, self.isLost) = (nanoseconds(time), isLost ? true : nil)
        case .cross(let isForward): direction = isForward ? "forward" : "backward"
        case .dwell(let time): duration = nanoseconds(time)
        case .occupancy(let count, let total):
            (self.count, self.total) = (Int32(clamping: count), Int32(clamping: total))
            return
        }
        delay = nanoseconds(event.delay)
    }
}
