// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging
import Synchronization

// Picture files go through GStreamer's own decoders and encoders, each in a small pipeline of its own.

extension Picture {
    /// The largest number of pixels; files with more are refused before they are decoded.
    package static let largestFile = 100_000_000
    /// The largest size of an SVG file in bytes.
    private static let largestDrawing = 32 << 20

    /// Reads a picture file: any still format for which a decoder is installed, or a film's first frame, turned upright
    /// by its orientation tag, as BGRA. Blocks until it is decoded.
    /// - Parameter isObsolete: called repeatedly; true ends the wait with an error.
    /// - Throws: `ElementError` with the path: resource/not-found, resource/open-read, stream/decode, stream/wrong-type.
    package static func load(_ path: String, unless isObsolete: () -> Bool = { false }) throws -> Picture {
        let head = try PictureHead(path)
        let guardian = SizeGuard(largest: largestFile)
        let refusal = { (size: PixelSize) in
            ElementError(
                .wrongType,
                "cannot read \"\(path)\": \(size.width)x\(size.height) pixels are more than the maximum of "
                    + "\(largestFile). Use a smaller image."
            )
        }
        if let size = head.size { guardian.check(size) }
        if let size = guardian.refused { throw refusal(size) }
        // videoflip supports no format of more than 8 bits a channel, so the conversion comes first.
        let source = head.drawing == nil ? "filesrc name=file" : "appsrc name=file caps=image/svg+xml"
        var pipeline = try FilePipeline(
            "\(source) ! \(head.decoder) ! videoconvert name=convert ! videoflip video-direction=auto ! "
                + "appsink name=out sync=false max-buffers=1 caps=video/x-raw,format=BGRA")
        let drawing = try head.drawing.map { $0.framed(try readFile(path, as: "an image", atMost: largestDrawing)) }
        if drawing == nil { pipeline.setLocation(of: "file", to: path) }
        pipeline.watch(head.gate, guardian)
        let sample: OpaquePointer
        switch pipeline.preroll("out", feeding: drawing, to: "file", unless: isObsolete) {
        case .success(let decoded): sample = decoded
        case .failure(let failure):
            if let size = guardian.refused { throw refusal(size) }
            throw ElementError(
                .decode, "cannot read \"\(path)\": not a supported image, or truncated. Use another image file.",
                details: failure.text)
        }
        defer { gst_sample_unref(sample) }
        return try Picture(sample, path)
    }

    private convenience init(_ sample: OpaquePointer, _ path: String) throws {
        var info = GstVideoInfo()
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
            gst_video_info_from_caps(&info, caps) != 0,
            // Rate and interlacing are a film's.
            let format = VideoFormat(.bgra, size: info.frameSize, like: VideoFormat(info))
        else {
            throw ElementError(
                .format, "cannot read \"\(path)\": the decoder returned no image. Use another image file.")
        }
        let hasAlpha = withMappedFrame(buffer, format.info, GST_MAP_READ) { $0.packed?.isOpaque() == false } ?? false
        self.init(buffer: gst_buffer_ref(buffer), format: format, pixelFormat: .bgra, hasAlpha: hasAlpha)
    }

    /// The size that a file gets.
    package var fileSize: PixelSize { shape.squared }

    /// Returns the picture as the bytes of a PNG file, with square pixels. Blocks until it is encoded.
    /// - Parameter path: the file's, for the error.
    package func png(for path: String) throws(ElementError) -> [UInt8] {
        // With some formats that have a padding byte, videoconvert would turn that byte into alpha.
        let target = pixelFormat.padding == nil ? "" : "video/x-raw,format=RGB ! "
        let pipeline = try FilePipeline(
            "appsrc name=in format=time ! videoconvert ! \(shape.squaring)\(target)pngenc ! "
                + "appsink name=out sync=false wait-on-eos=false"
        )
        switch pipeline.run(pushing: self, into: "in", out: "out") {
        case .success(let bytes): return bytes
        case .failure(let failure):
            throw ElementError(.write, "cannot write \"\(path)\": encoding failed", details: failure.text)
        }
    }

    /// Writes the picture as PNG, replacing an existing file in one step. Blocks until it is written.
    package func writePNG(to path: String) throws(ElementError) {
        let bytes = try png(for: path)
        do {
            try replaceFile(path, with: bytes, isPrivate: false)
        } catch {
            throw ElementError(error, writing: path)
        }
    }
}

// pngenc and jpegenc do not write the shape of pixels, and few programs read it.
extension FrameShape {
    /// Words of a pipeline that scale frames of this shape to square pixels; none if there is nothing to do.
    var squaring: String {
        let new = squared
        guard new != size else { return "" }
        return "videoscale method=lanczos add-borders=false ! "
            + "video/x-raw,width=\(new.width),height=\(new.height),pixel-aspect-ratio=1/1 ! "
    }
}

/// Watches the caps that pass a pad and stops pictures that have too many pixels.
final class SizeGuard: Sendable {
    private let largest: Int
    private let size = Mutex<PixelSize?>(nil)

    init(largest: Int) { self.largest = largest }

    /// The size that was refused.
    var refused: PixelSize? { size.withLock { $0 } }

    func lets(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> Bool {
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0 {
            guard let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS else {
                return true
            }
            check(event)
        }
        return refused == nil
    }

    private func check(_ event: UnsafeMutablePointer<GstEvent>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        if let caps, let structure = gst_caps_get_structure(caps, 0), let size = StructureView(structure).size {
            check(size)
        }
    }

    func check(_ new: PixelSize) {
        let (area, overflow) = new.width.multipliedReportingOverflow(by: new.height)
        if overflow || area > largest { size.withLock { $0 = new } }
    }
}
