// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging

/// An action signal of an object of any plugin. JSON can represent the action's arguments and result.
struct ControlledAction {
    let name: String
    private let signal: guint
    private let blurb: String
    let arguments: [Argument]
    /// True if an element of this plugin declares the action.
    let isOurs: Bool
    private let resultType: GType

    struct Argument {
        let name: String
        let type: GType
        let use: TextUse
        let isText: Bool
        let selectsParameter: Bool
        let selectsData: Bool
    }

    /// Returns nil if the signal is not a supported action.
    private init?(_ signal: guint) {
        var query = GSignalQuery()
        g_signal_query(signal, &query)
        guard query.signal_id != 0, query.signal_flags.rawValue & G_SIGNAL_ACTION.rawValue != 0,
            query.signal_flags.rawValue & G_SIGNAL_DEPRECATED.rawValue == 0, let name = query.signal_name
        else { return nil }
        self.signal = signal
        self.name = String(cString: name)
        // The lowest bit of a parameter type is a flag (G_SIGNAL_TYPE_STATIC_SCOPE).
        let types = UnsafeBufferPointer(start: query.param_types, count: Int(query.n_params)).map { $0 & ~1 }
        resultType = query.return_type & ~1
        guard types.allSatisfy(Self.isPlain), resultType == sv_type_none || Self.isPlain(resultType) else { return nil }
        let declared = ActionDeclarations.of(query.itype)?.items[self.name]
        isOurs = declared != nil
        blurb = declared?.blurb ?? ""
        arguments = types.enumerated().map { index, type in
            let declaration = declared.flatMap { $0.arguments.indices.contains(index) ? $0.arguments[index] : nil }
            return Argument(
                name: declaration?.name ?? "argument-\(index + 1)", type: type, use: declaration?.use ?? .guarded,
                isText: sv_value_kind(type) == SV_VALUE_STRING,
                selectsParameter: declaration?.selectsParameter ?? false,
                selectsData: declaration?.selectsData ?? false)
        }
    }

    private static func isPlain(_ type: GType) -> Bool {
        [
            SV_VALUE_BOOLEAN, SV_VALUE_SIGNED, SV_VALUE_UNSIGNED, SV_VALUE_FLOAT, SV_VALUE_DOUBLE, SV_VALUE_ENUM,
            SV_VALUE_FLAGS, SV_VALUE_STRING,
        ].contains(sv_value_kind(type))
    }

    /// Returns the actions of an object: first the actions of its class, then the actions of the parent classes. The
    /// actions of a class are in declaration order.
    static func all(of object: UnsafeMutablePointer<GObject>) -> [ControlledAction] {
        var actions: [ControlledAction] = []
        var type = sv_object_get_type(object)
        while type != 0 {
            var count: guint = 0
            if let signals = g_signal_list_ids(type, &count) {
                actions += UnsafeBufferPointer(start: signals, count: Int(count)).sorted().compactMap {
                    ControlledAction($0)
                }
                g_free(signals)
            }
            type = g_type_parent(type)
        }
        return actions
    }

    /// The actions of multifdsink whose first argument is a file descriptor.
    private static let descriptorActions: Set = ["add", "add-full", "remove", "remove-flush"]

    /// Returns the reason why a web page must not call the action, whatever its arguments are; nil if a web page may
    /// call the action.
    private func obstacle(_ files: ControlledFiles) -> String? {
        guard !files.isAny else { return nil }
        if !isOurs, Self.descriptorActions.contains(name), arguments.first.map({ $0.type == sv_type_int }) ?? false {
            return "the number can be the descriptor of any open file. To allow this action, set files=any in svwebsink"
        }
        let guarded = arguments.first { argument in
            if argument.isText, case .guarded = argument.use { true } else { false }
        }
        return guarded.map {
            "the argument \($0.name) can name any file. To allow this action, set files=any in svwebsink"
        }
    }

    /// Returns the JSON that describes the action to a web page.
    func json(_ files: ControlledFiles) -> JSONValue {
        let list = arguments.map { argument -> JSONValue in
            var members: [(name: String, value: JSONValue)] = [
                ("name", .text(argument.name)), ("kind", .text(argument.kind)),
            ]
            let choices = Choice.all(of: argument.type).map { choice in
                JSONValue.table([("nick", .text(choice.nick)), ("blurb", .text(choice.blurb))])
            }
            if !choices.isEmpty { members.append(("choices", .list(choices))) }
            if argument.isText, case .file(let kind) = argument.use { members += kind.members }
            return .table(members)
        }
        let obstacle = obstacle(files)
        var members: [(name: String, value: JSONValue)] = [
            ("name", .text(name)), ("blurb", .text(blurb)), ("arguments", .list(list)),
            ("enabled", .truth(obstacle == nil)),
        ]
        if let obstacle { members.append(("reason", .text(obstacle))) }
        return .table(members)
    }

    /// Performs the action.
    /// - Returns: the result of the action; nil if the action has no result.
    /// - Throws: the reason for a failure. The text begins with the action's name.
    func act(
        on object: UnsafeMutablePointer<GObject>, _ inputs: [JSONValue], _ files: ControlledFiles
    ) throws(ControlError) -> JSONValue? {
        if let obstacle = obstacle(files) { throw ControlError("\(name): \(obstacle)") }
        guard inputs.count == arguments.count else {
            let names = arguments.isEmpty ? "" : " (" + arguments.map(\.name).joined(separator: ", ") + ")"
            let count = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
            throw ControlError("\(name) needs \(count)\(names), but the request has \(inputs.count)")
        }
        var values = [GValue](repeating: GValue(), count: arguments.count + 1)
        defer {
            for index in values.indices where values[index].g_type != 0 { g_value_unset(&values[index]) }
        }
        g_value_init(&values[0], sv_object_get_type(object))
        g_value_set_object(&values[0], object)
        for (index, (argument, json)) in zip(arguments, inputs).enumerated() {
            guard var value = OwnedValue(argument.type) else {
                throw ControlError("\(name): \(argument.name): unsupported argument type")
            }
            do {
                try value.set(json)
            } catch {
                throw ControlError("\(name): \(argument.name): \(error.reason)")
            }
            if argument.isText, let text = json.text, let obstacle = argument.use.obstacle(to: text, now: nil, files) {
                throw ControlError("\(name): \(argument.name): \(obstacle)")
            }
            g_value_init(&values[index + 1], argument.type)
            value.read { g_value_copy($0, &values[index + 1]) }
        }
        guard resultType != sv_type_none else {
            g_signal_emitv(values, signal, 0, nil)
            return nil
        }
        guard var result = OwnedValue(resultType) else { return nil }
        result.use { g_signal_emitv(values, signal, 0, $0) }
        return result.read { JSONValue(of: $0) }
    }
}

extension ControlledAction.Argument {
    fileprivate var kind: String {
        switch sv_value_kind(type) {
        case SV_VALUE_BOOLEAN: "boolean"
        case SV_VALUE_SIGNED, SV_VALUE_UNSIGNED: "integer"
        case SV_VALUE_FLOAT, SV_VALUE_DOUBLE: "number"
        case SV_VALUE_ENUM: "choice"
        case SV_VALUE_FLAGS: "flags"
        default: if case .file = use { "file" } else { "text" }
        }
    }
}
