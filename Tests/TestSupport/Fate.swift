// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// Reports whether a GObject was freed.
package final class Fate: Sendable {
    private final class Box: Sendable { let isGone = Atomic(false) }
    private let box = Box()

    package var isGone: Bool { box.isGone.load(ordering: .acquiring) }

    package init(_ handle: Handle) {
        g_object_weak_ref(
            handle.object,
            { data, _ in
                guard let data else { return }
                Unmanaged<Box>.fromOpaque(data).takeRetainedValue().isGone.store(true, ordering: .releasing)
            }, Unmanaged.passRetained(box).toOpaque())
    }
}
