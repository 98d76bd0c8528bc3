// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// The partner of each face, and the id of the face's hybrid in the metadata.
struct MergedFaces {
    private struct Entry {
        var partner: Int
        var id: Int32?
    }

    private var entries = PerTrack<Int32, Entry>()
    private var nextPartner = 0
    /// The id of a hybrid that replaces no face of the frame.
    private var ownID: Int32?
    /// The ids of the selected faces of `layout=studio`, by slot index.
    private var slotIDs: [Int: Int32] = [:]

    /// Returns the partner of a face; nil if there are no partners. Each new face gets the next partner of the list,
    /// and keeps this partner.
    /// - Parameters:
    ///   - face: the id of the face.
    ///   - index: the index of the face in the frame, for faces without an id.
    mutating func partner(of face: Int32, at index: Int, among partners: [FacePicture]) -> FacePicture? {
        guard !partners.isEmpty else { return nil }
        return partners[entry(Self.key(face, index)) { $0.partner } % partners.count]
    }

    /// Returns the key of a face: the id, or a negative number from the index if the detector gives no ids (0).
    private static func key(_ face: Int32, _ index: Int) -> Int32 { face != 0 ? face : -1 - Int32(clamping: index) }

    /// Returns the metadata of a hybrid; nil if the box is empty.
    /// - Parameters:
    ///   - face: the face that the hybrid replaces; nil if the hybrid replaces none.
    ///   - index: the index of the hybrid in the frame.
    mutating func detection(of points: FacePoints, over face: Detection?, at index: Int) -> Detection? {
        guard let face else {
            let id = ownID ?? Detection.newID()
            ownID = id
            return hybrid(points, id: id)
        }
        return hybrid(points, id: hybridID(of: Self.key(face.id, index)), over: face)
    }

    /// Returns the metadata of a hybrid that fades out, because its face is no longer in the frame; nil if the box is
    /// empty.
    mutating func detection(ofLost points: FacePoints) -> Detection? {
        hybrid(points, id: hybridID(of: Int32(clamping: points.track)))
    }

    private mutating func hybridID(of face: Int32) -> Int32 {
        entry(face) { entry in
            let id = entry.id ?? Detection.newID()
            entry.id = id
            return id
        }
    }

    private func hybrid(_ points: FacePoints, id: Int32, over face: Detection? = nil) -> Detection? {
        let box = Rectangle(points.box)
        guard !box.isEmpty else { return nil }
        var landmarks = Face(points, species: points.species ?? .human).landmarks
        if let detected = face?.landmarks {
            (landmarks.mouthLeft, landmarks.mouthRight) = (detected.mouthLeft, detected.mouthRight)
        }
        (landmarks.isLeftEyeFound, landmarks.isRightEyeFound) = (true, true)
        var hybrid = Detection(
            type: .hybridFace, id: id, box: box, confidence: face?.confidence, landmarks: landmarks,
            classifications: [Classification(name: "species", label: Self.name(points.species))])
        if let face, face.id > 0 { hybrid.parent = face.id }
        return hybrid
    }

    /// Returns the metadata of the face in a slot of `layout=studio`; nil if the slot is empty.
    mutating func detection(of points: FacePoints?, inSlot slot: Int) -> Detection? {
        guard let points, let species = points.species else { return nil }
        let box = Rectangle(points.box)
        guard !box.isEmpty else { return nil }
        let id = slotIDs[slot] ?? Detection.newID()
        slotIDs[slot] = id
        var face = Detection(Face(points, species: species), id: id)
        face.confidence = nil
        return face
    }

    private static func name(_ species: Species?) -> String {
        switch species {
        case .human: "human"
        case .cat: "cat"
        case nil: "hybrid"
        }
    }

    private mutating func entry<Result>(_ face: Int32, _ body: (inout Entry) -> Result) -> Result {
        let next = nextPartner
        if entries[face] == nil { nextPartner = (nextPartner + 1) % 1_000_000 }
        return entries.use(face, default: Entry(partner: next), body)
    }
}

extension Face {
    /// Creates a face with the given eyes and nose. The mouth is estimated from the box.
    fileprivate init(_ points: FacePoints, species: Species) {
        self.init(species: species, box: points.box, confidence: 1)
        landmarks.leftEye = points.leftEye
        landmarks.rightEye = points.rightEye
        landmarks.nose = points.nose
    }
}
