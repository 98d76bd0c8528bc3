// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

extension SharedFrame {
    /// Returns the frame as a PNG file with square pixels. Blocks until the frame is encoded.
    package func png() throws(ElementError) -> [UInt8] {
        try encoded(by: "video/x-raw,format=RGB ! pngenc compression-level=1", as: "PNG")
    }

    /// Returns the frame as a JPEG file with square pixels. Blocks until the frame is encoded.
    package func jpeg() throws(ElementError) -> [UInt8] {
        try encoded(by: "videoconvert ! jpegenc quality=90", as: "JPEG")
    }

    private func encoded(by encoder: String, as name: String) throws(ElementError) -> [UInt8] {
        let decoder = isJPEG ? "jpegdec ! " : ""
        let pipeline = try FilePipeline(
            "appsrc name=in format=time ! \(decoder)videoconvert ! \(format.shape.squaring)\(encoder) ! "
                + "appsink name=out sync=false wait-on-eos=false")
        guard let copy = copyForPipeline(buffer, format.info) else {
            throw ElementError(.write, "cannot encode the frame as \(name)", details: "the frame cannot be read")
        }
        defer { gst_buffer_unref(copy) }
        switch pipeline.run(pushing: copy, format.caps, into: "in", out: "out") {
        case .success(let bytes): return bytes
        case .failure(let failure):
            throw ElementError(.write, "cannot encode the frame as \(name)", details: failure.text)
        }
    }
}

extension StreamPacket {
    /// Decodes packets, and returns the last frame. Blocks until the frame is decoded.
    /// - Parameter packets: the packets from a keyframe to the wanted frame, in decoding order.
    package static func lastFrame(of packets: [StreamPacket]) throws(ElementError) -> SharedFrame {
        guard let caps = packets.last?.caps else { throw ElementError(.decode, "there is no packet to decode") }
        let pipeline = try FilePipeline(
            "appsrc name=in format=time ! decodebin ! videoconvert ! video/x-raw,format=I420 ! "
                + "appsink name=out sync=false wait-on-eos=false max-buffers=1 drop=true")
        let buffers = packets.compactMap { gst_buffer_ref($0.buffer) }
        defer { for buffer in buffers { gst_buffer_unref(buffer) } }
        switch pipeline.sample(pushing: buffers, caps.caps, into: "in", out: "out") {
        case .success(let sample):
            defer { gst_sample_unref(sample) }
            guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
                let frame = StreamPacket(buffer, StreamCaps(caps), GstSegment()).frame
            else { throw ElementError(.decode, "the decoder returned no frame") }
            return frame
        case .failure(let failure): throw ElementError(.decode, "cannot decode the frame", details: failure.text)
        }
    }
}
