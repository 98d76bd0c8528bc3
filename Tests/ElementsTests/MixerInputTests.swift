// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

@Suite("svmixer: what its inputs get to do")
struct MixerInputTests {
    private static let stream = "video/x-raw,format=BGRA,width=40,height=20,framerate=30/1"

    // MARK: - Keys and mouse

    @Test("Keys reach all inputs, the mouse the one under it, in that one's pixels")
    func navigation() throws {
        let line = try pipeline(
            "svmixer name=m sink_0::width=80 sink_0::height=60 sink_1::xpos=40 sink_1::ypos=30 sink_1::width=20 "
                + "! appsink name=out sync=false max-buffers=1 drop=true "
                + "videotestsrc ! \(Self.stream) ! identity name=a ! m.sink_0 "
                + "videotestsrc ! \(Self.stream) ! identity name=b ! m.sink_1")
        let (a, b) = (try NavigationProbe(line.pad("a", "src")), try NavigationProbe(line.pad("b", "src")))
        try line.reach(GST_STATE_PLAYING)
        _ = try line.pull()
        let mixer = try line.element("m")
        func send(_ event: UnsafeMutablePointer<GstEvent>?) { gst_element_send_event(mixer.element, event) }
        send(gst_navigation_event_new_key_press("m", GST_NAVIGATION_MODIFIER_NONE))
        #expect(a.take() == ["key m"] && b.take() == ["key m"])
        // The position is in the second input, which is shown at half its width.
        send(gst_navigation_event_new_mouse_button_press(1, 50, 35, GST_NAVIGATION_MODIFIER_NONE))
        #expect(a.take() == [] && b.take() == ["20.0, 5.0"])
        // The position is outside of the second input. The first input is shown at twice its width and three times its
        // height.
        send(gst_navigation_event_new_mouse_button_press(1, 10, 30, GST_NAVIGATION_MODIFIER_NONE))
        #expect(a.take() == ["5.0, 10.0"] && b.take() == [])
        try line.element("m").setPad("sink_1", "opacity", "0")
        send(gst_navigation_event_new_mouse_button_press(1, 50, 36, GST_NAVIGATION_MODIFIER_NONE))
        #expect(a.take() == ["25.0, 12.0"] && b.take() == [])
        send(gst_navigation_event_new_mouse_button_press(1, 200, 36, GST_NAVIGATION_MODIFIER_NONE))
        #expect(a.take() == [] && b.take() == [])
    }

    @Test(
        "The mouse finds its place in an anamorphic input",
        arguments: ["svmixer name=m sink_0::width=640 sink_0::height=480 sink_0::fit=contain", "svswitch name=m"])
    func anamorphic(_ mixer: String) throws {
        // 720x576 with pixels of 64/45 is 16:9. So it fills the rows 60 to 419 of 640x480.
        let line = try pipeline(
            "\(mixer) ! video/x-raw,width=640,height=480,pixel-aspect-ratio=1/1 "
                + "! appsink name=out sync=false max-buffers=1 drop=true "
                + "videotestsrc ! video/x-raw,format=GRAY8,width=720,height=576,framerate=30/1,pixel-aspect-ratio=64/45 "
                + "! identity name=a ! m.sink_0")
        let probe = try NavigationProbe(line.pad("a", "src"))
        try line.reach(GST_STATE_PLAYING)
        _ = try line.pull()
        let element = try line.element("m")
        func click(_ x: Double, _ y: Double) {
            gst_element_send_event(
                element.element, gst_navigation_event_new_mouse_button_press(1, x, y, GST_NAVIGATION_MODIFIER_NONE))
        }
        click(320, 240)
        #expect(probe.take() == ["360.0, 288.0"])
        click(160, 150)
        #expect(probe.take() == ["180.0, 144.0"])
        click(320, 40)
        #expect(probe.take() == [])
    }

    // MARK: - Crop metadata

    @Test("An input that is cropped by metadata looks the same, converted or not, scaled or not")
    func cropped() throws {
        let frame = TestFrame(.bgra, 40, 20) { x, y in
            Color(red: UInt8(x >= 20 ? 255 : 0), green: UInt8(y >= 10 ? 255 : 0), blue: 255).pixel(.bgra)
        }
        for (format, output) in [
            ("BGRA", "BGRA"), ("RGBA", "BGRA"), ("I420", "BGRA"), ("NV12", "BGRA"), ("YUY2", "BGRA"), ("RGBA", "I420"),
            ("I420", "I420"), ("NV12", "I420"), ("YUY2", "YUY2"),
        ] {
            for (size, width, height) in [("", 20, 10), ("sink_0::width=10 sink_0::height=10", 10, 10)] {
                let line = try pipeline(
                    "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                        + "! identity name=crop ! svmixer name=m background-color=0xff000000 \(size) "
                        + "! video/x-raw,format=\(output),width=40,height=20 ! videoconvert ! video/x-raw,format=BGRA "
                        + "! appsink name=out sync=false")
                let cropper = try CropProbe(line.pad("crop", "src"), to: Rectangle(x: 20, y: 10, width: 20, height: 10))
                try line.play()
                try line.push(frame, into: "in", at: 0)
                try line.end("in")
                let shown = try #require(try line.pull()).frame
                withExtendedLifetime(cropper) {}
                for y in 0..<20 {
                    for x in 0..<40 {
                        let color = shown.color(x, y)
                        let isSeen = x < width && y < height
                        // Chroma and scaling mix colours at the edges of the part.
                        if isSeen, x < 2 || y < 2 || x > width - 3 || y > height - 3 { continue }
                        #expect((color.red > 200) == isSeen && (color.green > 200) == isSeen, "\(format) \(x),\(y)")
                    }
                }
            }
        }
    }

