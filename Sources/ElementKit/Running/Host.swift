// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization
import Waiting

/// Connects an element or a pad to its GObject: keeps the settings and writes log messages. `Host` adds the bus and the
/// worker for elements.
package class PadHost<Settings: ElementSettings>: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `object` is a pointer. The GObject creates this host during
    // initialisation and releases the host in finalize. In between, every caller of the host holds a reference to the
    // GObject: the caller of a method, property or action, and each job of the `Worker`. The GStreamer functions called
    // with this pointer (log, post, notify) are thread-safe.
    let object: UnsafeMutablePointer<GObject>
    let category: DebugCategory
    private let properties: [Property<Settings>]
    private let values = Mutex(Values())

    /// False if no animation is running. `settings(at:)` then skips the animation.
    private let isAnimated = Atomic(false)

    private struct Values: Sendable {
        var settings = Settings()
        /// The last assigned value of the property `animate`.
        var animate: String?
        var animation = Animation<Settings>()
        /// The error in the value of the property `animate`; nil if this value is valid.
        var error: ElementError?
    }

    init(object: UnsafeMutablePointer<GObject>, category: DebugCategory, properties: [Property<Settings>]) {
        self.object = object
        self.category = category
        self.properties = properties
    }

    /// A copy of the current settings.
    package var settings: Settings { values.withLock { $0.settings } }

    /// Changes a setting from inside the element, for example after a key press, and notifies observers of the
    /// property.
    package func set<Value: Sendable>(_ keyPath: SettingPath<Settings, Value>, to value: Value) {
        let name = name(of: keyPath)
        values.withLock { values in
            values.settings[keyPath: keyPath] = value
            if let name { values.animation.end(name) }
        }
        notify(name)
    }

    /// Changes a setting from inside the element, unless another thread has changed it in the meantime.
    /// - Parameter old: the value that the change is based on.
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
            // If the element is running, setting a property ends the property's animation. Before the start, the
            // animation stays, because users may set `animate` and the property in any order.
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

    /// The element itself, or the element of the pad; nil for a removed pad.
    var owner: Held<GstElement>? { Held(gst_object_get_parent(object.cast())?.cast()) }

    /// True if the state is PAUSED or PLAYING.
    var isRunning: Bool {
        owner.map { $0.pointer.state.rawValue > GST_STATE_READY.rawValue } ?? false
    }

    /// The name of the object, for example sink_1.
    package var objectName: String { object.cast(to: GstObject.self).currentName ?? "" }

    /// The prefix of error messages about this object: the name of a pad; empty for an element.
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
            // In the states NULL and READY, no warning is necessary, because starting the element will fail with this
            // error.
            guard isRunning, let owner else { return }
            log(.warning, error.message)
            ElementKit.post(error, as: GST_MESSAGE_WARNING, on: owner.pointer)
        }
    }

    /// Restarts the animation with the next frame.
    /// - Throws: the error in the value of the property `animate`.
    func startAnimation() throws(ElementError) {
        let error = values.withLock { values in
            values.animation.restart()
            return values.error
        }
        isAnimated.store(true, ordering: .relaxed)
        if let error { throw error }
    }

    /// Sets animated properties to their values for a frame, and returns a copy of the settings. Observers of a
    /// property are notified once, when the property has reached its final value.
    /// - Parameter elapsed: the playback time of the stream at this frame (`FrameTime.elapsed`).
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

    /// Logs a message in the element's debug category. The message is evaluated only if the level is enabled.
    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        category.log(level, object: object, message(), file: file, function: function, line: line)
    }
}

/// Connects an element to its GstElement.
package final class Host<Settings: ElementSettings>: PadHost<Settings>, @unchecked Sendable {
    /// Runs work outside the streaming thread. When the element stops, it reaches READY only after all earlier jobs
    /// have finished.
    package let worker: Worker

    /// Ends waits of the streaming thread. Set when the element stops, when the stream is flushed, or when the base
    /// class of a sink needs the lock that the streaming thread holds.
    package let interruption = Interruption()

    /// A file or pipe that also receives the element's messages, as lines of JSON.
    package let lines: LineFile

    /// Writes output frames and other images as PNG files.
    package let snapshots: Snapshots

    /// The name of the element's factory.
    package let name: String

    init(
        _ name: String, object: UnsafeMutablePointer<GObject>, category: DebugCategory,
        properties: [Property<Settings>], snapshotEvent: String
    ) {
        self.name = name
        worker = Worker(of: object)
        lines = LineFile(of: object)
        snapshots = Snapshots(of: object, event: snapshotEvent)
        super.init(object: object, category: category, properties: properties)
    }

    var element: UnsafeMutablePointer<GstElement> { object.cast() }

    override var owner: Held<GstElement>? { Held(gst_object_ref(object)?.assumingMemoryBound(to: GstElement.self)) }

    override var errorPrefix: String { "" }

    override var isRunning: Bool { element.state.rawValue > GST_STATE_READY.rawValue }

    /// True if the source is live, according to a latency query. The query goes upstream from the pad `sink`, so only
    /// the streaming thread may use this property.
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

    /// Posts an error. The application should then stop the pipeline.
    package func post(
        error: any Error, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(error, as: GST_MESSAGE_ERROR, file, function, line)
    }

    /// Posts a warning. The element continues.
    package func post(
        warning: any Error, file: StaticString = #fileID, function: StaticString = #function, line: Int32 = #line
    ) {
        post(warning, as: GST_MESSAGE_WARNING, file, function, line)
    }

    /// Runs `body`. If `body` throws, posts a warning.
    /// - Returns: true if `body` did not throw.
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

    /// Posts an info message for the user at the terminal, for example the result of a key press. If `isPrinted` is
    /// true, gst-launch-1.0 prints the message. If false, only applications receive the message. Use false if the
    /// standard output contains data.
    package func tell(_ text: String, isPrinted: Bool = true) {
        log(.info, text)
        guard
            let error = g_error_new_literal(gst_library_error_quark(), Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue), text)
        else { return }
        defer { g_error_free(error) }
        // gst-launch-1.0 prints only the details of an info message.
        let details = isPrinted ? "\(name): \(text)" : nil
        gst_element_post_message(element, gst_message_new_info(object.cast(), error, details))
    }

    /// Posts an element message about an event, named after the element, with the field `event` and the fields from
    /// `fill`. Also writes the message to the file `lines`.
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
    // gst_element_message_full takes ownership of both texts.
    gst_element_message_full(
        element, type, domain, code, g_strdup(error.message), error.details.flatMap { g_strdup($0) }, "\(file)",
        "\(function)", line)
}
