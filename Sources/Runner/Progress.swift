// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization

final class Progress: Sendable {
    private let buffers = Atomic<Int>(0)

    var count: Int { buffers.load(ordering: .relaxed) }

    /// Counts the buffers that reach this sink from now on. The pad probes retain this object.
    func watch(_ sink: UnsafeMutablePointer<GstElement>) {
        gst_element_foreach_sink_pad(sink, Self.addProbe, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Counts the buffers that this source sends from now on.
    func watchOutput(of source: UnsafeMutablePointer<GstElement>) {
        gst_element_foreach_src_pad(source, Self.addProbe, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let addProbe: GstElementForeachPadFunc = { _, pad, data in
        guard let pad, let data else { return 1 }
        let object = Unmanaged<Progress>.fromOpaque(data)
        let types = GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue)
        gst_pad_add_probe(
            pad, types,
            { _, _, data in
                guard let data else { return GST_PAD_PROBE_OK }
                Unmanaged<Progress>.fromOpaque(data).takeUnretainedValue().buffers.add(1, ordering: .relaxed)
                return GST_PAD_PROBE_OK
            }, object.retain().toOpaque(), { data in data.map { Unmanaged<Progress>.fromOpaque($0).release() } })
        return 1
    }
}
