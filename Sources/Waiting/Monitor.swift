// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// A value with a lock and a condition variable. Threads can wait until the value has changed.
///
/// ```
/// let jobs = Monitor([Job]())
/// jobs.change { $0.append(job) }                      // wakes waiting threads
/// let job = jobs.wait(until: .after(milliseconds: 500)) { $0.popLast() }
/// ```
///
/// The closures run under the lock. So they must be short, and must not call code that may block or use this monitor.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because it has pointers and a mutable value. The pointers never change, and
    // the lock protects the value.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        lock.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    /// Calls `body` with the value under the lock. If threads may wait for the change, use `change` instead.
    package func withLock<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }

    /// Changes the value under the lock and wakes all waiting threads, so that they check the value.
    @discardableResult
    package func change<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(lock)
        }
        return try body(&value)
    }

    /// Waits until `take` returns a result. `wait` calls `take` immediately, and again after each change.
    /// - Parameters:
    ///   - deadline: the time at which the wait ends.
    ///   - interruption: ends the wait early when it is set.
    /// - Returns: nil if the deadline has passed or the wait was interrupted.
    package func wait<Result>(
        until deadline: Deadline = .never, unless interruption: Interruption? = nil, _ take: (inout Value) -> Result?
    ) -> Result? {
        interruption?.add(self)
        defer { interruption?.remove(self) }
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = take(&value) { return result }
            if interruption?.isSet == true || deadline.hasPassed { return nil }
            if var end = deadline.moment {
                pthread_cond_timedwait(condition, lock, &end)
            } else {
                pthread_cond_wait(condition, lock)
            }
        }
    }

    /// Waits until `condition` returns true.
    /// - Returns: false if the deadline has passed or the wait was interrupted.
    @discardableResult
    package func wait(
        until deadline: Deadline = .never, unless interruption: Interruption? = nil, for condition: (Value) -> Bool
    ) -> Bool {
        wait(until: deadline, unless: interruption) { condition($0) ? true : nil } ?? false
    }
}

extension Monitor: Wakeable {
    func wake() {
        pthread_mutex_lock(lock)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(lock)
    }
}
