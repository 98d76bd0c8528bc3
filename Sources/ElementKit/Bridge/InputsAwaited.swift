// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// Decides whether a mixer waits for more inputs before its first frame. An element such as `decodebin` requests a pad
/// only after it has received data. If the mixer started before this request, the output size and the order of the
/// inputs could differ from run to run.
struct InputsAwaited {
    /// The maximum waiting time, in seconds. After this time, the mixer starts anyway, because the missing element or
    /// input may never become ready.
    private static let patience = 10.0
    /// The maximum waiting time for a mixer with live inputs, in seconds. This time is short, because live inputs keep
    /// sending frames during the wait.
    private static let livePatience = 2.0

    /// The time of the first call of `missing`, in microseconds. With live inputs, the first call happens only in the
    /// state PLAYING, so the time in the state PAUSED does not count.
    private var began: gint64?

    /// Returns a description of the input or element that the mixer waits for; nil if the mixer can start.
    /// - Parameters:
    ///   - haveCaps: true if each input that the mixer needs has caps or has ended.
    mutating func missing(before mixer: UnsafeMutablePointer<GstElement>, haveCaps: Bool) -> String? {
        began = began ?? g_get_monotonic_time()
        return haveCaps ? Self.unfinishedElement(before: mixer) : "an input that has no caps yet"
    }

    /// Returns true if the maximum waiting time has passed.
    func isOver(for mixer: UnsafeMutablePointer<GstElement>) -> Bool {
        // gst_aggregator_get_latency returns GST_CLOCK_TIME_NONE (all bits set) if no input is live.
        let isLive = gst_aggregator_get_latency(mixer.cast()) != GstClockTime.max
        let now = g_get_monotonic_time()
        return Double(now - (began ?? now)) / 1e6 > (isLive ? Self.livePatience : Self.patience)
    }

    /// Returns the name of an element that may still request a pad, because it has not reached PAUSED. Returns nil if
    /// there is no such element. The search covers the mixer's bin, except elements downstream of the mixer, because
    /// these elements wait for the mixer.
    ///
    /// An element counts as unfinished until its bin has received the message that the state change is complete.
    /// Otherwise, the sink could reach PAUSED before a decoder. The decoder's thread would then complete the state
    /// change of the pipeline. In this case, GstBin has a race (in gst_bin_post_message, still in 1.28): it posts the
    /// message about PAUSED before it stores the state PAUSED. If the application sets PLAYING between these two steps,
    /// GstBin overwrites PLAYING with PAUSED, and the end-of-stream message can be lost.
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

    /// Returns the children of the bin that have not completed their state change yet. Use the pointers only for
    /// comparison, because this function adds no references.
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

    /// Returns strong references to the objects of a list. The caller must hold the lock of the list's owner.
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
