// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The faces in the current frame, and the faces that have disappeared recently, so that users can correct the names of
/// these faces.
struct RecentFaces: Sendable {
    struct Face: Sendable {
        /// The last images of the face, or the last vectors of the face if the recognition method has a network.
        var faces: [KnownFace]
        /// The name of the known person; nil if the face has no name.
        var name: String?
        /// The number of the stranger to whom the face belongs; nil if the face has no number.
        var stranger: Int?
    }

    private var faces: [Int32: (face: Face, lastSeen: ClockTime)] = [:]

    subscript(id: Int32) -> Face? { faces[id]?.face }

    /// Adds the faces of a frame (the keys are face ids). Discards faces that have been out of view for longer than
    /// `limit`.
    mutating func update(_ current: [Int32: Face], at time: ClockTime, keeping limit: ClockTime) {
        faces = faces.filter { (time.since($0.value.lastSeen) ?? .zero) <= limit }
        for (id, face) in current where id != 0 { faces[id] = (face, time) }
    }

    /// Removes the name of a face. The next frame with the face can set a name again.
    mutating func removeName(of id: Int32) { faces[id]?.face.name = nil }

    mutating func removeAll() { faces = [:] }
}
