// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging

/// A property of an object of any plugin, which a web page of svwebsink can read and set.
struct ControlledProperty {
    /// The GParamSpec of the property. The object's class owns it, and the class lives as long as the object.
    private let spec: ParamSpec
    private let declaration: PropertyDeclaration?
    private let kind: Kind
    /// The type of file that the property accepts; nil if the property is not a file.
    private var fileKind: FileKind?
    /// True for the property `extra-controls` of a camera element (`CameraControls.extra`).
    private var isControls = false

    private enum Kind: String {
        case boolean, integer, number, choice, flags, text, color, file, folder, time, other
    }

    /// Returns nil if the property is deprecated or unreadable, or if its value is an object or has no text form.
    init?(_ spec: ParamSpec) {
        let flags = UInt32(bitPattern: spec.pointee.flags.rawValue)
        guard flags & UInt32(bitPattern: G_PARAM_READABLE.rawValue) != 0,
            flags & UInt32(bitPattern: G_PARAM_DEPRECATED.rawValue) == 0
        else { return nil }
        self.spec = spec
        declaration = PropertyDeclaration.of(spec)
        switch sv_value_kind(spec.pointee.value_type) {
        case SV_VALUE_BOOLEAN: kind = .boolean
        case SV_VALUE_SIGNED, SV_VALUE_UNSIGNED:
            switch declaration?.use {
            case .color: kind = .color
            case .time: kind = .time
            case .plain, .text, nil: kind = .integer
            }
        case SV_VALUE_FLOAT, SV_VALUE_DOUBLE: kind = .number
        case SV_VALUE_ENUM: kind = .choice
        case SV_VALUE_FLAGS: kind = .flags
        case SV_VALUE_STRING:
            switch declaration?.use {
            case .text(.file(let files)): (kind, fileKind) = (.file, files)
            case .text(.folder): kind = .folder
            case .text(.words), .text(.wordsUnless), .text(.parsed), .text(.guarded), .plain, .color, .time, nil:
                kind = .text
            }
        case SV_VALUE_STRUCTURE where String(cString: spec.pointee.name) == CameraControls.extra:
            (kind, isControls) = (.text, true)
        case SV_VALUE_STRUCTURE, SV_VALUE_LIST, SV_VALUE_TEXT: kind = .other
        default: return nil
        }
    }

    /// Returns the property with this name; nil if the object has no such property, or if web pages cannot see it.
    init?(_ name: String, of object: UnsafeMutablePointer<GObject>) {
        guard !Self.hidden.contains(name), let spec = g_object_class_find_property(sv_object_get_class(object), name)
        else { return nil }
        self.init(spec)
    }

    /// Properties of GstObject that are not listed, because the JSON of the object already contains the name and the
    /// parent.
    private static let hidden: Set = ["name", "parent"]

    var name: String { String(cString: spec.pointee.name) }

    var valueType: GType { spec.pointee.value_type }

    /// True if the property can only change in the states NULL and READY.
    var isFixedAfterReady: Bool {
        let flags = UInt32(bitPattern: spec.pointee.flags.rawValue)
        return flags & (sv_param_mutable_ready | sv_param_mutable_paused | sv_param_mutable_playing)
            == sv_param_mutable_ready
    }

    /// True if the value is a file descriptor, such as `fd` of fdsink.
    private var isDescriptor: Bool {
        [.integer, .number].contains(kind) && (name == "fd" || name.hasSuffix("-fd"))
    }

    /// Returns all properties of an object that web pages can see: first the properties of its class, then the
    /// properties of the parent classes.
    static func all(of object: UnsafeMutablePointer<GObject>) -> [ControlledProperty] {
        var count: guint = 0
        guard let specs = g_object_class_list_properties(sv_object_get_class(object), &count) else { return [] }
        defer { g_free(specs) }
        let all = UnsafeBufferPointer(start: specs, count: Int(count)).compactMap { $0 }
        let depths = all.map { g_type_depth($0.pointee.owner_type) }
        return all.indices.sorted { (depths[$1], $0) < (depths[$0], $1) }
            .compactMap { ControlledProperty(all[$0]) }.filter { !hidden.contains($0.name) }
    }

    private var use: ValueUse { declaration?.use ?? .plain }

    private var isText: Bool { [.text, .file, .folder, .other].contains(kind) }

    /// True if the value is always masked.
    private var isSecret: Bool { isText && Secrets.hasSecret(property: name) }

    private func has(_ flag: GParamFlags) -> Bool { spec.pointee.flags.rawValue & flag.rawValue != 0 }

    // MARK: - Describing

    /// Returns the value for a web page, with masked secrets; nil if the value is not available.
    func shown(of object: UnsafeMutablePointer<GObject>, _ secrets: KnownSecrets) -> JSONValue? {
        value(of: object).map { shown($0, secrets) }
    }

