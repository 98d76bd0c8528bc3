import Synchronization

/// The value of a file property. Two values are equal only if they come from the same assignment: to set a path once more
/// means that the file has changed.
package struct FilePath: Sendable, Equatable {
    /// Nil: no file.
    package let text: String?
    private let assignment: UInt64

    private static let assignments = Atomic<UInt64>(0)

    /// No file. All such values are equal.
    package init() { self.init(nil) }

    /// An empty text and the word `none` are no file.
    package init(_ text: String?) {
        self.text = text.flatMap { $0.isEmpty || $0 == "none" ? nil : $0 }
        assignment = self.text == nil ? 0 : Self.assignments.add(1, ordering: .relaxed).newValue
    }
}

/// The value of a property for a text that takes effect each time it is set, the same text too.
package typealias AssignedText = FilePath
