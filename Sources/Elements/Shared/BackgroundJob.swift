// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization

/// Runs one job at a time on another thread. The streaming thread fetches the result when the job is complete.
final class BackgroundJob<Product: Sendable>: Sendable {
    private let state = Mutex<(isUnderWay: Bool, result: Result<Product, any Error>?)>((false, nil))

    /// True if no job is running and no result is waiting for `take()`.
    var isIdle: Bool { state.withLock { !$0.isUnderWay && $0.result == nil } }

    /// Starts a job. Call this function only if `isIdle` is true.
    /// - Parameter job: the work to do. The worker skips the job if the element is stopping.
    func begin(on worker: Worker, _ job: @escaping @Sendable () throws -> Product) {
        state.withLock { $0.isUnderWay = true }
        worker.run { [self] in
            let result = worker.isEnding ? nil : Result { try job() }
            state.withLock { $0 = (false, result) }
        }
    }

    /// Returns the result of a completed job once; nil if there is no new result.
    /// - Throws: the error that the job threw.
    func take() throws -> Product? {
        try state.withLock { $0.result.take() }?.get()
    }
}
