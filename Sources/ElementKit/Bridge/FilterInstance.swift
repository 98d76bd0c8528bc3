// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Registers a filter with `plugin`. If `plugin` is nil, registers the filter only in this process (for tests).
package func register<E: VideoFilter>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let info = Unmanaged.passRetained(FilterClass<E>()).toOpaque()
    return register(element, sv_register_filter(E.metadata.typeName, filterFunctions, info), plugin: plugin)
}

private final class FilterClass<E: VideoFilter>: ElementClass<E> {
    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        super.initialise(objectClass)
        addPadTemplate("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps: videoCaps(E.formats), on: objectClass)
        addPadTemplate("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps: videoCaps(E.formats), on: objectClass)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        FilterInstance<E>(host(of: object))
    }
}

/// The filter callbacks. `VideoFilter` documents the call order.
private protocol FilterCallbacks: AnyObject {
    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>)
    var reads: Bool { get }
    func transform(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func discontinuity()
    func endOfStream()
}

private func filter(_ instance: UnsafeMutableRawPointer?) -> (any FilterCallbacks)? {
    ObjectInstance.of(instance) as? any FilterCallbacks
}

private final class FilterInstance<E: VideoFilter>: ElementInstance<E, E.State>, FilterCallbacks {
    private var format: VideoFormat?
    private var settings = E.Settings()
    private var time = FrameTime(nil, segment: GstSegment())
    private(set) var reads = false

    private var transformBase: UnsafeMutablePointer<GstBaseTransform> { host.object.cast() }

    override func start() -> Bool { begin { try element.start(host.settings) } }

    override func stop() {
        end { element.stop(&$0) }
        format = nil
    }

    override func setInfo(_ info: GstVideoInfo) -> Bool {
        guard let new = VideoFormat(info) else { return false }
        format = new
        return accept { try element.configure(&$0, for: new) }
    }

    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let format else { return }
        let frame = InputFrame(
            time: self.time(of: buffer, in: transformBase.pointee.segment, rate: format.frameRate), buffer: buffer,
            format: format)
        time = frame.time
        settings = host.settings(at: time.elapsed)
        let handling = attempt { try element.prepare(&$0, settings, frame: frame) }
        reads = handling == .read
        // If `prepare` has failed, `handling` is nil, and pass-through is off. The base class then calls `transform`,
        // which returns GST_FLOW_ERROR. This ends the stream.
        gst_base_transform_set_passthrough(transformBase, handling == .passThrough ? 1 : 0)
    }

    func transform(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let format else { return GST_FLOW_NOT_NEGOTIATED }
        guard !failed else { return GST_FLOW_ERROR }
        let access = reads ? GST_MAP_READ.rawValue : GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue
        let mapped: Void?? = withMappedFrame(buffer, format.info, GstMapFlags(rawValue: access)) { pixels in
            let frame = Frame(pixels, size: format.size, time: time, buffer: buffer)
            attempt { try element.transform(&$0, settings, frame: frame) }
        }
        if mapped == nil, !failed { attempt { _ in throw Self.unmapped(format) } }
        return failed ? GST_FLOW_ERROR : GST_FLOW_OK
    }

    private static func unmapped(_ format: VideoFormat) -> ElementError {
        ElementError(
            .format,
            "cannot map a frame of \(format.size.width)x\(format.size.height) pixels in \(format.frameFormat.name)")
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
private nonisolated(unsafe) let filterFunctions = immortal(
    SVFilterFunctions(
        element: elementFunctions,
        before_transform: { instance, buffer in
            if let buffer { filter(instance)?.prepare(buffer) }
        },
        reads: { filter($0)?.reads == true ? 1 : 0 },
        transform: { instance, buffer in
            guard let buffer else { return GST_FLOW_ERROR }
            return filter(instance)?.transform(buffer) ?? GST_FLOW_ERROR
        },
        discontinuity: { filter($0)?.discontinuity() },
        end_of_stream: { filter($0)?.endOfStream() }))
