// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging
import TestSupport

/// The format and size of a case's frames, as in the caps.
struct Shape {
    var format: FrameFormat
    var width: Int
    var height: Int
    /// A valid frame of this size; nil for random content.
    var drawn: TestFrame?

    private static let lengths = [
        1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 96, 121, 127, 129, 160, 199, 200,
    ]

    init(_ dice: inout Dice, in formats: [FrameFormat], _ goods: Goods) {
        format = dice.pick(formats)
        width = dice.pick(Self.lengths)
        height = dice.pick(Self.lengths)
        if dice.once(in: 3) {
            let frame = dice.pick(goods.frames)
            (format, width, height, drawn) = (FrameFormat(.bgra), frame.width, frame.height, frame)
        }
    }

    private static let extras = [
        ",interlace-mode=interleaved", ",interlace-mode=alternate", ",colorimetry=bt709", ",colorimetry=2:4:7:1",
        ",pixel-aspect-ratio=59/54", ",pixel-aspect-ratio=1/2147483647",
        ",chroma-site=jpeg", ",framerate=0/1", ",framerate=2147483647/1", ",framerate=1/2147483647",
        ",max-framerate=60/1",
    ]

    /// - Parameter isOdd: true if the caps contain unusual fields.
    func caps(_ dice: inout Dice, isOdd: Bool) -> UnsafeMutablePointer<GstCaps>? {
        var text = "video/x-raw,format=\(format.name),width=\(width),height=\(height)"
        let extra = isOdd ? dice.pick(Self.extras) : ""
        if !extra.contains(",framerate=") { text += ",framerate=25/1" }
        return gst_caps_from_string(text + extra)
    }
}

/// The layout of a frame's planes in memory.
private struct Layout {
    struct Plane {
        var offset: Int
        var stride: Int
        var rowBytes: Int
        var rows: Int

        var bytes: Int { stride * rows }
    }

    var planes: [Plane]
    var size: Int

    /// Creates GStreamer's default layout.
    init?(_ shape: Shape) {
        var info = GstVideoInfo()
        guard
            gst_video_info_set_format(
                &info, GstVideoFormat(named: shape.format.name), UInt32(shape.width), UInt32(shape.height))
                != 0
        else { return nil }
        let offsets = [info.offset.0, info.offset.1, info.offset.2, info.offset.3]
        let strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3]
        planes = shape.format.planes.enumerated().map { index, plane in
            Plane(
                offset: Int(offsets[index]), stride: Int(strides[index]),
                rowBytes: plane.units(width: shape.width) * plane.unitBytes, rows: plane.unitRows(height: shape.height))
        }
        size = Int(info.size)
    }

    /// Adds random padding before planes and after rows. There is no padding after the last row.
    mutating func pad(_ dice: inout Dice) {
        var place = dice.once(in: 2) ? 0 : dice.below(70)
        for index in planes.indices {
            planes[index].stride = planes[index].rowBytes + (dice.once(in: 3) ? 0 : dice.below(40))
            planes[index].offset = place
            place += planes[index].stride * max(0, planes[index].rows - 1) + planes[index].rowBytes
            size = place
            place += dice.once(in: 2) ? 0 : dice.below(33)
        }
    }
}

// MARK: - Buffers

