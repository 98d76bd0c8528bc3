// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The detections on a buffer. Each detection is a GstVideoRegionOfInterestMeta, which any program can read. The custom
/// metadata `svdetections` repeats the parameters of the regions, because GStreamer's converters drop the parameters of
/// regions but keep custom metadata.
///
/// Regions are in pixels of the whole frame in the buffer. With a GstVideoCropMeta, only a part of the frame is
/// visible, and detections are in pixels of this part.
struct DetectionMeta {
    typealias Region = SearchMark.Region

    let buffer: UnsafeMutablePointer<GstBuffer>
    let extent: FrameExtent

    /// - Parameter size: the size of the frame in the caps.
    init(buffer: UnsafeMutablePointer<GstBuffer>, size: PixelSize) {
        self.buffer = buffer
        extent = FrameExtent(buffer, size: size)
    }

    /// The size of the visible part, in pixels.
    var size: PixelSize { extent.visible.size }

    var bounds: Rectangle { size.bounds }

    // MARK: - Reading

    /// Returns the detections, except uncertain detections.
    /// - Parameter truth: true to return only ground truth, false to return only other detections.
    func detections(truth: Bool) -> [Detection] {
        detections.filter { $0.type.isTruth == truth && !$0.type.isPossible }
    }

    /// All detections. The parameters come from the regions, or from the custom metadata if the regions have lost their
    /// parameters. If there are no parameters at all, only the boxes are known.
    var detections: [Detection] { regions.compactMap(detection) }

    /// Returns nil if the region is outside the visible frame.
    private func detection(of region: Region) -> Detection? {
        guard let detection = wholeDetection(of: region) else { return nil }
        // Clips the box, because another element may have cropped the frame. Landmarks are relative to the whole
        // region, so the box is clipped only after reading the landmarks.
        var visible = detection
        visible.box = detection.box.intersection(bounds)
        return visible.box.isEmpty ? nil : visible
    }

    /// Returns the detection with its unclipped box; nil if the region has no type.
    private func wholeDetection(of region: Region) -> Detection? {
        guard let type = g_quark_to_string(region.pointee.roi_type) else { return nil }
        var detection = Detection(
            type: Detection.Kind(rawValue: String(cString: type)), id: region.pointee.id, box: box(of: region))
        if region.pointee.parent_id >= 0 { detection.parent = region.pointee.parent_id }
        for parameter in parameters(of: region) { detection.merge(parameter) }
        return detection
    }

    /// Returns the state of the search for objects of this type in the frame.
    func search(for type: Detection.Kind) -> SearchState {
        SearchMark.on(buffer)?.state(of: type, on: regions, in: extent) ?? .unmarked
    }

    /// The types that elements upstream search for.
    var searchTypes: [Detection.Kind] { SearchMark.on(buffer)?.types ?? [] }

    /// Returns the search method for objects of this type; nil if no detector has declared a method.
    func searchMethod(for type: Detection.Kind) -> SearchMethod? { SearchMark.on(buffer)?.method(of: type) }

    func parameters(of region: Region) -> [StructureView] {
        let parameters = Self.storedParameters(of: region)
        guard parameters.isEmpty, let mark = SearchMark.on(buffer) else { return parameters }
        return mark.object(region.pointee.id, type: region.roiType)?.inner ?? []
    }

    private static func storedParameters(of region: Region) -> [StructureView] {
        var parameters: [StructureView] = []
        var item = region.pointee.params
        while let link = item {
            if let data = link.pointee.data {
                parameters.append(StructureView(data.assumingMemoryBound(to: GstStructure.self)))
            }
            item = link.pointee.next
        }
        return parameters
    }

    var hasRegions: Bool { gst_buffer_get_meta(buffer, gst_video_region_of_interest_meta_api_get_type()) != nil }

