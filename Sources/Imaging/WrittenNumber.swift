// SPDX-License-Identifier: LGPL-2.1-or-later
/// An error in a number or a sequence of fades that a user has written.
package struct WrittenNumberError: Error, Sendable {
    package let message: String
    /// Position of the error in the user's text, in characters.
    package let position: Int

    package init(message: String, position: Int) { (self.message, self.position) = (message, position) }
}

/// Parses a parameter that users write as a number or as a sequence of fades. Contains the name and the valid range of
/// the parameter.
package struct WrittenNumber: Sendable {
    private let name: String
    private let range: ClosedRange<Double>
    private let isInteger: Bool

    package init(_ name: String, in range: ClosedRange<Double>, isInteger: Bool) {
        (self.name, self.range, self.isInteger) = (name, range, isInteger)
    }

    /// Throws an error if `number` is not valid.
    /// - Parameter position: the position of the number in the user's text.
    package func check(_ number: Double, at position: Int = 0) throws(WrittenNumberError) {
        guard range.contains(number) else {
            let (low, high) = (Self.text(range.lowerBound), Self.text(range.upperBound))
            throw WrittenNumberError(message: "\(name) must be between \(low) and \(high)", position: position)
        }
        guard !isInteger || number == number.rounded() else {
            throw WrittenNumberError(message: "\(name) must be a whole number", position: position)
        }
    }

    /// Parses and checks a number.
    package func number(_ text: String, at position: Int = 0) throws(WrittenNumberError) -> Double {
        guard let number = Double(text), number.isFinite else {
            throw WrittenNumberError(message: "\(name) must be a number, not \"\(text)\"", position: position)
        }
        try check(number, at: position)
        return number
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e9 ? "\(Int(number))" : "\(number)"
    }
}
