import CGStreamer

/// The path from an element upstream to the nearest one of some kind.
package struct UpstreamPath: Sendable {
    /// The name of the element that was searched for.
    package let source: String
    /// The names of the elements in between, from there on; without queues, tees and caps filters.
    package let between: [String]
}

extension Host {
    /// Returns the path upstream to the nearest element of a factory; nil if there is none in this pipeline. It may
    /// cross bins, but not pipelines.
    package func upstreamPath(to factory: String) -> UpstreamPath? {
        guard let start = HeldPad(gst_element_get_static_pad(element, "sink")) else { return nil }
        // The pads to go on from, each with the names of the elements on the way to it.
        var waiting: [(pad: HeldPad, names: [String])] = [(start, [])]
        var seen: Set<UnsafeMutableRawPointer> = []
        while !waiting.isEmpty {
            let (pad, names) = waiting.removeFirst()
            guard let source = pad.upstream, let element = source.parent else { continue }
            defer { gst_object_unref(element) }
            guard seen.insert(element).inserted, seen.count <= 1000 else { continue }
            let gst = element.assumingMemoryBound(to: GstElement.self)
            let kind = gst_element_get_factory(gst).flatMap { Self.name(of: UnsafeMutableRawPointer($0)) } ?? ""
            let name = Self.name(of: element) ?? kind
            if kind == factory { return UpstreamPath(source: name, between: names.reversed()) }
            let harmless = ["queue", "queue2", "tee", "capsfilter", "identity"].contains(kind)
            waiting += source.inputs.map { ($0, harmless ? names : names + [name]) }
        }
        return nil
    }

    private static func name(of object: UnsafeMutableRawPointer) -> String? {
        guard let name = gst_object_get_name(object.assumingMemoryBound(to: GstObject.self)) else { return nil }
        defer { g_free(name) }
        return String(cString: name)
    }
}

/// Keeps a pad alive.
private final class HeldPad {
    private let pad: UnsafeMutablePointer<GstPad>

    /// Takes ownership of a reference.
    init?(_ pad: UnsafeMutablePointer<GstPad>?) {
        guard let pad else { return nil }
        self.pad = pad
    }

    deinit { gst_object_unref(pad) }

    private var object: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstObject.self)
    }

    /// The source pad, of an element other than a bin, from which this sink pad's data comes.
    var upstream: HeldPad? {
        var next = HeldPad(gst_pad_get_peer(pad))
        // A bin's pads are only proxies: for pads of elements inside or, seen from inside, for the pads that the bin is
        // linked to.
        for _ in 0..<100 {
            guard let here = next else { return nil }
            if here.isGhost {
                next = HeldPad(gst_ghost_pad_get_target(here.cast()))
            } else if here.isProxy, let ghost = here.parent {
                let outside = HeldPad(gst_pad_get_peer(ghost.assumingMemoryBound(to: GstPad.self)))
                gst_object_unref(ghost)
                next = outside
            } else {
                return here
            }
        }
        return nil
    }

    private var isGhost: Bool { isInstance(of: gst_ghost_pad_get_type()) }
    private var isProxy: Bool { isInstance(of: gst_proxy_pad_get_type()) }

    private func isInstance(of type: GType) -> Bool {
        g_type_check_instance_is_a(
            UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }

    private func cast() -> UnsafeMutablePointer<GstGhostPad> {
        UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstGhostPad.self)
    }

    /// The parent, with a reference for the caller.
    var parent: UnsafeMutableRawPointer? { gst_object_get_parent(object).map { UnsafeMutableRawPointer($0) } }

    /// The element's sink pads from which this source pad's data may come.
    var inputs: [HeldPad] {
        guard let links = gst_pad_iterate_internal_links(pad) else { return [] }
        defer { gst_iterator_free(links) }
        var inputs: [HeldPad] = []
        var item = GValue()
        while gst_iterator_next(links, &item) == GST_ITERATOR_OK {
            if let input = g_value_dup_object(&item) {
                HeldPad(input.assumingMemoryBound(to: GstPad.self)).map { inputs.append($0) }
            }
            g_value_reset(&item)
        }
        g_value_unset(&item)
        return inputs
    }
}
