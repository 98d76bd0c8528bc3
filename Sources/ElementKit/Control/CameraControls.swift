// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The controls of a camera element, such as v4l2src. The ranges of `brightness`, `contrast`, `hue` and `saturation`
/// depend on the camera, so the GParamSpecs contain no useful ranges. The interface GstColorBalance reports the ranges
/// while the camera is open.
enum CameraControls {
    /// The property of v4l2src that can set any control of the camera.
    static let extra = "extra-controls"

    /// Returns the range of the camera control with this name; nil if the element reports no range, or if its state is
    /// changing. The element frees the list of controls when it closes the camera. Each state change holds the state
    /// lock, so this function holds the lock while it reads the list. This function never waits for the lock, because
    /// opening a camera can take a long time.
    static func range(of name: String, on object: UnsafeMutablePointer<GObject>) -> ClosedRange<Int64>? {
        guard sv_object_is(object, gst_color_balance_get_type()) != 0 else { return nil }
        let element = object.cast(to: GstElement.self)
        guard g_rec_mutex_trylock(&element.pointee.state_lock) != 0 else { return nil }
        defer { g_rec_mutex_unlock(&element.pointee.state_lock) }
        guard element.pointee.current_state.rawValue >= GST_STATE_PAUSED.rawValue else { return nil }
        var item = UnsafePointer<GList>(gst_color_balance_list_channels(OpaquePointer(object)))
        while let entry = item?.pointee {
            item = UnsafePointer(entry.next)
            guard let channel = entry.data?.assumingMemoryBound(to: GstColorBalanceChannel.self).pointee,
                let label = channel.label, String(cString: label).lowercased() == name,
                channel.min_value <= channel.max_value
            else { continue }
            return Int64(channel.min_value)...Int64(channel.max_value)
        }
        return nil
    }

    /// Parses controls such as `focus_absolute=30,gain=5`. Also accepts the text of a serialized structure, such as `c,
    /// gain=(int)5;`.
    /// - Returns: the structure (transfer full); nil if the text contains anything except names and whole numbers.
    static func structure(_ text: String) -> UnsafeMutablePointer<GstStructure>? {
        var controls: [(name: String, number: Int32)] = []
        for (index, part) in text.filter({ $0 != " " && $0 != ";" }).split(separator: ",").enumerated() {
            // Skips the name of a serialized structure. The text of such a structure ends with a semicolon. The name
            // `c` may also come before a text without a semicolon.
            if index == 0, !part.contains("="), part == "c" || text.hasSuffix(";") { continue }
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, isName(words[0]) else { return nil }
            let digits = words[1].hasPrefix("(int)") ? words[1].dropFirst(5) : words[1]
            guard let number = Int32(digits) else { return nil }
            controls.append((String(words[0]), number))
        }
        guard !controls.isEmpty, let structure = gst_structure_new_empty("c") else { return nil }
        for (name, number) in controls { structure.set(name, number) }
        return structure
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x5F }
    }
}
