// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Synchronization
import TestSupport
import Testing

/// Tests how sources are linked to mixers, and how mixers wait before the first frame.
@Suite("svmixer, svswitch: links")
struct MixerLinkTests {
    // MARK: - Two links at the same time

    /// A thread that requests an input. It links the input after another thread has found the input.
    private final class Requester: @unchecked Sendable {
        // Unchecked because of the pointers. GStreamer allows these calls in any thread.
        private let mixer: Handle
        private let source: Handle
        let input = Mutex<Handle?>(nil)
        private let isFound = Mutex(false)
        let result = Mutex<GstPadLinkReturn?>(nil)

        init(_ mixer: Handle, _ source: Handle) { (self.mixer, self.source) = (mixer, source) }

        func run() {
            let template = gst_element_get_pad_template(mixer.element, "sink_%u")
            guard let made = gst_element_request_pad(mixer.element, template, nil, nil) else { return }
            let pad = Handle(taking: made)
            input.withLock { $0 = pad }
            _ = eventually { isFound.withLock { $0 } }
            let linked = gst_pad_link(source.pad, pad.pad)
            result.withLock { $0 = linked }
        }

        /// Blocks the other thread until the input is linked.
        func found(_ object: UnsafeMutablePointer<GObject>?) {
            guard object == input.withLock({ $0?.object }) else { return }
            isFound.withLock { $0 = true }
            _ = eventually { result.withLock { $0 != nil } }
        }
    }

    @Test(
        "An input that one thread requests and links is not offered to another thread",
        .serialized, arguments: ["svmixer", "svswitch"])
    func simultaneousLinks(_ element: String) throws {
        let size = "video/x-raw,format=BGRA,framerate=25/1"
        let line = try pipeline(
            "\(element) name=s ! fakesink name=out sync=false "
                + "videotestsrc num-buffers=3 ! capsfilter name=a caps=\(size),width=32,height=16 "
                + "videotestsrc num-buffers=3 ! capsfilter name=b caps=\(size),width=16,height=8")
        let (mixer, b) = (try line.element("s"), try line.pad("b", "src"))
        let requester = Requester(mixer, try line.pad("a", "src"))
        let data = Unmanaged.passUnretained(requester).toOpaque()
        gst_debug_add_log_function(
            { _, _, _, _, _, object, message, data in
                guard let message, let data, let text = gst_debug_message_get(message),
                    String(cString: text) == "another thread is linking this input"
                else { return }
                Unmanaged<Requester>.fromOpaque(data).takeUnretainedValue().found(object)
            }, data, nil)
        gst_debug_set_threshold_for_name("svreservation", GST_LEVEL_DEBUG)
        let thread = g_thread_new(
            "requester",
            { data in
                if let data { Unmanaged<Requester>.fromOpaque(data).takeUnretainedValue().run() }
                return nil
            }, data)
        defer {
            gst_debug_remove_log_function_by_data(data)
            gst_debug_unset_threshold_for_name("svreservation")
        }
        #expect(eventually { requester.input.withLock { $0 != nil } })
        let other = gst_element_get_compatible_pad(mixer.element, b.pad, nil).map { Handle(taking: $0) }
        g_thread_join(thread)
        let input = try required(requester.input.withLock { $0 }, "no input")
        let free = try required(other, "no free input")
        #expect(requester.result.withLock { $0 } == GST_PAD_LINK_OK)
        #expect(free.pad != input.pad)
        #expect(gst_pad_link(b.pad, free.pad) == GST_PAD_LINK_OK)
        try line.play()
        try line.finish()
        withExtendedLifetime(requester) {}
    }

    @Test("A program can request an input in one thread and link it in another")
    func linkedByAnotherThread() throws {
        let line = try pipeline(
            "svswitch name=s ! fakesink name=out sync=false videotestsrc num-buffers=3 ! identity name=a")
        let (mixer, source) = (try line.element("s"), try line.pad("a", "src"))
        let thread = g_thread_new(
            "requester",
            { data in
                let mixer = data?.assumingMemoryBound(to: GstElement.self)
                let template = gst_element_get_pad_template(mixer, "sink_%u")
                return gst_element_request_pad(mixer, template, nil, nil).map { UnsafeMutableRawPointer($0) }
            }, mixer.element)
        let input = Handle(taking: try required(g_thread_join(thread), "no input"))
        #expect(gst_pad_link(source.pad, input.pad) == GST_PAD_LINK_OK)
        try line.play()
        try line.finish()
    }

    // MARK: - The first frame

    @Test(
        "The first frame does not wait for what waits for the first frame",
        arguments: ["svmixer", "svswitch"],
        [
            "! tee name=t ! queue ! appsink name=out sync=false t. ! queue ! fakesink",
            "! pngenc ! decodebin ! appsink name=out sync=false",
            "! tee name=t ! queue ! appsink name=out sync=false t. ! queue ! pngenc ! decodebin ! fakesink",
            "! appsink name=out sync=false appsrc name=later ! fakesink async=false",
        ])
    func firstFrame(_ element: String, _ rest: String) throws {
        let line = try pipeline(
            "\(element) name=s \(rest) videotestsrc num-buffers=5 "
                + "! video/x-raw,format=BGRA,width=16,height=8,framerate=25/1 ! s.sink_0")
        let begin = g_get_monotonic_time()
        try line.play()
        #expect(try line.pullBuffer() != nil)
        // If the mixer waited for this input, it would wait for 10 seconds.
        #expect(g_get_monotonic_time() - begin < 10_000_000)
    }
}
