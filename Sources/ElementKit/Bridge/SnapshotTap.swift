// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A probe that passes the buffers at the pad `src` of an element to `Host.snapshots`. A probe also works while the
/// base class is in pass-through mode. The probe is removed when this object is released.
final class SnapshotTap {
    private let pad: Held<GstPad>
    private let probe: gulong

    /// Returns nil if the element is not a `SnapshotElement`, or has no pad `src`.
    init?<E: Element>(_ host: Host<E.Settings>, _ element: E) {
        guard element is any SnapshotElement, let pad = Held(gst_element_get_static_pad(host.element, "src")) else {
            return nil
        }
        let show = Show { buffer, pad in host.snapshots.show(buffer, on: pad, host) }
        probe = gst_pad_add_probe(
            pad.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                if let pad, let data, let info, let buffer = gst_pad_probe_info_get_buffer(info) {
                    Unmanaged<Show>.fromOpaque(data).takeUnretainedValue().body(buffer, pad)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(show).toOpaque(),
            { if let data = $0 { Unmanaged<Show>.fromOpaque(data).release() } })
        self.pad = pad
    }

    deinit { gst_pad_remove_probe(pad.pointer, probe) }

    private final class Show {
        let body: (UnsafeMutablePointer<GstBuffer>, UnsafeMutablePointer<GstPad>) -> Void

        init(_ body: @escaping (UnsafeMutablePointer<GstBuffer>, UnsafeMutablePointer<GstPad>) -> Void) {
            self.body = body
        }
    }
}
