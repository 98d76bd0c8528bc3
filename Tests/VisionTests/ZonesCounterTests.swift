// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

@Suite("Zones: counter")
struct ZonesCounterTests {
    /// Objects on a frame with the aspect ratio 1, at 20 frames per second.
    private struct Scene {
        var counter: ZoneCounter
        var time = 0.0
        var events: [ZoneEvent] = []

        init(_ zones: String, settle: Double = 0.3, dwell: Double = 0) throws {
            var rules = ZoneRules()
            (rules.settle, rules.dwell) = (settle, dwell)
            counter = ZoneCounter(rules: rules)
            counter.setZones(try ZoneList(zones), aspect: 1)
        }

        /// Adds a frame with objects at these positions. The first object has the ID 1.
        mutating func frame(_ places: [(x: Double, y: Double)?], ids: [Int32]? = nil, label: String = "person") {
            let objects = places.enumerated().compactMap { index, place in
                place.map {
                    ZoneObject(
                        id: ids?[index] ?? Int32(index + 1), type: "person", label: label, anchor: Point($0.x, $0.y),
                        size: 0.1)
                }
            }
            events += counter.add(objects, at: time)
            time += 0.05
        }

        /// Moves an object in a straight line.
        mutating func walk(_ start: (Double, Double), _ end: (Double, Double), seconds: Double, id: Int32 = 1) {
            let steps = Int((seconds * 20).rounded())
            for step in 1...steps {
                let share = Double(step) / Double(steps)
                frame(
                    [(start.0 + share * (end.0 - start.0), start.1 + share * (end.1 - start.1))], ids: [id])
            }
        }

        mutating func stay(_ place: (Double, Double)?, seconds: Double, id: Int32 = 1) {
            for _ in 0..<Int((seconds * 20).rounded()) { frame([place.map { ($0.0, $0.1) }], ids: [id]) }
        }

        var crossings: [Bool] {
            events.compactMap { if case .cross(let isForward) = $0.kind { isForward } else { nil } }
        }
        var kinds: [ZoneEvent.Kind] { events.map(\.kind) }
    }

    private static let gate = "gate: 0.5,0.2 -> 0.5,0.8"
    private static let room = "room: 0.4,0 1,0 1,1 0.4,1"

