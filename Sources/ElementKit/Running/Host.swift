// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization
import Waiting

/// An element's (or pad's) link to its GObject: its settings, its log and, for elements, its bus and its worker.
package class PadHost<Settings: ElementSettings>: @unchecked Sendable {
    // Unchecked because of `object` alone. The GObject creates this host while it is initialised and releases it when
    // it is finalized. Anyone who calls the host in between has a reference to the GObject: the caller of a method,
    // property or action, and each job of the `Worker`. GStreamer allows what is done with the pointer (log, post,
    // notify) from any thread.
    let object: UnsafeMutablePointer<GObject>
    let category: DebugCategory
    private let properties: [Property<Settings>]
    private let values = Mutex(Values())

    /// False if no property changes by itself, so that frames need not look.
    private let isAnimated = Atomic(false)

    private struct Values: Sendable {
        var settings = Settings()
        /// The property `animate`, as it was set last.
        var animate: String?
        var animation = Animation<Settings>()
        /// What is wrong with `animate`.
        var error: ElementError?
    }

    init(object: UnsafeMutablePointer<GObject>, category: DebugCategory, properties: [Property<Settings>]) {
        self.object = object
        self.category = category
        self.properties = properties
    }

    /// A snapshot of the settings.
    package var settings: Settings { values.withLock { $0.settings } }

    /// Changes a setting from inside (as a key press does) and notifies those who watch the property.
    package func set<Value: Sendable>(_ keyPath: SettingPath<Settings, Value>, to value: Value) {
        let name = name(of: keyPath)
        values.withLock { values in
            values.settings[keyPath: keyPath] = value
            if let name { values.animation.end(name) }
        }
        notify(name)
    }

    /// Changes a setting from inside, unless somebody else has changed it in the meantime.
    /// - Parameter old: the value on which the change is based.
    package func set<Value: Sendable & Equatable>(
        _ keyPath: SettingPath<Settings, Value>, to value: Value, ifStill old: Value
    ) {
        guard old != value else { return }
        let name = name(of: keyPath)
        let changed = values.withLock { values in
            guard values.settings[keyPath: keyPath] == old else { return false }
            values.settings[keyPath: keyPath] = value
            if let name { values.animation.end(name) }
            return true
        }
        if changed { notify(name) }
    }

    private func name(of keyPath: AnyKeyPath) -> String? { properties.first { $0.keyPath == keyPath }?.name }

    private func notify(_ name: String?) {
        guard let name else { return }
        log(.info, "\(name) changed")
        g_object_notify(object, name)
    }

    func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) {
        guard let property = property(id) else { return animate(String?.read(value.pointee) ?? nil) }
        let isRunning = isRunning
        if property.flags.contains(.mutableReady), isRunning {
            log(.warning, "cannot set \(property.name): the state must be NULL or READY")
        } else if values.withLock({ values in
            guard property.write(&values.settings, value.pointee) else { return false }
            // Before, the order of what is set does not matter.
            if isRunning { values.animation.end(property.name) }
            return true
        }) {
            log(.info, "\(property.name) set")
        } else {
            log(.warning, "cannot set \(property.name): the value is not valid")
        }
    }

    func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) {
        if let property = property(id) {
            property.read(settings, &value.pointee)
        } else {
            values.withLock { $0.animate }.write(to: &value.pointee)
        }
    }

    /// The element itself, or the one that the pad belongs to; nil for a pad that was removed.
    var owner: Held<GstElement>? { Held(gst_object_get_parent(object.cast())?.cast()) }

    /// True if the element is beyond READY.
    var isRunning: Bool {
        owner.map { $0.pointer.state.rawValue > GST_STATE_READY.rawValue } ?? false
    }

    /// The object's own name, such as sink_1.
    package var objectName: String { object.cast(to: GstObject.self).currentName ?? "" }

    /// What stands before an error about the object, in messages of the element.
    var errorPrefix: String { objectName + ": " }

    // MARK: - Animating

    private func animate(_ text: String?) {
        do throws(ElementError) {
            let animation = if let text { try Animation(text, of: properties) } else { Animation<Settings>() }
            values.withLock { ($0.animate, $0.animation, $0.error) = (text, animation, nil) }
            isAnimated.store(true, ordering: .relaxed)
            log(.info, "animate set")
        } catch {
            let error = ElementError(.settings, errorPrefix + error.message)
            values.withLock { ($0.animate, $0.error) = (text, error) }
            // Otherwise the start fails.
            guard isRunning, let owner else { return }
            log(.warning, error.message)
            ElementKit.post(error, as: GST_MESSAGE_WARNING, on: owner.pointer)
        }
    }

    /// Begins the animation anew with the next frame.
    /// - Throws: what is wrong with `animate`.
    func startAnimation() throws(ElementError) {
        let error = values.withLock { values in
            values.animation.restart()
            return values.error
        }
        isAnimated.store(true, ordering: .relaxed)
        if let error { throw error }
    }

    /// Sets animated properties to their values for a frame, and returns a snapshot of the settings. Those who watch a
    /// property are notified once, when it has got to its last value.
    /// - Parameter elapsed: the frame's.
    func settings(at elapsed: ClockTime) -> Settings {
        guard isAnimated.load(ordering: .relaxed) else { return settings }
        let (settings, arrived) = values.withLock { values -> (Settings, [String]) in
            guard values.animation.isRunning else {
                isAnimated.store(false, ordering: .relaxed)
                return (values.settings, [])
            }
            let arrived = values.animation.advance(to: elapsed, &values.settings)
            return (values.settings, arrived)
        }
        for name in arrived { notify(name) }
        return settings
    }

    private func property(_ id: UInt32) -> Property<Settings>? {
        let index = Int(id) - 1
        return properties.indices.contains(index) ? properties[index] : nil
    }

    /// Logs in the element's debug category; the text is made only if somebody listens.
    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        category.log(level, object: object, message(), file: file, function: function, line: line)
    }
}

