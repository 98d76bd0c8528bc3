// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files

/// The condition in the property `trigger`: alternatives, separated by `|`. An alternative is a list of terms such as
/// `zone=door`. An alternative matches a message if all its terms match.
struct TriggerRule: Sendable, Equatable {
    private struct Term: Sendable, Equatable {
        let key: String
        let value: String
    }

    private var alternatives: [[Term]] = []

    /// A malformed text. `position` is the index of the wrong character, from 0.
    struct ParsingError: Error, Equatable {
        let position: Int
        let problem: String
    }

    /// The fields of a message from which svevents makes the name of a clip.
    struct Match: Sendable, Equatable {
        var label = ""
        var zone = ""
        var event = ""
    }

    /// The maximum number of characters of a trigger.
    private static let maxLength = 10_000

    init(_ text: String) throws(ParsingError) {
        guard text.count <= Self.maxLength else {
            throw ParsingError(position: Self.maxLength, problem: "the text is too long")
        }
        var parser = Parser(characters: Array(text))
        repeat {
            var terms: [Term] = []
            parser.skipBlanks()
            while let next = parser.next, next != "|" {
                terms.append(try parser.term())
                parser.skipBlanks()
            }
            guard !terms.isEmpty else {
                throw ParsingError(position: parser.position, problem: "expected a term, such as label=face")
            }
            alternatives.append(terms)
        } while parser.skip("|")
    }

    private struct Parser {
        let characters: [Character]
        var position = 0

        var next: Character? { position < characters.count ? characters[position] : nil }

        mutating func skipBlanks() { while next?.isWhitespace == true { position += 1 } }

        mutating func skip(_ character: Character) -> Bool {
            guard next == character else { return false }
            position += 1
            return true
        }

        mutating func term() throws(ParsingError) -> Term {
            let start = position
            while let next, next.isLetter || next.isNumber || "-_.".contains(next) { position += 1 }
            guard position > start else {
                throw ParsingError(position: position, problem: "expected the name of a field")
            }
            let key = String(characters[start..<position])
            guard skip("=") else { throw ParsingError(position: position, problem: "expected = after \(key)") }
            return Term(key: key, value: try value())
        }

        private mutating func value() throws(ParsingError) -> String {
            let start = position
            if skip("\"") {
                while let next, next != "\"" { position += 1 }
                let value = String(characters[start + 1..<position])
                guard skip("\"") else { throw ParsingError(position: start, problem: "the closing quote is missing") }
                return value
            }
            while let next, !next.isWhitespace, next != "|" { position += 1 }
            guard position > start else { throw ParsingError(position: position, problem: "expected a value") }
            return String(characters[start..<position])
        }
    }

    // MARK: - Matching

    /// Compares the rule with a message. The terms of an alternative can refer to fields of the message and of one
    /// object in the message.
    /// - Returns: nil if no alternative matches.
    func match(_ message: ElementMessage) -> Match? {
        for terms in alternatives {
            let own = terms.filter { $0.key != "name" && $0.key != "element" }
            let isMeant = terms.allSatisfy { term in
                switch term.key {
                case "name": term.value == message.name
                case "element": term.value == message.source
                default: true
                }
            }
            // The messages of svevents contain the fields of the message that triggered the clip. They match only if a
            // term with the key `name` selects them. Otherwise, two svevents in a pipeline would trigger each other
            // forever.
            guard isMeant, message.name != Events.metadata.name || terms.contains(where: { $0.key == "name" }) else {
                continue
            }
            let objects: [JSONValue?] = [nil] + (message.fields["objects"]?.list ?? []).map { $0 }
            for object in objects {
                let fields = Fields(message: message.fields, object: object)
                guard own.allSatisfy({ fields.matches($0.key, $0.value) }) else { continue }
                return Match(
                    label: fields.label(own.map(\.key)), zone: fields.text("zone") ?? "",
                    event: fields.text("event") ?? "")
            }
        }
        return nil
    }

    /// The fields of a message and of one of its objects. The fields of the object take priority.
    private struct Fields {
        let message: JSONValue
        let object: JSONValue?

        private func value(_ key: String) -> JSONValue? { object?[key] ?? message[key] }

        func matches(_ key: String, _ value: String) -> Bool {
            switch self.value(key) {
            case .text(let text): text == value
            case .truth(let isTrue): value == (isTrue ? "true" : "false")
            case .whole(let number): Int64(value) == number
            case .count(let number): UInt64(value) == number
            case .real(let number), .exact(let number): Double(value) == number
            case .list, .table, .null, nil: false
            }
        }

        func text(_ key: String) -> String? {
            switch value(key) {
            case .text(let text): text
            case .whole(let number): "\(number)"
            case .count(let number): "\(number)"
            case .null, .truth, .real, .exact, .list, .table, nil: nil
            }
        }

        /// Returns the name of the object: the first classification of the object that is in `keys`, such as `person`;
        /// otherwise the label or the type.
        func label(_ keys: [String]) -> String {
            let classification = keys.first { key in
                !["event", "zone", "label", "type", "direction"].contains(key) && object?[key]?.text != nil
            }
            return classification.flatMap { text($0) } ?? text("label") ?? text("type") ?? ""
        }
    }
}

extension ElementError {
    init(_ error: TriggerRule.ParsingError) {
        self.init(.settings, "trigger, at character \(error.position + 1): \(error.problem)")
    }
}
