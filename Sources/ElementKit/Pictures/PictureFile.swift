import CElements
import CGStreamer
import Glibc
import Pixels
import Synchronization

// Picture files go through GStreamer's own decoders and encoders, each in a small pipeline of its own.

extension Picture {
    /// More pixels than this are refused before they are decoded.
    package static let largestFile = 100_000_000

    /// Reads a picture file: any still format for which a decoder is installed, or a film's first frame, turned upright by
    /// its orientation tag, as BGRA. Blocks until it is decoded.
    /// - Parameter isObsolete: asked again and again; true ends the wait with an error.
    /// - Throws: `ElementError` with the path: resource/not-found, resource/open-read, stream/decode, stream/wrong-type.
    package static func load(_ path: String, unless isObsolete: () -> Bool = { false }) throws -> Picture {
        try checkReadable(path, as: "a picture")
        let head = FileHead(path)
        guard head.isPicture else {
            throw ElementError(.stream(GST_STREAM_ERROR_DECODE), "\(path): not a picture that can be decoded")
        }
        let guardian = SizeGuard(largest: largestFile)
        head.size.map { guardian.check($0) }
        let refusal = { (size: PixelSize) in
            ElementError(
                .stream(GST_STREAM_ERROR_WRONG_TYPE),
                "\(path): \(size.width)x\(size.height) pixels are too many (the limit is \(largestFile))")
        }
        if let size = guardian.refused { throw refusal(size) }
        // videoflip takes no format of more than 8 bits a channel, so the conversion comes first.
        var pipeline = try MiniPipeline(
            "filesrc name=file ! \(head.decoder) ! videoconvert name=convert ! videoflip video-direction=auto ! "
                + "appsink name=out sync=false max-buffers=1 caps=video/x-raw,format=BGRA")
        pipeline.set("file", "location", path)
        pipeline.watch(head.gate, guardian)
        let sample: OpaquePointer
        switch pipeline.preroll("out", unless: isObsolete) {
        case .success(let decoded): sample = decoded
        case .failure(let failure):
            if let size = guardian.refused { throw refusal(size) }
            throw ElementError(
                .stream(GST_STREAM_ERROR_DECODE), "\(path): not a picture that can be decoded, or cut off",
                details: failure.text)
        }
        defer { gst_sample_unref(sample) }
        return try Picture(sample, path)
    }

    private convenience init(_ sample: OpaquePointer, _ path: String) throws {
        var info = GstVideoInfo()
        guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
            gst_video_info_from_caps(&info, caps) != 0,
            // Of what the decoder says only this counts: rate, interlacing and pixel shape are a film's.
            var format = VideoFormat(.bgra, size: PixelSize(width: Int(info.width), height: Int(info.height)))
        else { throw ElementError(.stream(GST_STREAM_ERROR_FORMAT), "\(path): the decoder gives no usable picture") }
        format.colorimetry = info.colorimetry
        let hasAlpha = withMappedFrame(buffer, format.info, GST_MAP_READ) { $0.packed?.isOpaque == false } ?? false
        self.init(buffer: gst_buffer_ref(buffer), format: format, pixelFormat: .bgra, hasAlpha: hasAlpha)
    }

    /// Writes the picture as PNG. Blocks until it is written.
    package func writePNG(to path: String) throws {
        if g_file_test(path, G_FILE_TEST_EXISTS) != 0, g_file_test(path, G_FILE_TEST_IS_REGULAR) == 0 {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_WRITE), "\(path): this is not a regular file")
        }
        // From some formats with a padding byte videoconvert would make that byte alpha.
        let target = pixelFormat.padding == nil ? "" : "video/x-raw,format=RGB ! "
        let pipeline = try MiniPipeline(
            "appsrc name=in format=time ! videoconvert ! \(target)pngenc ! filesink name=file")
        pipeline.set("file", "location", path)
        if let failure = pipeline.run(pushing: self, into: "in") {
            throw ElementError(
                .resource(GST_RESOURCE_ERROR_WRITE), "\(path): cannot be written", details: failure.text)
        }
    }
}

/// What the first bytes of a file tell.
private struct FileHead {
    private let bytes: [UInt8]

    init(_ path: String) {
        var bytes = [UInt8](repeating: 0, count: 65536)
        guard let file = fopen(path, "rb") else {
            self.bytes = []
            return
        }
        defer { fclose(file) }
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        self.bytes = bytes
    }

    private var isPNG: Bool { bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) }
    private var isJPEG: Bool { bytes.starts(with: [0xFF, 0xD8, 0xFF]) }

    /// Whether GStreamer takes it for a picture or a film. A playlist is neither: it would send the decoder to other files
    /// and to the network.
    var isPicture: Bool {
        guard let caps = gst_type_find_helper_for_data(nil, bytes, gsize(bytes.count), nil) else { return false }
        defer { gst_caps_unref(caps) }
        guard let name = gst_structure_get_name(gst_caps_get_structure(caps, 0)) else { return false }
        let type = String(cString: name)
        return type.hasPrefix("image/") || type.hasPrefix("video/") || type == "application/ogg"
    }

    /// The size in pixels, for formats whose decoders tell it too late.
    var size: PixelSize? {
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        if isPNG, bytes.count >= 24 { return PixelSize(width: number(16..<20), height: number(20..<24)) }
        if bytes.starts(with: Array("GIF8".utf8)), bytes.count >= 10 {
            return PixelSize(width: Int(bytes[6]) | Int(bytes[7]) << 8, height: Int(bytes[8]) | Int(bytes[9]) << 8)
        }
        return nil
    }

    /// JPEG goes through its parser explicitly: that finds the orientation tag and cut-off files; its rank is none in
    /// GStreamer 1.22, so that decodebin would leave it out. pngdec needs no parser, and pngparse is slow on large files.
    var decoder: String {
        isJPEG ? "jpegparse ! jpegdec name=gate" : isPNG ? "pngdec" : "decodebin"
    }

    /// The element that sees the picture's size first.
    var gate: String { isJPEG ? "gate" : "convert" }
}

/// Watches the caps that pass a pad and lets nothing through that has too many pixels.
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
        var width: Int32 = 0
        var height: Int32 = 0
        guard let caps, let structure = gst_caps_get_structure(caps, 0),
            gst_structure_get_int(structure, "width", &width) != 0,
            gst_structure_get_int(structure, "height", &height) != 0
        else { return }
        check(PixelSize(width: Int(width), height: Int(height)))
    }

    func check(_ new: PixelSize) {
        let (area, overflow) = new.width.multipliedReportingOverflow(by: new.height)
        if overflow || area > largest { size.withLock { $0 = new } }
    }
}
