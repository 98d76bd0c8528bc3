import CElements
import CGStreamer
import Pixels

/// Flags that tell how and when a property may be set.
package struct PropertyFlags: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// May be animated by a control source (`gst_object_add_control_binding`).
    package static let controllable = PropertyFlags(rawValue: sv_param_controllable)
    /// May change while the pipeline plays, and takes effect with the next frame.
    package static let mutablePlaying = PropertyFlags(rawValue: sv_param_mutable_playing)
    /// May change only up to READY: it names a device or fixes caps.
    package static let mutableReady = PropertyFlags(rawValue: sv_param_mutable_ready)

    /// Changed only by the element itself, through `Host.set`.
    package static let readOnly = PropertyFlags(rawValue: 1 << 30)

    /// The flags of numeric properties that it makes sense to animate.
    package static let animated: PropertyFlags = [.controllable, .mutablePlaying]
}

/// The place of a property's value in an element's settings.
package typealias SettingPath<Settings, Value> = any WritableKeyPath<Settings, Value> & Sendable

/// One property: a name over a key path of `Settings`. Reading, writing, range checks, `GParamSpec` and documentation
/// follow from it; the default is the value that `Settings()` holds.
package struct Property<Settings: ElementSettings>: Sendable {
    package let name: String
    let keyPath: any AnyKeyPath & Sendable
    let flags: PropertyFlags
    /// Makes the specification; called once per class. Nil if GObject refuses it.
    let makeSpec: @Sendable (UInt32) -> UnsafeMutablePointer<GParamSpec>?
    let read: @Sendable (Settings, inout GValue) -> Void
    /// Writes a value. False if the property refuses it although its type and range allow it.
    let write: @Sendable (inout Settings, GValue) -> Bool

    private init<Value>(
        _ name: String, _ keyPath: SettingPath<Settings, Value>, flags: PropertyFlags,
        spec: @escaping @Sendable (_ initial: Value, _ flags: GParamFlags) -> UnsafeMutablePointer<GParamSpec>?,
        get: @escaping @Sendable (borrowing GValue) -> Value?, set: @escaping @Sendable (inout GValue, Value) -> Void
    ) {
        self.name = name
        self.keyPath = keyPath
        self.flags = flags
        makeSpec = { base in
            var all = base | flags.subtracting(.readOnly).rawValue
            if flags.contains(.readOnly) { all &= ~UInt32(bitPattern: G_PARAM_WRITABLE.rawValue) }
            return spec(Settings()[keyPath: keyPath], GParamFlags(rawValue: Int32(bitPattern: all)))
        }
        read = { settings, value in set(&value, settings[keyPath: keyPath]) }
        write = { settings, value in
            guard let new = get(value) else { return false }
            settings[keyPath: keyPath] = new
            return true
        }
    }
}

// MARK: - Kinds

