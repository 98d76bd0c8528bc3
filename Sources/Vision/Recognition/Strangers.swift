// SPDX-License-Identifier: LGPL-2.1-or-later

/// People whose names are not known. Each of these strangers has an ID and vectors (embeddings) of the face.
package struct Strangers: Sendable, Hashable {
    package struct Stranger: Sendable, Hashable {
        package let number: Int
        /// Vectors of the stranger's face, the oldest vector first. A stranger has at least one vector.
        package fileprivate(set) var vectors: [FaceEmbedding]
        /// Time at which the stranger was last visible, in seconds since 1970.
        package fileprivate(set) var lastSeen: Int
    }

    /// SHA-256 of the file of the network that computed the vectors.
    package let network: String
    package private(set) var people: [Stranger] = []
    /// ID of the next new stranger. The IDs of removed strangers are not used again.
    package private(set) var nextNumber = 1

    /// Maximum number of strangers. A further stranger replaces the stranger with the earliest `lastSeen`.
    package static let maxCount = 1000
    /// Maximum number of vectors per stranger. A further vector replaces the oldest vector.
    package static let maxVectors = 8
    /// If the distance between a face and a vector of a stranger is at most this value, the face belongs to the
    /// stranger. The limit is lower than for known people, because a file may contain many strangers.
    package static let threshold = 0.55
    /// A new vector is stored only if its distance from each stored vector of the stranger is at least this value. A
    /// nearer vector would add little information.
    private static let newView = 0.15

    package init(network: String) { self.network = network }

    /// - Parameter people: strangers with distinct IDs below `nextNumber`.
    init(network: String, people: [Stranger], nextNumber: Int) {
        (self.network, self.people, self.nextNumber) = (network, people, nextNumber)
    }

    /// Returns the ID of the stranger with the vector that is nearest to one of `vectors`. Returns nil if all distances
    /// exceed `threshold`.
    /// - Parameter others: IDs of strangers to exclude, because they are visible at other positions in the frame.
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

    /// Adds a stranger, and returns the stranger's ID.
    package mutating func add(_ vectors: [FaceEmbedding], at time: Int) -> Int {
        let number = nextNumber
        nextNumber = nextNumber < Int.max ? nextNumber + 1 : 1
        people.removeAll { $0.number == number }
        // Remove before adding, because the clock can be wrong: the new stranger can have the earliest time.
        if people.count >= Self.maxCount,
            let oldest = people.indices.min(by: { people[$0].lastSeen < people[$1].lastSeen })
        {
            people.remove(at: oldest)
        }
        people.append(Stranger(number: number, vectors: vectors.suffix(Self.maxVectors), lastSeen: time))
        return number
    }

    /// Updates a stranger who is visible in the frame.
    /// - Parameter vector: a new vector of the face; nil if no vector was computed.
    /// - Returns: false if no stranger has this ID.
    package mutating func see(_ number: Int, _ vector: FaceEmbedding?, at time: Int) -> Bool {
        guard let index = people.firstIndex(where: { $0.number == number }) else { return false }
        people[index].lastSeen = max(time, people[index].lastSeen)
        if let vector, Self.newView...Self.threshold ~= people[index].distance(to: vector) {
            people[index].vectors.append(vector)
            people[index].vectors.removeFirst(max(0, people[index].vectors.count - Self.maxVectors))
        }
        return true
    }

    /// Removes strangers whose `lastSeen` is before `time`. If `lastSeen` is in the future because of a wrong clock,
    /// sets it to `now`. Without this correction, such a stranger would never expire.
    /// - Parameters:
    ///   - time: the time limit, in seconds since 1970.
    ///   - now: the current time, in seconds since 1970.
    /// - Returns: true if a stranger was removed or changed.
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
    /// The name that removes all strangers. The methods and actions that forget people accept this name.
    package static let all = "strangers"

    /// Returns the label of the stranger with this ID, for example "stranger 3".
    package static func label(_ number: Int) -> String { prefix + "\(number)" }

    /// Returns true if `text` is a label that `label` returns.
    package static func isLabel(_ text: String) -> Bool { number(text) != nil }

    private static func number(_ label: String) -> Int? {
        guard label.hasPrefix(prefix), let number = Int(label.dropFirst(prefix.count)), number > 0 else { return nil }
        return number
    }

    /// Removes a stranger.
    /// - Parameter name: the label of the stranger, or `all` to remove all strangers.
    /// - Returns: true if at least one stranger was removed.
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
