// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The inputs that a mixer waits for before its first frame. An element such as `decodebin` requests a pad only after
/// it has received data. If the mixer starts before this request, its output size and the order of its inputs may
/// differ.
struct InputsAwaited {
    /// The maximum waiting time, in seconds. The mixer then starts anyway, because another branch of the pipeline may
    /// wait forever.
    private static let patience = 10.0
    /// The maximum waiting time for a mixer with live inputs, in seconds. Live inputs continue during the wait.
    private static let livePatience = 2.0

    /// The time of the first search for inputs. With live inputs, the first search is in the state PLAYING.
    private var began: gint64?

    /// Returns the missing input, as text for the log; nil if the mixer can start.
    /// - Parameters:
    ///   - haveCaps: true if each input that the mixer needs has caps or has ended.
    mutating func missing(before mixer: UnsafeMutablePointer<GstElement>, haveCaps: Bool) -> String? {
        began = began ?? g_get_monotonic_time()
        return haveCaps ? Self.unfinishedElement(before: mixer) : "an input that has no caps yet"
    }

    /// Returns true if the maximum waiting time has passed.
    func isOver(for mixer: UnsafeMutablePointer<GstElement>) -> Bool {
        // GST_CLOCK_TIME_NONE (all bits set) means that no input is live.
        let isLive = gst_aggregator_get_latency(mixer.cast()) != GstClockTime.max
        let now = g_get_monotonic_time()
        return Double(now - (began ?? now)) / 1e6 > (isLive ? Self.livePatience : Self.patience)
    }

    /// Returns the name of an element that has not reached PAUSED and so may still request a pad; nil if all elements
    /// have reached PAUSED. The search covers the mixer's bin, except elements downstream of the mixer, because these
    /// wait for the mixer.
    ///
    /// An element counts as unfinished until its bin knows that the state change is complete. Otherwise a sink could
    /// reach PAUSED first, and the pipeline would reach PAUSED in the thread of a decoder. GStreamer then loses the end
    /// of the stream if that thread has to wait: GstBin stores the state PAUSED after it has posted the message about
    /// PAUSED, and so may overwrite PLAYING if the application is faster (gst_bin_post_message, still in 1.28).
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

    /// Returns the children with a state change that is not complete for the bin. Use the pointers only for comparison.
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

    /// Returns the elements downstream of the mixer.
    private static func elements(after mixer: UnsafeMutablePointer<GstElement>) -> [Held<GstElement>] {
        var sources: [Held<GstElement>] = []
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
                guard !sources.contains(where: { $0.pointer == element.pointer }) else { continue }
                sources.append(element)
                waiting.append(element.pointer)
            }
        }
        return sources
    }

    /// Returns the objects of a list. The caller must hold the lock of the list's owner.
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
