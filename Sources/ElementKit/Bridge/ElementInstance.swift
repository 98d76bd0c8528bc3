// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging
import Waiting

/// The callbacks of every element. The C part of the plugin (the module CElements) calls these methods. `VideoFilter`
/// and `VideoMixer` document the order of the calls.
class AnyElementInstance: ObjectInstance {
    func start() -> Bool { false }
    func stop() {}
    func interrupt(_ why: Interruption.Reason, _ isOn: Bool) {}
    func setInfo(_ info: GstVideoInfo) -> Bool { false }
    /// Returns true if elements upstream must not receive the key.
    func keyPressed(_ key: String) -> Bool { false }
    func pointed(_ event: PointerEvent) -> Bool { false }
    func source(of point: Point) -> Point? { point }
}

/// The callbacks of filters, mixers, sinks and sources, for the C part of the plugin (CElements).
let elementFunctions = SVElementFunctions(
    object: objectFunctions,
    start: { AnyElementInstance.of($0)?.start() == true ? 1 : 0 },
    stop: { AnyElementInstance.of($0)?.stop() },
    interrupt: { instance, why, isOn in
        let reason: Interruption.Reason =
            switch why {
            case SV_INTERRUPTION_FLUSH: .flush
            case SV_INTERRUPTION_UNLOCK: .pause
            default: .stop
            }
        AnyElementInstance.of(instance)?.interrupt(reason, isOn != 0)
    },
    set_info: { instance, info in
        info.map { AnyElementInstance.of(instance)?.setInfo($0.pointee) == true } == true ? 1 : 0
    },
    src_event: { instance, event in
        guard let event, let element = AnyElementInstance.of(instance) else { return event }
        return element.navigate(event)
    })

extension AnyElementInstance {
    /// Passes keys and pointer events to the element.
    /// - Parameter event: any upstream event (transfer full).
    /// - Returns: the event to forward upstream (transfer full); nil if the element has handled the event.
    fileprivate func navigate(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        guard event.pointee.type == GST_EVENT_NAVIGATION else { return event }
        if let pointer = PointerEvent(event) {
            guard !pointed(pointer), let source = source(of: pointer.place) else {
                gst_event_unref(event)
                return nil
            }
            guard source != pointer.place, let moved = PointerEvent.moved(event, to: source) else { return event }
            gst_event_unref(event)
            return moved
        }
        var key: UnsafePointer<CChar>?
        if gst_navigation_event_get_type(event) == GST_NAVIGATION_EVENT_KEY_PRESS,
            gst_navigation_event_parse_key_event(event, &key) != 0, let key
        {
            guard !keyPressed(String(cString: key)) else {
                gst_event_unref(event)
                return nil
            }
        }
        return event
    }
}

func register<E: Element>(_ element: E.Type, _ type: GType, plugin: OpaquePointer?) -> Bool {
    type != 0 && gst_element_register(plugin, E.metadata.name, UInt32(GST_RANK_NONE.rawValue), type) != 0
}

/// The Swift part of an element's GObject class.
class ElementClass<E: Element>: ClassInfo {
    private let category = DebugCategory(name: E.metadata.name, description: E.metadata.longName)

    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        describe(E.metadata, on: objectClass)
        install(E.properties, on: objectClass)
        install(E.actions, of: E.self, on: objectClass)
    }

    func host(of object: UnsafeMutablePointer<GObject>) -> Host<E.Settings> {
        Host(
            E.metadata.name, object: object, category: category, properties: E.properties,
            snapshotEvent: (E.self as? any SnapshotElement.Type)?.snapshotEvent ?? "snapshot")
    }
}

/// The Swift part of one element. `host` accesses the GObject. `element` implements the element.
class ElementInstance<E: Element, State>: AnyElementInstance {
    let host: Host<E.Settings>
    let element: E

    // Only the streaming thread uses `state` and `clock`. `start` and `stop` may use them, too, because the base
    // classes call these methods while the streaming thread is not running.
    private var state: State?
    private var clock = StreamClock()
    /// Passes the output frames to `host.snapshots`; nil if the element is not a `SnapshotElement`.
    private var snapshotTap: SnapshotTap?
    /// True after an error was posted, until the element accepts new caps.
    private(set) var failed = false

    init(_ host: Host<E.Settings>) {
        self.host = host
        element = E(host: host)
    }

    override var object: AnyObject? { element }
    override func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) { host.setProperty(id, value) }
    override func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) { host.getProperty(id, value) }
    override func keyPressed(_ key: String) -> Bool {
        element.keyPressed(key)
        return (element as? any SnapshotElement)?.saves(key) ?? false
    }
    override func pointed(_ event: PointerEvent) -> Bool { element.pointed(event) }
    override func source(of point: Point) -> Point? { element.source(of: point) }

    override func interrupt(_ why: Interruption.Reason, _ isOn: Bool) {
        if isOn { host.interruption.set(why) } else { host.interruption.clear(why) }
        guard why == .stop else { return }
        if isOn { host.worker.hurry() } else { host.worker.relax() }
    }

    func begin(_ make: () throws -> State) -> Bool {
        failed = false
        clock = StreamClock()
        host.interruption.clear()
        do {
            try host.startAnimation()
            state = try make()
            snapshotTap = SnapshotTap(host, element)
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    func end(_ stop: (inout State) -> Void) {
        host.worker.finish()
        snapshotTap = nil
        host.snapshots.finish(host)
        host.lines.close()
        if var last = state.take() { stop(&last) }
    }

    /// Configures the element for new caps. Success resets `failed`, so that the next error is posted again.
    func accept(_ configure: (inout State) throws -> Void) -> Bool {
        guard attempt(configure) != nil else { return false }
        failed = false
        return true
    }

    /// Passes the state to `body`. If `body` throws, posts the error and returns nil. Also returns nil if the element
    /// has not started. After an error, no more errors are posted until `accept` succeeds. Otherwise, upstream could
    /// cause the same error with each frame.
    @discardableResult
    func attempt<Result>(_ body: (inout State) throws -> Result) -> Result? {
        guard var current = state.take() else { return nil }
        defer { state = current }
        do {
            return try body(&current)
        } catch {
            if !failed { host.post(error: error) }
            failed = true
            return nil
        }
    }

    /// Sets the properties that have a control source to their values for this frame. Returns the times of the frame.
    func time(
        of buffer: UnsafeMutablePointer<GstBuffer>, in segment: GstSegment, rate: Double?
    ) -> FrameTime {
        let time = clock.time(of: buffer, in: segment, rate: rate)
        // `position` is `.max` only after an overflow. `.max` is GST_CLOCK_TIME_NONE, which is not a valid time here.
        if time.position < .max {
            gst_object_sync_values(host.object.cast(to: GstObject.self), GstClockTime(time.position.nanoseconds))
        }
        return time
    }

    /// Handles a flush or a new segment. The next timestamp may have any value.
    func interruptTime() { clock.interrupt() }
}
