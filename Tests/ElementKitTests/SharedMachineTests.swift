// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// A filter that watches the value of the action `follow`. Its worker notes each text for which it has made a product.
private final class Follower: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svfollower", longName: "Follower", category: .effect, description: "Follows values")
    static let isRegistered = GStreamer.isReady && register(Follower.self)

    struct Settings: ElementSettings {}
    static let properties: [Property<Settings>] = []

    static let actions: [Action<Follower>] = [
        Action("follow", "Works on this, unless it is the same as before") { (follower: Follower, text: String) in
            follower.follow(text)
        },
        Action("forget", "Makes what is under way obsolete") { (follower: Follower) in follower.texts.set(nil) },
        Action("open", "Lets the work go on") { (follower: Follower) in
            follower.isOpen.store(true, ordering: .releasing)
        },
        Action("done", "What was worked on") { (follower: Follower) -> String in
            follower.done.withLock { $0.joined(separator: " ") }
        },
    ]

    private let host: Host<Settings>
    private let texts = Followed<String>()
    private let isOpen = Atomic(false)
    private let done = Mutex<[String]>([])

    init(host: Host<Settings>) { self.host = host }

    func transform(_ state: inout Void, _ settings: Settings, frame: Frame) {}

    private func follow(_ text: String) -> Bool {
        texts.follow(text, host) { [self] isObsolete in
            _ = eventually { isOpen.load(ordering: .acquiring) }
            done.withLock { $0.append(isObsolete() ? "(\(text))" : text) }
            if text.hasPrefix("bad") { throw ElementError(.read, text) }
        }
    }
}

@Suite("What elements share")
struct SharedMachineTests {
    // MARK: - Followed

    @Test("Of many values in a row the one under way learns that it is obsolete, and only the last is worked on")
    func followed() throws {
        #expect(Follower.isRegistered)
        let follower = try Handle(factory: "svfollower")
        #expect(follower.ask("follow", "a") == true)
        #expect(follower.ask("follow", "a") == false)
        for text in ["b", "c", "d"] { #expect(follower.ask("follow", text) == true) }
        follower.emit("open")
        #expect(eventually { ["d", "(a) d"].contains(follower.ask("done", as: String.self)) })
        #expect(follower.ask("follow", "d") == false)
        #expect(follower.ask("follow", "a") == true)
        #expect(eventually { follower.ask("done", as: String.self)?.hasSuffix("d a") == true })
    }

    @Test("What is forgotten is obsolete, and new when it comes again; a failure is a warning, an obsolete one is not")
    func forgotten() throws {
        #expect(Follower.isRegistered)
        let follower = try Handle(factory: "svfollower")
        let bus = Bus()
        gst_element_set_bus(follower.cast(to: GstElement.self), bus.pointer)
        #expect(follower.ask("follow", "bad1") == true)
        follower.emit("forget")
        follower.emit("open")
        #expect(follower.ask("follow", "good") == true)
        #expect(eventually { ["good", "(bad1) good"].contains(follower.ask("done", as: String.self)) })
        #expect(bus.pending(GST_MESSAGE_WARNING).isEmpty)
        #expect(follower.ask("follow", "bad1") == true)
        #expect(bus.wait(GST_MESSAGE_WARNING)?.text == "bad1")
        gst_element_set_bus(follower.cast(to: GstElement.self), nil)
    }

    // MARK: - Made

    @Test("A product is made anew for a new value; one that is refused is an error once, and the last product stays")
    func made() throws {
        var made = 0
        func make(_ value: Int) throws -> String {
            made += 1
            guard value >= 0 else { throw TestFailure("\(value)") }
            return "product \(value)"
        }
        var thing = try Made(1, make)
        try thing.follow(1, make)
        #expect(thing.product == "product 1" && made == 1)
        try thing.follow(2, make)
        #expect(thing.product == "product 2" && thing.value == 2 && made == 2)
        #expect(throws: TestFailure.self) { try thing.follow(-1, make) }
        for _ in 0..<3 { try thing.follow(-1, make) }
        #expect(thing.product == "product 2" && thing.value == 2 && made == 3)
        // After a return to the last valid value, nothing is made. The invalid value is an error again.
        try thing.follow(2, make)
        #expect(made == 3)
        #expect(throws: TestFailure.self) { try thing.follow(-1, make) }
        try thing.follow(3, make)
        #expect(thing.product == "product 3" && made == 5)
    }

    // MARK: - Mailbox

    private struct Numbers: Mail {
        var values: [Int] = []
    }

    private struct Limit: Mail {
        var maximum = 2
    }

    @Test("Requests see the status and each other, are taken once, and are forgotten")
    func mailbox() {
        let box = Mailbox<Numbers, Limit>()
        func ask(_ number: Int) -> Bool {
            box.request { numbers, limit in
                guard numbers.values.count < limit.maximum else { return false }
                numbers.values.append(number)
                return true
            }
        }
        #expect([1, 2, 3].map(ask) == [true, true, false])
        #expect(box.take().values == [1, 2])
        #expect(box.take().values.isEmpty)
        box.publish(Limit(maximum: 1))
        #expect([4, 5].map(ask) == [true, false])
        box.clear()
        #expect([6, 7].map(ask) == [true, true])
        #expect(box.take().values == [6, 7])
    }

    @Test("No request of many threads is lost or taken twice")
    func mailboxThreads() {
        let box = Mailbox<Numbers, NoStatus>()
        let workers = (0..<4).map { _ in Worker() }
        for (index, worker) in workers.enumerated() {
            worker.run {
                for number in 0..<1000 { box.request { numbers, _ in numbers.values.append(1000 * index + number) } }
            }
        }
        var taken: [Int] = []
        #expect(
            eventually {
                taken += box.take().values
                return taken.count == 4000
            })
        #expect(taken.sorted() == Array(0..<4000))
    }

    // MARK: - ClockTime

    @Test("Times add and multiply up to the largest, and never go below zero")
    func times() {
        #expect(2 * ClockTime.second + .second == 3 * .second)
        #expect(ClockTime.max + .second == .max && UInt64.max * .second == .max)
        #expect((ClockTime.second / 4).seconds == 0.25 && ClockTime.second / 0 == .max)
        #expect((3 * ClockTime.second).since(.second) == 2 * .second)
        #expect(ClockTime.second.since(.second) == .zero && ClockTime.zero.since(.second) == nil)
        #expect(ClockTime.now >= .second)
    }

    // MARK: - Names of properties

    @Test(
        "A property's name in words",
        arguments: [
            ("scale", "Scale"), ("max-hull-distance", "Maximum hull distance"), ("l2-gradient", "L2 gradient"),
            ("edge-color", "Edge colour"), ("", ""),
        ])
    func nicks(_ name: String, _ nick: String) {
        #expect(PropertyTexts(name, nil, "").nick == nick)
        #expect(PropertyTexts(name, "Own", "").nick == "Own")
    }
}
