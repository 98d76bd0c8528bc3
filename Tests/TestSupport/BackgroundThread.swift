// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// A thread that repeats a function until `stop` is called.
package final class BackgroundThread: Sendable {
    private final class Work: Sendable {
        let stops = Atomic<Bool>(false)
        let rounds = Atomic<Int>(0)
        let body: @Sendable (_ round: Int) -> Void
        init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }
    }

    private let work: Work
    private let thread: Mutex<UInt?>

    package init(_ body: @escaping @Sendable (_ round: Int) -> Void) {
        work = Work(body)
        let address = g_thread_new(
            "test",
            { data in
                guard let data else { return nil }
                let work = Unmanaged<Work>.fromOpaque(data).takeRetainedValue()
                while !work.stops.load(ordering: .acquiring) {
                    work.body(work.rounds.load(ordering: .relaxed))
                    work.rounds.add(1, ordering: .releasing)
                }
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        thread = Mutex(address.map { UInt(bitPattern: $0) })
    }

    /// The number of completed calls of the function.
    package var rounds: Int { work.rounds.load(ordering: .acquiring) }

    /// Stops the thread, and waits until the last call has returned.
    package func stop() {
        work.stops.store(true, ordering: .releasing)
        let address = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let address { g_thread_join(UnsafeMutablePointer<GThread>(bitPattern: address)) }
    }

    deinit { stop() }
}
