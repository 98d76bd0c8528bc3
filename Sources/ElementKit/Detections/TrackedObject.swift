// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The fields of a detection that identify the object. Reading these fields takes much less time than reading the whole
/// detection.
package struct TrackedObject: Sendable, Hashable {
    package var type: Detection.Kind
    /// The `id` of the region.
    package var region: Int32
    /// The ID of the track; 0 if the detector does not track objects. Detectors of other vendors give each region a new
    /// `id`, and write the ID of the track to the structure `object_id`.
    package var track: Int32
    /// The box in pixels, inside the visible part of the frame.
    package var box: Rectangle
    /// The label from the detector, or the type.
    package var label: String
    /// The name of the object from a classifier, if there is one.
    package var name: String?
}

extension InputFrame {
    /// The objects in the frame, with ground truth, but without uncertain detections.
    package var trackedObjects: [TrackedObject] {
        DetectionMeta(buffer: buffer, size: format.size).trackedObjects
    }
}

extension Frame {
    /// Adds a classification to each object. Other data of the objects does not change.
    package func attach(_ classifications: [(object: TrackedObject, classification: Classification)]) {
        DetectionMeta(self).attach(classifications)
    }
}

extension DetectionMeta {
    fileprivate var trackedObjects: [TrackedObject] {
        regions.compactMap { region in
            let type = region.roiType
            let box = box(of: region).intersection(bounds)
            guard !type.rawValue.isEmpty, !type.isPossible, !box.isEmpty else { return nil }
            let id = region.pointee.id
            var object = TrackedObject(type: type, region: id, track: id, box: box, label: type.rawValue)
            for parameter in parameters(of: region) {
                let structure = parameter.name
                if structure == "detection" {
                    if let label = parameter.text("label"), !label.isEmpty { object.label = label }
                } else if structure == "object_id" {
                    if let track = parameter.int("id"), track > 0 { object.track = track }
                } else if object.name == nil, Detection.nameStructures.contains(structure) {
                    object.name = parameter.text("label").flatMap { $0.isEmpty ? nil : $0 }
                }
            }
            return object
        }
    }

    fileprivate func attach(_ classifications: [(object: TrackedObject, classification: Classification)]) {
        guard !classifications.isEmpty, let mark = SearchMark.marking(on: buffer) else { return }
        let regions = Dictionary(
            regions.map { (RegionKey(id: $0.pointee.id, type: $0.pointee.roi_type), $0) },
            uniquingKeysWith: { first, _ in first })
        for (object, classification) in classifications where object.region != 0 {
            let key = RegionKey(id: object.region, type: g_quark_from_string(object.type.rawValue))
            guard let region = regions[key] else { continue }
            var structure = Structure(classification.name)
            structure.set(Classification.fields, of: classification)
            // If a region has any parameters, readers ignore the custom metadata. So the region and the custom metadata
            // get all parameters.
            let all = parameters(of: region)
            var stored = Structure("object")
            for parameter in all { stored.merge(Structure(copying: parameter)) }
            stored.merge(structure)
            if region.pointee.params == nil {
                stored.withView { view in for parameter in view.inner { Self.merge(parameter, into: region) } }
            } else {
                structure.withView { Self.merge($0, into: region) }
            }
            mark.setObject(object.region, type: object.type, stored)
        }
    }
}

private struct RegionKey: Hashable {
    var id: Int32
    var type: GQuark
}