    var regions: [Region] {
        var regions: [Region] = []
        var cursor: gpointer?
        let api = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &cursor, api) {
            regions.append(meta.cast(to: GstVideoRegionOfInterestMeta.self))
        }
        return regions
    }

    /// Returns the box of a region, in pixels of the visible part.
    func box(of region: Region) -> Rectangle {
        Rectangle(
            x: Int(region.pointee.x) - extent.visible.x, y: Int(region.pointee.y) - extent.visible.y,
            width: Int(region.pointee.w), height: Int(region.pointee.h))
    }

    // MARK: - Writing; the buffer must be writable

    /// Attaches detections to the buffer. If the buffer already has a detection with the same ID, the existing
    /// detection gets the new parameters, and keeps parameters with other names.
    /// - Parameters: see `Frame.attach`.
    @discardableResult
    func attach(
        _ detections: [Detection], searched: [Detection.Kind] = [], unsearched: [Detection.Kind] = [],
        by methods: [Detection.Kind: SearchMethod] = [:]
    ) -> [Detection] {
        guard !detections.isEmpty || !searched.isEmpty || !unsearched.isEmpty, let mark = SearchMark.marking(on: buffer)
        else { return [] }
        return keepingSearches(mark) {
            // Keep the search state of a type if an element upstream already searches for this type.
            let unmarked = unsearched.filter { !search(for: $0).isMarked }
            mark.setUnsearched(unmarked)
            // If a network has already searched for a type, this element only adds detections, so the search method
            // stays `network`.
            let renewed = searched.filter { search(for: $0) != .searched || mark.method(of: $0) != .network }
            for type in unmarked + renewed { mark.setMethod(methods[type], of: type) }
            let attached = detections.compactMap { detection -> Detection? in
                var detection = detection
                detection.box = detection.box.intersection(bounds)
                guard !detection.box.isEmpty, let region = region(of: detection) ?? add(detection) else { return nil }
                write(detection, to: region, mark)
                return detection
            }
            mark.setSearched(searched, on: regions, in: extent)
            return attached
        }
    }

    /// Calls `change`, which changes the regions of the buffer. If a type was `searched` before the change, it is also
    /// `searched` afterwards (see `SearchState`).
    private func keepingSearches<Result>(_ mark: SearchMark, _ change: () -> Result) -> Result {
        let searched = mark.types.filter { search(for: $0) == .searched }
        let result = change()
        mark.renew(searched, on: regions)
        return result
    }

    /// Changes IDs of detections in one step, so that two detections may swap their IDs.
    func renumber(_ changes: [(detection: Detection, id: Int32)]) {
        guard !changes.isEmpty, let mark = SearchMark.marking(on: buffer) else { return }
        keepingSearches(mark) {
            let all = regions
            let parents = all.map(\.pointee.parent_id)
            let moves = changes.compactMap { change in region(of: change.detection).map { (change, $0) } }
            // A new ID may be the old ID of another detection, so all detections get temporary IDs first.
            for (index, move) in moves.enumerated() {
                mark.moveObject(of: move.0.detection, to: -1 - Int32(clamping: index))
            }
            for (index, ((detection, id), region)) in moves.enumerated() {
                var moved = detection
                moved.id = -1 - Int32(clamping: index)
                mark.moveObject(of: moved, to: id)
                moved.id = id
                region.pointee.id = id
                write(moved, to: region, mark)
                for (part, parent) in zip(all, parents) where parent == detection.id { part.pointee.parent_id = id }
            }
        }
    }

    /// Records that the frame has new content that no detector has searched.
    func setChanged() {
        // Detectors of other vendors do not record the types that they search for, so the types of their regions are
        // included.
        let types = Set(regions.map(\.roiType).filter { !$0.isTruth }).union(searchTypes)
        guard !types.isEmpty else { return }
        SearchMark.marking(on: buffer)?.setChanged(Array(types))
    }

    private func write(_ detection: Detection, to region: Region, _ mark: SearchMark) {
        let stored = mark.object(detection.id, type: detection.type)
        var object = stored.map { Structure(copying: $0) } ?? Structure("object")
        detection.forEachParameter(of: extent, in: box(of: region)) { object.merge($0) }
        // Write all known parameters to the region, because a converter may have dropped some parameters of the region.
        // If a region has any parameters, readers ignore the custom metadata.
        object.withView { view in for parameter in view.inner { Self.merge(parameter, into: region) } }
        if detection.id != 0 { mark.setObject(detection.id, type: detection.type, object) }
    }

    /// Returns the region of the detection. If the ID is 0, the box must match, too, because elements without IDs use 0
    /// for every object.
    private func region(of detection: Detection) -> Region? {
        let type = g_quark_from_string(detection.type.rawValue)
        return regions.first { region in
            region.pointee.id == detection.id && region.pointee.roi_type == type
                && (detection.id != 0 || box(of: region).intersection(bounds) == detection.box)
        }
    }

    private func add(_ detection: Detection) -> Region? {
        let box = detection.box.moved(x: extent.visible.x, y: extent.visible.y)
        let region = gst_buffer_add_video_region_of_interest_meta(
            buffer, detection.type.rawValue, UInt32(clamping: box.x), UInt32(clamping: box.y),
            UInt32(clamping: box.width), UInt32(clamping: box.height))
        region?.pointee.id = detection.id
        region?.pointee.parent_id = detection.parent ?? -1
        return region
    }

    static func merge(_ parameter: StructureView, into region: Region) {
        if let old = gst_video_region_of_interest_meta_get_param(region, parameter.name) {
            old.merge(parameter)
        } else {
            gst_video_region_of_interest_meta_add_param(region, parameter.copy)
        }
    }

    // MARK: - From place to place

    /// Copies another buffer's detections to this buffer, including parameters that this plugin does not know.
    /// - Parameter map: returns the areas of this frame that show a box of the other frame. Areas are clipped to this
    ///   frame. Areas outside this frame are dropped.
    func copy(from other: DetectionMeta, to map: (Rectangle) -> [MappedRegion]) {
        guard let mark = SearchMark.marking(on: buffer) else { return }
        for region in other.regions { add(other.wholeDetection(of: region), like: region, to: map, mark) }
    }

    /// Moves the detections to their new positions after a change of the pixels.
    func move(to map: (Rectangle) -> [MappedRegion]) {
        let old = regions
        guard !old.isEmpty, let mark = SearchMark.marking(on: buffer) else { return }
        keepingSearches(mark) {
            let detections = old.map(wholeDetection)
            for detection in detections { if let detection { mark.removeObject(of: detection) } }
            for (region, detection) in zip(old, detections) {
                add(detection, like: region, to: map, mark)
                gst_buffer_remove_meta(buffer, region.cast(to: GstMeta.self))
            }
        }
    }

    /// Adds a copy of the detection at each area that `map` returns for the detection's box. Each copy has the
    /// parameters of the old region.
    private func add(
        _ detection: Detection?, like old: Region, to map: (Rectangle) -> [MappedRegion], _ mark: SearchMark
    ) {
        guard let detection else { return }
        let targets = map(detection.box)
        for target in targets {
            var moved = detection.moved(to: target)
            moved.box = moved.box.intersection(bounds)
            guard !moved.box.isEmpty, let region = add(moved) else { continue }
            for parameter in Self.storedParameters(of: old) where moved.has(parameter.name) {
                gst_video_region_of_interest_meta_add_param(region, parameter.copy)
            }
            write(moved, to: region, mark)
        }
        // All copies have the same ID, but the metadata `svdetections` has only one entry per ID. Each copy has
        // different landmarks, so remove the landmarks from this entry.
        if targets.count > 1 { mark.removeLandmarks(of: detection) }
    }
}
