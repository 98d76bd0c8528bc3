// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// Checks values with a JSON Schema (draft 2020-12). It supports only the keywords that the schemas in docs use. If a
/// schema contains another keyword, the test fails.
struct JSONSchema {
    private let root: [String: Any]

    /// Reads a schema from the folder docs.
    init(_ name: String) throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docs/\(name)").standardizedFileURL.path
        let value = try JSONSerialization.jsonObject(with: Data(contents(of: path)))
        root = try required(value as? [String: Any], "\(path) is no table")
    }

    /// Returns the first error in a message. Returns nil if the message is valid.
    func error(in message: [UInt8]) throws -> String? {
        let value = try JSONSerialization.jsonObject(with: Data(message), options: .fragmentsAllowed)
        return try error(value, root, "")
    }

    private func error(_ value: Any, _ schema: [String: Any], _ path: String) throws -> String? {
        for (keyword, rule) in schema {
            let isWrong =
                switch (keyword, rule) {
                case ("$schema", _), ("$defs", _), ("title", _), ("description", _), ("properties", _), ("items", _),
                    ("additionalProperties", _):
                    false
                case ("const", let only): !Self.isSame(value, only)
                case ("enum", let values as [Any]): !values.contains { Self.isSame(value, $0) }
                case ("anyOf", let schemas as [[String: Any]]):
                    try schemas.allSatisfy { try error(value, $0, path) != nil }
                case ("allOf", let schemas as [[String: Any]]):
                    try schemas.contains { try error(value, $0, path) != nil }
                case ("$ref", let name as String): try error(value, reference: name, path) != nil
                case ("type", let type as String):
                    Self.type(of: value) != type && !(type == "number" && Self.isInteger(value))
                case ("minimum", let least as NSNumber):
                    (value as? NSNumber).map { $0.doubleValue < least.doubleValue } ?? false
                case ("minItems", let least as Int): (value as? [Any]).map { $0.count < least } ?? false
                case ("maxItems", let most as Int): (value as? [Any]).map { $0.count > most } ?? false
                case ("pattern", let pattern as String):
                    (value as? String).map { $0.range(of: pattern, options: .regularExpression) == nil } ?? false
                case ("required", let names as [String]):
                    (value as? [String: Any]).map { table in names.contains { table[$0] == nil } } ?? false
                default: throw TestFailure("\(keyword) is not known")
                }
            if isWrong { return "\(path): \(keyword) \(rule)" }
        }
        return try errorInside(value, schema, path)
    }

    private func errorInside(_ value: Any, _ schema: [String: Any], _ path: String) throws -> String? {
        if let table = value as? [String: Any] {
            let known = schema["properties"] as? [String: [String: Any]] ?? [:]
            for (name, member) in table {
                if let schema = known[name] ?? schema["additionalProperties"] as? [String: Any] {
                    if let error = try error(member, schema, "\(path)/\(name)") { return error }
                } else if schema["additionalProperties"] as? Bool == false {
                    return "\(path): \(name) is not known"
                }
            }
        }
        if let items = value as? [Any], let schema = schema["items"] as? [String: Any] {
            for (index, item) in items.enumerated() {
                if let error = try error(item, schema, "\(path)/\(index)") { return error }
            }
        }
        return nil
    }

    /// - Parameter reference: `#/$defs/NAME`. For another schema in the folder docs, `FILE#/$defs/NAME`.
    private func error(_ value: Any, reference: String, _ path: String) throws -> String? {
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false).map { String($0) }
        let schema = try parts[0].isEmpty ? self : JSONSchema(parts[0])
        let definitions = schema.root["$defs"] as? [String: [String: Any]]
        let name = try required(parts.last, "\(reference) has no name").replacing("/$defs/", with: "")
        return try schema.error(value, required(definitions?[name], "\(reference) is not there"), path)
    }

    /// Compares strings, numbers and truth values.
    private static func isSame(_ value: Any, _ other: Any) -> Bool {
        if let value = value as? String { return value == other as? String }
        return type(of: value) == type(of: other) && value as? NSNumber == other as? NSNumber
    }

    private static func type(of value: Any) -> String {
        switch value {
        case is String: "string"
        case is [Any]: "array"
        case is [String: Any]: "object"
        case let number as NSNumber:
            String(cString: number.objCType) == "c" ? "boolean" : isInteger(number) ? "integer" : "number"
        default: "null"
        }
    }

    private static func isInteger(_ value: Any) -> Bool {
        guard let number = value as? NSNumber, String(cString: number.objCType) != "c" else { return false }
        return number.doubleValue == number.doubleValue.rounded()
    }
}
