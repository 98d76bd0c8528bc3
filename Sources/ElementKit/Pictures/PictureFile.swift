import CElements
import CGStreamer
import Glibc
import Pixels
import Synchronization

// Picture files go through GStreamer's own decoders and encoders, each in a small pipeline of its own.

extension Picture {
    /// More pixels than this are refused before they are decoded.
    package static let largestFile = 100_000_000

    /// Reads a picture file: any still format for which a decoder is installed, turned upright by its orientation tag,
    /// as BGRA. Blocks until it is decoded.
    /// - Throws: `ElementError` with the path: resource/not-found, resource/open-read, stream/decode, stream/wrong-type.
    package static func load(_ path: String) throws -> Picture {
        try checkReadable(path)
        let guardian = SizeGuard(largest: largestFile)
        let decoder = decoder(for: path)
        let pipeline = try MiniPipeline(
            "filesrc name=file ! \(decoder.description) ! videoflip name=upright video-direction=auto ! videoconvert ! "
                + "appsink name=out sync=false max-buffers=1 caps=video/x-raw,format=BGRA")
        pipeline.set("file", "location", path)
        pipeline.watch(decoder.gate, guardian)
        let sample: OpaquePointer
        switch pipeline.preroll("out") {
        case .success(let decoded): sample = decoded
        case .failure(let failure):
            if let size = guardian.refused {
                throw ElementError(
                    .stream(GST_STREAM_ERROR_WRONG_TYPE),
                    "\(path): \(size.width)x\(size.height) pixels are too many (the limit is \(largestFile))")
            }
            throw ElementError(
                .stream(GST_STREAM_ERROR_DECODE), "\(path): not a picture that can be decoded, or cut off",
                details: failure.text)
        }
        defer { gst_sample_unref(sample) }
        var info = GstVideoInfo()
        let isVideo = gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) != 0
        // The first frame of a film is a picture too; converters ask for equal rates.
        info.fps_n = 0
        info.fps_d = 1
        guard isVideo, let buffer = gst_sample_get_buffer(sample), let format = VideoFormat(info) else {
            throw ElementError(.stream(GST_STREAM_ERROR_FORMAT), "\(path): the decoder gives no usable picture")
        }
        let hasAlpha = withMappedFrame(buffer, info, GST_MAP_READ) { !isOpaque($0) } ?? false
        return Picture(buffer: gst_buffer_ref(buffer), format: format, hasAlpha: hasAlpha)
    }

    /// Writes the picture as PNG. Blocks until it is written.
    package func writePNG(to path: String) throws {
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

    private static func checkReadable(_ path: String) throws {
        guard g_file_test(path, G_FILE_TEST_EXISTS) != 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_NOT_FOUND), "\(path): there is no such file")
        }
        guard g_file_test(path, G_FILE_TEST_IS_DIR) == 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): this is a folder, not a picture")
        }
        // A pipe or a device might never end.
        guard g_file_test(path, G_FILE_TEST_IS_REGULAR) != 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): this is not a regular file")
        }
        guard access(path, R_OK) == 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): may not be read")
        }
    }

    /// JPEG and PNG go through their parsers explicitly: those find cut-off files and the orientation tag and tell the
    /// size before anything is decoded; their rank is none in GStreamer 1.22, so that decodebin would leave them out.
    /// - Returns: the decoding part of the description, and the name of the element that sees the picture's size first.
    private static func decoder(for path: String) -> (description: String, gate: String) {
        let head = head(of: path)
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return ("jpegparse ! jpegdec name=gate", "gate") }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return ("pngparse ! pngdec name=gate", "gate") }
        return ("decodebin", "upright")
    }

    private static func head(of path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private static func isOpaque(_ image: Image) -> Bool {
        guard let alpha = image.format.alpha else { return true }
        return (0..<image.height).allSatisfy { y in
            let row = image.row(y)
            return stride(from: alpha, to: image.rowBytes, by: image.format.bytesPerPixel).allSatisfy { row[$0] == 255 }
        }
    }
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
            gst_structure_get_int(structure, "height", &height) != 0,
            Int(width) * Int(height) > largest
        else { return }
        size.withLock { $0 = PixelSize(width: Int(width), height: Int(height)) }
    }
}
