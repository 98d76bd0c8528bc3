// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

@Suite("Zones: tracks")
struct ZonesTracksTests {
    @Test("A missing object stays in its area for the documented time, and then leaves")
    func lost() throws {
        var scene = try ZonesScene(ZonesScene.room)
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
            var scene = try ZonesScene(ZonesScene.gate)
            scene.walk((0.8, 0.5), (0.52, 0.5), seconds: 1)
            scene.stay(nil, seconds: 0.4)
            scene.walk((0.45, 0.5), (0.2, 0.5), seconds: 1, id: id)
            #expect(scene.crossings == [true], "id \(id)")
            #expect(scene.events.last?.id == id)
        }
        // After the time for lost objects, the first position is a new start.
        var scene = try ZonesScene(ZonesScene.gate)
        scene.walk((0.8, 0.5), (0.52, 0.5), seconds: 1)
        scene.stay(nil, seconds: 2)
        scene.walk((0.45, 0.5), (0.2, 0.5), seconds: 1)
        #expect(scene.crossings == [])
    }

    @Test("After a gap without frames, an object with the same ID is a new object")
    func gap() throws {
        var scene = try ZonesScene("\(ZonesScene.gate); \(ZonesScene.room)")
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
        counter.setZones(try ZoneList("\(ZonesScene.gate); \(ZonesScene.room)"), aspect: 1)
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

    @Test("Objects of different types can have the same ID")
    func types() throws {
        var counter = ZoneCounter()
        counter.setZones(try ZoneList(ZonesScene.room), aspect: 1)
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
        counter.setZones(try ZoneList(ZonesScene.room), aspect: 1)
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

    @Test("Objects without IDs are tracked by position")
    func untracked() throws {
        var scene = try ZonesScene(ZonesScene.gate)
        for step in 0..<60 {
            let share = Double(step) / 60
            scene.frame([(0.8 - 0.6 * share, 0.4), (0.2 + 0.6 * share, 0.6)], ids: [0, 0])
        }
        #expect(scene.crossings.sorted { $0 && !$1 } == [true, false])
    }

    @Test("Occupancy counts each label, and changes of a label move the object")
    func labels() throws {
        var scene = try ZonesScene(ZonesScene.room)
        for _ in 0..<20 { scene.frame([(0.6, 0.5), (0.8, 0.5)]) }
        #expect(scene.counter.counts[0].present == ["person": 2])
        for _ in 0..<20 { scene.frame([(0.6, 0.5), (0.8, 0.5)], label: "cat") }
        #expect(scene.counter.counts[0].present == ["cat": 2])
        #expect(scene.counter.counts[0].entered == ["person": 2] && scene.counter.counts[0].left == [:])
        #expect(scene.kinds.suffix(2) == [.occupancy(count: 2, total: 2), .occupancy(count: 0, total: 2)])
    }

    @Test("After a discontinuity, no path continues, and the numbers stay until a reset")
    func discontinuity() throws {
        var scene = try ZonesScene("\(ZonesScene.gate); \(ZonesScene.room)")
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
        var scene = try ZonesScene(ZonesScene.room)
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
        var scene = try ZonesScene(ZonesScene.room, settle: 0)
        scene.frame([(0.7, 0.5), (0.1, 0.5)], ids: [5, 5])
        #expect(scene.counter.counts[0].present == ["person": 1])
        var counter = ZoneCounter()
        counter.rules.settle = 0
        counter.setZones(try ZoneList(ZonesScene.room), aspect: 1)
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
        counter.setZones(try ZoneList(ZonesScene.room), aspect: 1)
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
