import CGStreamer
import Pixels

/// The detections on a buffer: a GstVideoRegionOfInterestMeta for each, which any program can read; and, since stock
/// converters drop the parameters of those, the same once more in one GstCustomMeta, which they keep.
struct DetectionMeta {
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// Of the frame, in pixels.
    let size: PixelSize

    private var bounds: Rectangle { Rectangle(width: size.width, height: size.height) }

    // MARK: - Reading

    /// The detections, as their regions' parameters tell; where those are lost, as the custom metadata tells; else the
    /// boxes alone.
    /// - Parameter truth: whether those for tests are meant, or all others.
    func detections(truth: Bool) -> [Detection] {
        regions.compactMap(detection).filter { $0.isTruth == truth }
    }

    /// Nil for what lies outside of the frame.
    private func detection(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Detection? {
        let box = Self.box(of: region)
        guard let type = g_quark_to_string(region.pointee.roi_type), !box.intersection(bounds).isEmpty else {
            return nil
        }
        var detection = Detection(type: String(cString: type), id: region.pointee.id, box: box)
        if region.pointee.parent_id >= 0 { detection.parent = region.pointee.parent_id }
        for parameter in parameters(of: region) { detection.take(parameter) }
        // The landmarks are shares of the whole region, of which others may have left a part outside.
        detection.box = box.intersection(bounds)
        return detection
    }

    /// Whether the whole frame was searched for things of this type, found or not.
    func wasSearched(for type: String) -> Bool { searchMark(of: type) ?? false }

    /// Whether an element searches the stream for things of this type.
    func isSearched(for type: String) -> Bool { searchMark(of: type) != nil }

    private func searchMark(of type: String) -> Bool? {
        customStructure.flatMap { StructureView($0).bool(Self.searchField(type)) }
    }

    private func parameters(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> [StructureView] {
        let own = Self.ownParameters(of: region)
        guard own.isEmpty, let all = customStructure else { return own }
        // Numbers of elements of others are theirs.
        let type = g_quark_to_string(region.pointee.roi_type).map { String(cString: $0) }
        guard let object = StructureView(all).inner(Self.objectField(region.pointee.id)),
            object.text(Self.typeField) == type
        else { return [] }
        return object.inner
    }

    private static func ownParameters(
        of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>
    ) -> [StructureView] {
        var own: [StructureView] = []
        var item = region.pointee.params
        while let link = item {
            if let data = link.pointee.data {
                own.append(StructureView(data.assumingMemoryBound(to: GstStructure.self)))
            }
            item = link.pointee.next
        }
        return own
    }

    private var regions: [UnsafeMutablePointer<GstVideoRegionOfInterestMeta>] {
        var regions: [UnsafeMutablePointer<GstVideoRegionOfInterestMeta>] = []
        var cursor: gpointer?
        let api = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &cursor, api) {
            regions.append(
                UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self))
        }
        return regions
    }

    // MARK: - Writing; the buffer must be writable

    /// Puts detections on the buffer. One whose id is there already gets the new parameters, and keeps its others.
    /// - Parameters: see `Frame.attach`.
    @discardableResult
    func attach(_ detections: [Detection], searched: [String] = [], unsearched: [String] = []) -> [Detection] {
        guard !detections.isEmpty || !searched.isEmpty || !unsearched.isEmpty, let all = writableCustomStructure else {
            return []
        }
        var attached: [Detection] = []
        // What another element has searched stays searched.
        for type in unsearched where !isSearched(for: type) { all.set(Self.searchField(type), false) }
        for type in searched { all.set(Self.searchField(type), true) }
        for var detection in detections {
            detection.box = detection.box.intersection(bounds)
            guard !detection.box.isEmpty, let region = region(of: detection) ?? add(detection) else { continue }
            write(detection, to: region, all)
            attached.append(detection)
        }
        return attached
    }

