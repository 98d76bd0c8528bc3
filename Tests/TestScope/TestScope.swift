// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The number of cases that tests run. By default, tests run a few cases of each behaviour. If the environment variable
/// `SWIFTVISION_FULL` is set, tests run all combinations of their arguments, and more scenes and frames.
package enum TestScope {
    package static let isFull = getenv("SWIFTVISION_FULL") != nil

    /// Returns `few` by default, and `all` if `SWIFTVISION_FULL` is set.
    package static func choose<Value>(_ few: Value, all: Value) -> Value { isFull ? all : few }

    /// Returns pairs of elements. By default, each element of both lists is in at least one pair. If
    /// `SWIFTVISION_FULL` is set, returns all pairs.
    package static func pairs<First, Second>(_ first: [First], _ second: [Second]) -> [(First, Second)] {
        guard !isFull else { return first.flatMap { one in second.map { (one, $0) } } }
        guard !first.isEmpty, !second.isEmpty else { return [] }
        return (0..<max(first.count, second.count)).map { (first[$0 % first.count], second[$0 % second.count]) }
    }

    /// Returns the cases that a test runs. By default, returns one case in `step`. If `SWIFTVISION_FULL` is set, returns
    /// all cases.
    /// - Parameter offset: with another offset, returns other cases.
    package static func some<Value>(_ all: [Value], oneIn step: Int, offset: Int = 0) -> [Value] {
        all.enumerated().filter { runs($0.offset, oneIn: step, offset: offset) }.map(\.element)
    }

    /// Returns true if a test runs the case with this number. By default, a test runs one case in `step`. If
    /// `SWIFTVISION_FULL` is set, a test runs all cases.
    /// - Parameter offset: with another offset, the test runs other cases.
    package static func runs(_ number: Int, oneIn step: Int, offset: Int = 0) -> Bool {
        isFull || (number + offset) % step == 0
    }
}
