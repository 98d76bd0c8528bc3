// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Imaging

/// Controls the pipeline around an element. Describes the properties and actions of all elements as JSON, sets
/// properties, calls actions, and reports changes. `docs/remote-control.md` describes the JSON.
///
/// Any thread may use this class. `elements`, `set`, `reset`, `act` and `apply` may block, because elements of other
/// plugins may respond slowly. `handle` and `describe` do not block: they reply on a separate thread, one request at a
/// time.
package final class PipelineControl: Sendable {
    private let watch: PipelineWatch
    private let files: ControlledFiles
    private let requests = Worker()

    /// - Parameters:
    ///   - host: the host of an element in the pipeline.
    ///   - send: receives the messages for all web pages as JSON. The types of these messages are `pipeline`,
    ///     `property` and `message`. `send` is called on a separate thread, between `start` and `stop`.
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

    /// Starts to report changes. The first report describes the whole pipeline.
    package func start() { watch.start() }

    /// Stops the reports and disconnects from the pipeline. A running call of `send` may return later. `start` can be
    /// called again.
    package func stop() { watch.stop() }

    // MARK: - Without waiting

    /// Describes the pipeline, in a message of the type `pipeline`.
    package func describe(_ reply: @escaping @Sendable (JSONValue) -> Void) {
        requests.run { [self] in reply(.table([("type", .text("pipeline")), ("elements", elements())])) }
    }

    /// Performs a request of the types `set`, `reset` and `act`.
    /// - Returns: false for a request of another type, which gets no reply.
    package func handle(_ request: JSONValue, reply: @escaping @Sendable (JSONValue) -> Void) -> Bool {
        guard let type = request["type"]?.text, ["set", "reset", "act"].contains(type) else { return false }
        requests.run { [self] in reply(response(request, type)) }
        return true
    }

    private func response(_ request: JSONValue, _ type: String) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("type", .text("reply"))]
        if let id = request["id"] { members.append(("id", id)) }
        do throws(ControlError) {
            let result = try carryOut(request, type)
            members.append(("ok", .truth(true)))
            if let result { members.append(("answer", result)) }
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

    /// Returns a list with one item: the pipeline, which contains the elements as children.
    package func elements() -> JSONValue { watch.describe() }

    /// Sets a property.
    /// - Parameter element: the ID of the element, or an unambiguous end of the ID.
    /// - Throws: the reason if the property or the value is refused.
    package func set(_ name: String, of element: String, to value: JSONValue) throws(ControlError) {
        let object = try object(element)
        try property(name, object).set(value, on: object.pointer, files, watch.secrets)
    }

    /// Sets a property to its default value.
    package func reset(_ name: String, of element: String) throws(ControlError) {
        let object = try object(element)
        try property(name, object).reset(on: object.pointer, files)
    }

    /// Performs an action.
    /// - Returns: the result of the action; nil if the action has no result.
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

    /// Returns true if an element of this plugin uses this image file now.
    /// - Parameter property: the name of the property with the path.
    package func uses(image path: String, as property: String) -> Bool { watch.uses(image: path, as: property) }

    /// Sets a property or runs an action, for a client that may send only numbers, booleans, enumerations and the names
    /// of parameters, such as an OSC controller.
    /// - Parameters:
    ///   - path: the ID of the element, a slash, and the name of the property or action.
    ///   - values: the value of the property, or the arguments of the action.
    /// - Returns: false if an action has returned false; nil if no action has run, because the message reports the
    ///   release of a button.
    /// - Throws: the reason if the property, the action or a value is refused.
    package func apply(_ path: String, _ values: [JSONValue]) throws(ControlError) -> Bool? {
        guard path.utf8.contains(UInt8(ascii: "/")) else { throw ControlError("the name of the property is missing") }
        let (element, name) = path.pathParts
        let object = try object(element)
        if let property = ControlledProperty(name, of: object.pointer) {
            guard let value = values.first, values.count == 1 else {
                throw ControlError("\(name) needs one value, but the message has \(values.count)")
            }
            try property.set(property.restricted(value), on: object.pointer, files, watch.secrets)
            return true
        }
        let actions = ControlledAction.all(of: object.pointer)
        guard let action = actions.first(where: { $0.name == name }) else {
            let names = ControlledProperty.all(of: object.pointer).map(\.name) + actions.map(\.name)
            throw ControlError(unknown("property or action", name, among: names))
        }
        guard let inputs = try action.restricted(values) else { return nil }
        return try action.act(on: object.pointer, inputs, files)?.truth != false
    }

    private func object(_ id: String) throws(ControlError) -> Held<GObject> {
        let found = watch.objects(id)
        guard let (_, object) = found.first else {
            throw ControlError("the pipeline has no element \"\(id.cut(toBytes: 100))\"")
        }
        guard found.count == 1 else {
            let ids = found.prefix(5).map(\.id).joined(separator: ", ")
            throw ControlError("the pipeline has several elements \"\(id.cut(toBytes: 100))\". Use one of: \(ids).")
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
