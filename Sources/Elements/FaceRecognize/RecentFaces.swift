// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// Faces in view, and those that have left it lately, for users who correct their names.
struct RecentFaces: Sendable {
    struct Face: Sendable {
        /// The last looks at it, as the method compares them.
        var looks: [KnownFace]
        /// The name of a known person that it has; nil if it has none.
        var name: String?
        /// The number of the stranger.
        var stranger: Int?
    }

    private var faces: [Int32: (face: Face, lastSeen: ClockTime)] = [:]

    subscript(id: Int32) -> Face? { faces[id]?.face }

    /// Takes the faces of a frame by their ids, and discards those that have been out of view for longer than a time.
    mutating func update(_ seen: [Int32: Face], at time: ClockTime, keeping limit: ClockTime) {
        faces = faces.filter { (time.since($0.value.lastSeen) ?? .zero) <= limit }
        for (id, face) in seen where id != 0 { faces[id] = (face, time) }
    }

    /// Notes that a face has no name, until its next frame.
    mutating func removeName(of id: Int32) { faces[id]?.face.name = nil }

    mutating func removeAll() { faces = [:] }
}
