// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// A value that threads share, and whose changes threads wait for: a lock together with a condition.
///
/// ```
/// let jobs = Monitor([Job]())
/// jobs.change { $0.append(job) }                      // wakes those who wait
/// let job = jobs.wait(until: .after(milliseconds: 500)) { $0.popLast() }
/// ```
///
/// Whatever runs under the lock must be short, must not call out to others and must not use this monitor again.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
    // Unchecked because of the pointers, which never change, and of the value, which the lock protects.
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

    /// Reads the value, or changes what nobody waits for.
    package func withLock<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }

    /// Changes the value and wakes all who wait, so that they look again.
    @discardableResult
    package func change<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(lock)
        }
        return try body(&value)
    }

    /// Waits until `take` gives something: it is asked at once, and again after each change.
    /// - Parameters:
    ///   - deadline: when to give up.
    ///   - interruption: what ends the wait before that.
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

    /// Waits until `condition` is true.
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
