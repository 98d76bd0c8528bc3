// SPDX-License-Identifier: LGPL-2.1-or-later
/// A value that changes from a start value to an end value within a duration, and then stays constant.
package struct Fade: Sendable, Hashable {
    package enum Course: String, Sendable, CaseIterable {
        /// The value changes with constant speed.
        case linear
        /// The change is slow at both ends (smoothstep). After the fraction t of the duration, the value has changed by
        /// the fraction 3t² − 2t³ of the difference.
        case smooth
    }

    package let from: Double
    package let to: Double
    package let seconds: Double
    package let course: Course

    package init(from: Double, to: Double, seconds: Double, course: Course = .linear) {
        (self.from, self.to, self.seconds, self.course) = (from, to, seconds, course)
    }

    /// - Parameter time: the number of seconds since the start of the fade.
    package func value(at time: Double) -> Double {
        guard time < seconds else { return to }
        guard time > 0 else { return from }
        let part = time / seconds
        return from + (to - from) * (course == .smooth ? part * part * (3 - 2 * part) : part)
    }
}

extension Fade: CustomStringConvertible {
    /// The fade in the notation that users write in filter chains.
    package var description: String { "\(from)->\(to)@\(seconds)s" + (course == .smooth ? " smooth" : "") }
}

/// An error in a number or a fade that a user has written.
package struct WrittenNumberError: Error, Sendable {
    package let message: String
    /// Position of the error in the user's text, in characters.
    package let position: Int

    package init(message: String, position: Int) { (self.message, self.position) = (message, position) }
}

/// Parses a parameter that users write as a number or as a fade. Contains the name and the valid range of the
/// parameter.
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

    /// Parses `from->to@2s` or `from->to@500ms`. The name of a course may follow after a blank.
    package func fade(_ text: String) throws(WrittenNumberError) -> Fade {
        let (first, second) = (text.firstRange(of: "->"), text.firstRange(of: "@"))
        guard let arrow = first, let at = second, arrow.upperBound <= at.lowerBound else {
            throw WrittenNumberError(
                message: "malformed fade. Write the fade as FROM->TO@TIME, such as 0->1@2s.", position: 0)
        }
        func position(_ index: String.Index) -> Int { text.distance(from: text.startIndex, to: index) }
        func value(_ part: Substring) throws(WrittenNumberError) -> Double {
            let words = part.split(whereSeparator: \.isWhitespace)
            return try number(words.joined(separator: " "), at: position(words.first?.startIndex ?? part.endIndex))
        }
        let from = try value(text[..<arrow.lowerBound])
        let to = try value(text[arrow.upperBound..<at.lowerBound])
        let words = text[at.upperBound...].split(whereSeparator: \.isWhitespace)
        var time = String(words.first ?? "")
        let unit = time.hasSuffix("ms") ? 0.001 : 1
        time.removeLast(time.hasSuffix("ms") ? 2 : time.hasSuffix("s") ? 1 : 0)
        guard let seconds = Double(time), seconds >= 0, seconds.isFinite else {
            throw WrittenNumberError(
                message: "malformed time in a fade. Write the time as @2s or @500ms.", position: position(at.upperBound)
            )
        }
        guard words.count > 1 else { return Fade(from: from, to: to, seconds: seconds * unit) }
        let word = words[1...].joined(separator: " ")
        guard let course = Fade.Course(rawValue: word) else {
            throw WrittenNumberError(
                message: "unknown word \"\(word)\" after the time of a fade. Use linear or smooth.",
                position: position(words[1].startIndex))
        }
        return Fade(from: from, to: to, seconds: seconds * unit, course: course)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e9 ? "\(Int(number))" : "\(number)"
    }
}
