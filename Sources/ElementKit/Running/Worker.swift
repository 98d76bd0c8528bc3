import CGStreamer
import Synchronization

/// A thread of an element's own for work that must not hold up the stream. Jobs run one after another; the thread
/// starts with the first one and ends, after the jobs that are waiting, when the element stops.
package final class Worker: @unchecked Sendable {
    // Unchecked because of the queue's pointer: a GAsyncQueue is made for sharing between threads.
    private let queue = g_async_queue_new()
    /// A GThread's address. Whoever takes it out of here joins it.
    private let thread = Mutex<UInt?>(nil)

    /// What goes through the queue; no job means that the thread ends.
    private final class Item: Sendable {
        let job: (@Sendable () -> Void)?
        init(_ job: (@Sendable () -> Void)?) { self.job = job }
    }

    package init() {}

    deinit {
        finish()
        g_async_queue_unref(queue)
    }

    package func run(_ job: @escaping @Sendable () -> Void) {
        let started = thread.withLock { thread in
            if thread == nil {
                // The thread does not retain this object: `finish` joins it first.
                let address = Unmanaged.passUnretained(self).toOpaque()
                thread = g_thread_try_new("swiftvision", runWorker, address, nil).map { UInt(bitPattern: $0) }
            }
            return thread != nil
        }
        if started { push(Item(job)) } else { job() }
    }

    /// Waits for all jobs and ends the thread.
    package func finish() {
        let address = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let address, let thread = UnsafeMutablePointer<GThread>(bitPattern: address) else { return }
        push(Item(nil))
        g_thread_join(thread)
    }

    private func push(_ item: Item) {
        g_async_queue_push(queue, Unmanaged.passRetained(item).toOpaque())
    }

    fileprivate func work() {
        while let item = g_async_queue_pop(queue),
            let job = Unmanaged<Item>.fromOpaque(item).takeRetainedValue().job
        {
            job()
        }
    }
}

@c private func runWorker(_ worker: gpointer?) -> gpointer? {
    if let worker { Unmanaged<Worker>.fromOpaque(worker).takeUnretainedValue().work() }
    return nil
}
