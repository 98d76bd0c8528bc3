// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

@Suite("Zones: counter")
struct ZonesCounterTests {
    @Test("A line counts both directions, and reports the time of the crossing")
    func crossings() throws {
        var scene = try ZonesScene(ZonesScene.gate)
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
        counter.setZones(try ZoneList(ZonesScene.gate), aspect: 1)
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
        var scene = try ZonesScene(ZonesScene.gate)
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
            var scene = try ZonesScene(ZonesScene.gate)
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
            counter.setZones(try ZoneList(ZonesScene.gate), aspect: 1)
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
        var scene = try ZonesScene(ZonesScene.room, dwell: 2)
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
            var scene = try ZonesScene(ZonesScene.room)
            var random = Imaging.SeededRandom(seed: UInt64(seed))
            scene.walk((0.2, 0.5), (0.4, 0.5), seconds: 1)
            for _ in 0..<100 { scene.frame([(0.4 + random.between(-0.014, 0.014), 0.5)]) }
            scene.stay((0.6, 0.5), seconds: 1)
            #expect(scene.counter.counts[0].entered == ["person": 1] && scene.counter.counts[0].left == [:])
        }
        // The area is 0.03 wide, but the margin is 0.02.
        var scene = try ZonesScene("strip: 0.5,0 0.53,0 0.53,1 0.5,1")
        scene.stay((0.515, 0.5), seconds: 1)
        scene.stay((0.7, 0.5), seconds: 1)
        #expect(scene.counter.counts[0].entered == ["person": 1] && scene.counter.counts[0].left == ["person": 1])
    }

    @Test("An object that appears within the margin of a line, and then crosses the line, counts")
    func appears() throws {
        var scene = try ZonesScene(ZonesScene.gate)
        scene.walk((0.515, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.crossings == [true])
        scene = try ZonesScene(ZonesScene.gate)
        scene.walk((0.49, 0.5), (0.2, 0.5), seconds: 2)
        #expect(scene.crossings == [])
    }

    @Test("At the edges of the frame, zones have no border")
    func edges() throws {
        // The anchor stays exactly on the lower edge, on the right edge, and in the corner.
        for place in [(0.7, 1.0), (1.0, 0.5), (1.0, 1.0), (0.7, 0.0), (0.7, 0.995)] {
            for zone in [ZonesScene.room, "all: 0,0 1,0 1,1 0,1", "all: 0,1 1,1 1,0 0,0"] {
                var scene = try ZonesScene(zone)
                scene.stay(place, seconds: 1)
                #expect(scene.counter.counts[0].entered == ["person": 1], "\(place), \(zone)")
            }
        }
        // The left border of the room is inside of the frame. At the lower edge, the border still has its margin.
        var scene = try ZonesScene(ZonesScene.room)
        scene.stay((0.41, 1), seconds: 1)
        scene.stay((0.3, 1), seconds: 1)
        #expect(scene.counter.counts[0] == ZoneCounts())
        // A slanted border that ends at the lower edge keeps its slope: the border is at x = 0.5 for y = 1.
        scene = try ZonesScene("part: 0.9,0.2 0.9,1 0.5,1")
        scene.stay((0.55, 1), seconds: 1)
        #expect(scene.counter.counts[0].entered == ["person": 1])
        scene = try ZonesScene("part: 0.9,0.2 0.9,1 0.5,1")
        scene.stay((0.45, 1), seconds: 1)
        #expect(scene.counter.counts[0] == ZoneCounts())
    }

    @Test("A line to the edge of the frame counts objects that are exactly on the edge")
    func lineToEdge() throws {
        for line in ["a: 0.5,0.2 -> 0.5,1", "a: 0.3,0.3 -> 0.6,1", "a: 0.41,0.1 -> 0.59,1"] {
            var scene = try ZonesScene(line)
            scene.walk((0.9, 1), (0.1, 1), seconds: 3)
            #expect(scene.crossings == [true], "\(line)")
        }
        for line in ["a: 0.2,0.5 -> 1,0.5", "a: 0.2,0.37 -> 1,0.61"] {
            var scene = try ZonesScene(line)
            scene.walk((1, 0.1), (1, 0.9), seconds: 3)
            #expect(scene.crossings == [true], "\(line)")
        }
        // An end inside of the frame does not continue.
        var scene = try ZonesScene("a: 0.5,0.2 -> 0.5,0.98")
        scene.walk((0.9, 1), (0.1, 1), seconds: 3)
        #expect(scene.crossings == [])
    }

    @Test("The first position of an object, outside of an area, is no border crossing")
    func firstPosition() throws {
        var scene = try ZonesScene(ZonesScene.room)
        scene.stay((0.35, 0.5), seconds: 0.2)
        scene.stay((0.45, 0.5), seconds: 1)
        // The path crosses the border in the middle of the step from 0.15 s to 0.2 s.
        let enter = try #require(scene.events.first { $0.kind == .enter })
        #expect((0.5 - enter.delay - 0.175).magnitude < 1e-6)
    }
}
