// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Threads that share the rows of a frame. The caller's thread works too; the others start with the first work that is
/// worth sharing and wait in between, until the pool is released.
package final class ThreadPool {
    /// Number of all threads, that of the caller included; at least 1.
    package let threads: Int
    private let queue = WorkQueue()
    /// The threads besides the caller's; nil until they are needed.
    private var others: [pthread_t]?

    package init(threads: Int) { self.threads = max(1, threads) }

    deinit {
        queue.close()
        for thread in others ?? [] { pthread_join(thread, nil) }
    }

    /// Number of cores of the machine, at most 4.
    package static var usualThreads: Int { min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

    /// Returns as many threads as are asked for; the usual number for 0.
    package static func count(asked: UInt32) -> Int { asked > 0 ? Int(asked) : usualThreads }

    /// Does units of work, each once, and returns when all are done.
    /// - Parameters:
    ///   - alone: whether the caller's thread does all of it.
    ///   - body: gets the number of the thread, 0 ..< `threads`, and that of the unit. It is run on several
    ///     threads at once, so units must not write what others read or write.
    package func run(units: Int, alone: Bool = false, _ body: (_ worker: Int, _ unit: Int) -> Void) {
        guard units > 1, !alone, hasThreads else {
            for unit in 0..<units { body(0, unit) }
            return
        }
        // The body does not outlive this call: `post` is answered by `wait`, after which no thread has it any more.
        withoutActuallyEscaping(body) { body in
            queue.post(units: units, body)
            queue.work(0)
            queue.wait()
        }
    }

    /// True if any thread besides the caller's could be started.
    private var hasThreads: Bool {
        let others = others ?? (1..<threads).compactMap(start)
        self.others = others
        return !others.isEmpty
    }

    private func start(_ number: Int) -> pthread_t? {
        // The thread has a reference to the queue, and to nothing else.
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

/// The work to be done, and its progress. Everything is read and written under the lock.
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

    /// Does units as long as there are any.
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

    /// Waits until all units are done, by whichever thread, and releases the body.
    func wait() {
        locked {
            while open > 0 { pthread_cond_wait(finished, lock) }
            (body, units, next) = (nil, 0, 0)
        }
    }

    /// Main loop of a thread of the pool.
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
