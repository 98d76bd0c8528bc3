// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Waits until a file descriptor is writable or a write would fail immediately.
/// - Parameters:
///   - deadline: the time at which the wait ends.
///   - interruption: ends the wait early when it is set.
/// - Returns: false if the deadline has passed or the wait was interrupted.
package func waitToWrite(
    to file: Int32, until deadline: Deadline = .never, unless interruption: Interruption? = nil
) -> Bool {
    let alarm = interruption.flatMap { _ in Alarm() }
    if let alarm { interruption?.add(alarm) }
    defer { if let alarm { interruption?.remove(alarm) } }
    while true {
        let isInterrupted = interruption?.isSet == true
        let timeout = isInterrupted ? 0 : deadline == .never ? -1 : deadline.milliseconds
        var files = [
            pollfd(fd: file, events: Int16(POLLOUT), revents: 0),
            // `poll` ignores negative file descriptors.
            pollfd(fd: alarm?.output ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&files, nfds_t(files.count), timeout)
        if files[0].revents != 0 || count < 0 && errno != EINTR { return true }
        if isInterrupted || deadline.hasPassed { return false }
    }
}

/// A pipe that becomes readable when the interruption is set, so that `poll` returns.
private final class Alarm: Wakeable {
    let output: Int32
    private let input: Int32

    /// Returns nil if the process has no free file descriptor.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (output, input) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(output)
        close(input)
    }

    func wake() {
        var byte: UInt8 = 0
        _ = write(input, &byte, 1)
    }
}
