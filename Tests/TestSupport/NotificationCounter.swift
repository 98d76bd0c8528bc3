// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// Counts the `notify` signals for a property.
package final class NotificationCounter: Sendable {
    private let box = Box()

    private final class Box: Sendable {
        let count = Atomic<Int>(0)
    }

    package init(_ handle: Handle, _ property: String) {
        let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            if let data { Unmanaged<Box>.fromOpaque(data).takeUnretainedValue().count.add(1, ordering: .relaxed) }
        }
        g_signal_connect_data(
            handle.object, "notify::\(property)", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passRetained(box).toOpaque(),
            { data, _ in if let data { Unmanaged<Box>.fromOpaque(data).release() } }, G_CONNECT_DEFAULT)
    }

    package var count: Int { box.count.load(ordering: .relaxed) }
}
