import ElementKit
import Synchronization

/// Work in another thread, one job at a time, whose result the streaming thread fetches when it is ready.
final class BackgroundJob<Product: Sendable>: Sendable {
    private enum Phase {
        case idle
        case underWay
        case done(Result<Product, any Error>)
    }

    private let phase = Mutex(Phase.idle)

    var isIdle: Bool {
        phase.withLock { phase in
            if case .idle = phase { return true }
            return false
        }
    }

    /// Starts a job. There must be none under way, and no result to fetch.
    /// - Parameter job: skipped at the end of the stream, when nobody waits for it.
    func begin(on worker: Worker, _ job: @escaping @Sendable () throws -> Product) {
        phase.withLock { $0 = .underWay }
        worker.run { [self] in
            let result = Result { worker.isEnding ? nil : try job() }
            phase.withLock { phase in
                switch result {
                case .success(nil): phase = .idle
                case .success(.some(let product)): phase = .done(.success(product))
                case .failure(let error): phase = .done(.failure(error))
                }
            }
        }
    }

    /// Returns the result of a job, if one has ended since the last call.
    /// - Throws: what the job threw.
    func take() throws -> Product? {
        let result: Result<Product, any Error>? = phase.withLock { phase in
            guard case .done(let result) = phase else { return nil }
            phase = .idle
            return result
        }
        return try result?.get()
    }
}
