// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization

/// Metrics of the pipeline around an element, in the text format of Prometheus. The numbers come from the messages on
/// the pipeline's bus, and from the statistics of this plugin's elements in the same pipeline. Pipelines of the same
/// process do not share numbers.
package final class PipelineMetrics: Sendable {
    private let element: WeakObject
    private let counts: MetricCounts
    /// The name of the stream, as the label `source` of all metrics; nil for no such label.
    private let source: String?
    private let connections: [BusConnection]

    /// Starts to count event messages and late frames. If the pipeline has no bus, the metrics do not contain them.
    /// - Parameter source: the name of the stream, as the label `source` of all metrics.
    package init<Settings>(_ host: Host<Settings>, source: String? = nil) {
        let counts = MetricCounts()
        (element, self.counts, self.source) = (WeakObject(host.object), counts, source)
        guard let top = ControlNode.top(of: host.element) else {
            connections = []
            return
        }
        connections = [("sync-message::element", eventCallback), ("sync-message::qos", lateCallback)].compactMap {
            BusConnection(top.pointer, $0, $1, counts)
        }
    }

    /// Stops counting messages. Call this method once.
    package func stop() { for connection in connections { connection.disconnect() } }

    /// Counts a frame of the element, and the detections of the frame.
    /// - Parameter labels: the labels of the detections, without names of persons.
    package func countFrame(_ labels: [String]) { counts.addFrame(labels) }

    /// Returns the metrics. Reads properties of the pipeline's elements, so the caller must hold no lock.
    /// - Parameter statistics: the current statistics of the element that has created this object; nil to read its
    ///   property `stats`, which may be outdated.
    package func text(_ statistics: JSONValue? = nil) -> [UInt8] {
        var metrics = ElementMetrics()
        if let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) {
            for node in ControlNode.tree(top, withPads: false).all
            where ActionDeclarations.of(sv_object_get_type(node.pointer)) != nil {
                let (name, isSelf) = (path(of: node.pointer.cast()), node.pointer == element.pointer)
                if sv_object_is(node.pointer, gst_base_sink_get_type()) != 0 {
                    let shown = isSelf ? counts.frames : Self.shown(by: node.pointer.cast(), counts)
                    if let shown { metrics.add(frames: shown, name) }
                } else if let statistics = isSelf ? statistics : nil {
                    metrics.add(statistics, name)
                } else if let statistics = Self.statistics(of: node.pointer) {
                    metrics.add(statistics, name)
                }
            }
        }
        return PrometheusMetric.text(metrics.all + counts.metrics, source.map { [("source", $0)] } ?? [])
    }

    /// Returns the number of frames that a sink has shown; nil if it is not known.
    private static func shown(by sink: UnsafeMutablePointer<GstBaseSink>, _ counts: MetricCounts) -> UInt64? {
        guard let statistics = gst_base_sink_get_stats(sink) else { return nil }
        defer { gst_structure_free(statistics) }
        var shown: guint64 = 0
        guard gst_structure_get_uint64(statistics, "rendered", &shown) != 0 else { return nil }
        return counts.set(shown: UInt64(shown), by: UInt(bitPattern: sink))
    }

    /// Returns the property `stats` of an element, which contains JSON; nil if there is no such property.
    private static func statistics(of element: UnsafeMutablePointer<GObject>) -> JSONValue? {
        guard let spec = g_object_class_find_property(sv_object_get_class(element), "stats"),
            spec.pointee.value_type == String.valueType, var value = OwnedValue(spec.pointee.value_type)
        else { return nil }
        value.use { g_object_get_property(element, "stats", $0) }
        guard let text = value.read({ String.read($0.pointee) ?? nil }) else { return nil }
        return try? JSONValue(reading: Array(text.utf8), limits: ParsingLimits(depth: 4, values: 200))
    }
}

/// Returns the path of an element, as a label: the names of the bins inside the pipeline and of the element, separated
/// by slashes. Names can contain URIs with passwords, so secrets are masked.
private func path(of object: UnsafeMutablePointer<GstObject>) -> String {
    func name(_ object: UnsafeMutablePointer<GstObject>) -> String { Secrets.masked(object.currentName ?? "") }
    var names = [name(object)]
    var parent = Held(gst_object_get_parent(object))
    while let bin = parent, names.count < 50, let next = Held(gst_object_get_parent(bin.pointer)) {
        names.append(name(bin.pointer))
        parent = next
    }
    return names.reversed().joined(separator: "/")
}

/// The metrics from the statistics of elements.
private struct ElementMetrics {
    private var frames = PrometheusMetric("swiftvision_frames_total", .counter, "Frames that the element has processed")
    private var waiting = PrometheusMetric(
        "swiftvision_queue_messages", .gauge, "Messages that wait in the queue of svpublish")
    private var lost = PrometheusMetric(
        "swiftvision_lost_messages_total", .counter, "Messages of svpublish that were dropped or refused")
    private var reconnects = PrometheusMetric(
        "swiftvision_reconnects_total", .counter,
        "Connections of svpublish after the first connection, and connection attempts of svurisrc after the first "
            + "attempt")
    private var outages = PrometheusMetric("swiftvision_outages_total", .counter, "Outages of the camera of svurisrc")

    var all: [PrometheusMetric] { [frames, waiting, lost, reconnects, outages] }

