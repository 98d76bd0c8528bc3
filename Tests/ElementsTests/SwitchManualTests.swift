// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// Tests of the input `preview`, the actions `take` and `cut`, and manual transitions.
@Suite("svswitch: preview and manual transitions")
struct SwitchManualTests {
    /// The inputs have different red values: 200, 100 and 0.
    private static let frames = [200, 100, 0].map {
        TestFrame(.bgra, 16, 8, color: Color(red: $0, green: 10, blue: 10))
    }

    /// A switch with three inputs.
    private final class Desk: Sendable {
        typealias Step = @Sendable (Desk) -> Void
        let line: Pipeline
        let element: Handle
        /// The values of `active` and `preview` before each step.
        private let seen = Mutex<[[Int]]>([])

        init(_ properties: String) throws {
            let sources = (0..<3).map { "appsrc name=in\($0) format=time caps=\(frames[$0].caps()) ! s.sink_\($0)" }
            line = try pipeline(
                "svswitch name=s easing=linear timeout=10000000000 \(properties) ! video/x-raw,format=BGRA ! "
                    + "appsink name=out sync=false " + sources.joined(separator: " "))
            element = try line.element("s")
        }

        /// Returns output frames. `steps`: the functions that run before the frame with this number.
        func run(_ count: Int, _ steps: [Int: Step] = [:]) throws -> [TestFrame] {
            // The streaming thread runs the steps, because it decides about the next frame after the last frame has left
            // the switch.
            let watch = Watch(number: 0) { [unowned self] number in
                guard let step = steps[number] else { return }
                seen.withLock { $0.append([Int(active ?? 99), Int(preview ?? 99)]) }
                step(self)
            }
            gst_pad_add_probe(
                try line.pad("s", "src").pad, GST_PAD_PROBE_TYPE_BUFFER,
                { _, _, data in
                    if let data { Unmanaged<Watch>.fromOpaque(data).takeUnretainedValue().count() }
                    return GST_PAD_PROBE_OK
                }, Unmanaged.passRetained(watch).toOpaque(),
                { if let data = $0 { Unmanaged<Watch>.fromOpaque(data).release() } })
            try line.play()
            let frame = GStreamer.second / 25
            for number in 0..<count {
                for (index, image) in frames.enumerated() {
                    try line.push(image, into: "in\(index)", at: UInt64(number) * frame, duration: frame)
                }
            }
            for index in 0..<3 { try line.end("in\(index)") }
            return try line.pullAll().map(\.frame)
        }

        /// Returns the red values of output frames.
        func reds(_ count: Int, _ steps: [Int: Step] = [:]) throws -> [Int] {
            try run(count, steps).map { Int($0.color(8, 4).red) }
        }

        func set(_ position: Double) { element.set("position", value: position) }

