// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// The pipeline and its bus.
final class Pipeline {
    let element: UnsafeMutablePointer<GstElement>
    let bus: UnsafeMutablePointer<GstBus>

    init(_ description: Description) throws(UsageError) {
        var error: UnsafeMutablePointer<GError>?
        let parsed: UnsafeMutablePointer<GstElement>?
        switch description {
        case .text(let text): parsed = gst_parse_launch(text, &error)
        case .words(let words):
            let copies = words.map { g_strdup($0) } + [nil]
            defer { copies.forEach { g_free($0) } }
            var arguments = copies.map { UnsafePointer($0) }
            parsed = gst_parse_launchv(&arguments, &error)
        }
        if let error {
            defer { g_error_free(error) }
            if let parsed { gst_object_unref(parsed) }
            throw UsageError(message: String(cString: error.pointee.message))
        }
        guard let parsed, let pipeline = Self.pipeline(around: parsed), let bus = gst_element_get_bus(pipeline) else {
            throw UsageError(message: "cannot construct the pipeline")
        }
        element = pipeline
        self.bus = bus
    }

    deinit {
        gst_object_unref(bus)
        gst_object_unref(element)
    }

    /// Returns the element if it is a pipeline. Otherwise returns a new pipeline that contains the element. Takes
    /// ownership of the element.
    private static func pipeline(around element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GstElement>?
    {
        gst_object_ref_sink(element)
        if g_type_check_instance_is_a(element.cast(), gst_pipeline_get_type()) != 0 { return element }
        defer { gst_object_unref(element) }
        guard let pipeline = gst_pipeline_new(nil) else { return nil }
        gst_object_ref_sink(pipeline)
        gst_bin_add(pipeline.cast(), element)
        return pipeline
    }

    // MARK: - States

    @discardableResult
    func set(_ state: GstState) -> GstStateChangeReturn { gst_element_set_state(element, state) }

    var isChangingState: Bool { gst_element_get_state(element, nil, nil, 0) == GST_STATE_CHANGE_ASYNC }

    func sendEndOfStream() { gst_element_send_event(element, gst_event_new_eos()) }

    /// Returns the next message. Returns nil if there is no message on the bus.
    func nextMessage() -> Message? { gst_bus_pop(bus).map { Message($0, of: element) } }

    /// A file descriptor that is readable while the bus has messages.
    var messageFile: Int32 {
        var descriptor = GPollFD()
        gst_bus_get_pollfd(bus, &descriptor)
        return descriptor.fd
    }

    // MARK: - Elements

    /// Calls `body` for each sink. A bin that is a sink counts as one sink.
    func forEachSink(_ body: (UnsafeMutablePointer<GstElement>) -> Void) {
        forEach(gst_bin_iterate_sinks(element.cast()), body)
    }

    /// The live video sources, such as cameras. The pipeline owns the elements.
    var liveCameras: [UnsafeMutablePointer<GstElement>] {
        var result: [UnsafeMutablePointer<GstElement>] = []
        forEach(gst_bin_iterate_recurse(element.cast())) { if $0.isLiveCamera { result.append($0) } }
        return result
    }

    /// True if an svpublish element sends `WATCHDOG=1` to the service manager.
    var feedsWatchdog: Bool {
        var result = false
        forEach(gst_bin_iterate_recurse(element.cast())) { element in
            guard let factory = gst_element_get_factory(element).map({ UnsafeMutablePointer<GstObject>($0) }),
                let name = factory.pointee.name, strcmp(name, "svpublish") == 0
            else { return }
            // g_object_get_property initialises the empty value with the type of the property.
            var value = GValue()
            g_object_get_property(element.cast(), "watchdog", &value)
            if g_value_get_boolean(&value) != 0 { result = true }
            g_value_unset(&value)
        }
        return result
    }

    private func forEach(
        _ iterator: UnsafeMutablePointer<GstIterator>?, _ body: (UnsafeMutablePointer<GstElement>) -> Void
    ) {
        guard let iterator else { return }
        defer { gst_iterator_free(iterator) }
        var value = GValue()
        loop: while true {
            switch gst_iterator_next(iterator, &value) {
            case GST_ITERATOR_OK:
                if let object = g_value_get_object(&value) {
                    body(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self))
                }
                g_value_reset(&value)
            case GST_ITERATOR_RESYNC: gst_iterator_resync(iterator)
            default: break loop
            }
        }
        if value.g_type != 0 { g_value_unset(&value) }
    }
}

extension UnsafeMutablePointer {
    /// Returns the pointer as a pointer to another class of the same object.
    func cast<Other>(to _: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}
