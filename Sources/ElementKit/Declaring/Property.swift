// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Flags that define how and when a property may be set.
package struct PropertyFlags: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A control source may animate the property (`gst_object_add_control_binding`).
    package static let controllable = PropertyFlags(rawValue: sv_param_controllable)
    /// The property may change while the pipeline plays, and takes effect with the next frame.
    package static let mutablePlaying = PropertyFlags(rawValue: sv_param_mutable_playing)
    /// The property may change only in the states NULL and READY, because the property selects a device or fixes caps.
    package static let mutableReady = PropertyFlags(rawValue: sv_param_mutable_ready)

    /// Only the element itself changes the property, through `Host.set`.
    package static let readOnly = PropertyFlags(rawValue: 1 << 30)

    /// The flags of numeric properties for which an animation is useful.
    package static let animated: PropertyFlags = [.controllable, .mutablePlaying]
}

/// The key path of a property's value in an element's settings.
package typealias SettingPath<Settings, Value> = any WritableKeyPath<Settings, Value> & Sendable

/// A property: a name and a key path of `Settings`. The value's type (`PropertyValue`, `PropertyNumber`) defines how to
/// read, write, check and document the property, and its `GParamSpec`. The default value is the value in `Settings()`.
package struct Property<Settings: ElementSettings>: Sendable {
    package let name: String
    let keyPath: any AnyKeyPath & Sendable
    let flags: PropertyFlags
    /// Creates the GParamSpec. Called once per class. Returns nil if GObject rejects the parameters.
    let makeSpec: @Sendable (UInt32) -> ParamSpec?
    let read: @Sendable (Settings, inout GValue) -> Void
    /// Writes a value. Returns false if the value has another type or is out of range.
    let write: @Sendable (inout Settings, GValue) -> Bool
    /// The range and the setter for animations; nil if the property is not a number, or not controllable.
    let animated: AnimatedNumber<Settings>?
    let declaration: PropertyDeclaration

    /// - Parameters:
    ///   - blurb: the description for `gst-inspect-1.0`.
    ///   - nick: the display name; nil to derive the display name from `name`.
    ///   - text: the use of a text property (`TextUse`); nil for the default of the value's type, usually `guarded`.
    package init<Value: PropertyValue>(
        _ name: String, _ keyPath: SettingPath<Settings, Value>, _ blurb: String, nick: String? = nil,
        flags: PropertyFlags = .mutablePlaying, text: TextUse? = nil
    ) {
        self.init(
            PropertyTexts(name, nick, blurb), keyPath, { $0[keyPath: keyPath] }, { $0[keyPath: keyPath] = $1 }, flags,
            use: text.map { .text($0) }
        ) { $0.spec($1, $2) }
    }

    /// Declares a number property. Values outside the range, including NaN, are rejected.
    package init<Number: PropertyNumber>(
        _ name: String, _ keyPath: SettingPath<Settings, Number>, in range: ClosedRange<Number>, _ blurb: String,
        nick: String? = nil, flags: PropertyFlags = .mutablePlaying
    ) {
        self.init(
            PropertyTexts(name, nick, blurb), keyPath, { $0[keyPath: keyPath] }, { $0[keyPath: keyPath] = $1 }, flags,
            accepts: { range.contains($0) }, animated: AnimatedNumber(in: range) { $0[keyPath: keyPath] = $1 }
        ) { $0.spec($1, in: range, $2) }
    }

    /// Declares a property whose default value depends on other settings, such as a preset. If the user sets the
    /// property, the user's value replaces this default.
    /// - Parameter value: returns the user's value, or the default if the user has not set the property.
    package init<Value: PropertyValue>(
        _ name: String, _ keyPath: SettingPath<Settings, Value?>, else value: @escaping @Sendable (Settings) -> Value,
        _ blurb: String, nick: String? = nil, flags: PropertyFlags = .mutablePlaying
    ) {
        self.init(PropertyTexts(name, nick, blurb), keyPath, value, { $0[keyPath: keyPath] = $1 }, flags) {
            $0.spec($1, $2)
        }
    }

    /// Declares a number property whose default value depends on other settings. If the user sets the property, the
    /// user's value replaces this default.
    package init<Number: PropertyNumber>(
        _ name: String, _ keyPath: SettingPath<Settings, Number?>, else value: @escaping @Sendable (Settings) -> Number,
        in range: ClosedRange<Number>, _ blurb: String, nick: String? = nil, flags: PropertyFlags = .mutablePlaying
    ) {
        self.init(
            PropertyTexts(name, nick, blurb), keyPath, value, { $0[keyPath: keyPath] = $1 }, flags,
            accepts: { range.contains($0) }, animated: AnimatedNumber(in: range) { $0[keyPath: keyPath] = $1 }
        ) { $0.spec($1, in: range, $2) }
    }

    /// Declares a colour property.
    package static func color(
        _ name: String, _ keyPath: SettingPath<Settings, Color>, _ blurb: String, nick: String? = nil,
        flags: PropertyFlags = .animated
    ) -> Property {
        Property(name, keyPath, blurb + " (big-endian ARGB)", nick: nick, flags: flags)
    }

    private init<Value: BoxedValue>(
        _ texts: PropertyTexts, _ keyPath: any AnyKeyPath & Sendable, _ get: @escaping @Sendable (Settings) -> Value,
        _ set: @escaping @Sendable (inout Settings, Value) -> Void, _ flags: PropertyFlags,
        use: ValueUse? = nil, accepts: @escaping @Sendable (Value) -> Bool = { _ in true },
        animated: AnimatedNumber<Settings>? = nil,
        spec: @escaping @Sendable (Value, PropertyTexts, GParamFlags) -> ParamSpec?
    ) {
        name = texts.name
        self.keyPath = keyPath
        self.flags = flags
        self.animated = flags.contains(.controllable) ? animated : nil
        declaration = PropertyDeclaration(use ?? Value.use) { Value.read($0).map(accepts) ?? false }
        makeSpec = { base in
            var all = base | flags.subtracting(.readOnly).rawValue
            if flags.contains(.readOnly) { all &= ~UInt32(bitPattern: G_PARAM_WRITABLE.rawValue) }
            return spec(get(Settings()), texts, GParamFlags(rawValue: Int32(bitPattern: all)))
        }
        read = { settings, value in get(settings).write(to: &value) }
        write = { settings, value in
            guard let new = Value.read(value), accepts(new) else { return false }
            set(&settings, new)
            return true
        }
    }
}

/// The texts of a property for `gst-inspect-1.0`.
package struct PropertyTexts: Sendable {
    let name: String
    let nick: String
    let blurb: String

    init(_ name: String, _ nick: String?, _ blurb: String) {
        (self.name, self.blurb) = (name, blurb)
        self.nick = nick ?? Self.nick(name)
    }

    /// Returns a display name, for example `Maximum distance` for `max-distance`.
    private static func nick(_ name: String) -> String {
        let words = ["min": "minimum", "max": "maximum", "dir": "directory", "color": "colour", "colors": "colours"]
        let text = name.split(separator: "-").map { words[String($0)] ?? String($0) }.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