        var active: UInt32? { element.get("active") }
        var preview: Int32? { element.get("preview") }
        var states: [[Int]] { seen.withLock { $0 } }
        var events: [Fields] {
            line.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }.filter { $0.name == "svswitch" }
        }
    }

    /// Calls a function after each frame.
    private final class Watch: Sendable {
        private let number: Mutex<Int>
        private let body: @Sendable (Int) -> Void

        init(number: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.number = Mutex(number)
            self.body = body
        }

        func count() {
            let next = number.withLock { number in
                number += 1
                return number
            }
            body(next)
        }
    }

    private func expect(_ reds: [Int], _ expected: [Int], _ place: SourceLocation = #_sourceLocation) {
        #expect(
            reds.count == expected.count && zip(reds, expected).allSatisfy { abs($0 - $1) <= 1 },
            "\(reds) instead of \(expected)", sourceLocation: place)
    }

    @Test("The position sets the progress, 0 cancels, and 1 shows the preview at once")
    func position() throws {
        let desk = try Desk("preview=1 duration=80000000")
        // The progress p is the position, in both directions: 200 − 100 p. The transition stays at its position, longer
        // than `duration`.
        expect(
            try desk.reds(
                11,
                [
                    1: { $0.set(0.25) }, 2: { $0.set(0.5) }, 3: { $0.set(0.9) }, 4: { $0.set(0.3) }, 8: { $0.set(0) },
                    9: { $0.set(1) },
                ]), [200, 175, 150, 110, 170, 170, 170, 170, 200, 100, 100])
        #expect(desk.states == Array(repeating: [0, 1], count: 6))
        #expect(desk.active == 1 && desk.preview == 0)
        #expect(
            desk.events.map { $0.text("event") }
                == ["transition-begun", "transition-cancelled", "transition-begun", "transition-ended"])
    }

    @Test("After 1, the next manual transition needs a return to 0")
    func rest() throws {
        let desk = try Desk("preview=1")
        // A hardware fader that moves back starts no transition. The return to 0 counts even if no frame sees it.
        expect(
            try desk.reds(
                8,
                [
                    1: { $0.set(1) }, 2: { $0.set(0.9) }, 3: { $0.set(0.4) }, 4: { $0.set(0.1) },
                    5: {
                        $0.set(0)
                        $0.set(0.5)
                    }, 6: { $0.set(1) },
                ]), [200, 100, 100, 100, 100, 150, 200, 200])
        #expect(desk.active == 0 && desk.preview == 1)
    }

    @Test("An animated position is monotone, and a repeated animation switches forth and back")
    func animated() throws {
        let desk = try Desk("preview=2 animate=position=0->1@400ms")
        let reds = try desk.reds(16)
        #expect(reds.first == 200 && reds.last == 0)
        for (one, next) in zip(reds, reds.dropFirst()) { #expect(next <= one && one - next <= 21) }
        #expect(Set(reds).count >= 10)
        #expect(desk.active == 2 && desk.preview == 0)
        let repeated = try Desk("preview=2 animate=\"position=0->1@160ms, 0->0@80ms, repeat\"")
        let values = try repeated.reds(30)
        let turns = zip(values, values.dropFirst()).filter { $0 != $1 && [0, 200].contains($1) }
        #expect(turns.count >= 3, "\(values)")
    }

    @Test("The actions take and cut switch to the preview, and exchange both inputs")
    func takes() throws {
        let desk = try Desk("preview=1 duration=80000000")
        try desk.line.pad("s", "sink_0").set("label", "Stage\nleft")
        try desk.line.pad("s", "sink_1").set("label", value: String(repeating: "x", count: 300))
        let answers = Mutex<[Bool?]>([])
        func act(_ name: String) -> Desk.Step {
            { desk in
                let answer = desk.element.ask(name, as: Bool.self)
                answers.withLock { $0.append(answer) }
            }
        }
        // After the cut, the next switch has a transition again.
        expect(
            try desk.reds(10, [1: act("take"), 5: act("cut"), 6: { $0.element.emit("switch-to", UInt32(2)) }]),
            [200, 200, 150, 100, 100, 200, 200, 100, 0, 0])
        #expect(answers.withLock { $0 } == [true, true])
        #expect(desk.states == [[0, 1], [1, 0], [0, 1]])
        let events = desk.events
        let begun = try #require(events.first)
        #expect(begun.text("from_label") == "Stageleft" && begun.text("to_label") == String(repeating: "x", count: 100))
        #expect(events.map { $0.text("transition") } == ["dissolve", "dissolve", "cut", "cut", "dissolve", "dissolve"])
    }

    @Test("Take continues a manual transition from its position, and cut ends it", arguments: ["take", "cut"])
    func released(_ action: String) throws {
        let desk = try Desk("preview=2 duration=160000000")
        // The second half of 160 ms lasts 80 ms: two frames. The old position starts no transition back.
        expect(
            try desk.reds(6, [1: { $0.set(0.5) }, 2: { _ = $0.element.ask(action, as: Bool.self) }]),
            [200, 100] + (action == "take" ? [100, 50, 0, 0] : [0, 0, 0, 0]))
        #expect(desk.active == 2 && desk.preview == 0)
    }

    @Test("A third input that is selected during a manual transition ends this transition, and follows after it")
    func third() throws {
        // The second half of 80 ms lasts 40 ms: one frame. The position has no effect then.
        for last in [0.5, 1] {
            let desk = try Desk("preview=1 duration=80000000")
            expect(
                try desk.reds(
                    7, [1: { $0.set(0.5) }, 2: { $0.element.set("active", value: UInt32(2)) }, 3: { $0.set(last) }]),
                [200, 150, 150, 100, 50, 0, 0])
            #expect(desk.active == 2)
        }
    }

    @Test("If the preview changes during a manual transition, cut shows the new preview at once")
    func changedPreview() throws {
        let desk = try Desk("preview=1 duration=160000000")
        expect(
            try desk.reds(
                5,
                [
                    1: { $0.set(0.5) },
                    2: {
                        $0.element.set("preview", value: Int32(2))
                        _ = $0.element.ask("cut", as: Bool.self)
                    },
                ]), [200, 150, 0, 0, 0])
        #expect(desk.active == 2 && desk.preview == 0)
    }

    @Test("A cut that was revoked before the next frame does not shorten a later transition")
    func revokedCut() throws {
        let desk = try Desk("preview=1 duration=80000000")
        expect(
            try desk.reds(
                7,
                [
                    1: {
                        _ = $0.element.ask("cut", as: Bool.self)
                        $0.element.set("active", value: UInt32(0))
                    }, 3: { $0.element.set("active", value: UInt32(1)) },
                ]), [200, 200, 200, 200, 150, 100, 100])
    }

    @Test("A manual transition also sets active and preview if active named a missing input")
    func missing() throws {
        let desk = try Desk("active=7 preview=1")
        expect(try desk.reds(4, [1: { $0.set(0.5) }, 2: { $0.set(1) }]), [200, 150, 100, 100])
        #expect(desk.active == 1 && desk.preview == 0)
    }

    @Test("take and cut refuse an input that has ended", arguments: ["take", "cut"])
    func ended(_ action: String) throws {
        let size = "video/x-raw,format=BGRA,width=16,height=8,framerate=25/1"
        let line = try pipeline(
            "svswitch name=s preview=1 ! appsink name=out sync=false videotestsrc num-buffers=20 ! \(size) ! s. "
                + "videotestsrc num-buffers=8 ! \(size) ! s.")
        try line.play()
        #expect(try line.pullAll().count == 20)
        let element = try line.element("s")
        #expect(element.ask(action, as: Bool.self) == false)
        #expect(element.get("active", as: UInt32.self) == 0 && element.get("preview", as: Int32.self) == 1)
        #expect(line.bus.pending(GST_MESSAGE_WARNING).contains { $0.text.contains("\(action): the input sink_1") })
    }

    @Test("Without another input as the preview, take and cut answer false, and a position has no effect")
    func nothing() throws {
        let desk = try Desk("")
        let answers = Mutex<[Bool?]>([])
        var steps: [Int: Desk.Step] = [:]
        for (index, preview) in [Int32(-1), 0, 7].enumerated() {
            steps[2 * index + 1] = { desk in
                desk.element.set("preview", value: preview)
                for action in ["take", "cut"] {
                    let answer = desk.element.ask(action, as: Bool.self)
                    answers.withLock { $0.append(answer) }
                }
                desk.set(0.5)
            }
            steps[2 * index + 2] = { $0.set(0) }
        }
        expect(try desk.reds(8, steps), Array(repeating: 200, count: 8))
        #expect(answers.withLock { $0 } == Array(repeating: false, count: 6))
        #expect(desk.active == 0)
        #expect(desk.line.bus.pending(GST_MESSAGE_WARNING).count == 3)
    }

    @Test("A position before the start makes a still split from the first frame on")
    func split() throws {
        let desk = try Desk("preview=1 position=0.5 transition=wipe-left")
        let frames = try desk.run(3)
        // The first frame, too, shows both inputs.
        #expect(frames.count == 3)
        for frame in frames { #expect(Set([frame.color(1, 4).red, frame.color(14, 4).red]) == [200, 100]) }
    }

    @Test("If the preview ends during a manual transition, the old input returns")
    func previewEnds() throws {
        let size = "video/x-raw,format=BGRA,width=16,height=8,framerate=25/1"
        let line = try pipeline(
            "svswitch name=s preview=1 position=0.5 ! appsink name=out sync=false "
                + "videotestsrc num-buffers=20 pattern=solid-color foreground-color=0xffc80000 ! \(size) ! s. "
                + "videotestsrc num-buffers=8 pattern=solid-color foreground-color=0xff000000 ! \(size) ! s.")
        try line.play()
        let reds = try line.pullAll().map { Int($0.frame.color(8, 4).red) }
        #expect(reds.count == 20 && reds.first.map { abs($0 - 100) <= 1 } == true)
        #expect(reds.suffix(10).allSatisfy { $0 == 200 })
        #expect(try line.element("s").get("active", as: UInt32.self) == 0)
    }
}