    private func write(
        _ detection: Detection, to region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>,
        _ all: UnsafeMutablePointer<GstStructure>
    ) {
        let field = Self.objectField(detection.id)
        let known = StructureView(all).inner(field).flatMap { $0.text(Self.typeField) == detection.type ? $0 : nil }
        var object = known.map { Structure(copying: $0) } ?? Structure("object")
        detection.forEachParameter(of: size) { object.merge($0) }
        // All that is known of it: of a region that has parameters only those are read, and a converter may have
        // dropped them.
        object.withView { view in for parameter in view.inner { Self.merge(parameter, into: region) } }
        object.set(Self.typeField, detection.type)
        if detection.id != 0 { all.set(field, object) }
    }

    /// The region that tells of the same thing. Elements that know no ids give all of them 0.
    private func region(of detection: Detection) -> UnsafeMutablePointer<GstVideoRegionOfInterestMeta>? {
        let type = g_quark_from_string(detection.type)
        return regions.first { region in
            region.pointee.id == detection.id && region.pointee.roi_type == type
                && (detection.id != 0 || Self.box(of: region) == detection.box)
        }
    }

    private func add(_ detection: Detection) -> UnsafeMutablePointer<GstVideoRegionOfInterestMeta>? {
        let region = gst_buffer_add_video_region_of_interest_meta(
            buffer, detection.type, UInt32(clamping: detection.box.x), UInt32(clamping: detection.box.y),
            UInt32(clamping: detection.box.width), UInt32(clamping: detection.box.height))
        region?.pointee.id = detection.id
        region?.pointee.parent_id = detection.parent ?? -1
        return region
    }

    private static func box(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Rectangle {
        Rectangle(
            x: Int(region.pointee.x), y: Int(region.pointee.y), width: Int(region.pointee.w),
            height: Int(region.pointee.h))
    }

    private static func merge(
        _ parameter: StructureView, into region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>
    ) {
        if let old = gst_video_region_of_interest_meta_get_param(region, parameter.name) {
            old.take(parameter)
        } else {
            gst_video_region_of_interest_meta_add_param(region, parameter.copy)
        }
    }

    /// The types of which it is told whether the frame was searched for them.
    var searchTypes: [String] {
        guard let all = customStructure else { return [] }
        let prefix = Self.searchField("")
        var types: [String] = []
        StructureView(all).forEachField { name, _ in
            let field = String(cString: name)
            if field.hasPrefix(prefix) { types.append(String(field.dropFirst(prefix.count))) }
        }
        return types
    }

    // MARK: - From one frame to another

    /// Copies another buffer's detections, with parameters that only others know, to this one.
    /// - Parameter place: where the whole of that frame lies in this one; what is outside of this one is cut off or left
    ///   out.
    func copy(from other: DetectionMeta, to place: Rectangle) {
        let regions = other.regions
        guard !regions.isEmpty, other.size.width > 0, other.size.height > 0, let all = writableCustomStructure else {
            return
        }
        let (across, down) = (
            Double(place.width) / Double(other.size.width), Double(place.height) / Double(other.size.height)
        )
        // Edges are scaled, so that neighbouring regions stay neighbours.
        func x(_ x: Int) -> Int { place.x + x * place.width / other.size.width }
        func y(_ y: Int) -> Int { place.y + y * place.height / other.size.height }
        for region in regions {
            guard var detection = other.detection(of: region) else { continue }
            let box = detection.box
            detection.box = Rectangle(
                x: x(box.x), y: y(box.y), width: x(box.x + box.width) - x(box.x),
                height: y(box.y + box.height) - y(box.y)
            ).intersection(bounds)
            if var landmarks = detection.landmarks {
                for (_, path) in Landmarks.paths {
                    let point = landmarks[keyPath: path]
                    landmarks[keyPath: path] = Point(
                        Double(place.x) + point.x * across, Double(place.y) + point.y * down)
                }
                detection.landmarks = landmarks
            }
            guard !detection.box.isEmpty, let copy = add(detection) else { continue }
            for parameter in Self.ownParameters(of: region) {
                gst_video_region_of_interest_meta_add_param(copy, parameter.copy)
            }
            write(detection, to: copy, all)
        }
    }

    // MARK: - The custom metadata

    private static let name = "svdetections"
    private static func objectField(_ id: Int32) -> String { "object-\(id)" }
    private static let typeField = "roi_type"
    private static func searchField(_ type: String) -> String { "searched-\(type)" }

    private var customStructure: UnsafeMutablePointer<GstStructure>? {
        guard Self.isRegistered else { return nil }
        return gst_buffer_get_custom_meta(buffer, Self.name).flatMap { gst_custom_meta_get_structure($0) }
    }

    private var writableCustomStructure: UnsafeMutablePointer<GstStructure>? {
        guard Self.isRegistered else { return nil }
        return customStructure
            ?? gst_buffer_add_custom_meta(buffer, Self.name).flatMap { gst_custom_meta_get_structure($0) }
    }

    /// The tag `video` lets it pass through converters; its coordinates are shares of the regions, so nothing in it
    /// changes where the frame is scaled.
    private static let isRegistered: Bool = {
        if gst_meta_get_info(name) != nil { return true }
        guard let tag = permanent("video") else { return false }
        var tags: [UnsafePointer<CChar>?] = [tag, nil]
        return gst_meta_register_custom(name, &tags, transformCustom, nil, nil) != nil
    }()

    /// Adds what the custom metadata of another buffer tells.
    fileprivate static func copy(
        _ source: UnsafeMutablePointer<GstStructure>, to buffer: UnsafeMutablePointer<GstBuffer>
    ) -> Bool {
        let target = DetectionMeta(buffer: buffer, size: PixelSize(width: 0, height: 0)).writableCustomStructure
        target?.take(StructureView(source))
        return target != nil
    }
}

/// For every kind of transformation alike.
@c private func transformCustom(
    _ target: UnsafeMutablePointer<GstBuffer>?, _ meta: UnsafeMutablePointer<GstCustomMeta>?,
    _ source: UnsafeMutablePointer<GstBuffer>?, _ kind: GQuark, _ data: gpointer?, _ userData: gpointer?
) -> gboolean {
    guard let target, let meta, let structure = gst_custom_meta_get_structure(meta) else { return 0 }
    return DetectionMeta.copy(structure, to: target) ? 1 : 0
}

extension DetectionMeta {
    init(_ frame: Frame) {
        self.init(buffer: frame.buffer, size: PixelSize(width: frame.pixels.width, height: frame.pixels.height))
    }
}

extension Frame {
    /// What was found in this frame by elements upstream.
    package var detections: [Detection] { DetectionMeta(self).detections(truth: false) }

