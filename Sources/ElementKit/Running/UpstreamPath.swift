// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The path from an element to the nearest upstream element of a given factory.
package struct UpstreamPath: Sendable {
    /// The name of the element at the upstream end of the path.
    package let source: String
    /// The names of the elements between `source` and the element that has called `upstreamPath`, in stream order.
    /// Queues, tees, caps filters and identity elements are omitted.
    package let between: [String]
}

extension Host {
    /// Returns the path to the nearest upstream element of a factory; nil if there is none in this pipeline. The path
    /// may cross bins, but not pipelines.
    package func upstreamPath(to factory: String) -> UpstreamPath? {
        upstreamPath { $1 == factory }
    }

    /// Searches the pipeline for an element of this factory that is not upstream of this element. At least one of the
    /// properties must be set: a boolean property to true, or a string property to a text.
    /// - Returns: the name of the element; nil if there is none.
    package func elementBesides(_ factory: String, with properties: [String]) -> String? {
        guard let top = ControlNode.top(of: element), sv_object_is(top.pointer, gst_bin_get_type()) != 0,
            let elements = gst_bin_iterate_all_by_element_factory_name(top.pointer.cast(), factory)
        else { return nil }
        defer { gst_iterator_free(elements) }
        var found: [Held<GstObject>] = []
        var item = GValue()
        while gst_iterator_next(elements, &item) == GST_ITERATOR_OK {
            if let object = Held(g_value_dup_object(&item)?.assumingMemoryBound(to: GstObject.self)) {
                found.append(object)
            }
            g_value_reset(&item)
        }
        g_value_unset(&item)
        let other = found.first { object in
            properties.contains { object.isSet($0) } && upstreamPath { other, _ in other == object.pointer } == nil
        }
        return other?.pointer.currentName
    }

    /// Returns the path to the nearest upstream element that matches.
    /// - Parameter matches: called with an element and the name of its factory.
    private func upstreamPath(
        _ matches: (UnsafeMutablePointer<GstObject>, String) -> Bool
    ) -> UpstreamPath? {
        guard let start = Held(gst_element_get_static_pad(element, "sink")) else { return nil }
        // The pads that are still to be searched. `names`: the names of the elements between such a pad and the pad
        // `start`.
        var waiting: [(pad: Held<GstPad>, names: [String])] = [(start, [])]
        var visited: Set<UnsafeMutablePointer<GstObject>> = []
        while !waiting.isEmpty {
            let (pad, names) = waiting.removeFirst()
            guard let source = pad.upstream, let element = source.parent else { continue }
            guard visited.insert(element.pointer).inserted, visited.count <= 1000 else { continue }
            let maker = gst_element_get_factory(element.pointer.cast()).map { UnsafeMutablePointer<GstObject>($0) }
            let kind = maker?.currentName ?? ""
            let name = element.pointer.currentName ?? kind
            if matches(element.pointer, kind) { return UpstreamPath(source: name, between: names.reversed()) }
            let harmless = ["queue", "queue2", "tee", "capsfilter", "identity"].contains(kind)
            waiting += source.inputs.map { ($0, harmless ? names : names + [name]) }
        }
        return nil
    }
}

extension Held<GstObject> {
    /// Returns true if a boolean property is true, or if a string property has a text.
    fileprivate func isSet(_ property: String) -> Bool {
        let object = pointer.cast(to: GObject.self)
        guard let spec = g_object_class_find_property(sv_object_get_class(object), property) else { return false }
        var value = GValue()
        g_value_init(&value, spec.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_get_property(object, property, &value)
        switch value.g_type {
        case Bool.valueType: return Bool.read(value) ?? false
        case String.valueType: return String.read(value).map { !$0.isEmpty } ?? false
        default: return false
        }
    }
}

extension Held<GstPad> {
    /// The source pad that sends data to this sink pad: always a pad of an element, not of a bin.
    fileprivate var upstream: Held? {
        var next = Held(gst_pad_get_peer(pointer))
        // The pads of a bin are proxies. From outside the bin, a proxy leads to a pad inside the bin. From inside the
        // bin, a proxy leads to the pad to which the bin is linked.
        for _ in 0..<100 {
            guard let here = next else { return nil }
            if here.isInstance(of: gst_ghost_pad_get_type()) {
                next = Held(gst_ghost_pad_get_target(here.pointer.cast()))
            } else if here.isInstance(of: gst_proxy_pad_get_type()), let ghost = here.parent {
                next = Held(gst_pad_get_peer(ghost.pointer.cast()))
            } else {
                return here
            }
        }
        return nil
    }

    private func isInstance(of type: GType) -> Bool { g_type_check_instance_is_a(pointer.cast(), type) != 0 }

    fileprivate var parent: Held<GstObject>? { Held<GstObject>(gst_object_get_parent(pointer.cast())) }

    /// The sink pads of the same element from which data may reach this source pad.
    fileprivate var inputs: [Held] {
        guard let links = gst_pad_iterate_internal_links(pointer) else { return [] }
        defer { gst_iterator_free(links) }
        var inputs: [Held] = []
        var item = GValue()
        while gst_iterator_next(links, &item) == GST_ITERATOR_OK {
            if let input = Held(g_value_dup_object(&item)?.assumingMemoryBound(to: GstPad.self)) {
                inputs.append(input)
            }
            g_value_reset(&item)
        }
        g_value_unset(&item)
        return inputs
    }
}