extension Property {
    package static func boolean(
        _ name: String, _ keyPath: SettingPath<Settings, Bool>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_boolean(name, nick, blurb, $0 ? 1 : 0, $1) },
            get: { Bool.read($0) }, set: { $1.write(to: &$0) })
    }

    package static func int(
        _ name: String, _ keyPath: SettingPath<Settings, Int32>, in range: ClosedRange<Int32>,
        nick: String, blurb: String, flags: PropertyFlags = .animated
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_int(name, nick, blurb, range.lowerBound, range.upperBound, $0, $1) },
            get: { Int32.read($0) }, set: { $1.write(to: &$0) })
    }

    package static func uint(
        _ name: String, _ keyPath: SettingPath<Settings, UInt32>, in range: ClosedRange<UInt32>,
        nick: String, blurb: String, flags: PropertyFlags = .animated
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_uint(name, nick, blurb, range.lowerBound, range.upperBound, $0, $1) },
            get: { UInt32.read($0) }, set: { $1.write(to: &$0) })
    }

    package static func int64(
        _ name: String, _ keyPath: SettingPath<Settings, Int64>, in range: ClosedRange<Int64>,
        nick: String, blurb: String, flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: {
                g_param_spec_int64(
                    name, nick, blurb, gint64(range.lowerBound), gint64(range.upperBound), gint64($0), $1)
            },
            get: { Int64.read($0) }, set: { $1.write(to: &$0) })
    }

    /// Declares a whole number; also used for times, which are in nanoseconds (see `ClockTime`).
    package static func uint64(
        _ name: String, _ keyPath: SettingPath<Settings, UInt64>, in range: ClosedRange<UInt64>,
        nick: String, blurb: String, flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: {
                g_param_spec_uint64(
                    name, nick, blurb, guint64(range.lowerBound), guint64(range.upperBound), guint64($0), $1)
            },
            get: { UInt64.read($0) }, set: { $1.write(to: &$0) })
    }

    /// Declares a floating-point number. NaN and infinity are refused.
    package static func double(
        _ name: String, _ keyPath: SettingPath<Settings, Double>, in range: ClosedRange<Double>,
        nick: String, blurb: String, flags: PropertyFlags = .animated
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_double(name, nick, blurb, range.lowerBound, range.upperBound, $0, $1) },
            get: { Double.read($0).flatMap { $0.isFinite ? $0 : nil } }, set: { $1.write(to: &$0) })
    }

    /// Declares a text, or nil. An empty text and the word `none` are nil (`name= !` would swallow the `!` in
    /// gst-launch-1.0).
    package static func string(
        _ name: String, _ keyPath: SettingPath<Settings, String?>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        text(name, keyPath, nick, blurb, flags, write: { $0 }, read: { .some($0) })
    }

    /// Declares a file path, or nil; texts as for `string`. Setting it, even to the same path, means that the file is
    /// new.
    package static func file(
        _ name: String, _ keyPath: SettingPath<Settings, FilePath>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        text(name, keyPath, nick, blurb, flags, write: \.text, read: { FilePath($0) })
    }

    /// Declares a text, or nil, that takes effect each time it is set; texts as for `string`.
    package static func assignedText(
        _ name: String, _ keyPath: SettingPath<Settings, AssignedText>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        .file(name, keyPath, nick: nick, blurb: blurb, flags: flags)
    }

    /// Declares a rectangle in pixels, written as `x,y,width,height`; `none`, or an empty text, is none. Other texts,
    /// and rectangles without an area, are refused.
    package static func rectangle(
        _ name: String, _ keyPath: SettingPath<Settings, Rectangle?>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        text(name, keyPath, nick, blurb, flags, write: { $0?.text }) { text in
            guard let text else { return .some(nil) }
            return Rectangle(text: text).map { .some($0) }
        }
    }

    /// Declares a property that is written as a text, or as none.
    /// - Parameter read: returns nil for a text that is refused.
    private static func text<Value>(
        _ name: String, _ keyPath: SettingPath<Settings, Value>, _ nick: String, _ blurb: String,
        _ flags: PropertyFlags, write: @escaping @Sendable (Value) -> String?,
        read: @escaping @Sendable (String?) -> Value?
    ) -> Property {
        Property(
            name, keyPath, flags: flags, spec: { g_param_spec_string(name, nick, blurb, write($0), $1) },
            get: { read(String.read($0).flatMap { $0.isEmpty || $0 == "none" ? nil : $0 }) },
            set: { value, new in
                if let text = write(new) { text.write(to: &value) } else { g_value_set_string(&value, nil) }
            })
    }

    package static func enumeration<E: PropertyEnum>(
        _ name: String, _ keyPath: SettingPath<Settings, E>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_enum(name, nick, blurb, E.type, $0.rawValue, $1) },
            get: { E(rawValue: withUnsafePointer(to: $0) { g_value_get_enum($0) }) },
            set: { g_value_set_enum(&$0, $1.rawValue) })
    }

    package static func flags<F: PropertyFlagSet>(
        _ name: String, _ keyPath: SettingPath<Settings, F>, nick: String, blurb: String,
        flags: PropertyFlags = .mutablePlaying
    ) -> Property {
        Property(
            name, keyPath, flags: flags,
            spec: { g_param_spec_flags(name, nick, blurb, F.type, $0.rawValue, $1) },
            get: { F(rawValue: withUnsafePointer(to: $0) { g_value_get_flags($0) }) },
            set: { g_value_set_flags(&$0, $1.rawValue) })
    }

    /// Declares a colour in the form of stock elements: alpha, red, green, blue from the highest byte to the lowest.
    package static func color(
        _ name: String, _ keyPath: SettingPath<Settings, UInt32>, nick: String, blurb: String,
        flags: PropertyFlags = .animated
    ) -> Property {
        .uint(name, keyPath, in: 0...UInt32.max, nick: nick, blurb: blurb + " (big-endian ARGB)", flags: flags)
    }
}

extension Rectangle {
    fileprivate var text: String { "\(x),\(y),\(width),\(height)" }

    /// Creates a rectangle from four whole numbers within ±2³⁰, separated by commas; blanks do not matter.
    fileprivate init?(text: String) {
        let limit = 1 << 30
        let parts = text.filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { -limit...limit ~= $0 }
        guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
