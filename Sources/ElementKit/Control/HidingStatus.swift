// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// The elements of a pipeline that can hide parts of the video, and the history of their settings.
///
/// If two values are equal and nothing hides in either, nothing has hidden anything in the meantime: the settings of
/// all hiding elements count their changes, and each bin counts the children that it has gained or lost.
package struct HidingStatus: Equatable, Sendable {
    /// True if at least one element hides something.
    package private(set) var isHiding = false
    /// The address of the outermost bin.
    let top: UInt
    private var parts: [Part] = []

    /// A bin or a hiding element, with the number of its changes.
    private struct Part: Equatable, Sendable {
        let address: UInt
        let changes: UInt32
    }

    /// - Parameter top: the outermost bin. The search in its descendants has no limit, so that it finds each element.
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
        // Reads the counter before the children, so that a child that is added in between changes the next status.
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
