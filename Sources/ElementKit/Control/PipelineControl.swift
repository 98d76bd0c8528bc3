// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Imaging

/// The control of the pipeline that an element is in, whatever other elements that has: shows their properties and actions
/// as JSON, sets them, and tells what changes. `docs/svwebsink.md` describes the JSON.
///
/// Every thread may use it. Elements of others may take their time to answer: the functions that return something belong on
/// no thread that others wait for; `handle` and `describe` answer on a thread of the control's own, one after another.
package final class PipelineControl: Sendable {
    private let watch: PipelineWatch
    private let files: ControlledFiles
    private let requests = Worker()

    /// - Parameters:
    ///   - host: of the element, which may be in the pipeline itself.
    ///   - send: gets what all pages are to be told: the types `pipeline`, `property` and `message`. It is called on a thread
    ///     of the control's own, between `start` and `stop`.
    package convenience init<Settings>(
        of host: Host<Settings>, files: ControlledFiles, send: @escaping @Sendable (JSONValue) -> Void
    ) {
        self.init(of: host.element, files: files, send: send)
    }

    package init(
        of element: UnsafeMutablePointer<GstElement>, files: ControlledFiles,
        send: @escaping @Sendable (JSONValue) -> Void
    ) {
        self.files = files
        watch = PipelineWatch(element, files, send: send)
    }

    deinit { watch.stop() }

    /// Begins to tell what changes, with a description of everything first.
    package func start() { watch.start() }

    /// Ends that: nothing is connected to the pipeline any more. A call of `send` that has begun may still end. May be
    /// started again.
    package func stop() { watch.stop() }

    // MARK: - Without waiting

    /// Describes the pipeline, in a message of the type `pipeline`.
    package func describe(_ reply: @escaping @Sendable (JSONValue) -> Void) {
        requests.run { [self] in reply(.table([("type", .text("pipeline")), ("elements", elements())])) }
    }

    /// Carries out a request of the types `set`, `reset` and `act`.
    /// - Returns: false if it is of another type: it is left to others, without a reply.
    package func handle(_ request: JSONValue, reply: @escaping @Sendable (JSONValue) -> Void) -> Bool {
        guard let type = request["type"]?.text, ["set", "reset", "act"].contains(type) else { return false }
        requests.run { [self] in reply(answer(request, type)) }
        return true
    }

    private func answer(_ request: JSONValue, _ type: String) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("type", .text("reply"))]
        if let id = request["id"] { members.append(("id", id)) }
        do throws(ControlError) {
            let answer = try carryOut(request, type)
            members.append(("ok", .truth(true)))
            if let answer { members.append(("answer", answer)) }
        } catch {
            members += [("ok", .truth(false)), ("reason", .text(error.reason))]
        }
        return watch.secrets.hidden(inMessage: .table(members))
    }

    private func carryOut(_ request: JSONValue, _ type: String) throws(ControlError) -> JSONValue? {
        guard let element = request["element"]?.text, let name = request["name"]?.text else {
            throw ControlError("\(type): element or name is missing")
        }
        switch type {
        case "set":
            guard let value = request["value"] else { throw ControlError("\(name): value is missing") }
            try set(name, of: element, to: value)
            return nil
        case "reset":
            try reset(name, of: element)
            return nil
        default: return try act(name, of: element, with: request["arguments"]?.list ?? [])
        }
    }

    // MARK: - At once

    /// Describes all elements, as a list with one item: the pipeline, which has the others as its children.
    package func elements() -> JSONValue { watch.describe() }

    /// Sets a property.
    /// - Parameter element: its id.
    /// - Throws: the reason, if the value or the property is refused.
    package func set(_ name: String, of element: String, to value: JSONValue) throws(ControlError) {
        let object = try object(element)
        try property(name, object).set(value, on: object.pointer, files, watch.secrets)
    }

    /// Sets a property to its default.
    package func reset(_ name: String, of element: String) throws(ControlError) {
        let object = try object(element)
        try property(name, object).reset(on: object.pointer, files)
    }

    /// Carries out an action.
    /// - Returns: its answer, if it gives one.
    package func act(
        _ name: String, of element: String, with arguments: [JSONValue]
    ) throws(ControlError) -> JSONValue? {
        let object = try object(element)
        let actions = ControlledAction.all(of: object.pointer)
        guard let action = actions.first(where: { $0.name == name }) else {
            throw ControlError(unknown("action", name, among: actions.map(\.name)))
        }
        return try action.act(on: object.pointer, arguments, files)
    }

    private func object(_ id: String) throws(ControlError) -> Held<GObject> {
        guard let object = watch.object(id) else {
            throw ControlError("the pipeline has no element \"\(id.cut(toBytes: 100))\"")
        }
        return object
    }

    private func property(_ name: String, _ object: Held<GObject>) throws(ControlError) -> ControlledProperty {
        guard let property = ControlledProperty(name, of: object.pointer) else {
            let names = ControlledProperty.all(of: object.pointer).map(\.name)
            throw ControlError(unknown("property", name, among: names))
        }
        return property
    }
}