    /// What is known to be in it, from a drawn scene; for tests.
    package var truth: [Detection] { DetectionMeta(self).detections(truth: true) }

    /// Whether an element upstream has searched the whole frame for things of this type, found or not.
    package func wasSearched(for type: String) -> Bool { DetectionMeta(self).wasSearched(for: type) }

    /// Puts detections on the frame, for elements downstream. One whose id is there already gets the new landmarks and
    /// classifications, and keeps its others. What lies outside of the frame is cut off.
    /// - Parameters:
    ///   - searched: the types for which the whole frame was searched; all that was found is among the detections.
    ///   - unsearched: the types for which the element searches the stream, but of this frame not all, or not yet.
    /// - Returns: the detections as they are in the metadata now: cut off, without those outside.
    @discardableResult
    package func attach(
        _ detections: [Detection], searched: [String] = [], unsearched: [String] = []
    ) -> [Detection] {
        DetectionMeta(self).attach(detections, searched: searched, unsearched: unsearched)
    }
}

extension InputFrame {
    private var meta: DetectionMeta { DetectionMeta(buffer: buffer, size: format.size) }

    /// What was found in this frame by elements upstream.
    package var detections: [Detection] { meta.detections(truth: false) }

    /// What is known to be in it, from a drawn scene; for tests.
    package var truth: [Detection] { meta.detections(truth: true) }

    /// Whether an element upstream has searched the whole frame for things of this type, found or not.
    package func wasSearched(for type: String) -> Bool { meta.wasSearched(for: type) }

    /// Whether an element upstream searches the stream for things of this type, even if not all of this very frame.
    package func isSearched(for type: String) -> Bool { meta.isSearched(for: type) }
}
