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
        #expect(scene.counter.areas(of: .init(type: "person", id: 1)) == [])
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

    @Test("After a gap without frames, an object with the same ID is a new object")
    func gap() throws {
        var scene = try Scene("\(Self.gate); \(Self.room)")
        scene.stay((0.8, 0.5), seconds: 1)
        scene.time += 10
        scene.stay((0.2, 0.5), seconds: 1)
        #expect(scene.crossings == [])
        #expect(scene.counter.counts[1].left == ["person": 1] && scene.counter.counts[1].present == [:])
        let lost = scene.events.compactMap { event -> Double? in
            guard case .leave(let duration, isLost: true) = event.kind else { return nil }
            return duration
        }
        // The last frame before the gap is at 0.95 s.
        #expect(lost.count == 1 && lost.allSatisfy { ($0 - 0.95).magnitude < 1e-6 })
    }

    @Test("If frames have a longer interval than the time for lost objects, objects still settle")
    func slow() throws {
        var counter = ZoneCounter()
        counter.setZones(try ZoneList("\(Self.gate); \(Self.room)"), aspect: 1)
        var kinds: [ZoneEvent.Kind] = []
        for frame in 0..<10 {
            let object = ZoneObject(
                id: 1, type: "a", label: "a", anchor: Point(frame < 5 ? 0.8 : 0.2, 0.5), size: 0.1)
            kinds += counter.add([object], at: 2 * Double(frame)).map(\.kind)
        }
        #expect(kinds.contains(.cross(isForward: true)))
        #expect(counter.counts[1].entered == ["a": 1] && counter.counts[1].left == ["a": 1])
        #expect(!kinds.contains { if case .leave(_, isLost: true) = $0 { true } else { false } })
    }

    @Test("An object that appears within the margin of a line, and then crosses the line, counts")
    func appears() throws {
        var scene = try Scene(Self.gate)
        scene.walk((0.515, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.crossings == [true])
        scene = try Scene(Self.gate)
        scene.walk((0.49, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.crossings == [])
    }

    @Test("At the edges of the frame, zones have no border")
    func edges() throws {
        // The anchor stays exactly on the lower edge, on the right edge, and in the corner.
        for place in [(0.7, 1.0), (1.0, 0.5), (1.0, 1.0), (0.7, 0.0), (0.7, 0.995)] {
            for zone in [Self.room, "all: 0,0 1,0 1,1 0,1", "all: 0,1 1,1 1,0 0,0"] {
                var scene = try Scene(zone)
                scene.stay(place, seconds: 1)
                #expect(scene.counter.counts[0].entered == ["person": 1], "\(place), \(zone)")
            }
        }
        // The left border of the room is inside of the frame. At the lower edge, the border still has its margin.
        var scene = try Scene(Self.room)
        scene.stay((0.41, 1), seconds: 1)
        scene.stay((0.3, 1), seconds: 1)
        #expect(scene.counter.counts[0] == ZoneCounts())
        // A slanted border that ends at the lower edge keeps its slope: the border is at x = 0.5 for y = 1.
        scene = try Scene("part: 0.9,0.2 0.9,1 0.5,1")
        scene.stay((0.55, 1), seconds: 1)
        #expect(scene.counter.counts[0].entered == ["person": 1])
        scene = try Scene("part: 0.9,0.2 0.9,1 0.5,1")
        scene.stay((0.45, 1), seconds: 1)
        #expect(scene.counter.counts[0] == ZoneCounts())
    }

    @Test("A line to the edge of the frame counts objects that are exactly on the edge")
    func lineToEdge() throws {
        for line in ["a: 0.5,0.2 -> 0.5,1", "a: 0.3,0.3 -> 0.6,1", "a: 0.41,0.1 -> 0.59,1"] {
            var scene = try Scene(line)
            scene.walk((0.9, 1), (0.1, 1), seconds: 3)
            #expect(scene.crossings == [true], "\(line)")
        }
        for line in ["a: 0.2,0.5 -> 1,0.5", "a: 0.2,0.37 -> 1,0.61"] {
            var scene = try Scene(line)
            scene.walk((1, 0.1), (1, 0.9), seconds: 3)
            #expect(scene.crossings == [true], "\(line)")
        }
        // An end inside of the frame does not continue.
        var scene = try Scene("a: 0.5,0.2 -> 0.5,0.98")
        scene.walk((0.9, 1), (0.1, 1), seconds: 3)
        #expect(scene.crossings == [])
    }

    @Test("Objects of different types can have the same ID")
    func types() throws {
        var counter = ZoneCounter()
        counter.setZones(try ZoneList(Self.room), aspect: 1)
        for frame in 0..<20 {
            let objects = [("face", 0.7), ("car", 0.1), ("cup", 0.8)].map {
                ZoneObject(id: 1, type: $0, label: $0, anchor: Point($1, 0.5), size: 0.1)
            }
            _ = counter.add(objects, at: Double(frame) / 20)
        }
        #expect(counter.counts[0].present == ["face": 1, "cup": 1])
        #expect(counter.areas(of: .init(type: "face", id: 1)) == [0])
        #expect(counter.areas(of: .init(type: "car", id: 1)) == [])
    }

    @Test("Events have the name of their object, and no ID if the object has no ID")
    func names() throws {
        var counter = ZoneCounter()
        counter.setZones(try ZoneList(Self.room), aspect: 1)
        var events: [ZoneEvent] = []
        for frame in 0..<20 {
            let objects = [("Ada", 0.1), ("Bob", 0.7)].map {
                ZoneObject(id: 0, type: "face", label: "face", name: $0, anchor: Point($1, 0.5), size: 0.1)
            }
            events += counter.add(objects, at: Double(frame) / 20)
        }
        let enter = events.filter { $0.kind == .enter }
        #expect(enter.map(\.name) == ["Bob"] && enter.allSatisfy { $0.id == nil })
    }

    @Test("The first position of an object, outside of an area, is no border crossing")
    func firstPosition() throws {
        var scene = try Scene(Self.room)
        scene.stay((0.35, 0.5), seconds: 0.2)
        scene.stay((0.45, 0.5), seconds: 1)
        // The path crosses the border in the middle of the step from 0.15 s to 0.2 s.
        let enter = try #require(scene.events.first { $0.kind == .enter })
        #expect((0.5 - enter.delay - 0.175).magnitude < 1e-6)
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
        #expect(counter.counts[0].total == ZoneCounter.maxTracks)
        #expect(counter.counts[0].entered.count <= ZoneCounter.maxLabels + 1)
    }

    @Test("Many objects of one type with new IDs in each frame are limited")
    func newObjects() throws {
        var counter = ZoneCounter()
        counter.rules.settle = 0
        counter.setZones(try ZoneList(Self.room), aspect: 1)
        for frame in 0..<5 {
            let objects = (0..<1000).map { index in
                ZoneObject(
                    id: Int32(1 + frame * 1000 + index), type: "a", label: "a", anchor: Point(0.7, 0.5), size: 0.1)
            }
            _ = counter.add(objects, at: Double(frame) / 10)
        }
        // The first objects of each frame continue tracks. No further tracks fit.
        #expect(counter.counts[0].total == ZoneCounter.maxTracks)
        #expect(counter.numbers.count <= ZoneCounter.maxTracks)
        #expect(counter.areas(of: .init(type: "a", id: 4001)) == [0])
        #expect(counter.areas(of: .init(type: "a", id: 5000)) == [])
    }
}
