// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Synchronization
import Waiting

/// Observes the pipeline around an element: its objects, property changes and bus messages. This class holds only weak
/// references to the objects. It calls no objects or closures while it holds its lock.
///
/// Signal handlers only record changes. A separate thread then reads the changed values and reports them.
final class PipelineWatch: Sendable {
    fileprivate struct Watched: Sendable {
        let id: String
        let object: WeakObject
        let connections: [SignalConnection]
    }

    fileprivate struct Change: Hashable {
        let id: String
        let property: String
    }

    fileprivate struct State: Sendable {
        var isOn = false
        /// The number of calls of `stop`. `follow` compares this number to detect that another thread has called
        /// `stop`.
        var session = 0
        /// True while the reporting thread runs or is about to run.
        var isAwake = false
        /// The objects, keyed by their addresses. Signals identify objects by address.
        var watched: [UInt: Watched] = [:]
        var addresses: [String: UInt] = [:]
        /// The address of the pipeline.
        var top: UInt = 0
        var bus: BusConnection?
        var hasNewTree = false
        var changes: Set<Change> = []
        var messages: [JSONValue] = []
    }

    /// The minimum interval between reports, in milliseconds. A web page gets at most ten values of a property per
    /// second.
    private static let interval: UInt64 = 100
    /// The maximum number of queued messages. If the queue is full, the oldest message is dropped.
    private static let maxMessages = 200

    private let element: WeakObject
    private let files: ControlledFiles
    let secrets = KnownSecrets()
    private let send: @Sendable (JSONValue) -> Void
    private let worker = Worker()
    private let state = Monitor(State())
    /// Locked while `follow` updates the observed objects.
    private let following = Mutex(())

    init(
        _ element: UnsafeMutablePointer<GstElement>, _ files: ControlledFiles,
        send: @escaping @Sendable (JSONValue) -> Void
    ) {
        self.element = WeakObject(element.cast())
        self.files = files
        self.send = send
    }

    // MARK: - Beginning and ending

    func start() {
        state.withLock { $0.isOn = true }
        noteTree()
    }

    /// Stops observing. A running report in another thread may still complete.
    func stop() {
        let last = state.change { state in
            let last = state
            state = State()
            (state.isAwake, state.session) = (last.isAwake, last.session &+ 1)
            return last
        }
        last.disconnect()
    }

    // MARK: - Looking

    /// Describes the pipeline. Between `start` and `stop`, this function also starts to observe new objects.
    func describe() -> JSONValue {
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else {
            return .list([])
        }
        let tree = ControlNode.tree(top)
        follow(tree)
        return .list([tree.json(files, secrets)])
    }

    /// Returns the object with this ID; nil if it is not in the pipeline.
    private func object(_ id: String) -> Held<GObject>? { objects(id).first { $0.id == id }?.object }

    /// Returns the object with this ID. If there is none, returns all objects whose IDs end with a slash and this text,
    /// so that clients can use `f` instead of `pipeline0/f`.
    func objects(_ id: String) -> [(id: String, object: Held<GObject>)] {
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else { return [] }
        let owned = state.withLock { state in state.addresses[id].flatMap { state.watched[$0]?.object } }
        if let object = owned?.object, Self.isInside(object.pointer, top.pointer) { return [(id, object)] }
        let nodes = ControlNode.tree(top).all
        if let node = nodes.first(where: { $0.id == id }) { return [(id, node.object)] }
        return nodes.filter { $0.id.hasSuffix("/" + id) }.map { ($0.id, $0.object) }
    }

    /// Returns true if the property with this name is an image file in an element of this plugin, and its value is this
    /// path.
    func uses(image path: String, as property: String) -> Bool {
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else { return false }
        return ControlNode.tree(top, withPads: false).all.contains { node in
            guard let spec = g_object_class_find_property(sv_object_get_class(node.pointer), property),
                case .text(.file(.image)) = PropertyDeclaration.of(spec)?.use,
                var value = OwnedValue(spec.pointee.value_type)
            else { return false }
            value.use { g_object_get_property(node.pointer, spec.pointee.name, $0) }
            return value.read { String.read($0.pointee) ?? nil } == path
        }
    }

    private static func isInside(_ object: UnsafeMutablePointer<GObject>, _ top: UnsafeMutablePointer<GObject>) -> Bool
    {
        object == top
            || sv_object_is(object, gst_object_get_type()) != 0
                && gst_object_has_as_ancestor(object.cast(), top.cast()) != 0
    }

    /// Connects to new objects, and disconnects from removed objects.
    private func follow(_ tree: ControlNode) {
        let dropped = following.withLock { _ in
            let last = state.withLock { $0 }
            guard last.isOn else { return State() }
            var next = last
            next.top = UInt(bitPattern: tree.pointer)
            if next.top != last.top || last.bus == nil {
                next.bus = BusConnection(tree.pointer, "sync-message", messageCallback, WatchContext(self, ""))
            }
            next.watched = [:]
            for node in tree.all {
                let address = UInt(bitPattern: node.pointer)
                // A new object may have the address of a released object, so the ID is compared, too.
                if let old = last.watched[address], old.id == node.id, old.object.object != nil {
                    next.watched[address] = old
                } else {
                    let connections = connections(to: node, isTop: node === tree)
                    next.watched[address] = Watched(
                        id: node.id, object: WeakObject(node.pointer), connections: connections)
                }
            }
            next.addresses = Dictionary(next.watched.map { ($0.value.id, $0.key) }) { first, _ in first }
            return state.withLock { state in
                // Another thread may have called `stop` in the meantime. In this case, discard the new connections.
                guard state.isOn, state.session == last.session else { return next.without(last) }
                (state.watched, state.addresses) = (next.watched, next.addresses)
                (state.top, state.bus) = (next.top, next.bus)
                return last.without(next)
            }
        }
        dropped.disconnect()
    }

