// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// Selects the formats in which a field is written. If a list of fields is used for only one format, its fields can
/// keep the default, `all`.
struct FieldFormats: OptionSet, Sendable {
    let rawValue: UInt8

    /// Structures, in messages on the bus and in the metadata of buffers.
    static let metadata = FieldFormats(rawValue: 1)
    static let json = FieldFormats(rawValue: 2)
    static let all: FieldFormats = [.metadata, .json]
}

/// A field of a detection or of one of its parts, such as its landmarks.
struct Field<Owner>: Sendable {
    /// The names of the value's parts, such as the two coordinates of a point.
    let names: [StaticString]
    let formats: FieldFormats
    /// True if reading fails when the field is missing.
    let isRequired: Bool
    /// Returns the parts of the value; an empty array if the owner does not have the field.
    let parts: @Sendable (Owner) -> [JSONValue]
    /// Sets the value. Returns false if the parts are not a valid value.
    let read: @Sendable (inout Owner, [JSONValue]) -> Bool

    // Inlined, so that the compiler specialises the closures for the type of the value.
    @inline(__always)
    init<Value: FieldValue>(
        _ names: StaticString..., at path: any WritableKeyPath<Owner, Value> & Sendable,
        in formats: FieldFormats = .all, isRequired: Bool = false
    ) {
        (self.names, self.formats, self.isRequired) = (names, formats, isRequired)
        parts = { $0[keyPath: path].parts }
        read = { owner, parts in
            guard let value = Value(parts: parts) else { return false }
            owner[keyPath: path] = value
            return true
        }
    }

    /// Creates a field that is written, but not read.
    init(_ name: StaticString, in formats: FieldFormats = .all, _ value: @escaping @Sendable (Owner) -> JSONValue?) {
        (names, self.formats, isRequired) = ([name], formats, false)
        parts = { value($0).map { [$0] } ?? [] }
        read = { _, _ in true }
    }
}

// MARK: - Writing and reading

extension Structure {
    /// Writes the owner's fields to the structure.
    mutating func set<Owner>(_ fields: [Field<Owner>], of owner: Owner) {
        for field in fields where field.formats.contains(.metadata) {
            for (name, value) in zip(field.names, field.parts(owner)) { set(name, value) }
        }
    }
}

extension StructureView {
    /// Reads the fields of `owner` from the structure. Fields that are missing or invalid keep their values.
    /// - Returns: false if a required field is missing or invalid.
    func read<Owner>(_ fields: [Field<Owner>], into owner: inout Owner) -> Bool {
        for field in fields where field.formats.contains(.metadata) {
            let parts = field.names.compactMap(value)
            let isRead = parts.count == field.names.count && field.read(&owner, parts)
            guard isRead || !field.isRequired else { return false }
        }
        return true
    }
}

extension JSONWriter {
    /// Writes the fields of an owner as members of a table.
    mutating func write<Owner>(_ fields: [Field<Owner>], of owner: Owner) {
        for field in fields where field.formats.contains(.json) {
            for (name, value) in zip(field.names, field.parts(owner)) {
                self.name(name)
                write(value)
            }
        }
    }
}

// MARK: - Values

/// The type of a field's value. A value has one or more named parts, such as the coordinates of a point. A missing
/// value has no parts.
protocol FieldValue {
    var parts: [JSONValue] { get }

    /// Returns nil if a part has another type or is out of range.
    init?(parts: [JSONValue])
}

extension Optional: FieldValue where Wrapped: FieldValue {
    var parts: [JSONValue] { self?.parts ?? [] }

    init?(parts: [JSONValue]) {
        guard let value = Wrapped(parts: parts) else { return nil }
        self = value
    }
}

extension Bool: FieldValue {
    var parts: [JSONValue] { [.truth(self)] }

    init?(parts: [JSONValue]) {
        guard let isTrue = parts.first?.truth else { return nil }
        self = isTrue
    }
}

extension FieldValue where Self: FixedWidthInteger {
    var parts: [JSONValue] { [.whole(Int64(clamping: self))] }

    init?(parts: [JSONValue]) {
        guard let number = parts.first?.integer else { return nil }
        self.init(exactly: number)
    }
}

extension Int: FieldValue {}
extension Int32: FieldValue {}

extension Double: FieldValue {
    var parts: [JSONValue] { [.real(self)] }

    init?(parts: [JSONValue]) {
        guard case .real(let number)? = parts.first, number.isFinite else { return nil }
        self = number
    }
}

extension String: FieldValue {
    var parts: [JSONValue] { [.text(self)] }

    init?(parts: [JSONValue]) {
        guard let text = parts.first?.text else { return nil }
        self = text
    }
}

extension Detection.Kind: FieldValue {
    var parts: [JSONValue] { rawValue.parts }

    init?(parts: [JSONValue]) {
        guard let name = String(parts: parts) else { return nil }
        self.init(rawValue: name)
    }
}

/// An opaque colour, as `#rrggbb`.
extension Color: FieldValue {
    var parts: [JSONValue] {
        let digits = String(argb & 0xFF_FFFF, radix: 16)
        return [.text("#" + String(repeating: "0", count: 6 - digits.count) + digits)]
    }

    init?(parts: [JSONValue]) {
        guard let digits = parts.first?.text?.dropFirst(), let number = UInt32(digits, radix: 16) else { return nil }
        self.init(argb: number | 0xFF00_0000)
    }
}

extension Point: FieldValue {
    var parts: [JSONValue] { [.real(x), .real(y)] }

    init?(parts: [JSONValue]) {
        let coordinates = parts.compactMap { Double(parts: [$0]) }
        guard coordinates.count == 2 else { return nil }
        self.init(coordinates[0], coordinates[1])
    }
}

extension ClosedEyes: FieldValue {
    var parts: [JSONValue] { [.truth(left), .truth(right)] }

    init?(parts: [JSONValue]) {
        let eyes = parts.compactMap(\.truth)
        guard eyes.count == 2 else { return nil }
        self.init(left: eyes[0], right: eyes[1])
    }
}

extension HeadPose: FieldValue {
    var parts: [JSONValue] { [.real(roll), .real(yaw), .real(pitch)] }

    init?(parts: [JSONValue]) {
        let angles = parts.compactMap { Double(parts: [$0]) }
        guard angles.count == 3, angles.allSatisfy({ $0.magnitude <= 360 }) else { return nil }
        self.init(roll: angles[0], yaw: angles[1], pitch: angles[2])
    }
}
