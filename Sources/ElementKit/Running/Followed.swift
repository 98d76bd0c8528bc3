// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Background work for a value that settings name, such as a file. Of many values in a row only the last is worked on,
/// and none once the element stops.
///
/// Every thread may use it; the work runs on the element's worker, one after another. Work for a value that is no longer
/// the last is obsolete: it should give up, and neither its failure nor, if it asks before it publishes, its result is
/// seen.
package final class Followed<Value: Equatable & Sendable>: Sendable {
    private let last: Mutex<(value: Value?, number: UInt64)>

    package init(_ value: Value? = nil) { last = Mutex((value, 0)) }

    /// Replaces the value without any work; whatever is under way is obsolete.
    package func set(_ value: Value?) { last.withLock { $0 = (value, $0.number &+ 1) } }

    /// Has the host's worker do `work` for a value, if it is new. A failure is a warning, unless it is obsolete.
    /// - Parameter work: called with a function that tells whether it is obsolete.
    /// - Returns: true if the value is new.
    @discardableResult
    package func follow<Settings>(
        _ value: Value, _ host: Host<Settings>, _ work: @escaping @Sendable (_ isObsolete: () -> Bool) throws -> Void
    ) -> Bool {
        let number = last.withLock { last -> UInt64? in
            guard last.value != value else { return nil }
            last = (value, last.number &+ 1)
            return last.number
        }
        guard let number else { return false }
        host.worker.run { [self] in
            func isObsolete() -> Bool { host.worker.isEnding || last.withLock { $0.number != number } }
            guard !isObsolete() else { return }
            do {
                try work(isObsolete)
            } catch {
                if !isObsolete() { host.post(warning: error) }
            }
        }
        return true
    }
}

/// What was made for a value, such as a detector for its settings; for one thread. A value that nothing can be made for
/// is an error once, and the last product stays.
package struct Made<Value: Equatable, Product> {
    /// The value that the product was made for.
    package private(set) var value: Value
    package private(set) var product: Product
    /// The value that was refused last.
    private var refused: Value?

    package init(_ value: Value, _ make: (Value) throws -> Product) rethrows {
        self.value = value
        product = try make(value)
    }

    /// Makes another product if the value is new.
    /// - Throws: what `make` throws, the first time; the product stays.
    package mutating func follow(_ value: Value, _ make: (Value) throws -> Product) throws {
        if value == self.value {
            refused = nil
        } else if value != refused {
            refused = value
            product = try make(value)
            self.value = value
            refused = nil
        }
    }
}
