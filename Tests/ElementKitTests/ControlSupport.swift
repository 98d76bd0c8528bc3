// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Synchronization
import TestSupport

/// The control of a test's pipeline, and what it has told.
final class ControlProbe: Sendable {
    private struct Told: Sendable {
        var messages: [JSONValue] = []
    }

    private let told: Box
    let control: PipelineControl

    private final class Box: Sendable {
        let content = Mutex(Told())
    }

    /// - Parameter element: the one that the control belongs to.
    init(_ element: Handle, files: ControlledFiles = .uploads(in: nil)) {
        let box = Box()
        told = box
        control = PipelineControl(of: element.element, files: files) { message in
            box.content.withLock { $0.messages.append(message) }
        }
    }

    /// All that was told, of one type.
    func messages(_ type: String) -> [JSONValue] { messages().filter { $0["type"]?.text == type } }

    /// All that was told.
    func messages() -> [JSONValue] { told.content.withLock { $0.messages } }

    var count: Int { told.content.withLock { $0.messages.count } }

    /// Waits for the last value that was told of a property.
    func waits(for value: JSONValue, of property: String, in element: String) -> Bool {
        eventually {
            messages("property").last { $0["element"]?.text == element && $0["name"]?.text == property }?["value"]
                == value
        }
    }

    /// Begins, and waits until everything is watched.
    func start() -> Bool {
        let before = messages("pipeline").count
        control.start()
        return eventually { messages("pipeline").count > before }
    }

    /// Describes an element as it is now.
    func element(_ id: String) throws -> JSONValue { try required(control.elements().find(id), "no element \(id)") }

    func property(_ name: String, of element: String) throws -> JSONValue {
        try required(try self.element(element).property(name), "no property \(name) of \(element)")
    }

    /// Sets a property and returns the reason if it is refused.
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
    /// Returns the description of an element among those of a list.
    func find(_ id: String) -> JSONValue? {
        for element in list ?? [] {
            if element["id"]?.text == id { return element }
            if let inner = element["children"]?.find(id) { return inner }
        }
        return nil
    }

    func property(_ name: String) -> JSONValue? { self["properties"]?.list?.first { $0["name"]?.text == name } }

    func action(_ name: String) -> JSONValue? { self["actions"]?.list?.first { $0["name"]?.text == name } }

    /// The ids of all elements of a list.
    var ids: [String] {
        (list ?? []).flatMap { [$0["id"]?.text ?? "?"] + ($0["children"]?.ids ?? []) }
    }
}

/// Lines that come from other threads.
final class Replies: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
