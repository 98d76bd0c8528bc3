import CGStreamer
import Synchronization

/// A thread of an element's own for work that must not hold up the stream. Jobs run one after another; the thread
/// starts with the first one and ends, after the jobs that are waiting, when the element stops.
package final class Worker: Sendable {
    package typealias Job = @Sendable () -> Void

    private let line = Mutex<Line?>(nil)
    private let ending = Atomic(false)

    /// True while the element waits for the jobs: long ones that nobody needs any more should give up.
    package var isEnding: Bool { ending.load(ordering: .relaxed) }

    package init() {}

    deinit { finish() }

    /// Runs a job after those given before; at once, and here, where no thread can be started.
    package func run(_ job: @escaping Job) {
        let accepted = line.withLock { line in
            if line == nil { line = Line() }
            line?.push(job)
            return line != nil
        }
        if !accepted { job() }
    }

    /// Waits for all jobs and ends the thread. A job that comes later starts another.
    package func finish() {
        ending.store(true, ordering: .relaxed)
        line.withLock { line in line.take() }?.finish()
        ending.store(false, ordering: .relaxed)
    }
}

/// One thread and the jobs that wait for it.
private final class Line: @unchecked Sendable {
    // Unchecked because of the two pointers, which never change: a GAsyncQueue is made for sharing between threads, and
    // the thread is joined once, by `finish`.
    private let queue: OpaquePointer
    private let thread: UnsafeMutablePointer<GThread>

    /// What goes through the queue; no job means that the thread ends.
    private final class Item: Sendable {
        let job: Worker.Job?
        init(_ job: Worker.Job?) { self.job = job }
    }

    /// Nil where no thread can be started.
    init?() {
        guard let queue = g_async_queue_new() else { return nil }
        // The thread has a reference to the queue, and to nothing else.
        guard
            let thread = g_thread_try_new(
                "swiftvision", runLine, UnsafeMutableRawPointer(g_async_queue_ref(queue)), nil)
        else {
            g_async_queue_unref(queue)
            g_async_queue_unref(queue)
            return nil
        }
        self.queue = queue
        self.thread = thread
    }

    func push(_ job: Worker.Job?) {
        g_async_queue_push(queue, Unmanaged.passRetained(Item(job)).toOpaque())
    }

    func finish() {
        push(nil)
        g_thread_join(thread)
        g_async_queue_unref(queue)
    }

    fileprivate static func work(_ queue: OpaquePointer) {
        while let item = g_async_queue_pop(queue),
            let job = Unmanaged<Item>.fromOpaque(item).takeRetainedValue().job
        {
            job()
        }
        g_async_queue_unref(queue)
    }
}

@c private func runLine(_ queue: gpointer?) -> gpointer? {
    if let queue { Line.work(OpaquePointer(queue)) }
    return nil
}
