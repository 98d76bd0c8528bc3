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
    private let connections: [BusConnection]

    /// Starts to count messages. If the pipeline has no bus, the metrics contain no events and no late frames.
    package init<Settings>(_ host: Host<Settings>) {
        let counts = MetricCounts()
        (element, self.counts) = (WeakObject(host.object), counts)
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

    /// Counts the detections of a frame.
    /// - Parameter labels: the labels of the detections, without names of persons.
    package func count(_ labels: [String]) { counts.add(detections: labels) }

    /// Returns the metrics. Reads properties of the pipeline's elements, so the caller must hold no lock.
    /// - Parameter statistics: the current statistics of the element itself, if the property `stats` may be outdated.
    package func text(_ statistics: JSONValue? = nil) -> [UInt8] {
        var metrics = ElementMetrics()
        if let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) {
            for node in ControlNode.tree(top).all
            where ActionDeclarations.of(sv_object_get_type(node.pointer)) != nil
                && sv_object_is(node.pointer, gst_element_get_type()) != 0
            {
                let name = counted(node.pointer.cast(to: GstObject.self).currentName)
                if sv_object_is(node.pointer, gst_base_sink_get_type()) != 0 {
                    metrics.addSink(node.pointer.cast(), name)
                } else if let statistics = node.pointer == element.pointer ? statistics : nil {
                    metrics.add(statistics, name)
                } else if let statistics = Self.statistics(of: node.pointer) {
                    metrics.add(statistics, name)
                }
            }
        }
        return PrometheusMetric.text(metrics.all + counts.metrics)
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

/// Returns the name of an element for a label. Names of elements can contain addresses with passwords.
private func counted(_ name: String?) -> String { Secrets.masked(name ?? "").cut(toBytes: 100) }

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

    mutating func addSink(_ sink: UnsafeMutablePointer<GstBaseSink>, _ element: String) {
        guard let statistics = gst_base_sink_get_stats(sink) else { return }
        defer { gst_structure_free(statistics) }
        var shown: guint64 = 0
        if gst_structure_get_uint64(statistics, "rendered", &shown) != 0 {
            frames.add(UInt64(shown), ("element", element))
        }
    }
}

/// The numbers from messages on the bus and from detections. The bus calls `add` in the threads that post messages.
/// These threads may hold locks, so `add` is short and calls no other code.
private final class MetricCounts: Sendable {
    private struct Pair: Hashable { let element, event: String }

    private struct Late {
        var total: UInt64 = 0
        /// The last number that the element reported.
        var reported: UInt64 = 0
    }

    private struct State {
        var detections = LabelCounts(limit: 50)
        var events: [Pair: UInt64] = [:]
        var late: [String: Late] = [:]
    }

    /// The maximum number of elements with late frames, and of pairs of an element and an event.
    private static let limit = 200

    private let state = Mutex(State())

    func add(detections labels: [String]) {
        guard !labels.isEmpty else { return }
        state.withLock { state in for label in labels { state.detections.add(label) } }
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

    /// - Parameter number: the number of late frames since the start or since the last flush of the element.
    func set(late number: UInt64, of element: String) {
        state.withLock { state in
            let key = state.late[element] == nil && state.late.count >= Self.limit ? LabelCounts.other : element
            var late = state.late[key] ?? Late()
            // A flush resets the element's number, but the metric must not decrease.
            late.total &+= number >= late.reported ? number - late.reported : number
            late.reported = number
            state.late[key] = late
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
            late.add(count.total, ("element", element))
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
            event: event.cut(toBytes: 100), of: counted(source.currentName))
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
            late: UInt64(dropped), of: counted(source.currentName))
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()
