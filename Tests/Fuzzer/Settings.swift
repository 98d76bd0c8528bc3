// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Filters
import TestSupport

/// Sets random properties and calls random actions, as an application may do.
struct Settings {
    let goods: Goods

    // MARK: - Properties

    private static let untouched: Set = ["name", "parent", "converter-config"]
    /// GStreamer classes whose properties the fuzzer does not set. A random latency or start time would disturb the
    /// element.
    private static let foreign: Set = ["GstAggregator"]
    /// Properties that contain the path of a file or folder to which the element writes.
    private static let written: Set = [
        "message-location", "save-location", "snapshot-location", "training-location",
    ]

    /// Sets a random property of an element or a pad to a random value.
    func setProperty(of object: Handle, _ dice: inout Dice) {
        let specs = writableProperties(of: object)
        guard !specs.isEmpty else { return }
        let spec = dice.pick(specs)
        let name = String(cString: spec.pointee.name)
        if dice.once(in: 20) { return object.set(name, dice.text()) }
        var box = GValue()
        g_value_init(&box, spec.pointee.value_type)
        guard fill(&box, spec, name, &dice) else { return }
        g_object_set_property(object.object, name, &box)
        g_value_unset(&box)
        // Reading the new value must not fail.
        _ = object.text(name)
    }

