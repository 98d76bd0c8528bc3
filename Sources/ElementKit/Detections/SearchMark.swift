// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Imaging

/// The state of the search for objects of one type in a frame.
package enum SearchState: Sendable, Hashable {
    /// No element upstream searches for this type, or another element has removed the metadata `svdetections`.
    case unmarked
    /// An element searches the stream for this type. But this element has searched only a part of this frame, or has
    /// not searched this frame yet.
    case unsearched
    /// The whole frame was searched, and all results are reported.
    case searched
    /// The results of a search do not match the current frame. The crop or the size is different, regions are missing,
    /// or another element has added pixels.
    case lost

    /// True if an element upstream searches for this type.
    package var isMarked: Bool { self != .unmarked }
}

/// The search method for faces. The metadata contains the raw values.
package enum SearchMethod: String, Sendable {
    /// Only cascades of classifiers.
    case cascade
    /// A neural network.
    case network
}

/// The custom metadata of a buffer, GstCustomMeta `svdetections`. Its structure contains:
/// - `object-<id>` for each detection: `roi_type`, and the parameters of the region, relative to the region or the
///   frame;
/// - `searched-<type>` for each searched type: true if the whole frame was searched and all results are reported;
/// - `scope-<type>` if `searched-<type>` is true: `frame-width frame-height`, the size of the searched frame; `x y
///   width height`, the visible part of this frame at the time of the search; `count`, the number of regions of the
///   type;
/// - `changed-<type>`: true if the frame has content that no search has covered;
/// - `method-<type>`: the search method, if declared: `cascade` or `network`;
/// - `zones` and `events`: see FrameEvent.swift.
struct SearchMark {
    typealias Region = UnsafeMutablePointer<GstVideoRegionOfInterestMeta>

    let structure: UnsafeMutablePointer<GstStructure>
    var view: StructureView { StructureView(structure) }

    /// Returns the metadata `svdetections` of a buffer; nil if there is none.
    static func on(_ buffer: UnsafeMutablePointer<GstBuffer>) -> SearchMark? {
        guard isRegistered, let meta = gst_buffer_get_custom_meta(buffer, name) else { return nil }
        return gst_custom_meta_get_structure(meta).map { SearchMark(structure: $0) }
    }

    /// Returns the metadata `svdetections` of a buffer, and adds the metadata if necessary. The buffer must be
    /// writable.
    static func marking(on buffer: UnsafeMutablePointer<GstBuffer>) -> SearchMark? {
        if let mark = on(buffer) { return mark }
        guard isRegistered, let meta = gst_buffer_add_custom_meta(buffer, name) else { return nil }
        return gst_custom_meta_get_structure(meta).map { SearchMark(structure: $0) }
    }

    // MARK: - Objects

    private static let objectPrefix = "object-"
    private static func objectField(_ id: Int32) -> String { "\(objectPrefix)\(id)" }
    private static let typeField = "roi_type"

    /// Returns the parameters of the object with this ID; nil if the object has another type. Elements of other vendors
    /// assign IDs independently, so the same ID may belong to another object.
    func object(_ id: Int32, type: Detection.Kind?) -> StructureView? {
        view.inner(Self.objectField(id)).flatMap { $0.text(Self.typeField) == type?.rawValue ? $0 : nil }
    }

    func setObject(_ id: Int32, type: Detection.Kind, _ object: consuming Structure) {
        var object = object
        object.set(Self.typeField, type.rawValue)
        structure.set(Self.objectField(id), object)
    }

    private func removeObject(_ id: Int32) { gst_structure_remove_field(structure, Self.objectField(id)) }

    func removeObject(of detection: Detection) {
        if object(detection.id, type: detection.type) != nil { removeObject(detection.id) }
    }

    func moveObject(of detection: Detection, to id: Int32) {
        guard let stored = object(detection.id, type: detection.type) else { return }
        let object = Structure(copying: stored)
        removeObject(detection.id)
        setObject(id, type: detection.type, object)
    }

    /// Removes the landmarks and the outline of an object.
    func removeLandmarks(of detection: Detection) {
        guard let stored = object(detection.id, type: detection.type) else { return }
        var object = Structure(copying: stored)
        for part in ["landmarks", "outline"] { object.remove(part) }
        setObject(detection.id, type: detection.type, object)
    }

    private func objects(of type: Detection.Kind) -> [Int32] {
        fields(Self.objectPrefix).compactMap { Int32($0) }.filter { object($0, type: type) != nil }
    }

    /// Returns the names of all fields with this prefix, without the prefix.
    private func fields(_ prefix: String) -> [Substring] {
        var names: [Substring] = []
        view.forEachField { name, _ in
            let name = String(cString: name)
            if name.hasPrefix(prefix) { names.append(name.dropFirst(prefix.count)) }
        }
        return names
    }

    // MARK: - Searches