    // MARK: - Hidden inputs

    @Test(
        "What hides an input does not show in the picture, and shows again when it ends",
        arguments: ["opacity=0", "xpos=100", "mode=none", "zorder=0"])
    func hidden(_ way: String) throws {
        let (below, above) = (
            TestFrame(.bgr, 16, 8, color: Color(red: 200, green: 10, blue: 10)),
            TestFrame(.bgr, 16, 8, color: Color(red: 10, green: 200, blue: 10))
        )
        let order = way == "zorder=0" ? "sink_0::zorder=2 sink_1::zorder=1" : "sink_1::\(way)"
        let line = try pipeline(
            "svmixer name=m \(order) ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + "appsrc name=a format=time caps=\(below.caps()) ! m.sink_0 "
                + "appsrc name=b format=time caps=\(above.caps()) ! m.sink_1")
        try line.play()
        for number in 0..<2 {
            if number == 1 {
                let mixer = try line.element("m")
                let name = String(way.prefix { $0 != "=" })
                try mixer.setPad(
                    "sink_1", name, ["xpos": "0", "mode": "normal", "zorder": "3", "opacity": "1"][name] ?? "")
            }
            try line.push(below, into: "a", at: UInt64(number) * 40_000_000)
            try line.push(above, into: "b", at: UInt64(number) * 40_000_000)
            if number == 1 {
                try line.end("a")
                try line.end("b")
            }
            let shown = try #require(try line.pull()).frame
            #expect((shown.color(3, 3).red > 100) == (number == 0))
        }
    }
}

extension Handle {
    /// Sets a property of a pad.
    fileprivate func setPad(_ pad: String, _ name: String, _ value: String) throws {
        let pad = Handle(taking: try required(gst_element_get_static_pad(element, pad), "no pad"))
        pad.set(name, value)
    }
}

/// Collects the navigation events that leave a pad in the upstream direction.
private final class NavigationProbe: Sendable {
    private let seen: Seen

    private final class Seen: Sendable {
        let events = Mutex<[String]>([])
    }

    init(_ pad: Handle) {
        seen = Seen()
        gst_pad_add_probe(
            pad.pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                guard let data, let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self),
                    event.pointee.type == GST_EVENT_NAVIGATION
                else { return GST_PAD_PROBE_OK }
                var (x, y) = (0.0, 0.0)
                var text = ""
                var key: UnsafePointer<CChar>?
                if gst_navigation_event_get_coordinates(event, &x, &y) != 0 {
                    text = "\(x), \(y)"
                } else if gst_navigation_event_parse_key_event(event, &key) != 0, let key {
                    text = "key \(String(cString: key))"
                }
                Unmanaged<Seen>.fromOpaque(data).takeUnretainedValue().events.withLock { $0.append(text) }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(seen).toOpaque(),
            { if let data = $0 { Unmanaged<Seen>.fromOpaque(data).release() } })
    }

    func take() -> [String] {
        seen.events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// Adds crop metadata to the buffers that pass a pad.
private final class CropProbe {
    private final class Part: Sendable {
        let part: Rectangle
        init(_ part: Rectangle) { self.part = part }
    }

    init(_ pad: Handle, to part: Rectangle) {
        gst_pad_add_probe(
            pad.pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                guard let data, let info, let old = info.pointee.data?.assumingMemoryBound(to: GstBuffer.self) else {
                    return GST_PAD_PROBE_OK
                }
                let part = Unmanaged<Part>.fromOpaque(data).takeUnretainedValue().part
                // Other threads may have references to the buffer, so copy it.
                guard let buffer = gst_buffer_copy(old),
                    let meta = gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil)
                else { return GST_PAD_PROBE_OK }
                let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
                (crop.pointee.x, crop.pointee.y) = (guint(part.x), guint(part.y))
                (crop.pointee.width, crop.pointee.height) = (guint(part.width), guint(part.height))
                gst_buffer_unref(old)
                info.pointee.data = UnsafeMutableRawPointer(buffer)
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(Part(part)).toOpaque(),
            { if let data = $0 { Unmanaged<Part>.fromOpaque(data).release() } })
    }
}