    private func writableProperties(of object: Handle) -> [UnsafeMutablePointer<GParamSpec>] {
        let instance = UnsafeMutableRawPointer(object.object).assumingMemoryBound(to: GTypeInstance.self)
        guard let type = instance.pointee.g_class else { return [] }
        var count: guint = 0
        let list = g_object_class_list_properties(
            UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self), &count)
        defer { g_free(list) }
        guard let list else { return [] }
        return (0..<Int(count)).compactMap { list[$0] }.filter { spec in
            let flags = spec.pointee.flags.rawValue
            return flags & G_PARAM_WRITABLE.rawValue != 0 && flags & G_PARAM_CONSTRUCT_ONLY.rawValue == 0
                && !Self.untouched.contains(String(cString: spec.pointee.name))
                && !Self.foreign.contains(String(cString: g_type_name(spec.pointee.owner_type)))
        }
    }

    /// Fills a GValue. Returns false for types that the elements of this project do not use.
    private func fill(
        _ box: inout GValue, _ spec: UnsafeMutablePointer<GParamSpec>, _ name: String, _ dice: inout Dice
    ) -> Bool {
        func range<Spec, Value>(_: Spec.Type, _ path: (Spec) -> (Value, Value, Value)) -> (Value, Value, Value) {
            path(UnsafeMutableRawPointer(spec).assumingMemoryBound(to: Spec.self).pointee)
        }
        switch g_type_fundamental(spec.pointee.value_type) {
        case GType(5 << 2): g_value_set_boolean(&box, dice.once(in: 2) ? 1 : 0)
        case GType(6 << 2):
            let (low, high, usual) = range(GParamSpecInt.self) { ($0.minimum, $0.maximum, $0.default_value) }
            g_value_set_int(&box, Int32(number(Int64(low), Int64(high), Int64(usual), &dice)))
        case GType(7 << 2):
            let (low, high, usual) = range(GParamSpecUInt.self) { ($0.minimum, $0.maximum, $0.default_value) }
            g_value_set_uint(&box, UInt32(number(Int64(low), Int64(high), Int64(usual), &dice)))
        case GType(10 << 2):
            let (low, high, usual) = range(GParamSpecInt64.self) { ($0.minimum, $0.maximum, $0.default_value) }
            g_value_set_int64(&box, gint64(number(Int64(low), Int64(high), Int64(usual), &dice)))
        case GType(11 << 2):
            let (low, high, usual) = range(GParamSpecUInt64.self) { ($0.minimum, $0.maximum, $0.default_value) }
            let limit = { (value: guint64) in Int64(clamping: value) }
            let value = number(limit(low), limit(high), limit(usual), &dice)
            g_value_set_uint64(&box, dice.once(in: 6) ? high : guint64(value))
        case GType(12 << 2): g_value_set_enum(&box, Int32(dice.below(dice.once(in: 4) ? 60 : 5)))
        case GType(13 << 2): g_value_set_flags(&box, guint(dice.once(in: 4) ? dice.uint32() : UInt32(dice.below(8))))
        case GType(15 << 2):
            let (low, high, usual) = range(GParamSpecDouble.self) { ($0.minimum, $0.maximum, $0.default_value) }
            let inner = dice.double()
            let value = dice.pick([low, high, usual, inner, low + (high - low) * Double(dice.below(101)) / 100, 1, 0.5])
            g_value_set_double(&box, value)
        case GType(16 << 2):
            if dice.once(in: 12) { return true }  // NULL
            g_value_set_string(&box, text(for: name, &dice))
        default: return false
        }
        // For values out of range, GObject would log a warning. So clamp them.
        g_param_value_validate(spec, &box)
        return true
    }

    private func number(_ low: Int64, _ high: Int64, _ usual: Int64, _ dice: inout Dice) -> Int64 {
        let small = usual.addingReportingOverflow(Int64(dice.below(40)) - 5).partialValue
        return min(high, max(low, dice.pick([low, high, usual, small, small, dice.integer()])))
    }

    // MARK: - Texts

    /// Returns a random text for a property. It may be valid, invalid or nonsense.
    private func text(for name: String, _ dice: inout Dice) -> String {
        if Self.written.contains(name) { return place(&dice) }
        if dice.once(in: 6) { return dice.text() }
        let fitting = fitting(name)
        guard dice.once(in: 5), !fitting.contains(where: { $0.hasPrefix("/") }) else { return dice.pick(fitting) }
        let bytes = dice.mutated(Array(dice.pick(fitting).utf8), with: [Array(dice.pick(fitting).utf8)], atMost: 4096)
        return String(decoding: bytes.filter { $0 != 0 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }

    private func fitting(_ name: String) -> [String] {
        let nowhere = ["none", "/nowhere/x", "/dev/null", "/dev/null/x", "/dev/zero", goods.folder.path, ""]
        switch name {
        case "filters":
            return Self.chains + [
                "cube path='\(goods.files("cube")[0])'", "cube path='\(goods.files("cube")[1])' | invert",
            ]
        case "filters-file": return goods.files("plist") + nowhere
        case "animate":
            return [
                "opacity=0->1@1s", "opacity=0->1@500ms smooth, xpos=0->64@1s, width=0->16384@100ms",
                "opacity=0->1@1s, hold 80ms, 1->0@1s, repeat, xpos=after 40ms, 0->64@1s, ping-pong 3",
                "beat=133.7bpm, red=0->4@1/3beat, repeat, blue=beat=60bpm, 4->0@1e300s, repeat 1000000000",
                "red=0->4@1s,blue=4->0@0s linear", "line-width=0->100@1s", "opacity=1->2@1s", "=->@", "none",
            ]
        case "region": return ["none", "0,0,40,40", "10,10,1,1", "-20,-20,80,80", "100,100,1073741824,1073741824"]
        case "colors": return ["face=yellow,Ada=#ff8000", "blob=#80ff0000", "face=", "=red", "none"]
        case "font-desc": return ["Sans 12", "Monospace Bold Italic 1", "none", "Sans 400", "Sans 0.1", "99999"]
        case "cascade-dir", "people", "partners", "templates": return nowhere
        case "location", "mask", "partner", "template": return goods.pictures + nowhere
        case "model": return goods.files("yml") + goods.files("onnx") + nowhere
        case "training": return goods.files("plist") + nowhere
        case "collect-name", "forget-name", "learn-label": return ["Ada", "Ada,Ben", "Ben, ,Ada,", "none", "Eva"]
        default:
            return name.hasSuffix("-cascade")
                ? goods.files("xml") + goods.files("yml") + goods.files("plist")
                    + ["haarcascade_eye", "lbpcascade_frontalface", "../x"] + nowhere : ["none", "1", "a"]
        }
    }

    private static let chains =
        [
            "none", "sepia-tone intensity=0.8 | vignette radius=1.2 | gaussian-blur radius=0->8@2s", "invert",
            "gaussian-blur radius=30 | pixelate",
            "twirl angle=after 40ms, 0->90@80ms, hold 40ms, ping-pong | hue angle='beat=600bpm, 0->90@1beat, repeat 2'",
            "zoom-blur", "gaussian-blur | vignette | gaussian-blur",
        ] + Filter.all.map(\.name)

    /// Returns a path, which may or may not be writable.
    private func place(_ dice: inout Dice) -> String {
        dice.pick([
            "none", "", "\(goods.scratch)/a", "\(goods.scratch)/b%d.png", "\(goods.scratch)/c%05d.png",
            "\(goods.scratch)/%s%n", "\(goods.scratch)/none/x.png", "/dev/null/x", "/dev/full", goods.scratch,
        ])
    }

    // MARK: - Actions

    /// If the element has action signals, emits one of them.
    func act(on element: Handle, _ dice: inout Dice) {
        let instance = UnsafeMutableRawPointer(element.object).assumingMemoryBound(to: GTypeInstance.self)
        guard let type = instance.pointee.g_class?.pointee.g_type else { return }
        var count: guint = 0
        let list = g_signal_list_ids(type, &count)
        defer { g_free(list) }
        guard let list, count > 0 else { return }
        let signal = list[dice.below(Int(count))]
        var query = GSignalQuery()
        g_signal_query(signal, &query)
        guard query.signal_flags.rawValue & G_SIGNAL_ACTION.rawValue != 0 else { return }
        var values = [GValue](repeating: GValue(), count: Int(query.n_params) + 1)
        g_value_init(&values[0], type)
        g_value_set_object(&values[0], element.object)
        let name = String(cString: query.signal_name)
        for index in 0..<Int(query.n_params) {
            guard let kind = query.param_types?[index] else { return }
            g_value_init(&values[index + 1], kind)
            switch g_type_fundamental(kind) {
            case GType(15 << 2): g_value_set_double(&values[index + 1], dice.double())
            case GType(7 << 2): g_value_set_uint(&values[index + 1], dice.once(in: 3) ? dice.uint32() : 1)
            case GType(16 << 2):
                if !dice.once(in: 12) { g_value_set_string(&values[index + 1], argument(of: name, &dice)) }
            default: return
            }
        }
        var answer = GValue()
        let isAnswered = query.return_type != GType(1 << 2)
        if isAnswered { g_value_init(&answer, query.return_type) }
        if isAnswered {
            g_signal_emitv(values, signal, 0, &answer)
            g_value_unset(&answer)
        } else {
            g_signal_emitv(values, signal, 0, nil)
        }
        for index in values.indices { g_value_unset(&values[index]) }
    }

    private func argument(of action: String, _ dice: inout Dice) -> String {
        switch action {
        case "capture-to", "save", "save-training": place(&dice)
        case "set-parameter":
            dice.once(in: 3)
                ? dice.text()
                : dice.pick(["vignette.radius", "gaussian-blur.radius", "gaussian-blur#2.radius", "a.b", "x#0.y"])
        default: dice.once(in: 3) ? dice.text() : dice.pick(["Ada", "Ben", "logo", "thing"])
        }
    }
}
