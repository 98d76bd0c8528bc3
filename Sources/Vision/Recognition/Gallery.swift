// SPDX-License-Identifier: LGPL-2.1-or-later
/// Faces of people who are known by name.
package struct Gallery: Sendable, Hashable {
    package struct Person: Sendable, Hashable {
        package let name: String
        /// Faces in the order in which they were added.
        package fileprivate(set) var faces: [KnownFace]
        /// Faces that were taken for this person's by mistake, in the order in which they were added.
        package fileprivate(set) var rejected: [KnownFace] = []
    }

    /// People in the order in which they were added; each has at least one face.
    package private(set) var people: [Person] = []
    /// Index of each person.
    private var places: [String: Int] = [:]

    package init() {}

    /// Maximum number of faces of all people together, as images and as embeddings.
    package static let mostFaces = 2000
    package static let mostEmbeddings = 20_000
    /// Maximum number of rejected faces of a person. The oldest ones make room.
    package static let mostRejected = 50

    package var isEmpty: Bool { people.isEmpty }

    /// Number of faces of all people together.
    package var faceCount: Int { people.reduce(0) { $0 + $1.faces.count } }

    /// Returns whether there would be more faces than the maximum.
    /// - Parameter more: the number of faces to add.
    package func isOverfull(with more: Int = 0) -> Bool {
        let all = faceCount + more
        guard all > Self.mostFaces else { return false }
        let samples = people.reduce(0) { sum, person in sum + person.faces.count { $0.sample != nil } }
        return all > Self.mostEmbeddings || samples + (samples > 0 ? more : 0) > Self.mostFaces
    }

    /// Adds a face of a person, who may be new. A face that is already there is not added again.
    /// - Returns: whether it was added.
    @discardableResult
    package mutating func add(_ face: KnownFace, of name: String) -> Bool {
        guard let index = places[name] else {
            places[name] = people.count
            people.append(Person(name: name, faces: [face]))
            return true
        }
        guard !people[index].faces.contains(face) else { return false }
        people[index].faces.append(face)
        return true
    }

    /// Adds a face as an image.
    @discardableResult
    package mutating func add(_ face: FaceSample, of name: String) -> Bool { add(.sample(face), of: name) }

    /// Adds all faces of another gallery.
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

    /// Notes that a face is not a person's; without effect if the person is unknown.
    package mutating func reject(_ face: KnownFace, as name: String) {
        guard let index = places[name], !people[index].rejected.contains(face) else { return }
        people[index].rejected.append(face)
        people[index].rejected.removeFirst(max(0, people[index].rejected.count - Self.mostRejected))
    }

    /// Removes rejected faces of a person.
    package mutating func removeRejected(of name: String, where isMeant: (KnownFace) -> Bool) {
        if let index = places[name] { people[index].rejected.removeAll(where: isMeant) }
    }

    /// Removes some faces of a person, and the person with the last one.
    package mutating func remove(_ faces: [KnownFace], of name: String) {
        guard let index = places[name] else { return }
        people[index].faces.removeAll { faces.contains($0) }
        if people[index].faces.isEmpty { forget(name) }
    }

    /// Removes a person with all faces.
    /// - Returns: the number of faces removed.
    @discardableResult
    package mutating func forget(_ name: String) -> Int {
        guard let index = places[name] else { return 0 }
        let person = people.remove(at: index)
        places = [:]
        for (index, person) in people.enumerated() { places[person.name] = index }
        return person.faces.count
    }

    /// Returns the faces of a person; none if the name is unknown.
    package func faces(of name: String) -> [KnownFace] { places[name].map { people[$0].faces } ?? [] }

    /// Returns whether all faces are of a kind.
    package func isAll(_ kind: KnownFace.Kind) -> Bool {
        people.allSatisfy { person in (person.faces + person.rejected).allSatisfy { $0.kind == kind } }
    }

    /// Returns the faces of a kind.
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
