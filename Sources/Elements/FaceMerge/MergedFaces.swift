// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// The partner of each face, and the number of its hybrid in the metadata.
struct MergedFaces {
    private struct Entry {
        var partner: Int
        var id: Int32?
    }

    private var entries = PerTrack<Int32, Entry>()
    private var nextPartner = 0
    /// The number of hybrids that belong to no face of the frame.
    private var ownID: Int32?
    /// The numbers of the faces in the studio's slots.
    private var slotIDs: [Int: Int32] = [:]

    /// Returns the partner of a face: each face that appears gets the next partner and keeps it.
    /// - Parameters:
    ///   - face: the face's number.
    ///   - index: its place among the faces of the frame, for faces that have no number.
    mutating func partner(of face: Int32, at index: Int, among partners: [FacePicture]) -> FacePicture? {
        guard !partners.isEmpty else { return nil }
        return partners[entry(Self.key(face, index)) { $0.partner } % partners.count]
    }

    /// Returns the key of a face; detectors without numbers give all faces 0.
    private static func key(_ face: Int32, _ index: Int) -> Int32 { face != 0 ? face : -1 - Int32(clamping: index) }

    /// Returns the metadata of a hybrid.
    /// - Parameters:
    ///   - face: the face that it replaces; nil for one on its own.
    ///   - index: its place among the hybrids of the frame.
    mutating func detection(of points: FacePoints, over face: Detection?, at index: Int) -> Detection? {
        let box = Rectangle(points.box)
        guard !box.isEmpty else { return nil }
        let id: Int32
        if let face {
            id = entry(Self.key(face.id, index)) { entry in
                let id = entry.id ?? Detection.newID()
                entry.id = id
                return id
            }
        } else {
            id = ownID ?? Detection.newID()
            ownID = id
        }
        var landmarks = Face(points, species: points.species ?? .human).landmarks
        if let known = face?.landmarks {
            (landmarks.mouthLeft, landmarks.mouthRight) = (known.mouthLeft, known.mouthRight)
        }
        (landmarks.isLeftEyeFound, landmarks.isRightEyeFound) = (true, true)
        var hybrid = Detection(
            type: .hybridFace, id: id, box: box, confidence: face?.confidence, landmarks: landmarks,
            classifications: [Classification(name: "species", label: Self.name(points.species))])
        if let face, face.id > 0 { hybrid.parent = face.id }
        return hybrid
    }

    /// Returns the metadata of a face that is shown in a slot of the studio.
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
    /// A face with these eyes and nose, and its mouth by geometry.
    fileprivate init(_ points: FacePoints, species: Species) {
        self.init(species: species, box: points.box, confidence: 1)
        landmarks.leftEye = points.leftEye
        landmarks.rightEye = points.rightEye
        landmarks.nose = points.nose
    }
}
