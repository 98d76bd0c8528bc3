// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Synchronization

extension Host {
    /// Returns the element with this name in the same pipeline. Searches the bin of this element first, and then the
    /// outer bins.
    func neighbour(_ name: String) -> Held<GstElement>? {
        guard let parent = Held(gst_object_get_parent(object.cast())),
            sv_object_is(parent.pointer.cast(), gst_bin_get_type()) != 0
        else { return nil }
        return Held(gst_bin_get_by_name_recurse_up(parent.pointer.cast(), name))
    }

    /// Finds the element `volume` with this name in the same pipeline, and takes over its property `volume`.
    /// - Parameter initial: the volume from now on.
    package func takeVolume(_ name: String, initial: Double) throws(ElementError) -> SoundVolume {
        guard let element = neighbour(name) else {
            throw ElementError(
                .notFound,
                "sound=\"\(name)\": the pipeline has no element \"\(name)\". Set sound to the name of an element volume."
            )
        }
        guard let volume = SoundVolume(element, initial: initial) else {
            throw ElementError(
                .settings,
                "sound=\"\(name)\": this element has no controllable property volume, or no pad sink. Set sound to the "
                    + "name of an element volume.")
        }
        return volume
    }
}

/// The volume of a stock element `volume`, as a curve over the running time. The stock element applies the curve to each
/// sample.
///
/// The class replaces the control binding of the property. When this object is released, the element gets its previous
/// volume back.
package final class SoundVolume: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `binding` is a pointer without a lock, and `probe` is mutable. Only
    // one thread at a time uses this object. The functions of GStreamer are thread-safe.
    private let element: WeakObject
    private let pad: WeakObject
    private var probe: gulong = 0
    private var binding: UnsafeMutablePointer<GstControlBinding>?
    private let previous: Double
    private let progress = Progress()
    private var curve: VolumeCurve

    /// The running time up to which the element has processed its stream, in nanoseconds.
    private final class Progress: Sendable {
        let end = Atomic<UInt64>(0)
    }

    fileprivate init?(_ element: Held<GstElement>, initial: Double) {
        let object = element.pointer.cast(to: GObject.self)
        guard let spec = g_object_class_find_property(sv_object_get_class(object), "volume"),
            spec.pointee.value_type == Double.valueType,
            UInt32(bitPattern: spec.pointee.flags.rawValue) & PropertyFlags.controllable.rawValue != 0,
            let pad = Held(gst_element_get_static_pad(element.pointer, "sink"))
        else { return nil }
        (self.element, self.pad) = (WeakObject(object), WeakObject(pad.pointer.cast()))
        var value = GValue()
        g_value_init(&value, Double.valueType)
        g_object_get_property(object, "volume", &value)
        previous = g_value_get_double(&value)
        g_value_unset(&value)
        curve = VolumeCurve(initial)
        install(element, pad)
        probe = gst_pad_add_probe(
            pad.pointer, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, info, data in
                guard let pad, let info, let data, let buffer = gst_pad_probe_info_get_buffer(info),
                    buffer.pointee.pts != GstClockTime.max
                else { return GST_PAD_PROBE_OK }
                let length = buffer.pointee.duration == GstClockTime.max ? 0 : buffer.pointee.duration
                let (end, overflow) = buffer.pointee.pts.addingReportingOverflow(length)
                if !overflow, var segment = SoundVolume.segment(of: pad),
                    let time = ClockTime(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, end))
                {
                    Unmanaged<Progress>.fromOpaque(data).takeUnretainedValue().end
                        .store(time.nanoseconds, ordering: .relaxed)
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(progress).toOpaque(),
            { if let data = $0 { Unmanaged<Progress>.fromOpaque(data).release() } })
    }

    deinit {
        if probe != 0, let pad = pad.object {
            gst_pad_remove_probe(pad.pointer.cast(), probe)
        }
        guard let element = element.object, let binding else { return }
        let object = element.pointer.cast(to: GstObject.self)
        // Another program may have replaced the binding.
        if let current = Held(gst_object_get_control_binding(object, "volume")), current.pointer == binding {
            gst_object_remove_control_binding(object, binding)
            var value = GValue()
            g_value_init(&value, Double.valueType)
            g_value_set_double(&value, previous)
            g_object_set_property(element.pointer, "volume", &value)
            g_value_unset(&value)
        }
        gst_object_unref(binding)
    }

    /// False if the element has been removed from its pipeline.
    package var isPresent: Bool {
        guard let element = element.object else { return false }
        return Held(gst_object_get_parent(element.pointer.cast())) != nil
    }

    /// The running time up to which the volume can no longer change, because the element has processed the sound.
    package var processed: ClockTime { ClockTime(nanoseconds: progress.end.load(ordering: .relaxed)) }

    package func volume(at time: ClockTime) -> Double { curve.volume(at: time) }

    /// The volume after the end of the curve.
    package var final: Double { curve.final }

    /// Replaces the part of the curve from `time` on. The new part begins with the current volume.
    /// - Parameter points: running times after `time`, in ascending order, and their volumes.
    package func change(from time: ClockTime, _ points: [(time: ClockTime, volume: Double)]) {
        curve.change(from: time, points)
        curve.forget(before: processed)
        install()
    }

    /// Makes the volume constant if the element has processed the sound up to the end of the curve. A later seek to an
    /// earlier position then does not repeat the curve.
    package func settle() {
        guard curve.end > .zero, processed > curve.end else { return }
        curve = VolumeCurve(curve.final)
        install()
    }

    private func install() {
        guard let element = element.object, let pad = pad.object,
            let held = Held(gst_object_ref(element.pointer)?.assumingMemoryBound(to: GstElement.self)),
            let sink = Held(gst_object_ref(pad.pointer)?.assumingMemoryBound(to: GstPad.self))
        else { return }
        install(held, sink)
    }

    private func install(_ element: Held<GstElement>, _ pad: Held<GstPad>) {
        guard let source = Held(gst_interpolation_control_source_new()) else { return }
        gst_util_set_object_arg(source.pointer.cast(), "mode", "linear")
        let segment = Self.segment(of: pad.pointer)
        for point in curve.points {
            // The element uses the stream time, as all elements with controlled properties do.
            let time = segment.map { Self.streamTime(point.time, in: $0) } ?? GstClockTime(point.time.nanoseconds)
            gst_timed_value_control_source_set(source.pointer.cast(), time, point.volume)
        }
        let object = element.pointer.cast(to: GstObject.self)
        guard let new = gst_direct_control_binding_new_absolute(object, "volume", source.pointer) else { return }
        gst_object_ref_sink(new)
        // Replaces the previous binding under the lock of the object, so the element always has a binding.
        gst_object_add_control_binding(object, new)
        if let binding { gst_object_unref(binding) }
        binding = new
        // An element with the volume 1 that got its caps before the binding passes a whole buffer without the curve.
        if g_type_check_instance_is_a(element.pointer.cast(), gst_base_transform_get_type()) != 0 {
            gst_base_transform_set_passthrough(element.pointer.cast(), 0)
        }
    }

    /// Returns zero for the running time zero, and for times before the segment: the element needs a volume for each
    /// time.
    private static func streamTime(_ time: ClockTime, in segment: GstSegment) -> GstClockTime {
        var segment = segment
        guard time > .zero else { return 0 }
        let position = gst_segment_position_from_running_time(&segment, GST_FORMAT_TIME, GstClockTime(time.nanoseconds))
        let stream = position == .max ? .max : gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, position)
        return stream == .max ? 0 : GstClockTime(stream)
    }

    private static func segment(of pad: UnsafeMutablePointer<GstPad>) -> GstSegment? {
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return nil }
        defer { gst_event_unref(event) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        return segment.format == GST_FORMAT_TIME ? segment : nil
    }
}

