// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// Where the threads of a mixer's inputs meet its streaming thread.
final class InputGate: Sendable {
    /// Whether the streaming thread takes frames out of the queues. Nobody else may do so meanwhile: what the base class
    /// has seen at the head of a queue must stay there until it takes it.
    let isTaking = Mutex(false)
    /// Rings when anything has arrived at an input, when inputs come and go, and when time has passed for them.
    let bell = Doorbell()
}

/// Lets a thread sleep until something happens.
final class Doorbell: @unchecked Sendable {
    // Unchecked because of the pointers, which never change, and of `count`, which the mutex protects.
    private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<GCond>.allocate(capacity: 1)
    private var count: UInt64 = 0

    init() {
        mutex.initialize(to: GMutex())
        condition.initialize(to: GCond())
        g_mutex_init(mutex)
        g_cond_init(condition)
    }

    deinit {
        g_cond_clear(condition)
        g_mutex_clear(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// How often it has rung.
    var rings: UInt64 {
        g_mutex_lock(mutex)
        defer { g_mutex_unlock(mutex) }
        return count
    }

    func ring() {
        g_mutex_lock(mutex)
        count &+= 1
        g_cond_broadcast(condition)
        g_mutex_unlock(mutex)
    }

    /// Waits until it has rung more often than `rings`, or until the time is up.
    func wait(after rings: UInt64, atMost time: ClockTime) {
        let end = g_get_monotonic_time() + gint64(time.nanoseconds / 1000)
        g_mutex_lock(mutex)
        while count == rings, g_cond_wait_until(condition, mutex, end) != 0 {}
        g_mutex_unlock(mutex)
    }
}
