// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging

// Control by clients that are less trusted than a web page of svwebsink, such as OSC controllers. These clients can set
// numbers, booleans and enumerations, and can run actions with such arguments. These clients cannot set texts, because
// texts can be names of files or secrets.

extension ControlledProperty {
    /// Converts a value from a client's message to the value for `set`.
    /// - Throws: the reason if the property is not a number, a boolean or an enumeration, or can change only in the
    ///   states NULL and READY.
    func restricted(_ value: JSONValue) throws(ControlError) -> JSONValue {
        // Refuses the property in every state: an element can also be in READY while the pipeline starts, for example
        // while the element waits for its first frame.
        guard !isFixedAfterReady else { throw ControlError("\(name): only the web page can set this property") }
        do {
            return try value.restricted(to: valueType)
        } catch {
            throw ControlError("\(name): \(error.reason)")
        }
    }
}

extension ControlledAction {
    /// Converts the values from a client's message to the arguments for `act`. A button of a controller sends 1 when it
    /// is pressed, and 0 when it is released, even if the action has no arguments.
    /// - Returns: nil for the release of a button. The action must then not run.
    /// - Throws: the reason if an argument is not a number, a boolean, an enumeration or the name of a parameter.
    func restricted(_ values: [JSONValue]) throws(ControlError) -> [JSONValue]? {
        if arguments.isEmpty, values.count == 1, let button = values.first {
            return try argument("button", button, sv_type_boolean).truth == true ? [] : nil
        }
        // The meaning of numbers in actions of other plugins is unknown. For example, a number can be a file
        // descriptor.
        guard isOurs || values.isEmpty else {
            throw ControlError("\(name): only the web page can send arguments to actions of other plugins")
        }
        guard !arguments.contains(where: \.selectsData) else {
            throw ControlError("\(name): only the web page can run this action")
        }
        var inputs: [JSONValue] = []
        for (argument, value) in zip(arguments, values) {
            guard argument.isText else {
                inputs.append(try self.argument(argument.name, value, argument.type))
                continue
            }
            guard argument.selectsParameter, value.text != nil else {
                throw ControlError("\(name): \(argument.name): only the web page can send texts")
            }
            guard value.isName else { throw ControlError("\(name): \(argument.name): expected a name") }
            inputs.append(value)
        }
        // Passes on surplus values, so that `act` reports the wrong number of arguments.
        return inputs + values.dropFirst(inputs.count)
    }

    private func argument(_ argument: String, _ value: JSONValue, _ type: GType) throws(ControlError) -> JSONValue {
        do {
            return try value.restricted(to: type)
        } catch {
            throw ControlError("\(name): \(argument): \(error.reason)")
        }
    }
}

extension JSONValue {
    /// True for a short text of printable ASCII. Other texts are rejected, so that they never appear in warnings.
    fileprivate var isName: Bool {
        guard let text else { return false }
        return text.utf8.count <= 100 && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    /// Returns the value for a property or argument of this type. Many controllers can only send numbers, so 0 and 1
    /// are also accepted as booleans. Errors do not contain the value, because the value can be a secret.
    fileprivate func restricted(to type: GType) throws(ControlError) -> JSONValue {
        let kind = sv_value_kind(type)
        switch kind {
        case SV_VALUE_BOOLEAN:
            if truth != nil { return self }
            guard text == nil, let number, number == 0 || number == 1 else {
                throw ControlError("expected true, false, 0 or 1")
            }
            return .truth(number == 1)
        case SV_VALUE_SIGNED, SV_VALUE_UNSIGNED, SV_VALUE_FLOAT, SV_VALUE_DOUBLE:
            guard text == nil, number != nil else { throw ControlError("expected a number") }
            return self
        case SV_VALUE_ENUM:
            guard text != nil || whole != nil else { throw ControlError("expected the name or the number of a value") }
            guard text == nil || isName else { throw ControlError("expected a name") }
            return self
        default:
            throw ControlError(
                "only the web page can set this type of value. Use a number, a boolean or an enumeration")
        }
    }
}