/// A volume over the running time: constant before the first point and after the last point, and linear between two
/// points. The first point has the time zero.
struct VolumeCurve {
    private(set) var points: [(time: ClockTime, volume: Double)]

    init(_ volume: Double) { points = [(.zero, volume)] }

    var final: Double { points.last?.volume ?? 0 }
    var end: ClockTime { points.last?.time ?? .zero }

    func volume(at time: ClockTime) -> Double {
        guard let next = points.firstIndex(where: { $0.time > time }) else { return final }
        guard next > 0 else { return points[next].volume }
        let (before, after) = (points[next - 1], points[next])
        guard let passed = time.since(before.time), let length = after.time.since(before.time) else { return final }
        return before.volume + (after.volume - before.volume) * passed.seconds / length.seconds
    }

    mutating func change(from time: ClockTime, _ new: [(time: ClockTime, volume: Double)]) {
        let now = volume(at: time)
        points = points.filter { $0.time < time } + [(time, now)] + new.filter { $0.time > time }
        if points.first.map({ $0.time > .zero }) ?? false { points.insert((.zero, now), at: 0) }
    }

    /// Removes the points that are no longer necessary, except the point at zero, which keeps the volume constant
    /// before the curve.
    mutating func forget(before time: ClockTime) {
        guard let last = points.lastIndex(where: { $0.time <= time }), last > 0 else { return }
        let volume = points[last].volume
        points.replaceSubrange(...last, with: [(.zero, volume), points[last]])
    }
}
