// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// A malformed list of zones.
package struct ZoneError: Error, Equatable, CustomStringConvertible {
    package let message: String
    /// The index of the character with the error; nil if the list comes from JSON and not from the text notation.
    package let position: Int?

    package var description: String { position.map { "at character \($0 + 1): \(message)" } ?? message }
}

/// Named zones: areas and lines, with positions as fractions of the frame.
package struct ZoneList: Sendable, Hashable {
    package struct Zone: Sendable, Hashable {
        package var name: String
        package var shape: Shape

        package init(name: String, shape: Shape) { (self.name, self.shape) = (name, shape) }
    }

    package enum Shape: Sendable, Hashable {
        case area([Point])
        case line(Point, Point)
    }

    package private(set) var zones: [Zone] = []

    /// Maximum number of zones, and maximum number of corners of an area.
    package static let maxZones = 64
    package static let maxCorners = 64
    /// Maximum length of a name, in characters.
    package static let maxName = 64
    /// Maximum length of a text or a file, in bytes.
    package static let maxBytes = 1 << 18

    package init() {}

    /// Adds a zone, and checks its name and positions.
    /// - Parameter position: the index of the zone's first character.
    private mutating func add(_ zone: Zone, at position: Int?) throws(ZoneError) {
        func refusal(_ message: String) -> ZoneError { ZoneError(message: message, position: position) }
        let name = zone.name
        guard name.contains(where: { !$0.isWhitespace }) else { throw refusal("the name of the zone is missing") }
        // The text notation ignores blanks around a name, so it cannot represent such a name.
        guard name.first?.isWhitespace != true, name.last?.isWhitespace != true else {
            throw refusal("the name \"\(name)\" begins or ends with a blank")
        }
        guard name.count <= Self.maxName, name.utf8.count <= 8 * Self.maxName else {
            throw refusal("the name of the zone has more than \(Self.maxName) characters")
        }
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw refusal("the name of the zone contains a control character")
        }
        guard !name.contains(where: { ":;,".contains($0) }) else {
            throw refusal("the name \"\(name)\" contains \":\", \";\" or \",\"")
        }
        guard !zones.contains(where: { $0.name == name }) else { throw refusal("two zones have the name \"\(name)\"") }
        guard zones.count < Self.maxZones else { throw refusal("more than \(Self.maxZones) zones") }
        switch zone.shape {
        case .area(let corners):
            guard corners.count >= 3 else {
                throw refusal("the area \"\(name)\" has fewer than 3 corners. For a line, use x,y -> x,y")
            }
            guard corners.count <= Self.maxCorners else {
                throw refusal("the area \"\(name)\" has more than \(Self.maxCorners) corners")
            }
            guard Self.hasExtent(corners) else { throw refusal("all corners of the area \"\(name)\" are on one line") }
        case .line(let start, let end):
            guard start != end else { throw refusal("the line \"\(name)\" has no length") }
        }
        zones.append(zone)
    }

    private static func hasExtent(_ corners: [Point]) -> Bool {
        guard let first = corners.first, let second = corners.first(where: { $0 != first }) else { return false }
        return corners.contains { ($0 - first).cross(second - first).magnitude > 1e-9 }
    }
}

// MARK: - Text

extension ZoneList {
    /// Parses a text such as `door: 0.1,0.2 0.4,0.2 0.4,0.9; gate: 0.5,0.1 -> 0.5,0.9`.
    package init(_ text: String) throws(ZoneError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw ZoneError(message: "the text has more than \(Self.maxBytes) bytes", position: 0)
        }
        var reader = ZoneReader(text)
        while reader.next != nil {
            let start = reader.position
            let name = try reader.name()
            try add(Zone(name: name, shape: try reader.shape(name)), at: start)
        }
    }
}

/// Reads the parts of a text that describes zones.
private struct ZoneReader {
    private let characters: [Character]
    private(set) var position = 0

    init(_ text: String) { characters = Array(text) }

    private func wrong(_ message: String) -> ZoneError { ZoneError(message: message, position: position) }

    /// Skips blanks, and returns the next character without consuming it. Returns nil at the end of the text.
    var next: Character? {
        mutating get {
            while position < characters.count, characters[position].isWhitespace { position += 1 }
            return position < characters.count ? characters[position] : nil
        }
    }

    /// Reads a name and the colon after the name.
    mutating func name() throws(ZoneError) -> String {
        let rest = characters[position...]
        guard let colon = rest.firstIndex(where: { $0 == ":" || $0 == ";" }), characters[colon] == ":" else {
            throw wrong("\":\" is missing after the name of the zone")
        }
        var name = rest[..<colon]
        while name.last?.isWhitespace == true { name.removeLast() }
        position = colon + 1
        return String(name)
    }

    /// Reads positions up to the semicolon after the zone, or to the end of the text.
    mutating func shape(_ name: String) throws(ZoneError) -> ZoneList.Shape {
        var points: [Point] = []
        var arrow: Int?
        while let character = next, character != ";" {
            if character == "-", position + 1 < characters.count, characters[position + 1] == ">" {
                guard arrow == nil, points.count == 1 else { throw wrong("write a line as x,y -> x,y") }
                arrow = position
                position += 2
                continue
            }
            guard arrow == nil || points.count < 2 else { throw wrong("a line has only two points") }
            // Stop at the second corner beyond the maximum. `add` reports areas with one corner too many.
            guard points.count <= ZoneList.maxCorners else {
                throw wrong("the area \"\(name)\" has more than \(ZoneList.maxCorners) corners")
            }
            let x = try number()
            guard next == "," else { throw wrong("\",\" is missing between x and y") }
            position += 1
            points.append(Point(x, try number()))
        }
        guard arrow == nil || points.count == 2 else { throw wrong("the end of the line \"\(name)\" is missing") }
        if next == ";" { position += 1 }
        return arrow == nil ? .area(points) : .line(points[0], points[1])
    }

