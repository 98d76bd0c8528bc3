// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// Gives each face an id that does not depend on its track. The detector starts a new track for a face that returns,
/// and may swap the tracks of people who pass each other. `FaceIdentities` compares the vectors (embeddings) of the
/// faces, and gives each track the id of the most similar face.
struct FaceIdentities {
    private struct Identity {
        /// The stored vectors of the face, the newest last. A vector that is similar to a stored vector is not stored;
        /// see `newView`.
        var vectors: [FaceEmbedding]
        /// The vectors of the first observations of the face. There are at most `trial` vectors.
        var first: [FaceEmbedding]
        var lastSeen: ClockTime
        /// Number of observations of the face. An observation is one run of the network.
        var observationCount = 1
        /// True if the face once had the name of a known person.
        var wasNamed = false
        /// The number of the stranger to whom the face belongs; nil if the face has no number.
        var stranger: Int?

        init(_ vectors: [FaceEmbedding], at time: ClockTime) {
            (self.vectors, first, lastSeen) = (vectors, vectors, time)
        }

        func distance(to vector: FaceEmbedding) -> Double { vectors.map { $0.distance(from: vector) }.min() ?? 2 }

        mutating func add(_ vector: FaceEmbedding) {
            if observationCount < Int.max { observationCount += 1 }
            if first.count < FaceIdentities.trial { first.append(vector) }
            guard FaceIdentities.newView...FaceIdentities.learned ~= distance(to: vector) else { return }
            vectors.append(vector)
            vectors.removeFirst(max(0, vectors.count - FaceIdentities.maxVectors))
        }
    }

    private struct Track {
        var id: Int32
        /// `doubts`: the number of consecutive observations that seem to show another person. `doubtful`: the vector of
        /// the last of these observations.
        var doubts = 0
        var doubtful: FaceEmbedding?
    }

    private var identities: [Int32: Identity] = [:]
    /// State of each track, by the detector's track id.
    private var tracks: [Int32: Track] = [:]
    /// The ids of the tracks that need a new observation, because they may show another person than before. Either
    /// another face was so near that the detector may have swapped the two tracks, or the last observation was not
    /// usable.
    private var unchecked: Set<Int32> = []
    /// True if a track may show another person. The network must then run on every face of the next frame.
    private(set) var hasDoubts = false

    /// Limits for the distance between two vectors (0…2). Up to `same`, both vectors show the same person. Above
    /// `other`, the vectors show different people. In a test with 50 images of five people (Database of Faces, AT&T
    /// Laboratories Cambridge), 99 % of the pairs of the same person had a distance below 0.55. All pairs of different
    /// people had a distance above 0.62.
    private static let (same, other) = (0.58, FaceEmbedding.otherPerson)
    /// A new vector is stored only if its distance from all stored vectors of the same face is at least this value. A
    /// nearer vector would add little information.
    private static let newView = 0.15
    /// A new vector is stored only if its distance from the stored vectors is at most this value. An image that also
    /// shows a part of another face gives a distant vector. If such vectors were stored, the stored vectors would
    /// gradually change to the other face.
    private static let learned = 0.45
    /// A track changes to another face only if the distance to that face is smaller than the distance to the current
    /// face, by more than this margin.
    private static let margin = 0.1
    private static let maxVectors = 8
    /// A new face can be merged with an earlier face only during its first observations, up to this number. The first
    /// image of a returning face is often bad, so the first vector may match no earlier face. The mean of the vectors
    /// must match the earlier face.
    private static let trial = 6
    /// Vectors are ignored if the scale factor from the frame to the input of the network is greater than this value.
    /// Small faces need a large factor, and the vectors of all small faces resemble each other.
    static let largestScale = 3.5
    /// Vectors are ignored if the confidence of the detection (0…1) is lower than this value. Such a detection may show
    /// no face, because the detector also follows faces that it hardly recognises.
    static let minConfidence = 0.5

    /// A face in a frame.
    struct View {
        let track: Int32
        /// The vector that the network has computed in this frame; nil if the network did not run on the face.
        let vector: FaceEmbedding?
        /// False if the confidence of the detection is so low that the box may not contain a face.
        var isSure = true
        /// False if another face is so near that the image of this face may also show parts of the other face, or if
        /// the edge of the frame cuts off a part of the face.
        var isClear = true

