// SPDX-License-Identifier: LGPL-2.1-or-later

/// People whose names are not known, each with a number and vectors of the face.
package struct Strangers: Sendable, Hashable {
    package struct Stranger: Sendable, Hashable {
        package let number: Int
        /// The newest last; at least one.
        package fileprivate(set) var vectors: [FaceEmbedding]
        /// When the person was last seen, in seconds since 1970.
        package fileprivate(set) var lastSeen: Int
    }

    /// SHA-256 of the file of the network that describes the faces.
    package let network: String
    package private(set) var people: [Stranger] = []
    /// The number of the next new stranger. Numbers are not used again.
    package private(set) var nextNumber = 1

    /// Maximum number of strangers. The one who was not seen for longest makes room.
    package static let most = 1000
    /// Maximum number of vectors of a stranger.
    package static let mostVectors = 8
    /// Maximum distance of a face from a stranger's vectors: less than for known people, as strangers may be many.
    package static let threshold = 0.55
    /// Distance from which on a vector adds something to the others of a stranger.
    private static let newView = 0.15

    package init(network: String) { self.network = network }

    /// - Parameter people: with different numbers below the next one.
    init(network: String, people: [Stranger], nextNumber: Int) {
        (self.network, self.people, self.nextNumber) = (network, people, nextNumber)
    }

    /// Returns the number of the stranger with the most similar face, if it is similar enough.
    /// - Parameter others: numbers of strangers who are elsewhere in the frame.
    package func number(of vectors: [FaceEmbedding], excluding others: Set<Int>) -> Int? {
        var best: (number: Int, distance: Double)?
        for stranger in people where !others.contains(stranger.number) {
            for vector in vectors {
                let distance = stranger.distance(to: vector)
                if distance <= Self.threshold, distance < best?.distance ?? .infinity {
                    best = (stranger.number, distance)
                }
            }
        }
        return best?.number
    }

    /// Adds a stranger, and returns the number.
    package mutating func add(_ vectors: [FaceEmbedding], at time: Int) -> Int {
        let number = nextNumber
        nextNumber = nextNumber < Int.max ? nextNumber + 1 : 1
        people.removeAll { $0.number == number }
        people.append(Stranger(number: number, vectors: vectors.suffix(Self.mostVectors), lastSeen: time))
        if people.count > Self.most, let oldest = people.indices.min(by: { people[$0].lastSeen < people[$1].lastSeen })
        {
            people.remove(at: oldest)
        }
        return number
    }

    /// Notes that a stranger is in view.
    /// - Parameter vector: the result of a look at the face.
    /// - Returns: false if there is no stranger with this number.
    package mutating func see(_ number: Int, _ vector: FaceEmbedding?, at time: Int) -> Bool {
        guard let index = people.firstIndex(where: { $0.number == number }) else { return false }
        people[index].lastSeen = max(time, people[index].lastSeen)
        if let vector, Self.newView...Self.threshold ~= people[index].distance(to: vector) {
            people[index].vectors.append(vector)
            people[index].vectors.removeFirst(max(0, people[index].vectors.count - Self.mostVectors))
        }
        return true
    }

    /// Removes strangers who were last seen before a time. Those who were last seen in the future, by a clock that was wrong, count as
    /// seen now: otherwise they would stay.
    /// - Parameters:
    ///   - time: in seconds since 1970, like `now`.
    /// - Returns: whether anything has changed.
    @discardableResult
    package mutating func expire(before time: Int, at now: Int) -> Bool {
        guard people.contains(where: { $0.lastSeen < time || $0.lastSeen > now }) else { return false }
        people.removeAll { $0.lastSeen < time }
        for index in people.indices { people[index].lastSeen = min(people[index].lastSeen, now) }
        return true
    }
}

extension Strangers.Stranger {
    fileprivate func distance(to vector: FaceEmbedding) -> Double {
        vectors.map { $0.distance(from: vector) }.min() ?? 2
    }
}

// MARK: - Names

extension Strangers {
    private static let prefix = "stranger "
    /// The name for all of them together.
    package static let all = "strangers"

    /// Returns the label of a stranger.
    package static func label(_ number: Int) -> String { prefix + "\(number)" }

    /// Returns whether a text is the label of a stranger.
    package static func isLabel(_ text: String) -> Bool { number(text) != nil }

    private static func number(_ label: String) -> Int? {
        guard label.hasPrefix(prefix), let number = Int(label.dropFirst(prefix.count)), number > 0 else { return nil }
        return number
    }

    /// Removes the stranger with a label, or all of them.
    /// - Returns: whether there was one.
    @discardableResult
    package mutating func forget(_ name: String) -> Bool {
        let count = people.count
        if name == Self.all {
            people = []
        } else if let number = Self.number(name) {
            people.removeAll { $0.number == number }
        }
        return people.count < count
    }
}
