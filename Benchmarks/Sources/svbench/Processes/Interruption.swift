import Glibc
import Synchronization

/// The user ended the run, or its output is no longer read.
///
/// The signal only sets a flag, which is read between two measurements, so that the temporary folder is removed as
/// usual.
struct Interruption: Error, CustomStringConvertible {
    private static let pending = Atomic<Bool>(false)

    let description = "interrupted"

    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] {
            signal(number) { _ in Interruption.pending.store(true, ordering: .relaxed) }
        }
    }

    /// Throws if there has been a signal.
    static func check() throws {
        if pending.load(ordering: .relaxed) { throw Interruption() }
    }
}