        /// True if the vector may be compared and stored.
        var isUsable: Bool { isSure && isClear }
    }

    /// Returns the id of the face that a track shows.
    func id(of track: Int32) -> Int32 { tracks[track]?.id ?? track }

    /// Returns a copy of the detection with the face id in place of the track id.
    func identified(_ face: Detection) -> Detection {
        var face = face
        face.id = id(of: face.id)
        return face
    }

    func vectors(of id: Int32) -> [FaceEmbedding] { identities[id]?.vectors ?? [] }
    func observationCount(of id: Int32) -> Int { identities[id]?.observationCount ?? 0 }
    func wasNamed(_ id: Int32) -> Bool { identities[id]?.wasNamed ?? false }
    mutating func setNamed(_ id: Int32) { identities[id]?.wasNamed = true }

    /// The number of the stranger to whom the face with this id belongs; nil if the face has no number.
    subscript(stranger id: Int32) -> Int? {
        get { identities[id]?.stranger }
        set { identities[id]?.stranger = newValue }
    }

    /// Discards vectors, observations, names and strangers, but keeps the face ids.
    mutating func discardVectors() {
        for (id, identity) in identities { identities[id] = Identity([], at: identity.lastSeen) }
        hasDoubts = false
    }

    /// Discards faces that have been out of view for longer than `limit`.
    /// - Parameter visible: the track ids of the frame.
    mutating func expire(_ visible: Set<Int32>, at time: ClockTime, keeping limit: ClockTime) {
        let held = Set(visible.compactMap { tracks[$0]?.id })
        for id in held { identities[id]?.lastSeen = time }
        identities = identities.filter { id, identity in
            held.contains(id) || (time.since(identity.lastSeen) ?? .zero) <= limit
        }
        tracks = tracks.filter { visible.contains($0.key) || identities[$0.value.id] != nil }
        unchecked = unchecked.filter { visible.contains($0) || tracks[$0] != nil }
    }

    // MARK: - Deciding

    /// A track that may get the id of another face.
    private struct Seeker {
        let track: Int32
        let vector: FaceEmbedding
        /// The vector that is compared with the vectors of other faces. For a new face, this is the mean of its
        /// observations, because a single bad image must not cause a merge with an earlier face.
        let compared: FaceEmbedding
        /// True if the track must get a new face id, unless an earlier face matches.
        var needsID: Bool
    }

    /// Updates the face ids of all tracks from the faces in a frame.
    mutating func update(_ views: [View], at time: ClockTime, keeping limit: ClockTime) {
        let views = views.filter { $0.track != 0 }
        let visible = Set(views.map(\.track))
        expire(visible, at: time, keeping: limit)
        for view in views {
            if view.isUsable {
                if view.vector != nil { unchecked.remove(view.track) }
            } else if view.vector != nil || !view.isClear && tracks[view.track] != nil {
                unchecked.insert(view.track)
            }
        }
        var seekers = views.filter(\.isUsable).compactMap { view in
            view.vector.flatMap { seeker(view.track, $0, at: time) }
        }
        let sure = Set(views.filter { $0.isUsable && !unchecked.contains($0.track) }.map(\.track))
        assign(&seekers, visible, sure, at: time)
        for seeker in seekers where seeker.needsID { begin(seeker, at: time) }
        // The detector may assign a track id that is already the face id of another face. The track then gets a new
        // face id.
        for track in visible where tracks[track] == nil && identities[track] != nil {
            tracks[track] = Track(id: Detection.newID())
        }
        hasDoubts = views.contains { view in
            view.isUsable && (unchecked.contains(view.track) || tracks[view.track]?.doubts ?? 0 > 0)
        }
    }

