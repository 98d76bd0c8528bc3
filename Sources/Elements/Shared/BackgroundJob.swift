// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization

/// Work in another thread, one job at a time, whose result the streaming thread fetches when it is ready.
final class BackgroundJob<Product: Sendable>: Sendable {
    private let state = Mutex<(isUnderWay: Bool, result: Result<Product, any Error>?)>((false, nil))

    /// True if there is neither a job under way nor a result to fetch.
    var isIdle: Bool { state.withLock { !$0.isUnderWay && $0.result == nil } }

    /// Starts a job; for one that is idle.
    /// - Parameter job: skipped at the end of the stream, when nobody waits for it.
    func begin(on worker: Worker, _ job: @escaping @Sendable () throws -> Product) {
        state.withLock { $0.isUnderWay = true }
        worker.run { [self] in
            let result = worker.isEnding ? nil : Result { try job() }
            state.withLock { $0 = (false, result) }
        }
    }

    /// Returns the result of a job, if one has ended since the last call.
    /// - Throws: what the job threw.
    func take() throws -> Product? {
        try state.withLock { $0.result.take() }?.get()
    }
}