    @Test("A line counts both directions, and reports the time of the crossing")
    func crossings() throws {
        var scene = try Scene(Self.gate)
        scene.walk((0.8, 0.5), (0.2, 0.5), seconds: 3)
        scene.walk((0.2, 0.5), (0.8, 0.5), seconds: 3)
        #expect(scene.crossings == [true, false])
        #expect(scene.counter.counts[0].forward == ["person": 1] && scene.counter.counts[0].backward == ["person": 1])
        #expect(scene.events.allSatisfy { $0.id == 1 && $0.zone == 0 && $0.label == "person" })
        // At 0.2 per second, the margin of 0.02 takes 0.1 s. Then the object settles for 0.3 s.
        for event in scene.events { #expect(event.delay > 0.35 && event.delay < 0.55) }
    }

    @Test("Times that are equal except for rounding errors count as equal")
    func rounding() throws {
        var counter = ZoneCounter()
        counter.rules.settle = 0.1
        counter.setZones(try ZoneList(Self.gate), aspect: 1)
        // In binary numbers, 0.7 - 0.6 is less than 0.1.
        let events = (0..<8).flatMap { frame in
            counter.add(
                [ZoneObject(id: 1, type: "a", label: "a", anchor: Point(frame < 6 ? 0.8 : 0.2, 0.5), size: 0.1)],
                at: Double(frame) / 10)
        }
        #expect(events.map(\.kind) == [.cross(isForward: true)])
    }

    @Test("A path beside the segment, or around its end, is no crossing")
    func around() throws {
        var scene = try Scene(Self.gate)
        scene.walk((0.8, 0.1), (0.2, 0.1), seconds: 2)
        scene.walk((0.2, 0.1), (0.8, 0.1), seconds: 2)
        #expect(scene.crossings == [])
        // Through the gate, around its end, and again through the gate in the same direction.
        scene.walk((0.8, 0.5), (0.2, 0.5), seconds: 2)
        scene.walk((0.2, 0.5), (0.2, 0.1), seconds: 1)
        scene.walk((0.2, 0.1), (0.8, 0.1), seconds: 2)
        scene.walk((0.8, 0.1), (0.8, 0.5), seconds: 1)
        scene.walk((0.8, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.crossings == [true, true])
    }

    @Test("Noise at the line counts once, and turning back counts as nothing")
    func noise() throws {
        for seed in 0..<50 {
            var scene = try Scene(Self.gate)
            var random = Imaging.SeededRandom(seed: UInt64(seed))
            func noisy(_ x: Double, seconds: Double) {
                for _ in 0..<Int(seconds * 20) { scene.frame([(x + random.between(-0.014, 0.014), 0.5)]) }
            }
            scene.walk((0.7, 0.5), (0.5, 0.5), seconds: 1)
            noisy(0.5, seconds: 5)
            scene.walk((0.5, 0.5), (0.7, 0.5), seconds: 1)
            #expect(scene.crossings == [], "seed \(seed)")
            scene.walk((0.7, 0.5), (0.5, 0.5), seconds: 1)
            noisy(0.5, seconds: 5)
            scene.walk((0.5, 0.5), (0.3, 0.5), seconds: 1)
            noisy(0.3, seconds: 2)
            #expect(scene.crossings == [true], "seed \(seed)")
        }
    }

    @Test("The result depends on the timestamps, not on the frame rate")
    func rates() throws {
        for rate in [5.0, 12, 60] {
            var counter = ZoneCounter()
            counter.setZones(try ZoneList(Self.gate), aspect: 1)
            var times: [Double] = []
            for frame in 0..<Int(4 * rate) {
                let time = Double(frame) / rate
                let object = ZoneObject(
                    id: 1, type: "a", label: "a", anchor: Point(0.8 - 0.2 * time, 0.5), size: 0.1)
                for event in counter.add([object], at: time) { times.append(time - event.delay) }
            }
            // The object crosses the line after 1.5 s.
            #expect(times.count == 1 && times.allSatisfy { ($0 - 1.5).magnitude < 1e-6 }, "\(rate): \(times)")
        }
    }

    @Test("Enter, dwell and leave: the times are those of the border, and each stay dwells once")
    func stays() throws {
        var scene = try Scene(Self.room, dwell: 2)
        // The object crosses the border after 1 s and after 7 s.
        scene.walk((0.2, 0.5), (0.6, 0.5), seconds: 2)
        scene.stay((0.6, 0.5), seconds: 4)
        scene.walk((0.6, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.kinds.count == 5)
        #expect(scene.kinds.first == .enter)
        #expect(scene.kinds.contains(.occupancy(count: 1, total: 1)))
        #expect(scene.kinds.last == .occupancy(count: 0, total: 0))
        var dwells = 0
        for event in scene.events {
            if case .dwell(let duration) = event.kind {
                dwells += 1
                #expect((duration - 2).magnitude <= 0.051)
            }
            if case .leave(let duration, let isLost) = event.kind {
                #expect((duration - 6).magnitude < 0.1 && !isLost)
            }
        }
        #expect(dwells == 1)
        #expect(scene.counter.counts[0].entered == ["person": 1] && scene.counter.counts[0].left == ["person": 1])
        #expect(scene.counter.areas(of: 1) == [])
    }

    @Test("A border has the same hysteresis as a line, and a narrow area still works")
    func borders() throws {
        for seed in 0..<30 {
            var scene = try Scene(Self.room)
            var random = Imaging.SeededRandom(seed: UInt64(seed))
            scene.walk((0.2, 0.5), (0.4, 0.5), seconds: 1)
            for _ in 0..<100 { scene.frame([(0.4 + random.between(-0.014, 0.014), 0.5)]) }
            scene.stay((0.6, 0.5), seconds: 1)
            #expect(scene.counter.counts[0].entered == ["person": 1] && scene.counter.counts[0].left == [:])
        }
        // The area is 0.03 wide, but the margin is 0.02.
        var scene = try Scene("strip: 0.5,0 0.53,0 0.53,1 0.5,1")
        scene.stay((0.515, 0.5), seconds: 1)
        scene.stay((0.7, 0.5), seconds: 1)
        #expect(scene.counter.counts[0].entered == ["person": 1] && scene.counter.counts[0].left == ["person": 1])
    }

    @Test("A missing object stays in its area for the documented time, and then leaves")
    func lost() throws {
        var scene = try Scene(Self.room)
        scene.stay((0.7, 0.5), seconds: 2)
        scene.stay(nil, seconds: 0.9)
        #expect(scene.counter.counts[0].present == ["person": 1])
        scene.stay((0.7, 0.5), seconds: 1)
        scene.stay(nil, seconds: 1.2)
        #expect(scene.counter.counts[0].present == [:] && scene.counter.counts[0].entered == ["person": 1])
        let leave = try #require(scene.events.first { if case .leave = $0.kind { true } else { false } })
        guard case .leave(let duration, let isLost) = leave.kind else { return }
        // The object was last detected after 3.85 s.
        #expect(isLost && (duration - 3.85).magnitude < 1e-6)
    }

    @Test("An object that is lost at the line and detected again counts once, with the same or with another ID")
    func refound() throws {
        for id in [1, 2] as [Int32] {
            var scene = try Scene(Self.gate)
            scene.walk((0.8, 0.5), (0.52, 0.5), seconds: 1)
            scene.stay(nil, seconds: 0.4)
            scene.walk((0.45, 0.5), (0.2, 0.5), seconds: 1, id: id)
            #expect(scene.crossings == [true], "id \(id)")
            #expect(scene.events.last?.id == id)
        }
        // After the time for lost objects, the first position is a new start.
        var scene = try Scene(Self.gate)
        scene.walk((0.8, 0.5), (0.52, 0.5), seconds: 1)
        scene.stay(nil, seconds: 2)
        scene.walk((0.45, 0.5), (0.2, 0.5), seconds: 1)
        #expect(scene.crossings == [])
    }

    @Test("Objects without IDs are tracked by position")
    func untracked() throws {
        var scene = try Scene(Self.gate)
        for step in 0..<60 {
            let share = Double(step) / 60
            scene.frame([(0.8 - 0.6 * share, 0.4), (0.2 + 0.6 * share, 0.6)], ids: [0, 0])
        }
        #expect(scene.crossings.sorted { $0 && !$1 } == [true, false])
    }

    @Test("Occupancy counts each label, and changes of a label move the object")
    func labels() throws {
        var scene = try Scene(Self.room)
        for _ in 0..<20 { scene.frame([(0.6, 0.5), (0.8, 0.5)]) }
        #expect(scene.counter.counts[0].present == ["person": 2])
        for _ in 0..<20 { scene.frame([(0.6, 0.5), (0.8, 0.5)], label: "cat") }
        #expect(scene.counter.counts[0].present == ["cat": 2])
        #expect(scene.counter.counts[0].entered == ["person": 2] && scene.counter.counts[0].left == [:])
        #expect(scene.kinds.suffix(2) == [.occupancy(count: 2, total: 2), .occupancy(count: 0, total: 2)])
    }

    @Test("After a discontinuity, no path continues, and the numbers stay until a reset")
    func discontinuity() throws {
        var scene = try Scene("\(Self.gate); \(Self.room)")
        scene.stay((0.8, 0.5), seconds: 1)
        scene.counter.forgetTracks()
        scene.stay((0.2, 0.5), seconds: 1)
        #expect(scene.crossings == [])
        #expect(scene.counter.counts[1].entered == ["person": 1] && scene.counter.counts[1].total == 0)
        scene.walk((0.2, 0.5), (0.8, 0.5), seconds: 1)
        scene.stay((0.8, 0.5), seconds: 1)
        #expect(scene.counter.counts[0].backward == ["person": 1] && scene.counter.counts[1].entered == ["person": 2])
        scene.counter.resetCounts()
        #expect(scene.counter.counts[0] == ZoneCounts() && scene.counter.counts[1].present == ["person": 1])
    }

    @Test("New zones keep the numbers and the stays of zones with the same name")
    func newZones() throws {
        var scene = try Scene(Self.room)
        scene.stay((0.7, 0.5), seconds: 1)
        scene.counter.setZones(try ZoneList("hall: 0,0 0.1,0 0.1,1; room: 0.3,0 1,0 1,1 0.3,1"), aspect: 1)
        scene.stay((0.7, 0.5), seconds: 1)
        #expect(scene.counter.counts[1].entered == ["person": 1] && scene.counter.counts[1].present == ["person": 1])
        scene.counter.setZones(try ZoneList("room: 0.3,0 -> 0.3,1"), aspect: 1)
        scene.stay((0.7, 0.5), seconds: 1)
        #expect(scene.counter.counts[0] == ZoneCounts())
        scene.counter.setZones(ZoneList(), aspect: 1)
        scene.stay((0.7, 0.5), seconds: 1)
        #expect(scene.counter.counts.isEmpty)
    }

    @Test("Repeated IDs, many objects and many labels are limited")
    func hostile() throws {
        var scene = try Scene(Self.room, settle: 0)
        scene.frame([(0.7, 0.5), (0.1, 0.5)], ids: [5, 5])
        #expect(scene.counter.counts[0].present == ["person": 1])
        var counter = ZoneCounter()
        counter.rules.settle = 0
        counter.setZones(try ZoneList(Self.room), aspect: 1)
        for frame in 0..<3 {
            let objects = (0..<3000).map { index in
                ZoneObject(
                    id: Int32(frame * 3000 + index), type: "\(index)", label: "\(index)", anchor: Point(0.7, 0.5),
                    size: 0)
            }
            _ = counter.add(objects, at: Double(frame))
        }
        #expect(counter.counts[0].total <= ZoneCounter.maxTracks)
        #expect(counter.counts[0].entered.count <= ZoneCounter.maxLabels + 1)
    }
}
