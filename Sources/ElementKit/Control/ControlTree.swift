// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files

/// An object of a pipeline with its children: the elements of a bin, or the pads of a mixer. The tree keeps all objects
/// alive, so release the tree right after use.
final class ControlNode {
    /// The path from the pipeline to the object: names separated by slashes.
    let id: String
    let object: Held<GObject>
    let children: [ControlNode]

    var pointer: UnsafeMutablePointer<GObject> { object.pointer }

    private init(_ id: String, _ object: Held<GObject>, _ children: [ControlNode]) {
        (self.id, self.object, self.children) = (id, object, children)
    }

    /// `maxObjects`: the maximum number of objects in a tree. `maxDepth`: the maximum depth of a tree.
    private static let (maxObjects, maxDepth) = (5000, 50)

    /// Returns the outermost bin around an element, usually the pipeline; the element itself if no bin contains it.
    static func top(of element: UnsafeMutablePointer<GstElement>) -> Held<GObject>? {
        var top = Held(gst_object_ref(element)?.assumingMemoryBound(to: GObject.self))
        while let here = top, let parent = Held(gst_object_get_parent(here.pointer.cast())) {
            guard sv_object_is(parent.pointer.cast(), gst_element_get_type()) != 0 else { break }
            top = Held(gst_object_ref(parent.pointer)?.assumingMemoryBound(to: GObject.self))
        }
        return top
    }

    /// Returns the tree of an element and its descendants.
    /// - Parameter withPads: false for a tree of elements only.
    static func tree(_ top: Held<GObject>, withPads: Bool = true) -> ControlNode {
        var budget = maxObjects
        return node(top, name: name(of: top.pointer) ?? "pipeline", in: "", depth: 0, withPads, &budget)
    }

    private static func node(
        _ object: Held<GObject>, name: String, in parent: String, depth: Int, _ withPads: Bool, _ budget: inout Int
    ) -> ControlNode {
        budget -= 1
        let id = parent.isEmpty ? name : "\(parent)/\(name)"
        var children: [ControlNode] = []
        // Names are unique among the elements of a bin and among the pads of an element, so the path is unique.
        for (index, child) in held(by: object.pointer, withPads).enumerated() where depth < maxDepth && budget > 0 {
            let name = Self.name(of: child.pointer, at: index) ?? "child-\(index)"
            children.append(node(child, name: name, in: id, depth: depth + 1, withPads, &budget))
        }
        return ControlNode(id, object, children)
    }

    private static func held(by object: UnsafeMutablePointer<GObject>, _ withPads: Bool) -> [Held<GObject>] {
        if sv_object_is(object, gst_bin_get_type()) != 0 {
            // A bin's list starts with the element that was added last, so the order is reversed here.
            return InputsAwaited.children(of: object.cast()).reversed().compactMap {
                Held(gst_object_ref($0.pointer)?.assumingMemoryBound(to: GObject.self))
            }
        }
        guard withPads, sv_object_is(object, gst_child_proxy_get_type()) != 0 else { return [] }
        let proxy = OpaquePointer(object)
        // A child may be removed during the loop, so skip children that no longer exist.
        return (0..<gst_child_proxy_get_children_count(proxy)).compactMap {
            Held(gst_child_proxy_get_child_by_index(proxy, $0))
        }
    }

    /// Returns the object's name. Secrets in the name are masked.
    /// - Parameter index: the index of the object among its siblings. A masked name ends with this index, so that the
    ///   names of siblings stay different.
    private static func name(of object: UnsafeMutablePointer<GObject>, at index: Int? = nil) -> String? {
        guard sv_object_is(object, gst_object_get_type()) != 0, let name = object.cast(to: GstObject.self).currentName
        else { return nil }
        let shown = Secrets.masked(name)
        return shown == name ? name : index.map { "\(shown)-\($0)" } ?? shown
    }

    /// The node and its descendants, each node before its children.
    var all: [ControlNode] { [self] + children.flatMap(\.all) }

    // MARK: - Describing

    /// Returns the JSON that describes the object and its descendants to a web page.
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
