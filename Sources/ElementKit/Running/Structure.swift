import CElements
import CGStreamer

/// A named set of fields: what element messages are made of.
package struct Structure: ~Copyable {
    private let structure: UnsafeMutablePointer<GstStructure>?

    /// - Parameter name: letters, digits, and `/-_.:+` after a first letter; otherwise the structure stays empty.
    package init(_ name: String) {
        structure = gst_structure_new_empty(name)
    }

    /// A message about a frame: with `timestamp`, `stream-time` and `running-time` in nanoseconds, where they are known.
    package init(_ name: String, at time: FrameTime) {
        self.init(name)
        if let timestamp = time.timestamp { set("timestamp", timestamp) }
        if let streamTime = time.streamTime { set("stream-time", streamTime) }
        if let runningTime = time.runningTime { set("running-time", runningTime) }
    }

    deinit {
        if let structure { gst_structure_free(structure) }
    }

    package mutating func set(_ field: String, _ value: some SignalValue) {
        guard let structure else { return }
        var box = GValue()
        g_value_init(&box, type(of: value).valueType)
        value.write(to: &box)
        gst_structure_take_value(structure, field, &box)
    }

    /// Gives the C structure away.
    consuming func take() -> UnsafeMutablePointer<GstStructure>? {
        let structure = structure
        discard self
        return structure
    }
}