    /// Compares a vector with the stored vectors of the track's face. Returns nil if the track keeps its face id.
    private mutating func seeker(_ track: Int32, _ vector: FaceEmbedding, at time: ClockTime) -> Seeker? {
        guard var current = tracks[track], var identity = identities[current.id] else {
            return Seeker(track: track, vector: vector, compared: vector, needsID: true)
        }
        guard !identity.vectors.isEmpty else {
            // `discardVectors` has removed the vectors, so this vector starts a new list.
            identities[current.id] = Identity([vector], at: time)
            return nil
        }
        defer { (tracks[track], identities[current.id]) = (current, identity) }
        let distance = identity.distance(to: vector)
        let nearest = identities.lazy.filter { $0.key != current.id }.map { $0.value.distance(to: vector) }.min() ?? 2
        let isOther = nearest < distance - Self.margin && nearest <= Self.same
        if distance <= Self.same, !isOther {
            identity.add(vector)
            (current.doubts, current.doubtful) = (0, nil)
            guard identity.observationCount <= Self.trial, let mean = FaceEmbedding.mean(of: identity.first) else {
                return nil
            }
            return Seeker(track: track, vector: vector, compared: mean, needsID: false)
        }
        guard distance > Self.other || isOther else { return nil }
        let isSteady = current.doubtful.map { $0.distance(from: vector) <= Self.same } ?? false
        current.doubts = isSteady ? min(current.doubts + 1, Int.max - 1) : 1
        current.doubtful = vector
        // If another known face matches, one observation is enough to change the id of the track. Without a match, the
        // track gets a new id only after two observations of the same unknown face.
        return Seeker(track: track, vector: vector, compared: vector, needsID: current.doubts >= 2)
    }

    /// Gives tracks (`seekers`) the ids of matching faces. The pairs with the smallest distances take precedence.
    /// - Parameter sure: ids of the tracks whose faces are clearly visible, and which are not in `unchecked`. Each of
    ///   these tracks keeps its face id, unless its last observation has shown another person.
    private mutating func assign(
        _ seekers: inout [Seeker], _ visible: Set<Int32>, _ sure: Set<Int32>, at time: ClockTime
    ) {
        var pairs: [(distance: Double, seeker: Int, id: Int32)] = []
        for (index, seeker) in seekers.enumerated() {
            for (id, identity) in identities where id != tracks[seeker.track]?.id {
                let distance = identity.distance(to: seeker.compared)
                if distance <= Self.same { pairs.append((distance, index, id)) }
            }
        }
        var isSettled = seekers.map { _ in false }
        for pair in pairs.sorted(by: { $0.distance < $1.distance }) where !isSettled[pair.seeker] {
            if let holder = visible.first(where: { tracks[$0]?.id == pair.id }) {
                let other = seekers.firstIndex { $0.track == holder }
                let isInDoubt = other != nil && (tracks[holder]?.doubts ?? 0) > 0
                guard isInDoubt || !sure.contains(holder) else {
                    // Another track certainly shows the face with this id, so the seeker's track must not get the id.
                    let isNew = tracks[seekers[pair.seeker].track] == nil
                    (isSettled[pair.seeker], seekers[pair.seeker].needsID) = (!isNew, isNew)
                    continue
                }
                tracks[holder] = nil
                if let other { seekers[other].needsID = !isSettled[other] }
            }
            move(seekers[pair.seeker], to: pair.id, at: time)
            isSettled[pair.seeker] = true
            seekers[pair.seeker].needsID = false
        }
    }

    private mutating func move(_ seeker: Seeker, to id: Int32, at time: ClockTime) {
        let old = tracks[seeker.track]
        // The new face of the track is the same as an earlier face, so add its vectors to the earlier face.
        if let old, old.doubts == 0, let young = identities.removeValue(forKey: old.id) {
            for vector in young.vectors { identities[id]?.add(vector) }
        }
        tracks = tracks.filter { $0.value.id != id }
        tracks[seeker.track] = Track(id: id)
        identities[id]?.add(seeker.vector)
        identities[id]?.lastSeen = time
    }

    /// Adds a new face for the track of a seeker.
    private mutating func begin(_ seeker: Seeker, at time: ClockTime) {
        let isTaken =
            identities[seeker.track] != nil || tracks.contains { $0.key != seeker.track && $0.value.id == seeker.track }
        // A new face gets the track id as face id, unless this id is in use or the track already had another face id.
        var id = isTaken || tracks[seeker.track] != nil ? Detection.newID() : seeker.track
        if let current = tracks[seeker.track]?.id, identities[current] == nil { id = current }
        identities[id] = Identity([seeker.vector], at: time)
        tracks[seeker.track] = Track(id: id)
    }
}
