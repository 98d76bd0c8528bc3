// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport

/// A filter for these tests. It has a property of each type, and actions with different arguments. The filter writes
/// `level` to the first byte of each pixel. The action `calls` returns the calls that the filter has received.
final class Probe: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svprobe", longName: "Probe", category: .effect, description: "Tests the layer")
    static let formats = FrameFormat.allPacked

    /// True. Reading this property registers the filter.
    static let isRegistered = GStreamer.isReady && register(Probe.self)

    enum Shade: Int32, PropertyEnum {
        case light = 3
        case dark = 7
        static let typeName = "GstSvProbeShade"
        var nick: String { self == .light ? "bright-light" : "dark" }
        static let members: [(value: Self, blurb: String)] = [(.light, "Light"), (.dark, "Dark")]
    }

    struct Sides: PropertyFlagSet {
        let rawValue: UInt32
        static let left = Sides(rawValue: 1)
        static let right = Sides(rawValue: 4)
        static let typeName = "GstSvProbeSides"
        static let members: [(value: Sides, nick: String, blurb: String)] = [
            (.left, "left", "Left side"), (.right, "right", "Right side"),
        ]
    }

    /// The functions in which the filter can throw an error.
    enum Failure: Int32, PropertyEnum {
        case never, start, configure, prepare, transform, warning
        static let typeName = "GstSvProbeFailure"
        var nick: String { "\(self)" }
        static let members = allCases.map { (value: $0, blurb: $0.nick) }
    }

    struct Settings: ElementSettings {
        var on = true
        var level: Int32 = 200
        var count: UInt32 = 12
        var big: Int64 = -5_000_000_000
        var huge: UInt64 = 18_000_000_000_000_000_000
        var delay: UInt64 = 40_000_000
        var ratio = 0.25
        var title: String? = "first"
        var subtitle: String?
        var shade = Shade.dark
        var sides: Sides = [.left, .right]
        var tint: Color = 0x8040_20FF
        var device: String?
        var failing = Failure.never
        var passes = false
        var picture: String?
        var pictures: String?
        var chain: String?
        var plan: String?
        var region: Rectangle?
        var pause = ClockTime.second
    }

    static let properties: [Property<Settings>] = [
        Property("on", \.on, "A switch"),
        Property("level", \.level, in: -1...255, "What is written", flags: .animated),
        Property("count", \.count, in: 2...20, "How many", flags: .animated),
        Property("big", \.big, in: -6_000_000_000...0, "Wide"),
        Property("huge", \.huge, in: 1...UInt64.max - 1, "Wider"),
        Property("delay", \.delay, in: 1_000_000...3_600_000_000_000, "How long"),
        Property("ratio", \.ratio, in: -1...1, "A share", flags: .animated),
        Property("title", \.title, "A text", text: .words),
        Property("subtitle", \.subtitle, "No text"),
        Property("shade", \.shade, "A choice"),
        Property("sides", \.sides, "Choices"),
        .color("tint", \.tint, "A colour"),
        Property("device", \.device, "What fixes caps", flags: .mutableReady),
        Property("picture", \.picture, "A file", text: .file(.image)),
        Property("pictures", \.pictures, "A folder", text: .folder),
        Property(
            "chain", \.chain, "A text that may name a file", text: .wordsUnless { $0.contains("/") ? "a path" : nil }),
        Property("plan", \.plan, "A text with a syntax", text: .parsed { $0 == "a" ? nil : "malformed" }),
        Property("region", \.region, "A text of numbers"),
        Property("pause", \.pause, "A time"),
        Property("failing", \.failing, "Where to throw"),
        Property("passes", \.passes, "Whether frames pass untouched"),
    ]

    static let actions: [Action<Probe>] = [
        Action("none", "No argument") { (probe: Probe) in probe.note("none") },
        Action("one", "One", ActionArgument("word", .words)) { (probe: Probe, text: String) in probe.note("one \(text)")
        },
        Action("open", "One file", ActionArgument("path", .file(.image))) { (probe: Probe, path: String) in
            probe.note("open \(path)")
        },
        Action("every", "One of each type") {
            (
                probe: Probe, on: Bool, int: Int32, uint: UInt32, int64: Int64, uint64: UInt64, double: Double,
                text: String
            ) in
            "\(on) \(int) \(uint) \(int64) \(uint64) \(double) \(text)"
        },
        Action("sum", "Adds") { (_: Probe, a: Int32, b: Int32) in a &+ b },
        Action("is-even", "Answers a switch") { (_: Probe, a: UInt32) in a.isMultiple(of: 2) },
        Action("half", "Answers a share") { (_: Probe, a: Double) in a / 2 },
        Action("wide", "Answers a wide number") { (_: Probe, a: Int64) in UInt64(a.magnitude) },
        Action("calls", "What was called since it was last asked") { (probe: Probe) in
            probe.notes.withLock { notes in
                defer { notes = [] }
                return notes.joined(separator: ", ")
            }
        },
        Action("say", "Posts a message with a field of each type") { (probe: Probe, text: String) in
            var message = Structure("svprobe")
            message.set("text", text)
            message.set("on", true)
            message.set("int", Int32.min)
            message.set("uint", UInt32.max)
            message.set("int64", Int64.min)
            message.set("uint64", UInt64.max)
            message.set("double", 0.1)
            probe.host.post(message)
        },
        Action("raise", "Sets level from inside") { (probe: Probe) in
            probe.host.set(\.level, to: probe.host.settings.level + 1)
        },
        Action("raise-from", "Sets level from inside if it has this value") { (probe: Probe, old: Int32) in
            probe.host.set(\.level, to: old + 1, ifStill: old)
        },
    ]

    struct State {
        var frames = 0
    }

    private let host: Host<Settings>
    private let notes = Mutex<[String]>([])

    init(host: Host<Settings>) { self.host = host }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    private func fail(_ settings: Settings, _ position: Failure) throws {
        guard settings.failing == position else { return }
        throw ElementError(.busy, "fails in \(position)", details: "as told")
    }

    func start(_ settings: Settings) throws -> State {
        note("start")
        try fail(settings, .start)
        return State()
    }

    func configure(_ state: inout State, for video: VideoFormat) throws {
        note("configure \(video.frameFormat.name) \(video.size.width)x\(video.size.height)")
        try fail(host.settings, .configure)
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        state.frames += 1
        try fail(settings, .prepare)
        return settings.passes ? .passThrough : .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        try fail(settings, .transform)
        if settings.failing == .warning { host.post(warning: TestFailure("only a warning")) }
        note("transform \(state.frames) \(frame.time.streamTime.map { "\($0.nanoseconds)" } ?? "none")")
        guard let image = frame.image else { return }
        for y in 0..<image.height {
            let row = image.row(y)
            for x in stride(from: 0, to: image.rowBytes, by: image.format.bytesPerPixel) {
                row[x] = UInt8(clamping: settings.level)
            }
        }
    }

    func discontinuity(_ state: inout State) {
        note("discontinuity")
        state.frames = 0
    }

    func stop(_ state: inout State) { note("stop") }

    func keyPressed(_ key: String) { note("key \(key)") }

    /// Handles clicks of the second mouse button. `source(of:)` moves positions by 10 pixels.
    func pointed(_ event: PointerEvent) -> Bool {
        note("\(event.kind) \(event.place.x),\(event.place.y)")
        return event.kind == .press(button: 2)
    }

    func source(of position: Point) -> Point? { position.x < 100 ? Point(position.x + 10, position.y) : nil }
}

extension TestFrame {
    /// Returns the output of `Probe` for this frame.
    func probed(_ level: UInt8 = 200) -> TestFrame {
        map { _, _, pixel in [level] + pixel.dropFirst() }
    }
}

func makeProbe(_ properties: [(String, String)] = []) throws -> Handle {
    guard Probe.isRegistered else { throw TestFailure("the probe is not registered") }
    return try Handle(factory: "svprobe", properties)
}

func probeHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard Probe.isRegistered else { throw TestFailure("the probe is not registered") }
    return try Harness("svprobe", properties, like: frame)
}
