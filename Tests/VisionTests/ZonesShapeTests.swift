// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

@Suite("Zones: shapes and lists")
struct ZonesShapeTests {
    private let square = ZonePolygon([Point(1, 1), Point(3, 1), Point(3, 3), Point(1, 3)])

    @Test("The even-odd rule decides what is inside, also for concave and self-intersecting polygons")
    func inside() {
        for (x, y, isInside) in [(2.0, 2.0, true), (0.5, 2, false), (3.5, 2, false), (2, 0.5, false), (2, 3.5, false)] {
            #expect(square.contains(Point(x, y)) == isInside)
        }
        // An L: the square (2…3, 1…2) is missing.
        let corner = ZonePolygon([Point(1, 1), Point(2, 1), Point(2, 2), Point(3, 2), Point(3, 3), Point(1, 3)])
        #expect(corner.contains(Point(1.5, 1.5)) && corner.contains(Point(2.5, 2.5)))
        #expect(!corner.contains(Point(2.5, 1.5)))
        // A pentagram: its centre is covered twice, so the centre is outside.
        let star = ZonePolygon(
            (0..<5).map { index in
                let angle = sineAndCosine(degrees: Double(index) * 144)
                return Point(angle.sine, -angle.cosine)
            })
        #expect(!star.contains(Point(0, 0)))
        #expect(star.contains(Point(0, -0.7)))
        #expect(!ZonePolygon([]).contains(Point(0, 0)))
    }

    @Test("A point near the border is not clear: the distance to the nearest edge counts")
    func margin() {
        func placement(_ x: Double, _ y: Double) -> ZonePolygon.Placement {
            square.placement(of: Point(x, y), margin: 0.25)
        }
        #expect(placement(2, 2) == .init(isInside: true, isClear: true))
        #expect(placement(1.2, 2) == .init(isInside: true, isClear: false))
        #expect(placement(1.3, 2) == .init(isInside: true, isClear: true))
        #expect(placement(0.8, 2) == .init(isInside: false, isClear: false))
        #expect(placement(0.7, 2) == .init(isInside: false, isClear: true))
        // The distance to the corner (1, 1) is √(0.2² + 0.2²) = 0.28.
        #expect(placement(0.8, 0.8) == .init(isInside: false, isClear: true))
        #expect(placement(0.85, 0.85) == .init(isInside: false, isClear: false))
    }

    @Test("The path enters at the last border crossing, and the thickness is area / perimeter")
    func paths() {
        #expect(square.lastCrossing(from: Point(0, 2), to: Point(2, 2)) == 0.5)
        #expect(square.lastCrossing(from: Point(0, 2), to: Point(4, 2)) == 0.75)
        #expect(square.lastCrossing(from: Point(0, 0), to: Point(0, 4)) == 1)
        #expect(square.thickness == 0.5)
    }

    @Test("Forward is from left to right, seen from the start of the line, and only the segment counts")
    func lines() {
        // The line goes down on the screen, so its left side is at larger x.
        let line = DirectedLine(from: Point(2, 1), to: Point(2, 3))
        #expect(line.distance(of: Point(1.5, 2)) == 0.5)
        #expect(line.distance(of: Point(2.5, 9)) == -0.5)
        #expect(line.crossing(from: Point(3, 2), to: Point(1, 2)) == .init(isForward: true, share: 0.5))
        #expect(line.crossing(from: Point(1, 2), to: Point(5, 2)) == .init(isForward: false, share: 0.25))
        #expect(line.crossing(from: Point(3, 0.9), to: Point(1, 0.9)) == nil)
        #expect(line.crossing(from: Point(3, 0.5), to: Point(1, 1.6)) == .init(isForward: true, share: 0.5))
        #expect(line.crossing(from: Point(3, 2), to: Point(2.1, 2)) == nil)
        // A path with a corner on the line crosses once.
        let halves = [(Point(3, 2), Point(2, 2)), (Point(2, 2), Point(1, 2))]
        #expect(halves.compactMap { line.crossing(from: $0, to: $1) }.count == 1)
        #expect(DirectedLine(from: Point(1, 1), to: Point(1, 1)).crossing(from: Point(0, 0), to: Point(2, 2)) == nil)
    }

    // MARK: - Lists