extension Shape {
    /// Returns a buffer with a frame.
    /// - Parameter isTame: true if code of GStreamer reads the buffer first. This code aborts if metadata describes
    ///   more memory than the buffer has, or if timestamps are near the maximum.
    func buffer(_ dice: inout Dice, isTame: Bool) -> Buffer? {
        guard dice.once(in: 6) else { return buffer(&dice, isTame: isTame, isWhole: false) }
        // The caps describe a crop of a larger frame.
        var whole = self
        let (x, y) = (dice.below(20), dice.below(20))
        whole.drawn = nil
        whole.width += x + dice.below(20)
        whole.height += y + dice.below(20)
        let buffer = whole.buffer(&dice, isTame: isTame, isWhole: true)
        if let buffer, let crop = gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil) {
            UnsafeMutableRawPointer(crop).withMemoryRebound(to: GstVideoCropMeta.self, capacity: 1) {
                ($0.pointee.x, $0.pointee.y) = (UInt32(x), UInt32(y))
                ($0.pointee.width, $0.pointee.height) = (UInt32(width), UInt32(height))
            }
        }
        return buffer
    }

    /// - Parameter isWhole: true if the frame is larger than the caps, so that a GstVideoMeta must contain its size.
    private func buffer(_ dice: inout Dice, isTame: Bool, isWhole: Bool) -> Buffer? {
        guard var layout = Layout(self), let buffer = gst_buffer_new() else { return nil }
        let isPadded = dice.once(in: 2)
        if isPadded { layout.pad(&dice) }
        let bytes = filling(&dice, layout)
        if isPadded, dice.once(in: 3) {
            // Each plane gets its own memory.
            for index in layout.planes.indices {
                let plane = layout.planes[index]
                let end = min(bytes.count, plane.offset + plane.bytes)
                append(Array(bytes[plane.offset..<end]), to: buffer, &dice)
            }
            var place = 0
            for index in layout.planes.indices {
                let plane = layout.planes[index]
                let count = min(layout.size, plane.offset + plane.bytes) - plane.offset
                layout.planes[index].offset = place
                place += count
            }
        } else if dice.once(in: 12) {
            append(Array(bytes.prefix(dice.below(bytes.count + 1))), to: buffer, &dice)
        } else {
            append(bytes, to: buffer, &dice)
        }
        if isPadded || isWhole || dice.once(in: 4) { addVideoMeta(layout, to: buffer, &dice, isTame: isTame) }
        stamp(buffer, &dice, isTame: isTame)
        return Buffer(taking: buffer)
    }

    private func filling(_ dice: inout Dice, _ layout: Layout) -> [UInt8] {
        var bytes: [UInt8]
        if dice.once(in: 4) {
            bytes = dice.bytes(layout.size)
        } else {
            bytes = [UInt8](repeating: dice.byte(), count: layout.size)
            // Pixels in the centre get another value.
            for plane in layout.planes where plane.rowBytes > 3 && plane.rows > 3 {
                let value = dice.byte()
                for row in plane.rows / 4..<plane.rows * 3 / 4 {
                    let start = plane.offset + row * plane.stride + plane.rowBytes / 4
                    for place in start..<start + plane.rowBytes / 2 { bytes[place] = value }
                }
            }
        }
        if let drawn, let plane = layout.planes.first {
            for row in 0..<height {
                let start = plane.offset + row * plane.stride
                bytes.replaceSubrange(
                    start..<start + plane.rowBytes,
                    with: drawn.bytes[row * plane.rowBytes..<(row + 1) * plane.rowBytes])
            }
        }
        return bytes
    }

    /// Appends memory that ends with the last byte of `bytes`. It is read-only with some probability.
    private func append(_ bytes: [UInt8], to buffer: UnsafeMutablePointer<GstBuffer>, _ dice: inout Dice) {
        guard !bytes.isEmpty, let data = g_malloc(gsize(bytes.count)) else { return }
        bytes.withUnsafeBytes { if let base = $0.baseAddress { data.copyMemory(from: base, byteCount: $0.count) } }
        let flags = dice.once(in: 6) ? GST_MEMORY_FLAG_READONLY : GstMemoryFlags(rawValue: 0)
        gst_buffer_append_memory(
            buffer, gst_memory_new_wrapped(flags, data, gsize(bytes.count), 0, gsize(bytes.count), data, { g_free($0) })
        )
    }

    private func addVideoMeta(
        _ layout: Layout, to buffer: UnsafeMutablePointer<GstBuffer>, _ dice: inout Dice, isTame: Bool
    ) {
        var offsets = layout.planes.map { gsize($0.offset) }
        var strides = layout.planes.map { gint($0.stride) }
        var (width, height) = (UInt32(width), UInt32(height))
        let format = GstVideoFormat(named: format.name)
        if dice.once(in: 8) {
            let index = dice.below(offsets.count)
            // Never change the format, because GStreamer rejects a different format.
            switch isTame ? 4 : dice.below(5) {
            case 4: offsets[index] = gsize.max - gsize(dice.below(100))
            case 0: offsets[index] = gsize(UInt64(bitPattern: dice.integer()))
            case 1: strides[index] = dice.int32()
            case 2: strides[index] += gint(dice.below(30))
            case 3: width = UInt32(1 + dice.below(400))
            default: height = UInt32(1 + dice.below(400))
            }
        }
        // The format may have more planes than the GstVideoMeta describes.
        offsets += [0, 0, 0, 0]
        strides += [strides[0], strides[0], strides[0], strides[0]]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, format, width, height, UInt32(layout.planes.count), &offsets, &strides)
    }

    private func stamp(_ buffer: UnsafeMutablePointer<GstBuffer>, _ dice: inout Dice, isTame: Bool) {
        let none = GstClockTime.max
        let far: [GstClockTime] = isTame ? [] : [3_600_000_000_000, 1 << 62, none - 1]
        let times: [GstClockTime] = [none, 0, 1, 40_000_000, 80_000_000] + far
        buffer.pointee.pts = dice.once(in: 3) ? dice.pick(times) : GstClockTime(dice.below(500)) * 10_000_000
        buffer.pointee.dts = dice.once(in: 8) ? dice.pick(times) : none
        buffer.pointee.duration = dice.once(in: 3) ? dice.pick(times) : 40_000_000
        if dice.once(in: 8) { buffer.pointee.offset = guint64(dice.bits()) }
        if dice.once(in: 8) {
            let flags: [GstBufferFlags] = [
                GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_CORRUPTED, GST_BUFFER_FLAG_DROPPABLE,
                GST_BUFFER_FLAG_RESYNC,
            ]
            buffer.pointee.mini_object.flags |= UInt32(dice.pick(flags).rawValue)
        }
    }
}
