// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import Testing

@testable import Waiting

/// The result of a function that runs in its own thread. A task that waits would block one of the few threads that all
/// tests share.
final class InThread<Result: Sendable>: Sendable {
    private let result = Mutex<Result?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Result) {
        Thread.detachNewThread { [self] in
            let value = body()
            result.withLock { $0 = value }
            end.signal()
        }
    }

    /// Waits until the function has returned, and returns its result.
    func value() throws -> Result {
        try #require(end.wait(timeout: .now() + 60) == .success)
        return try #require(result.withLock { $0 })
    }
}

extension Interruption {
    /// Waits until at least one thread waits in a call that this interruption can end.
    func untilSomebodyWaits() throws {
        for _ in 0..<60_000 where !hasWaiters { usleep(1000) }
        try #require(hasWaiters)
    }
}
