// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The inputs without which a mixer does not begin. An element such as `decodebin` asks for a pad only once it has seen the
/// stream: a mixer that begins before has another size, and another order of inputs, than with it.
struct InputsAwaited {
    /// Seconds after which a mixer begins all the same: another branch of the pipeline may wait for what never comes.
    private static let patience = 10.0
    /// Seconds for a mixer with live inputs, which go on meanwhile.
    private static let livePatience = 2.0

    /// When it was looked for inputs first: with live ones, not before it plays.
    private var began: gint64?

    /// Returns what is missing still, for the log; nil if the mixer can begin.
    /// - Parameters:
    ///   - haveCaps: true if it is known of all inputs what they send, if anything.
    mutating func missing(before mixer: UnsafeMutablePointer<GstElement>, haveCaps: Bool) -> String? {
        began = began ?? g_get_monotonic_time()
        return haveCaps ? Self.unfinishedElement(before: mixer) : "an input that has no caps yet"
    }

    /// Returns whether a mixer has waited long enough.
    func isOver(for mixer: UnsafeMutablePointer<GstElement>) -> Bool {
        // None is all bits.
        let isLive = gst_aggregator_get_latency(mixer.cast()) != GstClockTime.max
        let now = g_get_monotonic_time()
        return Double(now - (began ?? now)) / 1e6 > (isLive ? Self.livePatience : Self.patience)
    }

    /// Returns the name of an element beside the mixer that has not got to PAUSED, and may so ask for a pad; nil if there
    /// is none. Sinks, and what else gets the mixer's frames, wait for the mixer.
    ///
    /// It counts as unfinished until its bin knows that it has finished. Otherwise a sink could get to PAUSED before it, and
    /// the pipeline would do so in the thread of a decoder. GStreamer then loses the end of the stream if that thread has to
    /// wait: GstBin notes the state PAUSED after the message about it was posted, and after PLAYING if the application was
    /// faster (gst_bin_post_message, still in 1.28).
    private static func unfinishedElement(before mixer: UnsafeMutablePointer<GstElement>) -> String? {
        guard let parent = Held(gst_object_get_parent(mixer.cast())),
            g_type_check_instance_is_a(parent.pointer.cast(), gst_bin_get_type()) != 0
        else { return nil }
        let changing = childrenThatChangeState(of: parent.pointer.cast())
        let unfinished = children(of: parent.pointer.cast()).filter { child in
            child.pointer != mixer && isUnfinished(child.pointer, changing)
        }
        guard !unfinished.isEmpty else { return nil }
        let later = Set(elements(after: mixer).map(\.pointer))
        guard let first = unfinished.first(where: { !later.contains($0.pointer) }) else { return nil }
        guard let name = gst_object_get_name(first.pointer.cast()) else { return "an element" }
        defer { g_free(name) }
        return String(cString: name)
    }

    private static func isUnfinished(
        _ element: UnsafeMutablePointer<GstElement>, _ changing: Set<UnsafeMutablePointer<GstObject>>
    ) -> Bool {
        let object = element.cast(to: GstObject.self)
        g_mutex_lock(&object.pointee.lock)
        defer { g_mutex_unlock(&object.pointee.lock) }
        let left = GST_ELEMENT_FLAG_SINK.rawValue | GST_ELEMENT_FLAG_LOCKED_STATE.rawValue
        return object.pointee.flags & left == 0
            && (element.pointee.current_state.rawValue < GST_STATE_PAUSED.rawValue || changing.contains(object))
    }

    /// Returns the children that have begun a change of state and not reported its end to their bin. They are only compared.
    private static func childrenThatChangeState(
        of bin: UnsafeMutablePointer<GstBin>
    ) -> Set<UnsafeMutablePointer<GstObject>> {
        let object = bin.cast(to: GstObject.self)
        g_mutex_lock(&object.pointee.lock)
        defer { g_mutex_unlock(&object.pointee.lock) }
        var changing: Set<UnsafeMutablePointer<GstObject>> = []
        var next = bin.pointee.messages
        while let item = next {
            next = item.pointee.next
            guard let message = item.pointee.data?.assumingMemoryBound(to: GstMessage.self),
                message.pointee.type == GST_MESSAGE_ASYNC_START, let source = message.pointee.src
            else { continue }
            changing.insert(source)
        }
        return changing
    }

    static func children(of bin: UnsafeMutablePointer<GstBin>) -> [Held<GstElement>] {
        let object = bin.cast(to: GstObject.self)
        g_mutex_lock(&object.pointee.lock)
        defer { g_mutex_unlock(&object.pointee.lock) }
        return held(bin.pointee.children)
    }

    /// Returns the elements beside the mixer that its frames get to.
    private static func elements(after mixer: UnsafeMutablePointer<GstElement>) -> [Held<GstElement>] {
        var found: [Held<GstElement>] = []
        var waiting = [mixer]
        while let next = waiting.popLast() {
            let object = next.cast(to: GstObject.self)
            g_mutex_lock(&object.pointee.lock)
            let pads: [Held<GstPad>] = held(next.pointee.srcpads)
            g_mutex_unlock(&object.pointee.lock)
            for pad in pads {
                guard let peer = Held(gst_pad_get_peer(pad.pointer)),
                    let element = Held(gst_pad_get_parent_element(peer.pointer))
                else { continue }
                guard !found.contains(where: { $0.pointer == element.pointer }) else { continue }
                found.append(element)
                waiting.append(element.pointer)
            }
        }
        return found
    }

    /// Returns what a list holds. Its owner is locked.
    private static func held<Object>(_ list: UnsafeMutablePointer<GList>?) -> [Held<Object>] {
        var items: [Held<Object>] = []
        var next = list
        while let item = next {
            if let data = item.pointee.data, let held = Held(gst_object_ref(data)?.assumingMemoryBound(to: Object.self))
            {
                items.append(held)
            }
            next = item.pointee.next
        }
        return items
    }
}
