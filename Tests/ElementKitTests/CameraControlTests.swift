// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Files
import Synchronization
import TestSupport
import Testing

/// A camera element without a device. As in v4l2src, the specification of `brightness` allows any integer, and
/// GstColorBalance reports the range of the camera.
private enum FakeControls {
    static let brightness = Mutex<Int32>(0)
    static let controls = Mutex("")

    /// The list of channels lives as long as the process.
    nonisolated(unsafe) static let channels: UnsafeMutablePointer<GList>? = {
        let object = g_object_new_with_properties(gst_color_balance_channel_get_type(), 0, nil, nil)
        guard let object else { return nil }
        let channel = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstColorBalanceChannel.self)
        channel.pointee.label = g_strdup("Brightness")
        (channel.pointee.min_value, channel.pointee.max_value) = (-64, 64)
        return g_list_append(nil, channel)
    }()

    static let isRegistered: Bool = {
        _ = GStreamer.isReady
        let type = g_type_register_static_simple(
            gst_element_get_type(), "TestFakeControls", guint(MemoryLayout<GstElementClass>.size),
            { data, _ in
                guard let data else { return }
                let objectClass = data.assumingMemoryBound(to: GObjectClass.self)
                objectClass.pointee.set_property = { _, id, value, _ in
                    guard let value else { return }
                    if id == 1 {
                        FakeControls.brightness.withLock { $0 = g_value_get_int(value) }
                    } else if let fields = gst_value_get_structure(value), let text = gst_structure_to_string(fields) {
                        FakeControls.controls.withLock { $0 = String(cString: text) }
                        g_free(text)
                    }
                }
                objectClass.pointee.get_property = { _, id, value, _ in
                    if id == 1 { g_value_set_int(value, FakeControls.brightness.withLock { $0 }) }
                }
                g_object_class_install_property(
                    objectClass, 1,
                    g_param_spec_int("brightness", nil, nil, Int32.min, Int32.max, 0, G_PARAM_READWRITE))
                g_object_class_install_property(
                    objectClass, 2,
                    g_param_spec_boxed("extra-controls", nil, nil, gst_structure_get_type(), G_PARAM_READWRITE))
                gst_element_class_set_metadata(
                    data.assumingMemoryBound(to: GstElementClass.self), "Fake", "Source/Video", "Fake", "Test")
            }, guint(MemoryLayout<GstElement>.size), { _, _ in }, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo()
        interface.interface_init = { data, _ in
            data?.assumingMemoryBound(to: GstColorBalanceInterface.self).pointee.list_channels = { _ in
                UnsafePointer(FakeControls.channels)
            }
        }
        g_type_add_interface_static(type, gst_color_balance_get_type(), &interface)
        return gst_element_register(nil, "fakecontrols", 0, type) != 0
    }()
}

@Suite("Control: cameras", .serialized)
struct CameraControlTests {
    private func controlled() throws -> (Pipeline, ControlProbe) {
        #expect(FakeControls.isRegistered)
        let pipeline = try Pipeline("videotestsrc is-live=true ! fakesink name=out fakecontrols name=camera")
        gst_object_set_name(pipeline.handle.gstObject, "line")
        return (pipeline, ControlProbe(try pipeline.element("out")))
    }

    @Test("While a camera is open, a page shows the ranges of the camera")
    func ranges() throws {
        let (pipeline, probe) = try controlled()
        let before = try probe.property("brightness", of: "line/camera")
        #expect(before["minimum"] == .whole(Int64(Int32.min)) && before["maximum"] == .whole(Int64(Int32.max)))
        try pipeline.play()
        #expect(eventually { (try? probe.property("brightness", of: "line/camera"))?["maximum"] == .whole(64) })
        let open = try probe.property("brightness", of: "line/camera")
        #expect(open["kind"]?.text == "integer" && open["minimum"] == .whole(-64))
        #expect(probe.set("brightness", of: "line/camera", to: .whole(50)) == nil)
        #expect(FakeControls.brightness.withLock { $0 } == 50)
        #expect(
            probe.set("brightness", of: "line/camera", to: .whole(65)) == "brightness: 65 is not between -64 and 64")
        #expect(FakeControls.brightness.withLock { $0 } == 50)
    }

    @Test("A page sets other controls by name, while the camera plays")
    func extra() throws {
        let (pipeline, probe) = try controlled()
        try pipeline.play()
        let property = try probe.property("extra-controls", of: "line/camera")
        #expect(property["kind"]?.text == "text" && property["writable"] == .truth(true))
        func set(_ text: String) -> String? { probe.set("extra-controls", of: "line/camera", to: .text(text)) }
        #expect(set("focus_absolute=30, gain=-5") == nil)
        #expect(FakeControls.controls.withLock { $0 } == "c, focus_absolute=(int)30, gain=(int)-5;")
        // GStreamer's text of the structure is valid, too.
        #expect(set("c, gain=(int)7;") == nil)
        #expect(FakeControls.controls.withLock { $0 } == "c, gain=(int)7;")
        for text in [
            "", "gain", "gain,focus_absolute=30", "c", "gain=", "gain=a", "Gain=1", "gain=1,b", "gain=99999999999",
            "a/b=1", "c,x=(string)y",
        ] {
            #expect(set(text)?.contains("expected controls such as") == true, "\(text)")
        }
        #expect(FakeControls.controls.withLock { $0 } == "c, gain=(int)7;")
        // A reset would set NULL and change no control.
        let refusal = #expect(throws: ControlError.self) {
            try probe.control.reset("extra-controls", of: "line/camera")
        }
        #expect(refusal?.reason.contains("does not change the controls") == true)
        #expect(FakeControls.controls.withLock { $0 } == "c, gain=(int)7;")
    }

    @Test("While the camera opens or closes, a page does not read its list of controls")
    func changing() throws {
        let (pipeline, _) = try controlled()
        try pipeline.play()
        let camera = try pipeline.element("camera")
        #expect(eventually { CameraControls.range(of: "brightness", on: camera.object) == -64...64 })
        let range = Mutex<ClosedRange<Int64>?>(0...0)
        // The lock is recursive, so another thread must try the lock.
        g_rec_mutex_lock(&camera.element.pointee.state_lock)
        let isDone = Atomic(false)
        let thread = BackgroundThread { _ in
            guard !isDone.load(ordering: .acquiring) else { return g_usleep(1000) }
            range.withLock { $0 = CameraControls.range(of: "brightness", on: camera.object) }
            isDone.store(true, ordering: .releasing)
        }
        #expect(eventually { isDone.load(ordering: .acquiring) })
        g_rec_mutex_unlock(&camera.element.pointee.state_lock)
        thread.stop()
        #expect(range.withLock { $0 } == nil)
    }

    @Test("The stock camera element has the properties that the page controls")
    func stockElement() throws {
        let camera = try Handle(factory: "v4l2src")
        for name in ["brightness", "contrast", "hue", "saturation"] {
            let spec = try #require(camera.spec(name))
            #expect(spec.pointee.value_type == Int32.valueType)
        }
        let spec = try #require(camera.spec("extra-controls"))
        #expect(spec.pointee.value_type == gst_structure_get_type())
        let object = UnsafeMutableRawPointer(camera.object).assumingMemoryBound(to: GTypeInstance.self)
        #expect(g_type_check_instance_is_a(object, gst_color_balance_get_type()) != 0)
    }
}
