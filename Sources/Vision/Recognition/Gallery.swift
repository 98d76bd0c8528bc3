// SPDX-License-Identifier: LGPL-2.1-or-later
/// Faces of people who are known by name.
package struct Gallery: Sendable, Hashable {
    package struct Person: Sendable, Hashable {
        package let name: String
        /// Faces in the order in which they were added.
        package fileprivate(set) var faces: [FaceSample]
    }

    /// People in the order in which they were added; each has at least one face.
    package private(set) var people: [Person] = []

    package init() {}

    /// Maximum number of faces of all people together.
    package static let mostFaces = 2000

    package var isEmpty: Bool { people.isEmpty }

    /// Number of faces of all people together.
    package var faceCount: Int { people.reduce(0) { $0 + $1.faces.count } }

    /// Adds a face of a person, who may be new. A face that is already there is not added again.
    /// - Returns: whether it was added.
    @discardableResult
    package mutating func add(_ face: FaceSample, of name: String) -> Bool {
        guard let index = people.firstIndex(where: { $0.name == name }) else {
            people.append(Person(name: name, faces: [face]))
            return true
        }
        guard !people[index].faces.contains(face) else { return false }
        people[index].faces.append(face)
        return true
    }

    /// Adds all faces of another gallery.
    package mutating func add(_ other: Gallery) {
        guard !isEmpty else {
            self = other
            return
        }
        for person in other.people {
            for face in person.faces { add(face, of: person.name) }
        }
    }

    /// Removes a person with all faces.
    /// - Returns: the number of faces removed.
    @discardableResult
    package mutating func forget(_ name: String) -> Int {
        guard let index = people.firstIndex(where: { $0.name == name }) else { return 0 }
        return people.remove(at: index).faces.count
    }

    /// Returns the faces of a person; none if the name is unknown.
    package func faces(of name: String) -> [FaceSample] { people.first { $0.name == name }?.faces ?? [] }
}
