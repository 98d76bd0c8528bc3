// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The control binding between the property `volume` of an element and a control source.
///
/// `gst_object_sync_values` reads the bindings of an element without a lock. So this class adds and removes the binding
/// only while the element processes no buffer.
final class VolumeBinding: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `binding` is a pointer. The pointer is constant, and this object
    // holds a reference. The functions of GStreamer are thread-safe.
    private let element: WeakObject
    private let binding: UnsafeMutablePointer<GstControlBinding>
    /// The volume of the element before the binding.
    private let previous: Double

    init?(_ element: UnsafeMutablePointer<GstElement>, _ source: UnsafeMutablePointer<GstControlSource>) {
        guard let binding = gst_direct_control_binding_new_absolute(element.cast(), "volume", source) else {
            return nil
        }
        gst_object_ref_sink(binding)
        self.binding = binding
        self.element = WeakObject(element.cast())
        var value = GValue()
        g_value_init(&value, Double.valueType)
        g_object_get_property(element.cast(), "volume", &value)
        previous = g_value_get_double(&value)
        g_value_unset(&value)
    }

    deinit { gst_object_unref(binding) }

    /// Adds the binding. If the element is processing a buffer, adds the binding after this buffer.
    func add(whenIdle sink: UnsafeMutablePointer<GstPad>) {
        guard let peer = Held(gst_pad_get_peer(sink)) else { return add() }
        gst_pad_add_probe(
            peer.pointer, GST_PAD_PROBE_TYPE_IDLE,
            { _, _, data in
                VolumeBinding.of(data)?.add()
                return GST_PAD_PROBE_REMOVE
            }, Unmanaged.passRetained(self).toOpaque(), Self.release)
    }

    /// Removes the binding, and restores the previous volume. If the element is processing a buffer, waits for the end
    /// of this buffer, without blocking the caller.
    func remove(whenIdle sink: UnsafeMutablePointer<GstPad>) {
        guard let peer = Held(gst_pad_get_peer(sink)) else { return remove() }
        gst_pad_add_probe(
            peer.pointer, GST_PAD_PROBE_TYPE_IDLE,
            { _, _, data in
                VolumeBinding.of(data)?.remove()
                return GST_PAD_PROBE_REMOVE
            }, Unmanaged.passRetained(self).toOpaque(), Self.release)
    }

    private func add() {
        guard let element = element.object else { return }
        gst_object_add_control_binding(element.pointer.cast(), binding)
    }

    private func remove() {
        guard let element = element.object else { return }
        let object = element.pointer.cast(to: GstObject.self)
        // The application may have replaced the binding with another binding.
        guard let current = Held(gst_object_get_control_binding(object, "volume")), current.pointer == binding else {
            return
        }
        gst_object_remove_control_binding(object, binding)
        var value = GValue()
        g_value_init(&value, Double.valueType)
        g_value_set_double(&value, previous)
        g_object_set_property(element.pointer, "volume", &value)
        g_value_unset(&value)
    }

    private static func of(_ data: gpointer?) -> VolumeBinding? {
        data.map { Unmanaged<VolumeBinding>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let release: GDestroyNotify = { data in
        if let data { Unmanaged<VolumeBinding>.fromOpaque(data).release() }
    }
}
