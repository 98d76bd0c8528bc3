// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Property {
    /// Returns the property `threads`: the number of threads that process each frame. `ThreadPool.count(asked:)`
    /// interprets the value.
    static func threads(_ keyPath: SettingPath<Settings, UInt32>) -> Property {
        Property(
            "threads", keyPath, in: 0...64,
            "Number of threads (0 = one per processor, at most 4)")
    }
}
