// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Property {
    /// Declares the number of threads that work on a frame, which `ThreadPool.count(asked:)` understands.
    static func threads(_ keyPath: SettingPath<Settings, UInt32>) -> Property {
        Property(
            "threads", keyPath, in: 0...64,
            "Number of threads (0 = one per processor, at most 4)")
    }
}