    private func shown(_ value: JSONValue, _ secrets: KnownSecrets) -> JSONValue {
        guard isText, let text = value.text else { return value }
        return .text(secrets.shown(text, property: name, use))
    }

    /// Returns the value; nil if it is not available. Reading calls code of the object's class, which may take time.
    private func value(of object: UnsafeMutablePointer<GObject>) -> JSONValue? {
        guard var value = OwnedValue(spec.pointee.value_type) else { return nil }
        value.use { g_object_get_property(object, spec.pointee.name, $0) }
        return value.read { JSONValue(of: $0, use: use) }
    }

    private var defaultValue: JSONValue? {
        g_param_spec_get_default_value(spec).flatMap { JSONValue(of: $0, use: use) }
    }

    private func range(on object: UnsafeMutablePointer<GObject>) -> (minimum: JSONValue, maximum: JSONValue)? {
        if kind == .integer, let range = CameraControls.range(of: name, on: object) {
            return (.whole(range.lowerBound), .whole(range.upperBound))
        }
        var (minimum, maximum) = (GValue(), GValue())
        guard sv_param_get_range(spec, &minimum, &maximum) != 0, let low = JSONValue(of: &minimum),
            let high = JSONValue(of: &maximum)
        else { return nil }
        return (low, high)
    }

    /// Returns the JSON that describes the property and its value to a web page.
    func json(
        of object: UnsafeMutablePointer<GObject>, _ files: ControlledFiles, _ secrets: KnownSecrets
    ) -> JSONValue {
        func text(_ text: UnsafePointer<CChar>?) -> JSONValue { .text(text.map { String(givenPath: $0) } ?? "") }
        let value = value(of: object)
        var members: [(name: String, value: JSONValue)] = [
            ("name", .text(name)), ("nick", text(g_param_spec_get_nick(spec))),
            ("blurb", text(g_param_spec_get_blurb(spec))), ("kind", .text(kind.rawValue)),
        ]
        if let value { members.append(("value", shown(value, secrets))) }
        if kind != .other, let defaultValue { members.append(("default", shown(defaultValue, secrets))) }
        if isSecret { members.append(("secret", .truth(true))) }
        if let fileKind { members += fileKind.members }
        if [.integer, .number, .time].contains(kind), let range = range(on: object) {
            members.append(("minimum", range.minimum))
            members.append(("maximum", range.maximum))
        }
        if [.choice, .flags].contains(kind) {
            let choices = Choice.all(of: spec.pointee.value_type).map { choice in
                JSONValue.table([("nick", .text(choice.nick)), ("blurb", .text(choice.blurb))])
            }
            members.append(("choices", .list(choices)))
        }
        let obstacle = obstacle(on: object, files)
        members.append(("writable", .truth(obstacle == nil)))
        if let obstacle { members.append(("reason", .text(obstacle))) }
        if [.file, .folder].contains(kind) {
            members.append(("files", ControlledFiles.choices(beside: value?.text, fileKind)))
        }
        if spec.pointee.owner_type != sv_object_get_type(object), let owner = g_type_name(spec.pointee.owner_type) {
            members.append(("group", text(owner)))
        }
        return .table(members)
    }

    // MARK: - Setting

    /// Returns the reason why a web page cannot set the property now; nil if a web page can set the property.
    func obstacle(on object: UnsafeMutablePointer<GObject>, _ files: ControlledFiles) -> String? {
        if kind == .other || !has(G_PARAM_WRITABLE) { return "read-only" }
        if has(G_PARAM_CONSTRUCT_ONLY) { return "the property can only be set when the element is created" }
        let flags = UInt32(bitPattern: spec.pointee.flags.rawValue)
        let (ready, paused, playing) = (sv_param_mutable_ready, sv_param_mutable_paused, sv_param_mutable_playing)
        let state = Self.state(of: object)
        switch flags & (ready | paused | playing) {
        case ready where state.rawValue > GST_STATE_READY.rawValue:
            return "the property can only be set in the state NULL or READY, while the element is stopped"
        case paused where state.rawValue > GST_STATE_PAUSED.rawValue:
            return "the property can only be set in the states NULL, READY and PAUSED"
        default: break
        }
        guard !files.isAny else { return nil }
        if isDescriptor {
            return
                "the page cannot change this property, because the number can be the descriptor of any open file. To "
                + "allow the change, set files=any in svwebsink"
        }
        guard sv_value_kind(spec.pointee.value_type) == SV_VALUE_STRING else { return nil }
        switch declaration?.use {
        case .text(.guarded): return TextUse.needsAnyFiles
        case .text: return nil
        case .plain, .color, .time, nil:
            return
                "the page cannot change this text property of another plugin, because the text could name any file. To allow the change, set files=any in svwebsink"
        }
    }

