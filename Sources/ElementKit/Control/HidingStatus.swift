// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A snapshot of the elements of a pipeline that can hide parts of the video.
///
/// Two snapshots show whether anything was hidden in between. If they are equal, and `isHiding` is false in both,
/// nothing was hidden. For this purpose, a snapshot contains counters: `HidingElement.activations` of each hiding
/// element, and the number of changes of the list of children of each bin.
package struct HidingStatus: Equatable, Sendable {
    /// True if at least one element hides something.
    package private(set) var isHiding = false
    /// The address of the outermost bin.
    let top: UInt
    private var parts: [Part] = []

    /// A bin or a hiding element. `changes`: for a bin, the number of changes of its list of children; for a hiding
    /// element, its `activations`.
    private struct Part: Equatable, Sendable {
        let address: UInt
        let changes: UInt32
    }

    /// - Parameter top: the outermost bin. All its descendants are searched, at any depth.
    package init(of top: UnsafeMutablePointer<GObject>) {
        self.top = UInt(bitPattern: top)
        add(top)
    }

    private mutating func add(_ object: UnsafeMutablePointer<GObject>) {
        let address = UInt(bitPattern: object)
        if let hiding = (swiftElement(object) as? any HidingElement)?.hiding {
            isHiding = isHiding || hiding.isOn
            parts.append(Part(address: address, changes: hiding.activations))
        }
        guard sv_object_is(object, gst_bin_get_type()) != 0 else { return }
        let bin = object.cast(to: GstBin.self)
        // Reads the counter before the list of children. If a child is added in between, the counter of the next
        // snapshot differs.
        let changes = object.cast(to: GstObject.self).locked { _ in bin.pointee.children_cookie }
        parts.append(Part(address: address, changes: changes))
        for child in InputsAwaited.children(of: bin) { add(child.pointer.cast()) }
    }
}

/// Returns the Swift object of an element of this plugin; nil for other elements.
func swiftElement(_ object: UnsafeMutablePointer<GObject>) -> AnyObject? {
    guard ActionDeclarations.of(sv_object_get_type(object)) != nil else { return nil }
    return ObjectInstance.of(sv_object_instance(object))?.object
}
