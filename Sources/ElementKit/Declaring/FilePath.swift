import Synchronization

/// The value of a file property. Two values are equal only if they come from the same assignment: setting a path again
/// means that the file has changed.
package struct FilePath: Sendable, Equatable {
    /// The path; nil for no file.
    package let text: String?
    private let assignment: UInt64

    private static let assignments = Atomic<UInt64>(0)

    /// Creates the value for no file. All such values are equal.
    package init() { self.init(nil) }

    /// Creates a value from a text; an empty text and the word `none` mean no file.
    package init(_ text: String?) {
        self.text = text.flatMap { $0.isEmpty || $0 == "none" ? nil : $0 }
        assignment = self.text == nil ? 0 : Self.assignments.add(1, ordering: .relaxed).newValue
    }
}

/// The value of a text property that takes effect each time it is set, even to the same text.
package typealias AssignedText = FilePath