    mutating func add(_ statistics: JSONValue, _ element: String) {
        func number(_ names: String...) -> UInt64? {
            let numbers = names.compactMap { statistics[$0]?.whole.flatMap { UInt64(exactly: $0) } }
            return numbers.isEmpty ? nil : numbers.reduce(0) { $0 &+ $1 }
        }
        if let number = number("frames") { frames.add(number, ("element", element)) }
        if let number = number("waiting") { waiting.add(number, ("element", element)) }
        if let number = number("dropped", "refused"), statistics["refused"] != nil {
            lost.add(number, ("element", element))
        }
        if let number = number("connections", "attempts") {
            reconnects.add(number > 0 ? number - 1 : 0, ("element", element))
        }
        if let number = number("outages") { outages.add(number, ("element", element)) }
    }

    mutating func add(frames number: UInt64, _ element: String) { frames.add(number, ("element", element)) }
}

/// The numbers from messages on the bus and from detections. The bus calls `add` in the threads that post messages.
/// These threads may hold locks, so `add` is short and calls no other code.
private final class MetricCounts: Sendable {
    private struct Pair: Hashable { let element, event: String }

    /// The last numbers that elements have reported. GStreamer resets these numbers at a flush, and when a sink pauses.
    /// Metrics must not decrease, so this struct computes increases.
    private struct Reports {
        private var last: [UInt: UInt64] = [:]

        /// Returns the increase of a number since the last report.
        /// - Parameter object: the address of the element. Elements with the same path have different addresses.
        mutating func increase(to number: UInt64, of object: UInt) -> UInt64 {
            guard last[object] != nil || last.count < MetricCounts.limit else { return 0 }
            let before = last.updateValue(number, forKey: object) ?? 0
            return number >= before ? number - before : number
        }
    }

    private struct State {
        var frames: UInt64 = 0
        var detections = LabelCounts(limit: 50)
        var events: [Pair: UInt64] = [:]
        var late: [String: UInt64] = [:]
        var lateReports = Reports()
        var shown: [UInt: UInt64] = [:]
        var shownReports = Reports()
    }

    /// The maximum number of elements whose late frames are counted. Also the maximum number of pairs of an element and
    /// an event name.
    private static let limit = 200

    private let state = Mutex(State())

    var frames: UInt64 { state.withLock { $0.frames } }

    func addFrame(_ labels: [String]) {
        state.withLock { state in
            state.frames &+= 1
            for label in labels { state.detections.add(label) }
        }
    }

    /// - Parameters:
    ///   - number: the number of frames that the sink has shown since its start or since its last pause.
    ///   - sink: the address of the sink.
    /// - Returns: the number of frames that the sink has shown since its start.
    func set(shown number: UInt64, by sink: UInt) -> UInt64 {
        state.withLock { state in
            let total = state.shown[sink, default: 0] &+ state.shownReports.increase(to: number, of: sink)
            state.shown[sink] = total
            return total
        }
    }

    func add(event: String, of element: String) {
        state.withLock { state in
            var pair = Pair(element: element, event: event)
            if state.events[pair] == nil, state.events.count >= Self.limit {
                pair = Pair(element: LabelCounts.other, event: LabelCounts.other)
            }
            state.events[pair, default: 0] &+= 1
        }
    }

    /// - Parameters:
    ///   - number: the number of late frames since the start or since the last flush of the element.
    ///   - element: the path of the element.
    ///   - object: the address of the element.
    func set(late number: UInt64, of element: String, _ object: UInt) {
        state.withLock { state in
            let key = state.late[element] == nil && state.late.count >= Self.limit ? LabelCounts.other : element
            state.late[key, default: 0] &+= state.lateReports.increase(to: number, of: object)
        }
    }

    var metrics: [PrometheusMetric] {
        var late = PrometheusMetric(
            "swiftvision_late_frames_total", .counter, "Frames that an element dropped because they were late")
        var detections = PrometheusMetric(
            "swiftvision_detections_total", .counter, "Detections in all frames, by label")
        var events = PrometheusMetric(
            "swiftvision_events_total", .counter, "Messages about events, by element and event")
        let state = state.withLock { $0 }
        for (element, count) in state.late.sorted(by: { $0.key < $1.key }) {
            late.add(count, ("element", element))
        }
        for (label, count) in state.detections.all { detections.add(count, ("label", label)) }
        for (pair, count) in state.events.sorted(by: { ($0.key.element, $0.key.event) < ($1.key.element, $1.key.event) }
        ) {
            events.add(count, ("element", pair.element), ("event", pair.event))
        }
        return [late, detections, events]
    }
}

private let eventCallback: GCallback = {
    let callback: BusCallback = { _, message, data in
        guard let message, let data, let source = message.pointee.src,
            ActionDeclarations.of(sv_object_get_type(source.cast())) != nil,
            let structure = gst_message_get_structure(message), let event = StructureView(structure).text("event")
        else { return }
        Unmanaged<MetricCounts>.fromOpaque(data).takeUnretainedValue().add(
            event: event.cut(toBytes: 100), of: path(of: source))
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()

private let lateCallback: GCallback = {
    let callback: BusCallback = { _, message, data in
        guard let message, let data, let source = message.pointee.src else { return }
        var (format, processed, dropped) = (GST_FORMAT_UNDEFINED, guint64(0), guint64(0))
        gst_message_parse_qos_stats(message, &format, &processed, &dropped)
        // GST_FORMAT_BUFFERS counts frames. An unknown number has the value -1.
        guard format == GST_FORMAT_BUFFERS, dropped != guint64.max else { return }
        Unmanaged<MetricCounts>.fromOpaque(data).takeUnretainedValue().set(
            late: UInt64(dropped), of: path(of: source), UInt(bitPattern: source))
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()