    /// Returns the state of an element, or of the element that a pad belongs to.
    private static func state(of object: UnsafeMutablePointer<GObject>) -> GstState {
        guard sv_object_is(object, gst_object_get_type()) != 0 else { return GST_STATE_NULL }
        var next = Held(gst_object_ref(object)?.assumingMemoryBound(to: GstObject.self))
        while let here = next {
            if sv_object_is(here.pointer.cast(), gst_element_get_type()) != 0 {
                return here.pointer.cast(to: GstElement.self).state
            }
            next = Held(gst_object_get_parent(here.pointer))
        }
        return GST_STATE_NULL
    }

    /// Sets the property.
    /// - Throws: the reason for a failure. The text begins with the property's name.
    func set(
        _ json: JSONValue, on object: UnsafeMutablePointer<GObject>, _ files: ControlledFiles, _ secrets: KnownSecrets
    ) throws(ControlError) {
        if let text = json.text, isText {
            // Records the secrets in the text before setting the property, so that later messages also mask these
            // secrets.
            _ = secrets.shown(text, property: name, use)
            guard !text.includes(Secrets.mask) || shown(of: object, secrets)?.text?.includes(Secrets.mask) != true
            else {
                throw ControlError("\(name): \(Secrets.mask) stands for hidden text. Enter the complete text.")
            }
        }
        do throws(ControlError) {
            try set(json, on: object, files)
        } catch {
            throw isSecret ? ControlError("\(name): \(obstacle(on: object, files) ?? "value not accepted")") : error
        }
    }

    private func set(
        _ json: JSONValue, on object: UnsafeMutablePointer<GObject>, _ files: ControlledFiles
    ) throws(ControlError) {
        if let obstacle = obstacle(on: object, files) { throw ControlError("\(name): \(obstacle)") }
        guard var value = OwnedValue(spec.pointee.value_type) else { throw ControlError("\(name): read-only") }
        do {
            try value.set(json, use: use)
        } catch {
            throw ControlError("\(name): \(error.reason)")
        }
        if let text = json.text, case .text(let use) = use,
            let obstacle = use.obstacle(to: text, now: self.value(of: object)?.text, files)
        {
            throw ControlError("\(name): \(obstacle)")
        }
        guard isInRange(&value, on: object) else {
            let range =
                range(on: object).map { "between \($0.minimum.line) and \($0.maximum.line)" } ?? "an allowed value"
            throw ControlError("\(name): \(json.shortLine) is not \(range)")
        }
        if let declaration, !value.read({ declaration.accepts($0.pointee) }) {
            throw ControlError("\(name): \(json.shortLine) is not accepted")
        }
        // For elements of other plugins, an empty text means NULL if the default is NULL.
        if json.text == "", declaration == nil, let initial = g_param_spec_get_default_value(spec),
            sv_value_kind(spec.pointee.value_type) == SV_VALUE_STRING, g_value_get_string(initial) == nil
        {
            value.use { g_value_set_string($0, nil) }
        }
        value.read { g_object_set_property(object, spec.pointee.name, $0) }
    }

    private func isInRange(_ value: inout OwnedValue, on object: UnsafeMutablePointer<GObject>) -> Bool {
        if kind == .integer, let range = CameraControls.range(of: name, on: object),
            let number = value.read({ JSONValue(of: $0) })?.whole
        {
            return range.contains(number)
        }
        // g_param_value_validate returns true if it had to change the value.
        return value.use { g_param_value_validate(spec, $0) } == 0
    }

    /// Sets the property to its default value.
    /// - Throws: the reason for a failure. The text begins with the property's name.
    func reset(on object: UnsafeMutablePointer<GObject>, _ files: ControlledFiles) throws(ControlError) {
        if let obstacle = obstacle(on: object, files) { throw ControlError("\(name): \(obstacle)") }
        guard !isControls else {
            throw ControlError(
                "\(name): a reset does not change the controls of the camera. Set each control to its default value")
        }
        guard let initial = g_param_spec_get_default_value(spec) else {
            throw ControlError("\(name): the property has no default value")
        }
        g_object_set_property(object, spec.pointee.name, initial)
    }
}

extension TextUse {
    /// Returns the reason why a web page must not set this text; nil if a web page may set it.
    /// - Parameter now: the current text.
    func obstacle(to text: String, now: String?, _ files: ControlledFiles) -> String? {
        // An empty text and `none` mean that the property is not set, so `obstacle` does not check these texts.
        if case .parsed(let obstacle) = self { return text.isEmpty || text == "none" ? nil : obstacle(text) }
        guard !files.isAny else { return nil }
        switch self {
        case .words, .parsed: return nil
        case .wordsUnless(let obstacle): return obstacle(text)
        case .file: return files.obstacle(to: text, now: now, isFolder: false)
        case .folder: return files.obstacle(to: text, now: now, isFolder: true)
        case .guarded: return Self.needsAnyFiles
        }
    }

    /// The error for a text that may name a file.
    fileprivate static let needsAnyFiles =
        "the page cannot change this property, because the text could name any file. To allow the change, set files=any in svwebsink"
}
