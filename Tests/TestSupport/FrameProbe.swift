// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

/// Collects all buffers that pass a pad, with a copy of their bytes.
package final class FrameProbe: @unchecked Sendable {
    // Unchecked because of the pad's handle. Only `init` and `deinit` use it.
    package struct Seen: Sendable {
        package let buffer: Buffer
        package let bytes: [UInt8]
        /// Monotonic time in nanoseconds.
        package let time: UInt64
    }

    private final class Record: Sendable {
        let frames = Mutex<[Seen]>([])
    }

    private let pad: Handle
    private let record = Record()
    private let id: gulong

    package init(_ pad: Handle) {
        self.pad = pad
        let data = Unmanaged.passRetained(record).toOpaque()
        id = gst_pad_add_probe(
            pad.pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                guard let data, let buffer = info?.pointee.data?.assumingMemoryBound(to: GstBuffer.self) else {
                    return GST_PAD_PROBE_OK
                }
                // With a second reference, the buffer would be read-only for elements downstream. So keep a copy.
                guard let copy = gst_buffer_copy(buffer) else { return GST_PAD_PROBE_OK }
                let kept = Buffer(taking: copy)
                let seen = Seen(
                    buffer: kept, bytes: TestFrame.memory(of: kept), time: UInt64(g_get_monotonic_time()) * 1000)
                Unmanaged<Record>.fromOpaque(data).takeUnretainedValue().frames.withLock { $0.append(seen) }
                return GST_PAD_PROBE_OK
            }, data, { if let data = $0 { Unmanaged<Record>.fromOpaque(data).release() } })
    }

    deinit { gst_pad_remove_probe(pad.pad, id) }

    package var frames: [Seen] { record.frames.withLock { $0 } }
}
