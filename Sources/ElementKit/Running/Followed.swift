// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Runs background work for each new value of a setting, such as the path of a file. If the value changes several
/// times, only the work for the last value takes effect. After the element has stopped, no work takes effect.
///
/// Any thread may use this class. The jobs run one after another on the element's worker. A job for an earlier value is
/// obsolete and should stop early. The failure of an obsolete job is ignored. A job must check `isObsolete` before it
/// publishes its result.
package final class Followed<Value: Equatable & Sendable>: Sendable {
    private let last: Mutex<(value: Value?, number: UInt64)>

    package init(_ value: Value? = nil) { last = Mutex((value, 0)) }

    /// Replaces the value without starting work. Running jobs become obsolete.
    package func set(_ value: Value?) { last.withLock { $0 = (value, $0.number &+ 1) } }

    /// Starts `work` on the host's worker if the value is new. A failure posts a warning, unless the job is obsolete.
    /// - Parameter work: called with a function that returns true if the job is obsolete.
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

/// A product that a closure makes from a value, such as a detector from its settings. Only one thread may use this
/// struct. If the closure throws for a new value, `follow` throws this error once, and the old product remains.
package struct Made<Value: Equatable, Product> {
    /// The value from which the product was made.
    package private(set) var value: Value
    package private(set) var product: Product
    /// The last value for which `make` has thrown an error.
    private var refused: Value?

    package init(_ value: Value, _ make: (Value) throws -> Product) rethrows {
        self.value = value
        product = try make(value)
    }

    /// Makes a new product if the value is new.
    /// - Throws: the error of `make`, but only once for each value. The old product then remains.
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
