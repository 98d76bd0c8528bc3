// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Vision

/// Handles corrections of names by users.
extension FaceDatabase {
    /// Adds a face under a name that a user has confirmed.
    /// - Throws: `ElementError` if the name is invalid, or the maximum number of faces is reached.
    func confirm(_ face: RecentFaces.Face, of id: Int32, as name: String) throws {
        try Self.check(name, of: id)
        guard people.withLock({ $0.confirm(face.faces, of: id, as: name) }) else {
            throw ElementError(
                .noSpaceLeft,
                "cannot confirm face \(id): the maximum of \(Gallery.maxFaces) faces is reached. With "
                    + "algorithm=embedding, the maximum is \(Gallery.maxEmbeddings) faces. Forget a person first.")
        }
        publishPhase()
        tell("confirmed") { message in
            message.set("id", id)
            message.set("name", name)
        }
    }

    /// Confirms the name of a face whose image or vector is not stored yet. The next frame with this face provides the
    /// image or vector.
    /// - Throws: `ElementError` if the name is invalid.
    func confirm(unseen id: Int32, as name: String) throws {
        try Self.check(name, of: id)
        people.withLock { people in
            people.noteConfirmation(of: id, as: name)
            people.collections.insert(SampleCollector(name, confirmedOf: id), at: 0)
        }
        publishPhase()
    }

    private static func check(_ name: String, of id: Int32) throws {
        guard ModelFile.isName(name) else {
            throw ElementError(
                .unsuitable,
                "cannot confirm face \(id): invalid name. A name has 1 to 200 characters, and no control characters.")
        }
    }

    /// Records that the current name of a face is wrong.
    /// - Returns: the rejected name.
    /// - Throws: `ElementError` if the face has no name.
    func reject(_ face: RecentFaces.Face, of id: Int32) throws -> String {
        guard let name = face.name else {
            throw ElementError(
                .unsuitable,
                "cannot reject the name of face \(id): the face does not have the name of a known person.")
        }
        people.withLock { $0.reject(face.faces, of: id, as: name) }
        tell("rejected") { message in
            message.set("id", id)
            message.set("name", name)
        }
        return name
    }

    /// Returns the error for an id that belongs to no current or recent face.
    static func noFace(_ id: Int32, _ attempt: String) -> ElementError {
        ElementError(
            .unsuitable,
            "cannot \(attempt) face \(id): no face with this id is in the current or recent frames. Use an id from the "
                + "messages or metadata of svfacerecognize.")
    }
}