    @Test("A text has areas and lines, with blanks and names in any script")
    func text() throws {
        let list = try ZoneList(" door : 0.1,0.2 0.4, 0.2\n0.4,0.9 ;  الباب:.5,0 -> .5,1 ;")
        #expect(
            list.zones == [
                .init(name: "door", shape: .area([Point(0.1, 0.2), Point(0.4, 0.2), Point(0.4, 0.9)])),
                .init(name: "الباب", shape: .line(Point(0.5, 0), Point(0.5, 1))),
            ])
        #expect(try ZoneList("").zones.isEmpty)
        #expect(try ZoneList("a:0,0->1,1").zones == [.init(name: "a", shape: .line(Point(0, 0), Point(1, 1)))])
    }

    @Test(
        "An error points at the character",
        arguments: [
            ("door 0.1,0.2", 1, "\":\" is missing"), ("a: 0.1,0.2 0.4,0.2", 1, "fewer than 3 corners"),
            ("a: 0.1,0.2 0.4 0.9", 16, "\",\" is missing"), ("a: 0.1,x", 8, "a number is missing"),
            ("a: 0,0 1,0 1,1.5", 14, "1.5 is outside 0–1"), ("a: 0,0 1,0 -0.1,1", 12, "-0.1 is outside 0–1"),
            ("a: 0,0 1,0 1,1; a: 0,0 -> 1,1", 17, "two zones have the name \"a\""),
            ("a: 0,0 -> 0,0", 1, "has no length"), ("a: 0,0 ->", 10, "the end of the line"),
            ("a: 0,0 1,0 -> 1,1", 12, "write a line as x,y -> x,y"), ("a: 0,0 -> 1,0 1,1", 15, "only two points"),
            ("a: 0,0 0.5,0.5 1,1", 1, "on one line"), (": 0,0 -> 1,1", 1, "the name of the zone is missing"),
            ("a,b: 0,0 -> 1,1", 1, "contains"), ("a: 0,0 -> 1,1; b", 16, "\":\" is missing"),
            ("a: nan,0 -> 1,1", 4, "a number is missing"),
            (String(repeating: "n", count: 65) + ": 0,0 -> 1,1", 1, "more than 64 characters"),
        ])
    func malformed(_ text: String, _ character: Int, _ words: String) throws {
        let error = try #require(throws: ZoneError.self) { _ = try ZoneList(text) }
        #expect(error.position == character - 1, "\(text): \(error)")
        #expect(error.message.contains(words), "\(text): \(error)")
        #expect(error.description.hasPrefix("at character \(character): "))
    }

    @Test("The description is a text with the same zones, without exponents")
    func description() throws {
        let text = "door: 0.1,0.2 0.4,0.25 1,0; الباب: 0.5,0 -> 0.333333333333,1"
        #expect(try ZoneList(text).description == text)
        let small = try ZoneList("a: 0.00001,0.00005 -> 0.000000123,1")
        #expect(small.description == "a: 0.0000100000000000,0.0000500000000000 -> 0.0000001230000000,1")
        #expect(try ZoneList(small.description) == small)
        #expect(ZoneList().description == "")
    }

    @Test("The numbers of zones and corners are limited")
    func limits() throws {
        func zones(_ count: Int) -> String { (0..<count).map { "\($0): 0,0 -> 1,1" }.joined(separator: ";") }
        #expect(try ZoneList(zones(64)).zones.count == 64)
        #expect(throws: ZoneError.self) { _ = try ZoneList(zones(65)) }
        func corners(_ count: Int) -> String {
            "a: " + (0..<count).map { "0.\(100 + $0),0.\(1000 - $0 * $0 / 8)" }.joined(separator: " ")
        }
        #expect(throws: Never.self) { _ = try ZoneList(corners(64)) }
        #expect(throws: ZoneError.self) { _ = try ZoneList(corners(65)) }
        #expect(throws: ZoneError.self) { _ = try ZoneList(String(repeating: " ", count: 1 << 19)) }
    }

    @Test("A JSON file has the same zones, and its errors name the zone")
    func json() throws {
        let file = """
            {"zones": [{"name": "door", "area": [[0.1, 0.2], [0.4, 0.2], [0.4, 1]]}, {"name": "gate", "line": [[0.5, 0], [0.5, 1]]}]}
            """
        #expect(try ZoneList(json: Array(file.utf8)) == ZoneList("door: 0.1,0.2 0.4,0.2 0.4,1; gate: 0.5,0 -> 0.5,1"))
        for (text, words) in [
            ("[]", "not a JSON object"), ("{\"zones\": 1}", "not a list"),
            ("{\"zone\": []}", "Did you mean \"zones\"?"),
            ("{\"zones\": [{\"name\": \"a\"}]}", "zone 1: use one of the members"),
            ("{\"zones\": [{\"name\": \"a\", \"line\": [[0, 0], [1, \"1\"]]}]}", "zone 1: a point"),
            ("{\"zones\": [{\"name\": \"a\", \"line\": [[0, 0], [1, 2]]}]}", "1.0,2.0 is outside 0–1"),
            ("{\"zones\": [{\"name\": \"a\", \"line\": [[0, 0], [1, 1], [1, 0]]}]}", "a line has two points"),
            ("{\"zones\": [{\"name\": \" a\", \"line\": [[0, 0], [1, 1]]}]}", "zone 1: the name \" a\" begins or ends"),
            ("{\"zones\": [{\"name\": \"a\u{A0}\", \"line\": [[0, 0], [1, 1]]}]}", "begins or ends with a blank"),
            ("{\"zones\": [{\"name\": \" \u{3000}\", \"line\": [[0, 0], [1, 1]]}]}", "name of the zone is missing"),
            ("{\"zones\": [{\"name\": \"a\", \"areas\": []}]}", "Did you mean \"area\"?"), ("{\"zones\": [", "line 1"),
        ] {
            let error = try #require(throws: ZoneError.self) { _ = try ZoneList(json: Array(text.utf8)) }
            #expect(error.position == nil && error.message.contains(words), "\(text): \(error)")
        }
    }

    // MARK: - Heat map

    @Test("The heat map adds the time, fades by half in its half-life, and is limited to the frame")
    func heat() {
        var heat = HeatMap()
        heat.add([Point(0.5, 0.5)], at: 10, fade: 60)
        #expect(heat.total == 0)
        for step in 1...10 { heat.add([Point(0.5, 0.5)], at: 10 + 0.1 * Double(step), fade: 60) }
        // One second, which has faded by a half-life of 60 s for at most one second.
        #expect(heat.total > 0.985 && heat.total < 1)
        let before = heat.total
        heat.add([], at: 71, fade: 60)
        #expect((heat.total / before - 0.5).magnitude < 1e-3)
        let image = OwnedImage(.gray8, width: 160, height: 90)
        heat.write(to: image.image)
        let (centre, corner) = (image.image.row(45)[80], image.image.row(0)[0])
        #expect(centre > 10 && corner == 0)
        for place in [Point(-5, 2), Point(1, 1), Point(.nan, 0), Point(.infinity, 0)] {
            heat.add([place], at: 80, fade: 60)
        }
    }
}