    private static let searchPrefix = "searched-"
    private static func searchField(_ type: Detection.Kind) -> String { searchPrefix + type.rawValue }
    private static func scopeField(_ type: Detection.Kind) -> String { "scope-\(type.rawValue)" }
    private static func changeField(_ type: Detection.Kind) -> String { "changed-\(type.rawValue)" }
    private static func methodField(_ type: Detection.Kind) -> String { "method-\(type.rawValue)" }

    /// The types that elements search the stream for.
    var types: [Detection.Kind] { fields(Self.searchPrefix).map { Detection.Kind(rawValue: String($0)) } }

    /// Returns the stored flag: true if the whole frame was searched for a type, false if not; nil if no element
    /// searches for the type. After a search, only `setChanged` resets the flag.
    func flag(of type: Detection.Kind) -> Bool? { view.bool(Self.searchField(type)) }

    /// Returns the search method for a type; nil if no detector has declared a method.
    func method(of type: Detection.Kind) -> SearchMethod? {
        view.text(Self.methodField(type)).flatMap(SearchMethod.init)
    }

    /// - Parameter method: the search method; nil if unknown.
    func setMethod(_ method: SearchMethod?, of type: Detection.Kind) {
        if let method {
            structure.set(Self.methodField(type), method.rawValue)
        } else {
            gst_structure_remove_field(structure, Self.methodField(type))
        }
    }

    /// Returns the state of the search for a type.
    /// - Parameters:
    ///   - regions: all regions on the buffer.
    ///   - extent: the current size of the frame, and its visible part.
    func state(of type: Detection.Kind, on regions: [Region], in extent: FrameExtent) -> SearchState {
        guard let isSearched = flag(of: type) else {
            // A type without a flag may still have objects. For example, an element that merges faces reports the
            // merged faces (`hybridFace`), but no element searches for them.
            return hasAllObjects(of: type, on: regions) ? .unmarked : .lost
        }
        guard isSearched else { return view.bool(Self.changeField(type)) == true ? .lost : .unsearched }
        guard let scope = scope(of: type), scope.frame == extent.full, scope.part.contains(extent.visible),
            regions.count(of: type) >= scope.count, hasAllObjects(of: type, on: regions)
        else { return .lost }
        return .searched
    }

    private func hasAllObjects(of type: Detection.Kind, on regions: [Region]) -> Bool {
        let marked = objects(of: type)
        guard !marked.isEmpty else { return true }
        return marked.allSatisfy(regions.ids(of: type).contains)
    }

    private func scope(of type: Detection.Kind) -> SearchScope? {
        view.inner(Self.scopeField(type)).flatMap(SearchScope.init)
    }

    /// Stores the scope of the search for a type. If `scope` is nil, removes the stored scope, so that the state of the
    /// search becomes `lost`.
    private func setScope(_ scope: SearchScope?, of type: Detection.Kind) {
        if let scope {
            structure.set(Self.scopeField(type), scope.structure)
        } else {
            gst_structure_remove_field(structure, Self.scopeField(type))
        }
    }

    /// Marks types as searched. The regions on the frame must be the complete results.
    func setSearched(_ types: [Detection.Kind], on regions: [Region], in extent: FrameExtent) {
        for type in types {
            let present = regions.ids(of: type)
            for lost in objects(of: type) where !present.contains(lost) { removeObject(lost) }
            structure.set(Self.searchField(type), true)
            gst_structure_remove_field(structure, Self.changeField(type))
            let count = regions.count(of: type)
            setScope(SearchScope(frame: extent.full, part: extent.visible, count: count), of: type)
        }
    }

    /// Updates the region counts of searched types after adding or removing regions.
    func renew(_ types: [Detection.Kind], on regions: [Region]) {
        for type in types {
            guard var scope = scope(of: type) else { continue }
            scope.count = regions.count(of: type)
            setScope(scope, of: type)
        }
    }

    /// Marks types as `unsearched`: an element searches the stream for these types, but has not searched the whole
    /// frame.
    func setUnsearched(_ types: [Detection.Kind]) {
        for type in types {
            structure.set(Self.searchField(type), false)
            setScope(nil, of: type)
        }
    }

    /// Records that the frame has new content that was not searched for these types.
    func setChanged(_ types: [Detection.Kind]) {
        setUnsearched(types)
        for type in types {
            structure.set(Self.changeField(type), true)
            setMethod(nil, of: type)
        }
    }

    // MARK: - From buffer to buffer

    private static let name = "svdetections"

    /// The metadata has the same tags as regions of interest, so an element that drops the regions also drops this
    /// metadata.
    private static let isRegistered: Bool = {
        if gst_meta_get_info(name) != nil { return true }
        var tags = ["video", "orientation", "size"].map(interned) + [nil]
        return gst_meta_register_custom(name, &tags, transformMark, nil, nil) != nil
    }()

    /// Merges this metadata into the metadata `svdetections` of another buffer.
    fileprivate func copy(to buffer: UnsafeMutablePointer<GstBuffer>) -> SearchMark? {
        let copy = Self.marking(on: buffer)
        copy?.structure.merge(view)
        return copy
    }

