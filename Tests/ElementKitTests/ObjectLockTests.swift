// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("The lock of an object")
struct ObjectLockTests {
    @Test("The state that decides whether a property may be set is read with the lock held")
    func state() throws {
        let probe = try makeProbe()
        let thread = Mutex<String?>(nil)
        let isSet = Atomic(false)
        g_mutex_lock(&probe.gstObject.pointee.lock)
        let setter = BackgroundThread { round in
            guard round == 0 else { return }
            thread.withLock { $0 = Self.ownThread }
            probe.set("device", value: "x")
            isSet.store(true, ordering: .releasing)
        }
        let waits = eventually { isSet.load(ordering: .acquiring) || sleeps(thread.withLock { $0 }) }
        let wasSet = isSet.load(ordering: .acquiring)
        g_mutex_unlock(&probe.gstObject.pointee.lock)
        #expect(waits && !wasSet)
        #expect(eventually { isSet.load(ordering: .acquiring) })
        setter.stop()
        #expect(probe.get("device") == "x")
    }

    /// The path of the current thread in /proc.
    private static var ownThread: String? {
        var name = [CChar](repeating: 0, count: 100)
        let count = readlink("/proc/thread-self", &name, name.count)
        return count > 0 ? String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Returns true if a thread is waiting.
    private func sleeps(_ thread: String?) -> Bool {
        guard let thread, let bytes = try? contents(of: "/proc/\(thread)/stat") else { return false }
        // In the file, the state follows the name, which is in parentheses.
        return String(decoding: bytes, as: UTF8.self).split(separator: ") ").last?.first == "S"
    }
}
