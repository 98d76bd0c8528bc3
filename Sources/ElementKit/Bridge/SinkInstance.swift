// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Registers a sink with `plugin`. If `plugin` is nil, registers the sink only in this process (for tests).
package func register<E: VideoSink>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let info = Unmanaged.passRetained(SinkClass<E>()).toOpaque()
    return register(element, sv_register_sink(E.metadata.typeName, sinkFunctions, info), plugin: plugin)
}

private final class SinkClass<E: VideoSink>: ElementClass<E> {
    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        super.initialise(objectClass)
        let caps = gst_video_make_raw_caps(nil, 0)
        if E.takesJPEG, let jpeg = gst_caps_from_string(Self.jpeg) {
            // JPEG comes first in the caps, because the sink can show JPEG frames without conversion.
            gst_caps_append(jpeg, caps)
            addPadTemplate("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps: jpeg, on: objectClass)
        } else {
            addPadTemplate("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps: caps, on: objectClass)
        }
    }

    /// The caps of JPEG frames. JPEG limits the width and the height to 65535 pixels.
    private static var jpeg: String {
        "image/jpeg, width = (int) [ 1, 65535 ], height = (int) [ 1, 65535 ], "
            + "framerate = (fraction) [ 0/1, 2147483647/1 ]"
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        SinkInstance<E>(host(of: object))
    }
}

/// The sink callbacks. `VideoSink` documents the call order.
private protocol SinkCallbacks: AnyObject {
    func show(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func discontinuity()
    func endOfStream()
}

private func sink(_ instance: UnsafeMutableRawPointer?) -> (any SinkCallbacks)? {
    ObjectInstance.of(instance) as? any SinkCallbacks
}

private final class SinkInstance<E: VideoSink>: ElementInstance<E, E.State>, SinkCallbacks {
    private var format: SharedFrame.Format?
    /// The last frame that the sink has shown.
    private var last: SharedFrame?

    override func start() -> Bool { begin { try element.start(host.settings) } }

    override func stop() {
        end { element.stop(&$0) }
        (format, last) = (nil, nil)
    }

    override func setInfo(_ info: GstVideoInfo) -> Bool {
        guard let new = SharedFrame.Format(info) else { return false }
        format = new
        return accept { _ in }
    }

    func show(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let format else { return GST_FLOW_NOT_NEGOTIATED }
        // The base class delivers the preroll frame again after the change to PLAYING, so the sink skips this frame.
        if let last, last.buffer == buffer { return GST_FLOW_OK }
        let base = host.object.cast(to: GstBaseSink.self)
        let frame = SharedFrame(buffer, format, self.time(of: buffer, in: base.pointee.segment, rate: format.rate))
        let settings = host.settings(at: frame.time.elapsed)
        last = frame
        let done: Void? = attempt { try element.show(&$0, settings, frame: frame) }
        return done == nil ? GST_FLOW_ERROR : GST_FLOW_OK
    }

    func discontinuity() {
        interruptTime()
        attempt { element.discontinuity(&$0) }
    }

    func endOfStream() { attempt { element.endOfStream(&$0) } }
}

// MARK: - The functions that CElements calls

/// The callbacks for the C part of the plugin (CElements). `nonisolated(unsafe)` is safe here, because the table never
/// changes after its initialisation.
private nonisolated(unsafe) let sinkFunctions = immortal(
    SVSinkFunctions(
        element: elementFunctions,
        show: { instance, buffer in
            guard let buffer else { return GST_FLOW_ERROR }
            return sink(instance)?.show(buffer) ?? GST_FLOW_ERROR
        },
        discontinuity: { sink($0)?.discontinuity() },
        end_of_stream: { sink($0)?.endOfStream() }))