    /// Adapts the metadata to a change of the frame size. GStreamer's scalers move regions as if the old image filled
    /// the whole new frame. If the display aspect ratio changes, a scaler may add borders, and the new positions of the
    /// regions may be wrong. The state of the search then becomes `lost`.
    fileprivate func scale(from old: GstVideoInfo, to new: GstVideoInfo) {
        let keepsAspect = old.fills(new)
        for type in types where flag(of: type) == true {
            setScope(keepsAspect ? scope(of: type)?.scaled(from: old.frameSize, to: new.frameSize) : nil, of: type)
        }
    }
}

/// The frame for which the results of a search are valid.
private struct SearchScope {
    /// The size of the searched frame.
    var frame = PixelSize.zero
    /// The visible part of the frame at the time of the search.
    var part = PixelSize.zero.bounds
    /// The number of regions of the searched type.
    var count = 0

    private static let fields: [(name: String, path: any WritableKeyPath<SearchScope, Int> & Sendable)] = [
        ("frame-width", \.frame.width), ("frame-height", \.frame.height), ("x", \.part.x), ("y", \.part.y),
        ("width", \.part.width), ("height", \.part.height), ("count", \.count),
    ]

    var structure: Structure {
        var structure = Structure("scope")
        for (name, path) in Self.fields { structure.set(name, self[keyPath: path]) }
        return structure
    }

    /// Returns the scope after the frame is scaled from the size `old` to the size `new`. Returns nil if the scope has
    /// another frame size than `old`.
    func scaled(from old: PixelSize, to new: PixelSize) -> SearchScope? {
        guard frame == old, old.width > 0, old.height > 0, part.x >= 0, part.y >= 0 else { return nil }
        // Rounds inwards, because partly searched pixels do not count as searched.
        func up(_ coordinate: Int, _ from: Int, _ to: Int) -> Int { (coordinate * to + from - 1) / from }
        func down(_ coordinate: Int, _ from: Int, _ to: Int) -> Int { coordinate * to / from }
        let (x, y) = (up(part.x, old.width, new.width), up(part.y, old.height, new.height))
        return SearchScope(
            frame: new,
            part: Rectangle(
                x: x, y: y, width: down(part.x + part.width, old.width, new.width) - x,
                height: down(part.y + part.height, old.height, new.height) - y), count: count)
    }
}

extension SearchScope {
    fileprivate init?(_ view: StructureView) {
        self.init()
        for (name, path) in Self.fields {
            guard let number = view.int(name) else { return nil }
            self[keyPath: path] = Int(number)
        }
    }
}

extension GstVideoInfo {
    /// Returns true if scaling to `other` without a change of the display aspect ratio leaves borders of at most 2
    /// pixels. Scalers may leave such borders because of rounding.
    fileprivate func fills(_ other: GstVideoInfo) -> Bool {
        let aspect = Double(width) * Double(par_n) / (Double(height) * Double(par_d))
        let (otherWidth, otherHeight) = (Double(other.width), Double(other.height))
        let shape = Double(other.par_n) / Double(other.par_d)
        guard aspect.isFinite, aspect > 0, shape.isFinite, shape > 0 else { return false }
        let borders = (otherHeight - otherWidth * shape / aspect, otherWidth - otherHeight * aspect / shape)
        return borders.0 <= 2 && borders.1 <= 2
    }
}

extension SearchMark.Region {
    var roiType: Detection.Kind {
        Detection.Kind(rawValue: g_quark_to_string(pointee.roi_type).map { String(cString: $0) } ?? "")
    }
}

extension [SearchMark.Region] {
    fileprivate func count(of type: Detection.Kind) -> Int {
        let quark = g_quark_from_string(type.rawValue)
        return count { $0.pointee.roi_type == quark }
    }

    fileprivate func ids(of type: Detection.Kind) -> Set<Int32> {
        Set(filter { $0.roiType == type }.map(\.pointee.id))
    }
}

/// If a buffer is copied, copies the metadata `svdetections`, too. If the video is scaled, also adapts the metadata to
/// the new size. Other transformations drop the metadata, because the positions are unknown.
@c private func transformMark(
    _ target: UnsafeMutablePointer<GstBuffer>?, _ meta: UnsafeMutablePointer<GstCustomMeta>?,
    _ source: UnsafeMutablePointer<GstBuffer>?, _ kind: GQuark, _ data: gpointer?, _ userData: gpointer?
) -> gboolean {
    guard let target, let meta, let structure = gst_custom_meta_get_structure(meta) else { return 0 }
    let mark = SearchMark(structure: structure)
    if sv_meta_transform_is_copy(kind) != 0 {
        return mark.copy(to: target) != nil ? 1 : 0
    }
    guard kind == gst_video_meta_transform_scale_get_quark(),
        let sizes = data?.assumingMemoryBound(to: GstVideoMetaTransform.self).pointee, let old = sizes.in_info,
        let new = sizes.out_info, let copy = mark.copy(to: target)
    else { return 0 }
    copy.scale(from: old.pointee, to: new.pointee)
    return 1
}
