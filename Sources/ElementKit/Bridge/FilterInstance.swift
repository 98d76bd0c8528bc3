import CElements
import CGStreamer
import Pixels

/// Registers a filter with the plugin or, without one, in this process only (as tests do).
package func register<E: VideoFilter>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let info = Unmanaged.passRetained(FilterClass<E>()).toOpaque()
    let type = sv_register_filter(E.metadata.typeName, filterFunctions, info)
    return type != 0 && gst_element_register(plugin, E.metadata.name, UInt32(GST_RANK_NONE.rawValue), type) != 0
}

private final class FilterClass<E: VideoFilter>: ClassInfo {
    private let category = DebugCategory(name: E.metadata.name, description: E.metadata.longName)

    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        describe(E.metadata, on: objectClass)
        addPadTemplate("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps: videoCaps(E.formats), on: objectClass)
        addPadTemplate("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps: videoCaps(E.formats), on: objectClass)
        install(E.properties, on: objectClass)
        install(E.actions, of: E.self, on: objectClass)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        FilterInstance<E>(Host(object: object, category: category, properties: E.properties))
    }
}

/// The functions that C calls; see `VideoFilter` for when.
private protocol FilterCallbacks: AnyObject {
    func setEnding(_ isEnding: Bool)
    func start() -> Bool
    func stop()
    func setInfo(_ info: GstVideoInfo) -> Bool
    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>)
    var reads: Bool { get }
    func transform(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn
    func discontinuity()
    func keyPressed(_ key: String)
}

private func filter(_ instance: UnsafeMutableRawPointer?) -> (any FilterCallbacks)? {
    ObjectInstance.of(instance) as? any FilterCallbacks
}

private final class FilterInstance<E: VideoFilter>: ElementInstance<E, E.State>, FilterCallbacks {
    private var format: VideoFormat?
    private var settings = E.Settings()
    private var time = FrameTime(nil, segment: GstSegment())
    private(set) var reads = false

    private var transformBase: UnsafeMutablePointer<GstBaseTransform> {
        UnsafeMutableRawPointer(host.object).assumingMemoryBound(to: GstBaseTransform.self)
    }

    func start() -> Bool {
        begin { try element.start(host.settings) }
    }

    func stop() {
        end { element.stop(&$0) }
        format = nil
    }

    func setInfo(_ info: GstVideoInfo) -> Bool {
        guard let new = VideoFormat(info) else { return false }
        format = new
        guard attempt({ try element.configure(&$0, for: new) }) != nil else { return false }
        configured()
        return true
    }

    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let format else { return }
        let frame = InputFrame(
            time: FrameTime(buffer, segment: transformBase.pointee.segment), buffer: buffer, format: format)
        time = frame.time
        follow(time)
        settings = host.settings
        let handling = attempt { try element.prepare(&$0, settings, frame: frame) }
        reads = handling == .read
        // After an error the frame must reach `transform`, which ends the stream.
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
            "a frame cannot be mapped as \(format.frameFormat.name) of \(format.size.width)x\(format.size.height)")
    }

    func discontinuity() {
        attempt { element.discontinuity(&$0) }
    }
}

// MARK: - The functions that CElements calls

/// Table of functions; written once, here, and only read by CElements.
private nonisolated(unsafe) let filterFunctions: UnsafePointer<SVFilterFunctions> = {
    let functions = UnsafeMutablePointer<SVFilterFunctions>.allocate(capacity: 1)
    functions.initialize(
        to: SVFilterFunctions(
            object: objectFunctions,
            start: { filter($0)?.start() == true ? 1 : 0 },
            stop: {
                filter($0)?.stop()
                return 1
            },
            ending: { instance, isEnding in filter(instance)?.setEnding(isEnding != 0) },
            set_info: { instance, info in
                guard let info else { return 0 }
                return filter(instance)?.setInfo(info.pointee) == true ? 1 : 0
            },
            before_transform: { instance, buffer in
                if let buffer { filter(instance)?.prepare(buffer) }
            },
            reads: { filter($0)?.reads == true ? 1 : 0 },
            transform: { instance, buffer in
                guard let buffer else { return GST_FLOW_ERROR }
                return filter(instance)?.transform(buffer) ?? GST_FLOW_ERROR
            },
            discontinuity: { filter($0)?.discontinuity() },
            src_event: { instance, event in
                forwardKey(event) { filter(instance)?.keyPressed($0) }
            }))
    return UnsafePointer(functions)
}()
