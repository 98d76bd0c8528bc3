// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import Testing

/// The output of `gst-inspect-1.0` for an element.
struct Inspection {
    struct Property: Equatable {
        /// The type, as the documentation names it: `int`, `time`, `colour` …
        var type = ""
        var lower: Double?
        var upper: Double?
        /// The default value: a number as text, or a word.
        var initial = ""
        /// The names of an enumeration's values.
        var values: [String] = []
        var isControllable = false
        /// True if the output says that the property can be set in the state PLAYING.
        var isMutable = false
    }

    let description: String
    /// `filter`, `mixer`, `source` or `sink`.
    let kind: String
    let formats: [String]
    let properties: [String: Property]
    let padProperties: [String: Property]
    let actions: [String]

    /// The elements that a test has inspected. gst-inspect-1.0 runs only once for each element.
    private static let known = Mutex<[String: Inspection]>([:])

    init(_ element: String) throws {
        try Repository.requirePlugin()
        if let known = Self.known.withLock({ $0[element] }) {
            self = known
            return
        }
        let outcome = try Program.run(["gst-inspect-1.0", element])
        outcome.expectSuccess("gst-inspect-1.0 \(element)")
        let text = outcome.output
        description = try #require(text.firstMatch(of: #/Description +(.+)/#)).1.trimmingCharacters(in: .whitespaces)
        let isSink = text.contains("+----GstVideoSink")
        let bases = ["GstVideoSink": "sink", "GstVideoAggregator": "mixer", "GstPushSrc": "source"]
        kind = bases.first { text.contains("+----" + $0.key) }?.value ?? "filter"
        // Sinks accept all formats.
        let source = isSink ? "" : try #require(text.firstMatch(of: #/SRC template[\s\S]*?format: \{([^}]*)\}/#)).1
        formats = source.split(separator: ",").map {
            $0.replacing("(string)", with: "").trimmingCharacters(in: .whitespaces)
        }
        properties = Self.properties(Self.part("\nElement Properties:\n", of: text), indent: 2)
        let sink = Self.part("SINK template", of: text)
        padProperties = sink.contains("Pad Properties:") ? Self.properties(sink, indent: 6) : [:]
        actions = Self.part("\nElement Actions:\n", of: text).matches(of: #/(?m)^  "([a-z-]+)"/#).map { String($0.1) }
        let inspection = self
        Self.known.withLock { $0[element] = inspection }
    }

    /// Returns the text between a heading and the next heading of the same level.
    private static func part(_ heading: String, of text: String) -> Substring {
        guard let start = text.range(of: heading)?.upperBound else { return "" }
        let rest = text[start...]
        let end = rest.firstMatch(of: #/\n(?=[A-Z]|  S[RI])/#)?.range.lowerBound
        return rest[..<(end ?? rest.endIndex)]
    }

    private static func properties(_ text: Substring, indent: Int) -> [String: Property] {
        var properties: [String: Property] = [:]
        var name = ""
        for line in text.split(separator: "\n") {
            let depth = line.prefix { $0 == " " }.count
            if depth == indent, let found = line.firstMatch(of: #/^ +([a-z0-9-]+) *: (.*)$/#) {
                name = String(found.1)
                properties[name] = Property()
                let blurb = found.2
                if blurb.contains("big-endian ARGB") { properties[name]?.type = "colour" }
            } else if !name.isEmpty, depth > indent {
                properties[name]?.read(line.trimmingCharacters(in: .whitespaces))
            }
        }
        // All GstObjects have these two properties.
        return properties.filter { !["name", "parent"].contains($0.key) }
    }
}

extension Inspection.Property {
    private static var number: Regex<(Substring, Substring, Substring, Substring, Substring)> {
        #/^((?:Unsigned )?Integer(?:64)?|Double)\. Range: +(\S+) - +(\S+) Default: +(\S+)/#
    }

    /// Parses a line after the blurb.
    fileprivate mutating func read(_ line: String) {
        if line.hasPrefix("flags:") {
            isControllable = line.contains("controllable")
            isMutable = line.contains("PLAYING")
        } else if let number = line.firstMatch(of: Self.number) {
            let types = [
                "Integer": "int", "Unsigned Integer": "uint", "Integer64": "int64", "Unsigned Integer64": "uint64",
                "Double": "double",
            ]
            if type.isEmpty { type = types[String(number.1)] ?? "" }
            lower = Double(number.2)
            upper = Double(number.3)
            initial = String(number.4)
        } else if let truth = line.firstMatch(of: #/^Boolean\. Default: (true|false)/#) {
            type = "boolean"
            initial = String(truth.1)
            values = ["true", "false"]
        } else if let text = line.firstMatch(of: #/^String\. Default: (.*)$/#) {
            type = "string"
            initial = text.1 == "null" ? "none" : text.1.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        } else if let choice = line.firstMatch(of: #/^Enum "\w+" Default: -?\d+, "([^"]*)"/#) {
            type = "enum"
            initial = String(choice.1)
        } else if let choices = line.firstMatch(of: #/^Flags "\w+" Default: 0x[0-9a-f]+, "([^"]*)"/#) {
            type = "flags"
            // gst-inspect-1.0 prints the flags of a default value in reverse order.
            initial = choices.1.split(separator: "+").reversed().joined(separator: "+")
        } else if let value = line.firstMatch(of: #/^\((?:-?\d+|0x[0-9a-f]+)\): (\S+) +- /#) {
            values.append(String(value.1))
        } else if let boxed = line.firstMatch(of: #/^Boxed pointer of type "Gst(Structure|Sample)"/#) {
            type = boxed.1.lowercased()
            initial = "none"
        }
    }
}