    private mutating func number() throws(ZoneError) -> Double {
        _ = next
        let start = position
        if position < characters.count, characters[position] == "-" || characters[position] == "+" { position += 1 }
        while position < characters.count, characters[position].isASCII,
            characters[position].isNumber || characters[position] == "."
        {
            position += 1
        }
        guard let number = Double(String(characters[start..<position])) else {
            position = start
            throw wrong("a number is missing. Positions are x,y, such as 0.25,0.5")
        }
        guard (0...1).contains(number) else {
            position = start
            throw wrong("\(String(characters[start..<min(position + 12, characters.count)]).firstWord) is outside 0–1")
        }
        return number
    }
}

extension String {
    fileprivate var firstWord: String { String(prefix { !$0.isWhitespace && $0 != "," && $0 != ";" }) }
}

// MARK: - As text

extension ZoneList: CustomStringConvertible {
    /// The zones in the notation that `init(_ text:)` parses.
    package var description: String {
        zones.map { zone in
            switch zone.shape {
            case .area(let corners): "\(zone.name): \(corners.map(\.fractions).joined(separator: " "))"
            case .line(let start, let end): "\(zone.name): \(start.fractions) -> \(end.fractions)"
            }
        }.joined(separator: "; ")
    }
}

extension Point {
    fileprivate var fractions: String { "\(Self.decimal(x)),\(Self.decimal(y))" }

    /// Returns a number from 0 to 1 without an exponent, because the notation of zones has no exponents.
    private static func decimal(_ number: Double) -> String {
        let text = "\(number)"
        guard text.contains("e") else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
        // Swift writes an exponent only for numbers below 0.0001. So write the number with 16 decimal places.
        let digits = "\(Int((number.magnitude * 1e16).rounded()))"
        return "0." + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

// MARK: - JSON

extension ZoneList {
    private static let members = (root: ["zones"], zone: ["name", "area", "line"])

    /// Parses a JSON object such as `{"zones": [{"name": "door", "area": [[0.1, 0.2], [0.4, 0.2], [0.4, 0.9]]}]}`.
    package init(json bytes: [UInt8]) throws(ZoneError) {
        let root: JSONValue
        do throws(ParsingError) {
            root = try JSONValue(reading: bytes, limits: ParsingLimits(depth: 6, values: 20_000))
        } catch {
            throw ZoneError(message: "\(error)", position: nil)
        }
        try Self.check(root, Self.members.root, in: "the file")
        guard let list = root["zones"]?.list else {
            throw ZoneError(message: "the member \"zones\" is not a list", position: nil)
        }
        for (index, item) in list.enumerated() {
            let place = "zone \(index + 1)"
            func refusal(_ message: String) -> ZoneError { ZoneError(message: "\(place): \(message)", position: nil) }
            try Self.check(item, Self.members.zone, in: place)
            guard let name = item["name"]?.text else { throw refusal("the member \"name\" is not a string") }
            let shape: Shape
            switch (item["area"], item["line"]) {
            case (let area?, nil): shape = .area(try Self.points(area, place))
            case (nil, let line?):
                let points = try Self.points(line, place)
                guard points.count == 2 else { throw refusal("a line has two points") }
                shape = .line(points[0], points[1])
            default: throw refusal("use one of the members \"area\" and \"line\"")
            }
            do throws(ZoneError) {
                try add(Zone(name: name, shape: shape), at: nil)
            } catch {
                throw refusal(error.message)
            }
        }
    }

    /// Throws an error for unknown members. Otherwise, a misspelt member would have no effect.
    private static func check(_ value: JSONValue, _ names: [String], in place: String) throws(ZoneError) {
        guard case .table(let members) = value else {
            throw ZoneError(message: "\(place) is not a JSON object", position: nil)
        }
        if let member = members.first(where: { !names.contains($0.name) }) {
            throw ZoneError(message: "\(place): \(unknown("member", member.name, among: names))", position: nil)
        }
    }

    private static func points(_ value: JSONValue, _ place: String) throws(ZoneError) -> [Point] {
        func refusal(_ message: String) -> ZoneError { ZoneError(message: "\(place): \(message)", position: nil) }
        guard let list = value.list else { throw refusal("the points are not a list") }
        guard list.count <= maxCorners else { throw refusal("more than \(maxCorners) corners") }
        var points: [Point] = []
        for item in list {
            guard let pair = item.list, pair.count == 2, let x = pair[0].coordinate, let y = pair[1].coordinate else {
                throw refusal("a point is not a list of two numbers")
            }
            guard (0...1).contains(x), (0...1).contains(y) else { throw refusal("\(x),\(y) is outside 0–1") }
            points.append(Point(x, y))
        }
        return points
    }
}

extension JSONValue {
    /// The value if it is a JSON number. Unlike `number`, does not convert a string to a number.
    fileprivate var coordinate: Double? { text == nil ? number : nil }
}
