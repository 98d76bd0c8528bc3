// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// Registers a source with `plugin`. If `plugin` is nil, registers the source only in this process (for tests).
package func register<E: VideoSource>(_ element: E.Type, plugin: OpaquePointer? = nil) -> Bool {
    let info = Unmanaged.passRetained(SourceClass<E>()).toOpaque()
    return register(element, sv_register_source(E.metadata.typeName, sourceFunctions, info), plugin: plugin)
}

private final class SourceClass<E: VideoSource>: ElementClass<E> {
    override func initialise(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        super.initialise(objectClass)
        addPadTemplate("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps: videoCaps(FrameFormat.all), on: objectClass)
    }

    override func makeInstance(_ object: UnsafeMutablePointer<GObject>) -> ObjectInstance {
        SourceInstance<E>(host(of: object))
    }
}

/// The source callbacks. `VideoSource` documents the call order.
private protocol SourceCallbacks: AnyObject {
    func create(_ output: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>) -> GstFlowReturn
    var latency: ClockTime { get }
    var isLive: Bool { get }
    func handle(_ event: InputEvent) -> Bool
}

private func source(_ instance: UnsafeMutableRawPointer?) -> (any SourceCallbacks)? {
    ObjectInstance.of(instance) as? any SourceCallbacks
}

private final class SourceInstance<E: VideoSource>: ElementInstance<E, E.State>, SourceCallbacks {
    private var caps: StreamCaps?

    override func start() -> Bool { begin { try element.start(host.settings) } }

    override func stop() {
        end { element.stop(&$0) }
        caps = nil
    }

    var latency: ClockTime { element.latency }
    var isLive: Bool { E.isLive }

    func handle(_ event: InputEvent) -> Bool {
        guard case .visibility(let visibility) = event else { return false }
        element.shown(visibility)
        return true
    }

    func create(_ output: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>) -> GstFlowReturn {
        switch attempt({ try element.next(&$0, host.settings) }) {
        case nil: return GST_FLOW_ERROR
        case .interrupted: return GST_FLOW_FLUSHING
        case .endOfStream: return GST_FLOW_EOS
        case .frame(let frame):
            if caps != frame.caps {
                guard gst_base_src_set_caps(host.object.cast(), frame.caps.caps) != 0 else {
                    return GST_FLOW_NOT_NEGOTIATED
                }
                caps = frame.caps
            }
            output.pointee = frame.shared()
            return GST_FLOW_OK
        }
    }
}

// MARK: - The functions that CElements calls

/// The callbacks for the C part of the plugin (CElements). `nonisolated(unsafe)` is safe here, because the table never
/// changes after its initialisation.
private nonisolated(unsafe) let sourceFunctions = immortal(
    SVSourceFunctions(
        element: elementFunctions,
        create: { instance, output in
            guard let output else { return GST_FLOW_ERROR }
            return source(instance)?.create(output) ?? GST_FLOW_ERROR
        },
        latency: { GstClockTime(source($0)?.latency.nanoseconds ?? 0) },
        is_live: { source($0)?.isLive == true ? 1 : 0 },
        custom_event: { instance, structure in
            guard let event = structure.flatMap(InputEvent.init) else { return 0 }
            return source(instance)?.handle(event) == true ? 1 : 0
        }))
