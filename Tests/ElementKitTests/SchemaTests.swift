// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

/// Compares the documentation with the fields of a detection.
@Suite("The documentation of detections")
struct SchemaTests {
    private static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs").standardizedFileURL

    private func names<Owner>(_ fields: [Field<Owner>], _ formats: FieldFormats) -> Set<String> {
        Set(fields.filter { !$0.formats.isDisjoint(with: formats) }.flatMap(\.names).map { "\($0)" })
    }

    @Test("The JSON schema lists exactly the members that are written")
    func members() throws {
        let data = try Data(contentsOf: Self.docs.appendingPathComponent("message-lines.schema.json"))
        let root = try required(try JSONSerialization.jsonObject(with: data) as? [String: Any], "no object")
        let definitions = try required(root["$defs"] as? [String: [String: Any]], "no $defs")
        func properties(_ schema: [String: Any]?) throws -> [String: [String: Any]] {
            try required(schema?["properties"] as? [String: [String: Any]], "no properties")
        }
        let object = try properties(definitions["object"])
        let members = object.filter { $0.value["$ref"] as? String != "#/$defs/answer" }.keys
        #expect(Set(members) == names(Detection.objectFields, .json).union(["detection", "landmarks", "outline"]))
        let detection = try properties(object["detection"])
        #expect(Set(detection.keys) == names(Detection.detectionFields, .json).union(["bounding_box"]))
        #expect(try Set(properties(detection["bounding_box"]).keys) == names(FrameBox.fields, .json))
        #expect(try Set(properties(object["landmarks"]).keys) == names(FaceLandmarks.fields, .json))
        #expect(try Set(properties(object["outline"]).keys) == names(Outline.fields, .json).union(["corners"]))
        #expect(try Set(properties(definitions["answer"]).keys) == names(Classification.fields, .json))
    }

    @Test("docs/metadata.md describes each field of the metadata and of messages")
    func text() throws {
        let text = try String(contentsOf: Self.docs.appendingPathComponent("metadata.md"), encoding: .utf8)
        let messages = try required(text.range(of: "\n## Messages\n"), "no section about messages").upperBound
        let end = try required(text[messages...].range(of: "\n## "), "no next section").lowerBound
        /// Returns the words in backquotes in all lines that start with `start`.
        func code(_ start: String, in text: Substring) -> Set<Substring> {
            let lines = text.split(separator: "\n").filter { $0.hasPrefix(start) }
            let quotes = lines.flatMap { line in
                line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map(\.element)
            }
            return Set(quotes.flatMap { $0.split(separator: " ") })
        }
        func missing(_ names: Set<String>, _ start: String, in text: Substring) -> Set<String> {
            names.subtracting(code(start, in: text).map { String($0) })
        }
        let (all, position) = (text[...], names(FrameBox.fields, .metadata))
        #expect(missing(names(Detection.detectionFields, .metadata).union(position), "| `detection`", in: all) == [])
        #expect(missing(names(FaceLandmarks.fields, .metadata), "| `landmarks`", in: all) == [])
        #expect(missing(names(Outline.fields, .metadata), "| `outline`", in: all) == [])
        #expect(missing(names(Classification.fields, .metadata), "| a classification:", in: all) == [])
        #expect(
            missing(names(Detection.messageFields, .metadata), "- `", in: text[messages..<end]) == [])
    }
}
