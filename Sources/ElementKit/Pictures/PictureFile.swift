// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging
import Synchronization

// GStreamer's decoders and encoders read and write image files. Each file gets a separate small pipeline.

extension Picture {
    /// The maximum number of pixels of an image file. Larger images are rejected before decoding.
    package static let largestFile = 100_000_000
    /// The maximum size of an SVG file, in bytes.
    private static let largestDrawing = 32 << 20

    /// Reads an image file in any format with an installed decoder, or the first frame of a video. Applies the
    /// orientation tag, and returns BGRA. Blocks until the image is decoded.
    /// - Parameter isObsolete: called repeatedly. If it returns true, the wait ends with an error.
    /// - Throws: `ElementError` with the path: resource/not-found, resource/open-read, stream/decode,
    ///   stream/wrong-type.
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
        let source = head.drawing == nil ? "filesrc name=file" : "appsrc name=file caps=image/svg+xml"
        // videoflip supports only formats with 8 bits per channel, so the pipeline converts the image before videoflip.
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
            // Discards the frame rate and the interlacing of a video.
            let format = VideoFormat(.bgra, size: info.frameSize, like: VideoFormat(info))
        else {
            throw ElementError(
                .format, "cannot read \"\(path)\": the decoder returned no image. Use another image file.")
        }
        let hasAlpha = withMappedFrame(buffer, format.info, GST_MAP_READ) { $0.packed?.isOpaque() == false } ?? false
        self.init(buffer: gst_buffer_ref(buffer), format: format, pixelFormat: .bgra, hasAlpha: hasAlpha)
    }

    /// The size of the image in pixels after scaling to square pixels.
    package var fileSize: PixelSize { shape.squared }

    /// Returns the image as a PNG file with square pixels. Blocks until the image is encoded.
    /// - Parameter path: the path of the file, for error messages.
    package func png(for path: String) throws(ElementError) -> [UInt8] {
        // For some formats with a padding byte, videoconvert would use this byte as alpha. So the image is converted to
        // RGB first.
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

    /// Writes the image as PNG, and replaces an existing file atomically. Blocks until the file is written.
    package func writePNG(to path: String) throws(ElementError) {
        let bytes = try png(for: path)
        do {
            try replaceFile(path, with: bytes, isPrivate: false)
        } catch {
            throw ElementError(error, writing: path)
        }
    }
}

// pngenc and jpegenc do not write the pixel aspect ratio, and few programs read this ratio. So the image is scaled to
// square pixels.
extension FrameShape {
    /// The part of a pipeline description that scales frames to square pixels; an empty string if the pixels are
    /// already square.
    var squaring: String {
        let new = squared
        guard new != size else { return "" }
        return "videoscale method=lanczos add-borders=false ! "
            + "video/x-raw,width=\(new.width),height=\(new.height),pixel-aspect-ratio=1/1 ! "
    }
}

/// Checks the caps that pass a pad, and blocks images with too many pixels.
final class SizeGuard: Sendable {
    private let largest: Int
    private let size = Mutex<PixelSize?>(nil)

    init(largest: Int) { self.largest = largest }

    /// The size of a rejected image; nil if no image was rejected.
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
