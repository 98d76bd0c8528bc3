// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Web

/// A request from a page, and its reply.
struct WebRequest {
    let message: JSONValue
    private let type: String

    init(_ message: WebMessage) { (self.message, type) = (message.value, message.type) }

    /// Returns the reply to the request.
    /// - Parameter refusal: the reason for a refusal; nil if the request was accepted.
    func reply(refusal: String? = nil) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("type", .text("reply"))]
        if let id = message["id"] { members.append(("id", id)) }
        members.append(("ok", .truth(refusal == nil)))
        if let refusal { members.append(("reason", .text(refusal))) }
        return .table(members)
    }

    func truth(_ name: String) throws(ElementError) -> Bool {
        guard let truth = message[name]?.truth else { throw missing(name, "true or false") }
        return truth
    }

    private func text(_ name: String) throws(ElementError) -> String {
        guard let text = message[name]?.text, !text.isEmpty, text.utf8.count <= 100 else {
            throw missing(name, "a text")
        }
        return text
    }

    private func number(_ name: String) throws(ElementError) -> Double {
        guard let number = message[name]?.number, number.isFinite else { throw missing(name, "a number") }
        return number
    }

    private func missing(_ name: String, _ what: String) -> ElementError {
        ElementError(.failed, "\(type): \(name) must be \(what)")
    }

    /// Returns the pointer or keyboard event in the request.
    func navigation() throws(ElementError) -> NavigationInput {
        let event = try text("event")
        if type == "key" {
            guard ["press", "release"].contains(event) else { throw missing("event", "press or release") }
            return .key(try text("key"), isPressed: event == "press")
        }
        let (x, y) = (try number("x"), try number("y"))
        switch event {
        case "move": return .move(x: x, y: y)
        case "scroll": return .scroll(x: x, y: y, dx: try number("dx"), dy: try number("dy"))
        case "press", "release":
            let button = message["button"] == nil ? 1 : try number("button")
            return .button(Int32(min(max(button.rounded(), 0), 32)), isPressed: event == "press", x: x, y: y)
        default: throw missing("event", "press, release, move or scroll")
        }
    }
}
