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

    /// Finds the element `volume` with this name in the same pipeline, and controls its property `volume` from now on.
    /// - Parameter initial: the volume until `change` is called.
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

/// The volume of a GStreamer element `volume`, as a curve over the running time. The element applies the curve to each
/// sample.
///
/// This class adds a control binding for the property `volume`. When this object is released, the element gets its
/// previous volume back.
package final class SoundVolume: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because `source` is a pointer without a lock, and the variables are mutable.
    // Only one thread at a time uses this object. The functions of GStreamer are thread-safe.
    private let element: WeakObject
    private let pad: WeakObject
    private var probe: gulong = 0
    private let binding: VolumeBinding
    private let source: Held<GstControlSource>
    private let progress = Progress()
    private var curve: VolumeCurve
    /// The stream times of the points in the control source `source`.
    private var times: [GstClockTime] = []

    /// The running time up to which the element has processed its stream, in nanoseconds.
    private final class Progress: Sendable {
        let end = Atomic<UInt64>(0)
    }

    fileprivate init?(_ element: Held<GstElement>, initial: Double) {
        let object = element.pointer.cast(to: GObject.self)
        guard let spec = g_object_class_find_property(sv_object_get_class(object), "volume"),
            spec.pointee.value_type == Double.valueType,
            UInt32(bitPattern: spec.pointee.flags.rawValue) & PropertyFlags.controllable.rawValue != 0,
            let pad = Held(gst_element_get_static_pad(element.pointer, "sink")),
            let source = Held(gst_interpolation_control_source_new()),
            let binding = VolumeBinding(element.pointer, source.pointer)
        else { return nil }
        (self.element, self.pad) = (WeakObject(object), WeakObject(pad.pointer.cast()))
        (self.source, self.binding, curve) = (source, binding, VolumeCurve(initial))
        gst_util_set_object_arg(source.pointer.cast(), "mode", "linear")
        show(from: .zero)
        binding.add(whenIdle: pad.pointer)
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
        guard let pad = pad.object else { return }
        if probe != 0 { gst_pad_remove_probe(pad.pointer.cast(), probe) }
        binding.remove(whenIdle: pad.pointer.cast())
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

    /// Replaces the part of the curve from `time` on. The new part begins with the volume of the old curve at `time`.
    /// - Parameter points: running times after `time`, in ascending order, and their volumes.
    package func change(from time: ClockTime, _ points: [(time: ClockTime, volume: Double)]) {
        curve.change(from: time, points)
        curve.forget(before: processed)
        show(from: time)
    }

    /// Replaces the curve by its final volume if the element has processed the sound up to the end of the curve. If the
    /// stream is later played again from an earlier position, the element then does not apply the curve again.
    package func settle() {
        guard curve.end > .zero, processed > curve.end else { return }
        curve = VolumeCurve(curve.final)
        show(from: .zero)
    }

    /// Copies the curve to the control source. The element may read the control source at the same time. So the points
    /// up to `begin` are added first, and outdated points up to `begin` are removed last. As a result, the volume
    /// before `begin` never changes.
    private func show(from begin: ClockTime) {
        guard let element = element.object, let pad = pad.object else { return }
        let segment = Self.segment(of: pad.pointer.cast())
        // Elements read a control source at the stream time, not at the running time.
        func streamTime(_ time: ClockTime) -> GstClockTime {
            segment.map { Self.streamTime(time, in: $0) } ?? GstClockTime(time.nanoseconds)
        }
        let target = source.pointer.cast(to: GstTimedValueControlSource.self)
        let start = streamTime(begin)
        let points = curve.points.map { (time: streamTime($0.time), volume: $0.volume) }
        for point in points where point.time <= start {
            gst_timed_value_control_source_set(target, point.time, point.volume)
        }
        for time in times where time > start { gst_timed_value_control_source_unset(target, time) }
        for point in points where point.time > start {
            gst_timed_value_control_source_set(target, point.time, point.volume)
        }
        let kept = Set(points.map(\.time))
        for time in times where time <= start && !kept.contains(time) {
            gst_timed_value_control_source_unset(target, time)
        }
        times = points.map(\.time)
        // With the volume 1, the element may be in pass-through mode. It would then not apply the curve to the next
        // buffer.
        if g_type_check_instance_is_a(element.pointer.cast(), gst_base_transform_get_type()) != 0 {
            gst_base_transform_set_passthrough(element.pointer.cast(), 0)
        }
    }

    /// Returns zero for the running time zero, and for times before the segment, so that the curve begins at zero and
    /// defines a volume for each time.
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
