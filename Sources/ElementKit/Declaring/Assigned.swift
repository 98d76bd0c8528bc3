// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

/// A property value that takes effect with each assignment, even if the same value is assigned again. Two instances are
/// equal only if they come from the same assignment. For example, assigning the same path again reloads a changed file.
package struct Assigned<Value: PropertyText>: Sendable, Equatable {
    /// The value; nil if no value is assigned.
    package let value: Value?
    private let assignment: UInt64

    /// Creates an instance without a value. All such instances are equal.
    package init() { self.init(nil) }

    package init(_ value: Value?) {
        self.value = value
        assignment = value == nil ? 0 : assignments.add(1, ordering: .relaxed).newValue
    }

    package static func == (lhs: Assigned, rhs: Assigned) -> Bool { lhs.assignment == rhs.assignment }
}

private let assignments = Atomic<UInt64>(0)

extension Assigned: PropertyValue {
    package static var use: ValueUse { Value?.use }
    package static func read(_ value: borrowing GValue) -> Assigned? { Value?.read(value).map { Assigned($0) } }
    package func write(to value: inout GValue) { self.value.write(to: &value) }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        value.spec(texts, flags)
    }
}
