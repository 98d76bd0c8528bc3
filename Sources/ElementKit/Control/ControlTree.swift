// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files

/// An object of a pipeline, with what it holds: the elements of a bin, the pads of a mixer. It keeps all of them alive, so
/// it is let go as soon as it was looked at.
final class ControlNode {
    /// The names on the way from the pipeline to it, with slashes between.
    let id: String
    let object: Held<GObject>
    let children: [ControlNode]

    var pointer: UnsafeMutablePointer<GObject> { object.pointer }

    private init(_ id: String, _ object: Held<GObject>, _ children: [ControlNode]) {
        (self.id, self.object, self.children) = (id, object, children)
    }

    /// The most objects that are looked at, and the most that are within each other.
    private static let (most, deepest) = (5000, 50)

    /// Returns the outermost bin that an element is in, usually its pipeline; the element itself if it is in none.
    static func top(of element: UnsafeMutablePointer<GstElement>) -> Held<GObject>? {
        var top = Held(gst_object_ref(element)?.assumingMemoryBound(to: GObject.self))
        while let here = top, let parent = Held(gst_object_get_parent(here.pointer.cast())) {
            guard sv_object_is(parent.pointer.cast(), gst_element_get_type()) != 0 else { break }
            top = Held(gst_object_ref(parent.pointer)?.assumingMemoryBound(to: GObject.self))
        }
        return top
    }

    /// Returns an element with all that it holds.
    static func tree(_ top: Held<GObject>) -> ControlNode {
        var budget = most
        return node(top, name: name(of: top.pointer) ?? "pipeline", in: "", depth: 0, &budget)
    }

    private static func node(
        _ object: Held<GObject>, name: String, in parent: String, depth: Int, _ budget: inout Int
    ) -> ControlNode {
        budget -= 1
        let id = parent.isEmpty ? name : "\(parent)/\(name)"
        var children: [ControlNode] = []
        // Names are unique among the elements of a bin, and among the pads of an element.
        for (index, child) in held(by: object.pointer).enumerated() where depth < deepest && budget > 0 {
            let name = Self.name(of: child.pointer, at: index) ?? "child-\(index)"
            children.append(node(child, name: name, in: id, depth: depth + 1, &budget))
        }
        return ControlNode(id, object, children)
    }

    private static func held(by object: UnsafeMutablePointer<GObject>) -> [Held<GObject>] {
        if sv_object_is(object, gst_bin_get_type()) != 0 {
            // A bin has what was added last at the front.
            return InputsAwaited.children(of: object.cast()).reversed().compactMap {
                Held(gst_object_ref($0.pointer)?.assumingMemoryBound(to: GObject.self))
            }
        }
        guard sv_object_is(object, gst_child_proxy_get_type()) != 0 else { return [] }
        let proxy = OpaquePointer(object)
        // Children may come and go meanwhile.
        return (0..<gst_child_proxy_get_children_count(proxy)).compactMap {
            Held(gst_child_proxy_get_child_by_index(proxy, $0))
        }
    }

    /// Returns the name without secrets.
    /// - Parameter index: the place among its neighbours, whose names may differ in what is hidden alone.
    private static func name(of object: UnsafeMutablePointer<GObject>, at index: Int? = nil) -> String? {
        guard sv_object_is(object, gst_object_get_type()) != 0, let name = object.cast(to: GstObject.self).currentName
        else { return nil }
        let shown = Secrets.masked(name)
        return shown == name ? name : index.map { "\(shown)-\($0)" } ?? shown
    }

    /// The node and all below it, each before what it holds.
    var all: [ControlNode] { [self] + children.flatMap(\.all) }

    // MARK: - Describing

    /// Describes the object, with all that it holds, for a page.
    func json(_ files: ControlledFiles, _ secrets: KnownSecrets) -> JSONValue {
        let name = Self.name(of: pointer) ?? id
        let type = sv_object_get_type(pointer)
        let (factory, title, blurb) = texts ?? (g_type_name(type).map { String(cString: $0) } ?? "", name, "")
        return .table([
            ("id", .text(id)), ("name", .text(name)), ("factory", .text(factory)), ("title", .text(title)),
            ("blurb", .text(blurb)), ("ours", .truth(ActionDeclarations.of(type) != nil)),
            ("properties", .list(ControlledProperty.all(of: pointer).map { $0.json(of: pointer, files, secrets) })),
            ("actions", .list(ControlledAction.all(of: pointer).map { $0.json(files) })),
            ("children", .list(children.map { $0.json(files, secrets) })),
        ])
    }

    /// What is known of an element: the name of its factory, what it is called, what it does.
    private var texts: (factory: String, title: String, blurb: String)? {
        guard sv_object_is(pointer, gst_element_get_type()) != 0 else { return nil }
        let element = pointer.cast(to: GstElement.self)
        let elementClass = UnsafeMutableRawPointer(sv_object_get_class(pointer))?.assumingMemoryBound(
            to: GstElementClass.self)
        func text(_ key: String) -> String {
            gst_element_class_get_metadata(elementClass, key).map { String(cString: $0) } ?? ""
        }
        let factory = gst_element_get_factory(element).flatMap {
            Self.name(of: UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self))
        }
        return (
            factory ?? g_type_name(sv_object_get_type(pointer)).map { String(cString: $0) } ?? "",
            text(GST_ELEMENT_METADATA_LONGNAME), text(GST_ELEMENT_METADATA_DESCRIPTION)
        )
    }
}
