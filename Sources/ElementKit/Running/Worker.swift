// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization
import Waiting

/// A thread of an element for work that must not block the stream. Jobs run one after another. The thread starts with
/// the first job. When the element stops or is released, the thread runs the waiting jobs and ends.
///
/// A queued job holds a reference to the element's GObject until the job is done. If this is the last reference, the
/// element is finalized in this thread. Therefore, no code may join the thread.
package final class Worker: Sendable {
    package typealias Job = @Sendable () -> Void

    private let owner: Owner?
    private let jobs = Mutex<JobQueue?>(nil)
    /// The number of active requests to end the jobs soon: calls of `finish`, and calls of `hurry` before `relax`.
    private let hurries = Atomic(0)

    /// True while the element stops, or while a thread waits in `finish`. Long jobs and callbacks should then give up
    /// work that is no longer needed.
    package var isEnding: Bool { hurries.load(ordering: .relaxed) > 0 }

    /// Creates a worker for the element with this GObject.
    init(of owner: UnsafeMutablePointer<GObject>) { self.owner = Owner(object: owner) }

    /// Creates a worker without an element. The jobs of this worker hold only the references that they capture.
    package init() { owner = nil }

    /// Runs a job after the earlier jobs. If no thread can be started, runs the job immediately on the calling thread.
    /// The caller must hold a reference to the element.
    package func run(_ job: @escaping Job) {
        let isAccepted = jobs.withLock { jobs in
            if jobs == nil { jobs = JobQueue() }
            jobs?.push(QueuedJob(job, owner))
            return jobs != nil
        }
        if !isAccepted { job() }
    }

    /// Waits for all jobs and ends the thread. A later job starts a new thread. A job may call this function, for
    /// example if it posts a message and the receiver stops the pipeline immediately. The waiting jobs then run inside
    /// the call.
    package func finish() {
        hurry()
        jobs.withLock { jobs in jobs.take() }?.waitForAll()
        relax()
    }

    /// Sets `isEnding` until the matching call of `relax`.
    func hurry() { hurries.add(1, ordering: .relaxed) }

    func relax() { hurries.subtract(1, ordering: .relaxed) }
}

private struct Owner: @unchecked Sendable {
    // The struct is `@unchecked Sendable`, because `object` is a pointer. The pointer is constant, and the reference
    // count of the object is thread-safe.
    let object: UnsafeMutablePointer<GObject>
}

private final class QueuedJob: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `job` is mutable. After initialisation, only the thread that removes
    // the item from the queue uses `job`.
    private var job: Worker.Job?
    private let owner: Owner?

    init(_ job: @escaping Worker.Job, _ owner: Owner?) {
        self.job = job
        self.owner = owner
        if let owner { g_object_ref(owner.object) }
    }

    /// Runs the job, then releases its captured values, and finally the element.
    func perform() {
        job.take()?()
        if let owner { g_object_unref(owner.object) }
    }
}

/// A thread and its queue of jobs. The thread holds a reference only to the queue.
private final class JobQueue: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because it has two pointers. Both pointers are constant. A GAsyncQueue is
    // thread-safe, and the thread pointer is only compared with the current thread.
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

    /// Ends the thread after it has run the waiting jobs.
    deinit {
        g_async_queue_push(queue, Self.endMark(queue))
        g_async_queue_unref(queue)
        g_thread_unref(thread)
    }

    func push(_ item: QueuedJob) {
        g_async_queue_push(queue, Unmanaged.passRetained(item).toOpaque())
    }

    /// Waits for all earlier jobs. If a job calls this function, the waiting jobs run inside the call.
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

    /// Returns the last item of the queue, which ends the thread. No other item has this address.
    private static func endMark(_ queue: OpaquePointer) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(queue) }

    private static func perform(_ item: UnsafeMutableRawPointer) {
        Unmanaged<QueuedJob>.fromOpaque(item).takeRetainedValue().perform()
    }
}

@c private func runQueue(_ queue: gpointer?) -> gpointer? {
    if let queue { JobQueue.work(OpaquePointer(queue)) }
    return nil
}