    private func connections(to node: ControlNode, isTop: Bool) -> [SignalConnection] {
        let context = WatchContext(self, node.id)
        func connection(_ signal: String, _ callback: GCallback) -> SignalConnection {
            SignalConnection(node.pointer, signal, callback, context)
        }
        var connections = [connection("notify", notifyCallback)]
        if sv_object_is(node.pointer, gst_bin_get_type()) != 0 {
            if isTop {
                for signal in ["deep-element-added", "deep-element-removed"] {
                    connections.append(connection(signal, treeCallback))
                }
            }
        } else if sv_object_is(node.pointer, gst_child_proxy_get_type()) != 0 {
            for signal in ["child-added", "child-removed"] { connections.append(connection(signal, treeCallback)) }
        }
        return connections
    }

    // MARK: - Signals, in any thread

    /// Records a change, and starts the reporting thread if necessary.
    private func note(_ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            guard state.isOn else { return false }
            change(&state)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wakes { worker.run { [self] in work() } }
    }

    fileprivate func noteTree() { note { $0.hasNewTree = true } }

    fileprivate func note(_ property: String, of id: String) {
        note { $0.changes.insert(Change(id: id, property: property)) }
    }

    fileprivate func note(_ message: UnsafeMutablePointer<GstMessage>) {
        let source = message.pointee.src
        let (id, isTop) = state.withLock { state in
            let address = UInt(bitPattern: source)
            return (state.watched[address]?.id, address == state.top)
        }
        let name = source?.currentName.map { Secrets.masked($0) }
        guard let json = JSONValue(message, from: id ?? name, isTop: isTop) else { return }
        // The state determines which properties a web page can set, so a change of the state requires a new
        // description.
        let isState = message.pointee.type == GST_MESSAGE_STATE_CHANGED
        note { state in
            if isState { state.hasNewTree = true }
            state.messages.append(json)
            if state.messages.count > Self.maxMessages { state.messages.removeFirst() }
        }
    }

    // MARK: - The thread

    private func work() {
        while let pending = state.withLock({ $0.takeChanges() }) {
            if pending.hasNewTree { tell(.table([("type", .text("pipeline")), ("elements", describe())])) }
            // Reports the changed properties, too, even if the description already contains them, because a client may
            // wait for the message of a single property.
            for change in pending.changes {
                guard let object = object(change.id),
                    let property = ControlledProperty(change.property, of: object.pointer),
                    let value = property.shown(of: object.pointer, secrets)
                else { continue }
                tell(
                    .table([
                        ("type", .text("property")), ("element", .text(change.id)), ("name", .text(change.property)),
                        ("value", value),
                    ]))
            }
            // Reports messages after the properties, because reading the properties collects the secrets to mask.
            for message in pending.messages { tell(secrets.hidden(inMessage: message)) }
            // `stop` ends this wait early.
            state.wait(until: .after(milliseconds: Self.interval)) { !$0.isOn }
        }
    }

    private func tell(_ json: JSONValue) {
        if state.withLock({ $0.isOn }) { send(json) }
    }
}

extension PipelineWatch.State {
    /// Returns the recorded changes, and clears them. Returns nil if there are no changes; the reporting thread then
    /// ends.
    fileprivate mutating func takeChanges() -> Self? {
        guard isOn, hasNewTree || !changes.isEmpty || !messages.isEmpty else {
            isAwake = false
            return nil
        }
        let pending = self
        (hasNewTree, changes, messages) = (false, [], [])
        return pending
    }

    /// Returns the objects and the bus connection that are in this state but not in `other`.
    fileprivate func without(_ other: Self) -> Self {
        var difference = Self()
        difference.watched = watched.filter { other.watched[$0.key]?.object !== $0.value.object }
        difference.bus = bus === other.bus ? nil : bus
        return difference
    }

    fileprivate func disconnect() {
        for watched in watched.values {
            for connection in watched.connections { connection.disconnect() }
        }
        bus?.disconnect()
    }
}

// MARK: - Callbacks

private final class WatchContext: Sendable {
    let watch: PipelineWatch
    let id: String

    init(_ watch: PipelineWatch, _ id: String) { (self.watch, self.id) = (watch, id) }

    static func of(_ data: gpointer?) -> WatchContext? {
        data.map { Unmanaged<WatchContext>.fromOpaque($0).takeUnretainedValue() }
    }
}

private typealias NotifyCallback = @convention(c) (gpointer?, UnsafeMutablePointer<GParamSpec>?, gpointer?) -> Void
private typealias TreeCallback = @convention(c) (gpointer?, gpointer?, gpointer?, gpointer?) -> Void

private let notifyCallback: GCallback = {
    let callback: NotifyCallback = { _, spec, data in
        guard let spec, let context = WatchContext.of(data) else { return }
        context.watch.note(String(cString: spec.pointee.name), of: context.id)
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()

/// The handler of deep-element-added, deep-element-removed, child-added and child-removed. All have the same signature.
private let treeCallback: GCallback = {
    let callback: TreeCallback = { _, _, _, data in WatchContext.of(data)?.watch.noteTree() }
    return unsafeBitCast(callback, to: GCallback.self)
}()

private let messageCallback: GCallback = {
    let callback: BusCallback = { _, message, data in
        if let message { WatchContext.of(data)?.watch.note(message) }
    }
    return unsafeBitCast(callback, to: GCallback.self)
}()
