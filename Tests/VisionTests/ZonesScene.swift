// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
@testable import Vision

/// Objects in areas and at lines of a frame with the aspect ratio 1, at 20 frames per second.
struct ZonesScene {
    static let gate = "gate: 0.5,0.2 -> 0.5,0.8"
    static let room = "room: 0.4,0 1,0 1,1 0.4,1"

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
