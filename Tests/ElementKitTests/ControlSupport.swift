// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Synchronization
import TestSupport

/// A control of the test's pipeline. It collects the messages of the control.
final class ControlProbe: Sendable {
    private struct Told: Sendable {
        var messages: [JSONValue] = []
    }

    private let told: Box
    let control: PipelineControl

    private final class Box: Sendable {
        let content = Mutex(Told())
    }

    /// - Parameter element: the element that owns the control.
    init(_ element: Handle, files: ControlledFiles = .uploads(in: nil)) {
        let box = Box()
        told = box
        control = PipelineControl(of: element.element, files: files) { message in
            box.content.withLock { $0.messages.append(message) }
        }
    }

    /// Returns all messages of a type.
    func messages(_ type: String) -> [JSONValue] { messages().filter { $0["type"]?.text == type } }

    func messages() -> [JSONValue] { told.content.withLock { $0.messages } }

    var count: Int { told.content.withLock { $0.messages.count } }

    /// Waits until the last message about a property contains `value`.
    func waits(for value: JSONValue, of property: String, in element: String) -> Bool {
        eventually {
            messages("property").last { $0["element"]?.text == element && $0["name"]?.text == property }?["value"]
                == value
        }
    }

    /// Starts the control, and waits until it watches all elements.
    func start() -> Bool {
        let before = messages("pipeline").count
        control.start()
        return eventually { messages("pipeline").count > before }
    }

    /// Returns the current description of an element.
    func element(_ id: String) throws -> JSONValue { try required(control.elements().find(id), "no element \(id)") }

    func property(_ name: String, of element: String) throws -> JSONValue {
        try required(try self.element(element).property(name), "no property \(name) of \(element)")
    }

    /// Sets a property. If this is refused, returns the reason.
    func set(_ name: String, of element: String, to value: JSONValue) -> String? {
        do throws(ControlError) {
            try control.set(name, of: element, to: value)
            return nil
        } catch {
            return error.reason
        }
    }

    func act(_ name: String, of element: String, _ arguments: JSONValue...) -> Result<JSONValue?, ControlError> {
        Result { () throws(ControlError) in try control.act(name, of: element, with: arguments) }
    }
}

extension JSONValue {
    /// Returns the description of the element with this id in a list of elements. Also searches in bins.
    func find(_ id: String) -> JSONValue? {
        for element in list ?? [] {
            if element["id"]?.text == id { return element }
            if let inner = element["children"]?.find(id) { return inner }
        }
        return nil
    }

    func property(_ name: String) -> JSONValue? { self["properties"]?.list?.first { $0["name"]?.text == name } }

    func action(_ name: String) -> JSONValue? { self["actions"]?.list?.first { $0["name"]?.text == name } }

    /// The ids of all elements in a list, including elements in bins.
    var ids: [String] {
        (list ?? []).flatMap { [$0["id"]?.text ?? "?"] + ($0["children"]?.ids ?? []) }
    }
}

/// Collects lines of text from other threads.
final class Replies: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
