// SPDX-License-Identifier: LGPL-2.1-or-later
/// The known faces of named people.
package struct Gallery: Sendable, Hashable {
    package struct Person: Sendable, Hashable {
        package let name: String
        /// Faces in the order in which they were added.
        package fileprivate(set) var faces: [KnownFace]
        /// Faces that were recognized as this person by mistake, in the order in which they were added.
        package fileprivate(set) var rejected: [KnownFace] = []
    }

    /// People in the order in which they were added. Each person has at least one known face.
    package private(set) var people: [Person] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// Maximum number of faces of all people together. `maxFaces` applies to a gallery that contains images, and
    /// `maxEmbeddings` to a gallery that contains only embeddings.
    package static let maxFaces = 2000
    package static let maxEmbeddings = 20_000
    /// Maximum number of rejected faces per person. Each further rejected face replaces the oldest rejected face.
    package static let maxRejected = 50

    package var isEmpty: Bool { people.isEmpty }

    /// Number of faces of all people together.
    package var faceCount: Int { people.reduce(0) { $0 + $1.faces.count } }

    /// Returns true if the number of faces exceeds the maximum.
    /// - Parameter more: a number of additional faces, which are counted together with the faces of the gallery.
    package func isOverfull(with more: Int = 0) -> Bool {
        let all = faceCount + more
        guard all > Self.maxFaces else { return false }
        let samples = people.reduce(0) { sum, person in sum + person.faces.count { $0.sample != nil } }
        return all > Self.maxEmbeddings || samples + (samples > 0 ? more : 0) > Self.maxFaces
    }

    /// Adds a face to a person. A new name creates a person. If the person already has the face, does nothing.
    /// - Returns: true if the face was added.
    @discardableResult
    package mutating func add(_ face: KnownFace, of name: String) -> Bool {
        guard let index = indices[name] else {
            indices[name] = people.count
            people.append(Person(name: name, faces: [face]))
            return true
        }
        guard !people[index].faces.contains(face) else { return false }
        people[index].faces.append(face)
        return true
    }

    /// Adds a face image to a person. If the person already has the image, does nothing.
    @discardableResult
    package mutating func add(_ face: FaceSample, of name: String) -> Bool { add(.sample(face), of: name) }

    /// Adds all known and rejected faces of another gallery.
    package mutating func add(_ other: Gallery) {
        guard !isEmpty else {
            self = other
            return
        }
        for person in other.people {
            for face in person.faces { add(face, of: person.name) }
            for face in person.rejected { reject(face, as: person.name) }
        }
    }

    /// Adds a face to the rejected faces of a person. If the name is unknown, does nothing.
    package mutating func reject(_ face: KnownFace, as name: String) {
        guard let index = indices[name], !people[index].rejected.contains(face) else { return }
        people[index].rejected.append(face)
        people[index].rejected.removeFirst(max(0, people[index].rejected.count - Self.maxRejected))
    }

    /// Removes those rejected faces of a person for which `isMeant` returns true.
    package mutating func removeRejected(of name: String, where isMeant: (KnownFace) -> Bool) {
        if let index = indices[name] { people[index].rejected.removeAll(where: isMeant) }
    }

    /// Removes faces from a person. If no face remains, also removes the person.
    package mutating func remove(_ faces: [KnownFace], of name: String) {
        guard let index = indices[name] else { return }
        people[index].faces.removeAll { faces.contains($0) }
        if people[index].faces.isEmpty { forget(name) }
    }

    /// Removes a person and the person's faces.
    /// - Returns: the number of known faces of the removed person.
    @discardableResult
    package mutating func forget(_ name: String) -> Int {
        guard let index = indices[name] else { return 0 }
        let person = people.remove(at: index)
        indices = [:]
        for (index, person) in people.enumerated() { indices[person.name] = index }
        return person.faces.count
    }

    /// Returns the faces of a person; empty if the name is unknown.
    package func faces(of name: String) -> [KnownFace] { indices[name].map { people[$0].faces } ?? [] }

    /// Returns true if all known and rejected faces have the form `kind`.
    package func isAll(_ kind: KnownFace.Kind) -> Bool {
        people.allSatisfy { person in (person.faces + person.rejected).allSatisfy { $0.kind == kind } }
    }

    /// Returns a gallery with only those faces of this gallery that have the form `kind`.
    package func only(_ kind: KnownFace.Kind) -> Gallery {
        guard !isAll(kind) else { return self }
        var gallery = Gallery()
        for person in people {
            for face in person.faces where face.kind == kind { gallery.add(face, of: person.name) }
            for face in person.rejected where face.kind == kind { gallery.reject(face, as: person.name) }
        }
        return gallery
    }
}
