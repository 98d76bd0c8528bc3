import CElements
import CGStreamer
import Pixels

/// Registers a filter, with the plugin or, without one, in this process only (as tests do).
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

/// What the C functions call; see `VideoFilter` for when.
private class AnyFilterInstance: ObjectInstance {
    func start() -> Bool { false }
    func stop() {}
    func setInfo(_ info: GstVideoInfo) -> Bool { false }
    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) {}
    func transform(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn { GST_FLOW_ERROR }
    func discontinuity() {}
    func keyPressed(_ key: String) {}
}

private final class FilterInstance<E: VideoFilter>: AnyFilterInstance {
    private let host: Host<E.Settings>
    private let element: E

    // These belong to the streaming thread. GstBaseTransform calls start, stop and set_info while it stands still.
    private var state: E.State?
    private var format: VideoFormat?
    private var settings = E.Settings()
    private var time = FrameTime(nil, segment: GstSegment())
    private var failed = false

    init(_ host: Host<E.Settings>) {
        self.host = host
        element = E(host: host)
    }

    override var object: AnyObject? { element }
    override func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) { host.setProperty(id, value) }
    override func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) { host.getProperty(id, value) }
    override func keyPressed(_ key: String) { element.keyPressed(key) }

    private var transformBase: UnsafeMutablePointer<GstBaseTransform> {
        UnsafeMutableRawPointer(host.object).assumingMemoryBound(to: GstBaseTransform.self)
    }

    override func start() -> Bool {
        failed = false
        do {
            state = try element.start(host.settings)
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    override func stop() {
        host.worker.finish()
        if var last = state { element.stop(&last) }
        state = nil
        format = nil
    }

    override func setInfo(_ info: GstVideoInfo) -> Bool {
        guard let new = VideoFormat(info) else { return false }
        format = new
        guard attempt({ try element.configure(&$0, for: new) }) != nil else { return false }
        failed = false
        return true
    }

    override func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let format else { return }
        let frame = InputFrame(
            time: FrameTime(buffer, segment: transformBase.pointee.segment), buffer: buffer, format: format)
        time = frame.time
        if let streamTime = time.streamTime {
            gst_object_sync_values(
                UnsafeMutableRawPointer(host.object).assumingMemoryBound(to: GstObject.self), GstClockTime(streamTime))
        }
        settings = host.settings
        let handling = attempt { try element.prepare(&$0, settings, frame: frame) }
        // After an error the frame must reach `transform`, which ends the stream.
        gst_base_transform_set_passthrough(transformBase, handling == .passThrough ? 1 : 0)
    }

    override func transform(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> GstFlowReturn {
        guard !failed else { return GST_FLOW_ERROR }
        guard let image = Image(frame.pointee, buffer: frame.pointee.buffer) else { return GST_FLOW_NOT_NEGOTIATED }
        attempt {
            try element.transform(&$0, settings, frame: Frame(image: image, time: time, buffer: frame.pointee.buffer))
        }
        return failed ? GST_FLOW_ERROR : GST_FLOW_OK
    }

    override func discontinuity() {
        if state != nil { attempt { element.discontinuity(&$0) } }
    }

    /// Runs `body` on the state; nil, after an error was posted, where it throws or the element has not started. Of a
    /// row of errors only the first is posted: upstream may offer the same caps again with each frame.
    @discardableResult
    private func attempt<Result>(_ body: (inout E.State) throws -> Result) -> Result? {
        guard var current = state.take() else { return nil }
        defer { state = current }
        do {
            return try body(&current)
        } catch {
            if !failed { host.post(error: error) }
            failed = true
            return nil
        }
    }
}

// MARK: - The functions that CElements calls

/// Written once, here; CElements only reads it.
private nonisolated(unsafe) let filterFunctions: UnsafePointer<SVFilterFunctions> = {
    let functions = UnsafeMutablePointer<SVFilterFunctions>.allocate(capacity: 1)
    functions.initialize(
        to: SVFilterFunctions(
            object: objectFunctions,
            start: { AnyFilterInstance.of($0)?.start() == true ? 1 : 0 },
            stop: {
                AnyFilterInstance.of($0)?.stop()
                return 1
            },
            set_info: { instance, info in
                guard let info else { return 0 }
                return AnyFilterInstance.of(instance)?.setInfo(info.pointee) == true ? 1 : 0
            },
            before_transform: { instance, buffer in
                if let buffer { AnyFilterInstance.of(instance)?.prepare(buffer) }
            },
            transform: { instance, frame in
                guard let frame, let filter = AnyFilterInstance.of(instance) else { return GST_FLOW_ERROR }
                return filter.transform(frame)
            },
            discontinuity: { AnyFilterInstance.of($0)?.discontinuity() },
            src_event: { instance, event in
                forwardKey(event) { AnyFilterInstance.of(instance)?.keyPressed($0) }
            }))
    return UnsafePointer(functions)
}()
