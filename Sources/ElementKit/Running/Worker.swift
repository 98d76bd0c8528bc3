// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization
import Waiting

/// A thread of an element's own for work that must not hold up the stream. Jobs run one after another; the thread
/// starts with the first one and ends, after the jobs that are waiting, when the element stops or is gone.
///
/// A job holds a reference to the element's GObject from when it is given until it is done, so that whatever it uses
/// still exists. That may be the last reference: the element then ends in this thread, which is why nobody joins it.
package final class Worker: Sendable {
    package typealias Job = @Sendable () -> Void

    private let owner: Owner?
    private let jobs = Mutex<JobQueue?>(nil)
    /// The number of callers for whom jobs should end soon: threads that wait, and the element's stop.
    private let hurries = Atomic(0)

    /// True from when the element begins to stop until it has stopped, for jobs and for frames under way: work that
    /// takes long and is no longer needed should be given up.
    package var isEnding: Bool { hurries.load(ordering: .relaxed) > 0 }

    /// Creates a worker for the element behind a GObject.
    init(of owner: UnsafeMutablePointer<GObject>) { self.owner = Owner(object: owner) }

    /// Creates a worker without an element: jobs hold on to nothing but what they capture.
    package init() { owner = nil }

    /// Runs a job after those given before; immediately on the calling thread if no thread can be started. The caller
    /// must have a reference to the element.
    package func run(_ job: @escaping Job) {
        let isAccepted = jobs.withLock { jobs in
            if jobs == nil { jobs = JobQueue() }
            jobs?.push(QueuedJob(job, owner))
            return jobs != nil
        }
        if !isAccepted { job() }
    }

    /// Waits for all jobs and lets the thread end. A later job starts another. A job may call this, for example by
    /// posting a message whose receiver stops the pipeline immediately: the waiting jobs then run inside the call.
    package func finish() {
        hurry()
        jobs.withLock { jobs in jobs.take() }?.waitForAll()
        relax()
    }

    /// Sets `isEnding` until `relax` has been called as often.
    func hurry() { hurries.add(1, ordering: .relaxed) }

    func relax() { hurries.subtract(1, ordering: .relaxed) }
}

/// The GObject of an element.
private struct Owner: @unchecked Sendable {
    // Unchecked because of the pointer: it never changes, and references may be taken and given back in any thread.
    let object: UnsafeMutablePointer<GObject>
}

/// A job in the queue.
private final class QueuedJob: @unchecked Sendable {
    // Unchecked because of `job`: after initialisation only the thread that takes the item out of the queue touches it.
    private var job: Worker.Job?
    private let owner: Owner?

    init(_ job: @escaping Worker.Job, _ owner: Owner?) {
        self.job = job
        self.owner = owner
        if let owner { g_object_ref(owner.object) }
    }

    /// Does the job, then releases what it has captured, and last the element.
    func perform() {
        job.take()?()
        if let owner { g_object_unref(owner.object) }
    }
}

/// One thread and the jobs that wait for it. The thread has a reference to the queue, and to nothing else.
private final class JobQueue: @unchecked Sendable {
    // Unchecked because of the two pointers, which never change: a GAsyncQueue is made for sharing between threads, and
    // the thread is only compared with the current one.
    private let queue: OpaquePointer
    private let thread: UnsafeMutablePointer<GThread>

    /// Returns nil if no thread can be started.
    init?() {
        guard let queue = g_async_queue_new() else { return nil }
        guard
            let thread = g_thread_try_new(
                "swiftvision", runQueue, UnsafeMutableRawPointer(g_async_queue_ref(queue)), nil)
        else {
            g_async_queue_unref(queue)
            g_async_queue_unref(queue)
            return nil
        }
        self.queue = queue
        self.thread = thread
    }

    /// Lets the thread end after the waiting jobs.
    deinit {
        g_async_queue_push(queue, Self.endMark(queue))
        g_async_queue_unref(queue)
        g_thread_unref(thread)
    }

    func push(_ item: QueuedJob) {
        g_async_queue_push(queue, Unmanaged.passRetained(item).toOpaque())
    }

    /// Returns when everything pushed before is done; in the jobs' own thread, everything but the calling job.
    func waitForAll() {
        if thread == g_thread_self() {
            while let item = g_async_queue_try_pop(queue) { Self.perform(item) }
        } else {
            let isDone = Monitor(false)
            push(QueuedJob({ isDone.change { $0 = true } }, nil))
            isDone.wait { $0 }
        }
    }

    fileprivate static func work(_ queue: OpaquePointer) {
        while let item = g_async_queue_pop(queue), item != endMark(queue) { perform(item) }
        g_async_queue_unref(queue)
    }

    /// Returns the item that is pushed last: an address that no item has.
    private static func endMark(_ queue: OpaquePointer) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(queue) }

    private static func perform(_ item: UnsafeMutableRawPointer) {
        Unmanaged<QueuedJob>.fromOpaque(item).takeRetainedValue().perform()
    }
}

@c private func runQueue(_ queue: gpointer?) -> gpointer? {
    if let queue { JobQueue.work(OpaquePointer(queue)) }
    return nil
}
