// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// A pool of threads that divide the work on a frame. The caller's thread does a part of the work. The other threads
/// start at the first call of `run` that needs them, and end when the pool is released.
package final class ThreadPool {
    /// Number of threads, including the caller's thread; at least 1.
    package let threads: Int
    private let queue = WorkQueue()
    /// The threads besides the caller's thread. Nil before they start.
    private var others: [pthread_t]?

    package init(threads: Int) { self.threads = max(1, threads) }

    deinit {
        queue.close()
        for thread in others ?? [] { pthread_join(thread, nil) }
    }

    /// Default number of threads: the number of processor cores, at most 4.
    package static var usualThreads: Int { min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

    /// Returns `asked`, or the default number of threads if `asked` is 0.
    package static func count(asked: UInt32) -> Int { asked > 0 ? Int(asked) : usualThreads }

    /// Divides work among the threads, and returns when all work is done.
    /// - Parameters:
    ///   - units: the number of parts of the work.
    ///   - alone: true to do all work in the caller's thread.
    ///   - body: a closure that does one part of the work. The arguments are the index of the thread, 0 ..< `threads`,
    ///     and the index of the part. Several threads call `body` at the same time. So a call for one part must not
    ///     write memory that a call for another part reads or writes.
    package func run(units: Int, alone: Bool = false, _ body: (_ worker: Int, _ unit: Int) -> Void) {
        guard units > 1, !alone, hasThreads else {
            for unit in 0..<units { body(0, unit) }
            return
        }
        // `body` does not escape, because no thread has a reference to `body` after `wait` returns.
        withoutActuallyEscaping(body) { body in
            queue.post(units: units, body)
            queue.work(0)
            queue.wait()
        }
    }

    /// True if at least one thread besides the caller's thread runs. The first access starts the threads.
    private var hasThreads: Bool {
        let others = others ?? (1..<threads).compactMap(start)
        self.others = others
        return !others.isEmpty
    }

    private func start(_ number: Int) -> pthread_t? {
        // The new thread has a reference to the queue, but not to the pool. So the thread does not keep the pool alive.
        let pointer = Unmanaged.passRetained(WorkerContext(queue: queue, number: number)).toOpaque()
        var thread = pthread_t()
        if pthread_create(&thread, nil, serveQueue, pointer) == 0 { return thread }
        Unmanaged<WorkerContext>.fromOpaque(pointer).release()
        return nil
    }
}

private final class WorkerContext {
    let queue: WorkQueue
    let number: Int

    init(queue: WorkQueue, number: Int) {
        self.queue = queue
        self.number = number
    }
}

@c private func serveQueue(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let context = Unmanaged<WorkerContext>.fromOpaque(pointer).takeRetainedValue()
    context.queue.serve(context.number)
    return nil
}

/// The current work and its progress. A thread must hold the lock for each access.
private final class WorkQueue {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let posted: UnsafeMutablePointer<pthread_cond_t>
    private let finished: UnsafeMutablePointer<pthread_cond_t>
    private var body: ((Int, Int) -> Void)?
    private var units = 0
    private var next = 0
    private var open = 0
    private var isClosed = false

    init() {
        lock = .allocate(capacity: 1)
        posted = .allocate(capacity: 1)
        finished = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_cond_init(posted, nil)
        pthread_cond_init(finished, nil)
    }

    deinit {
        pthread_cond_destroy(finished)
        pthread_cond_destroy(posted)
        pthread_mutex_destroy(lock)
        finished.deallocate()
        posted.deallocate()
        lock.deallocate()
    }

    private func locked(_ body: () -> Void) {
        pthread_mutex_lock(lock)
        body()
        pthread_mutex_unlock(lock)
    }

    func post(units: Int, _ body: @escaping (Int, Int) -> Void) {
        locked {
            self.body = body
            (self.units, next, open) = (units, 0, units)
            pthread_cond_broadcast(posted)
        }
    }

    /// Does parts of the work until no part remains.
    func work(_ number: Int) { locked { workLocked(number) } }

    private func workLocked(_ number: Int) {
        while next < units, let body {
            let unit = next
            next += 1
            pthread_mutex_unlock(lock)
            body(number, unit)
            pthread_mutex_lock(lock)
            open -= 1
            if open == 0 { pthread_cond_signal(finished) }
        }
    }

    /// Waits until all threads have finished their parts of the work, and releases `body`.
    func wait() {
        locked {
            while open > 0 { pthread_cond_wait(finished, lock) }
            (body, units, next) = (nil, 0, 0)
        }
    }

    /// Main loop of a pool thread.
    func serve(_ number: Int) {
        locked {
            while !isClosed {
                workLocked(number)
                if !isClosed { pthread_cond_wait(posted, lock) }
            }
        }
    }

    func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(posted)
        }
    }
}