/// An element's link to its GstElement.
package final class Host<Settings: ElementSettings>: PadHost<Settings>, @unchecked Sendable {
    /// Work off the streaming thread. Jobs given before the element begins to stop are done, or have given up, when it
    /// reaches READY.
    package let worker: Worker

    /// Ends what the streaming thread waits for: the element begins to stop, the stream is flushed, or a sink has to let go
    /// the lock of its base class.
    package let interruption = Interruption()

    /// Where the element's messages are also written, as lines of JSON.
    package let lines: LineFile

    /// The name of the element's factory.
    package let name: String

    init(
        _ name: String, object: UnsafeMutablePointer<GObject>, category: DebugCategory,
        properties: [Property<Settings>]
    ) {
        self.name = name
        worker = Worker(of: object)
        lines = LineFile(of: object)
        super.init(object: object, category: category, properties: properties)
    }

    var element: UnsafeMutablePointer<GstElement> { object.cast() }

    override var owner: Held<GstElement>? { Held(gst_object_ref(object)?.assumingMemoryBound(to: GstElement.self)) }

    override var errorPrefix: String { "" }

    override var isRunning: Bool { element.state.rawValue > GST_STATE_READY.rawValue }

    /// True if the source, according to the latency query, produces frames in real time. Asks upstream through the
    /// element's pad `sink`, so it is for the streaming thread.
    package var isSourceLive: Bool {
        guard let pad = Held(gst_element_get_static_pad(element, "sink")), let query = gst_query_new_latency() else {
            return false
        }
        defer { gst_query_unref(query) }
        guard gst_pad_peer_query(pad.pointer, query) != 0 else { return false }
        var isLive: gboolean = 0
        gst_query_parse_latency(query, &isLive, nil, nil)
        return isLive != 0
    }

    /// Posts an error: the application is expected to stop the pipeline.
    package func post(
        error: any Error, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(error, as: GST_MESSAGE_ERROR, file, function, line)
    }

    /// Posts a warning: the element carries on.
    package func post(
        warning: any Error, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(warning, as: GST_MESSAGE_WARNING, file, function, line)
    }

    /// Does something that may fail; a failure is a warning.
    /// - Returns: true if it did not fail.
    @discardableResult
    package func warning(
        file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line, _ body: () throws -> Void
    ) -> Bool {
        do {
            try body()
            return true
        } catch {
            post(warning: error, file: file, function: function, line: line)
            return false
        }
    }

    private func post(
        _ error: any Error, as type: GstMessageType, _ file: StaticString, _ function: StaticString, _ line: Int32
    ) {
        let error = ElementError(error)
        log(type == GST_MESSAGE_ERROR ? .error : .warning, error.message, file: file, function: function, line: line)
        ElementKit.post(error, as: type, on: element, file, function, line)
    }

    /// Posts an information for who sits at the terminal, such as what a key in the video window did: gst-launch-1.0 prints
    /// it, unless it is for applications alone, so that nothing gets among what a pipeline writes to the standard output.
    package func tell(_ text: String, isPrinted: Bool = true) {
        log(.info, text)
        guard
            let error = g_error_new_literal(gst_library_error_quark(), Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue), text)
        else { return }
        defer { g_error_free(error) }
        // What gst-launch-1.0 prints are the details.
        let details = isPrinted ? "\(name): \(text)" : nil
        gst_element_post_message(element, gst_message_new_info(object.cast(), error, details))
    }

    /// Posts a message, named for the element, that something has happened: with a field `event`, and what `fill` sets.
    /// It is also written to `lines`.
    package func post(event: String, at time: FrameTime? = nil, _ fill: (inout Structure) -> Void = { _ in }) {
        var message = time.map { Structure(name, at: $0) } ?? Structure(name)
        message.set("event", event)
        fill(&message)
        if lines.isOpen, let line = message.withView({ JSONValue($0, by: objectName).line }) { lines.write(line, self) }
        post(message)
    }

    /// Posts an element message.
    package func post(_ structure: consuming Structure) {
        gst_element_post_message(element, gst_message_new_element(object.cast(), structure.take()))
    }
}

private func post(
    _ error: ElementError, as type: GstMessageType, on element: UnsafeMutablePointer<GstElement>,
    _ file: StaticString = #fileID, _ function: StaticString = #function, _ line: Int32 = #line
) {
    let (domain, code) = error.domainAndCode
    // Takes ownership of both texts.
    gst_element_message_full(
        element, type, domain, code, g_strdup(error.message), error.details.flatMap { g_strdup($0) }, "\(file)",
        "\(function)", line)
}
