// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The ids of faces. The detector gives a face that returns a new track, and may confuse people who cross. Here the vectors of the
/// network decide: a face keeps its id from track to track.
struct FaceIdentities {
    private struct Identity {
        /// Vectors of the last looks that differ, the newest last.
        var vectors: [FaceEmbedding]
        var lastSeen: ClockTime
        /// Number of looks since the face was new.
        var looks = 1
        /// True if the face once had the name of a known person.
        var wasNamed = false
        /// The number of the stranger.
        var stranger: Int?

        func distance(to vector: FaceEmbedding) -> Double { vectors.map { $0.distance(from: vector) }.min() ?? 2 }

        mutating func add(_ vector: FaceEmbedding) {
            if looks < Int.max { looks += 1 }
            guard FaceIdentities.newView...FaceIdentities.learned ~= distance(to: vector) else { return }
            vectors.append(vector)
            vectors.removeFirst(max(0, vectors.count - FaceIdentities.mostVectors))
        }
    }

    private struct Track {
        var id: Int32
        /// Looks in a row that have shown somebody else, and the last of these.
        var doubts = 0
        var doubtful: FaceEmbedding?
        /// True if the face was beside another one, so that the detector may have confused them.
        var needsCheck = false
    }

    private var identities: [Int32: Identity] = [:]
    /// The detector's tracks.
    private var tracks: [Int32: Track] = [:]
    /// True if a track may show somebody else, so that every face is worth a look.
    private(set) var hasDoubts = false

    /// Distances of vectors: up to `same`, they are of the same face; beyond `other`, of somebody else. Of 50 images of five people of
    /// the Database of Faces (AT&T Laboratories Cambridge), 99 of 100 pairs of the same person are nearer than 0.55, and all pairs of
    /// different people are farther apart than 0.62.
    private static let (same, other) = (0.58, FaceEmbedding.otherPerson)
    /// Distance from which on a vector adds something to those of the same face.
    private static let newView = 0.15
    /// Distance up to which a vector is added: an image with a part of another face in it must not lead to that one step by step.
    private static let learned = 0.45
    /// Difference of two distances from which on the nearer face is meant.
    private static let margin = 0.1
    private static let mostVectors = 8
    /// Number of looks during which a new face may still turn out to be one that returns: the first look is often the worst.
    private static let trial = 6
    /// Maximum enlargement of faces whose vectors count: vectors of smaller faces resemble each other.
    static let largestScale = 3.5
    /// Minimum confidence of faces whose vectors count: the detector also follows faces that it has almost lost.
    static let leastConfidence = 0.5

    /// A face in a frame.
    struct View {
        let track: Int32
        /// The result of a look in this frame.
        let vector: FaceEmbedding?
        /// False if the detector has almost lost the face, so that it may be elsewhere.
        var isSure = true
        /// False if another face is so near that the vector may be of both, and does not count.
        var isClear = true
    }

    /// Returns the id of the face that a track shows.
    func id(of track: Int32) -> Int32 { tracks[track]?.id ?? track }

    /// Returns a face with the id of its identity instead of its track.
    func identified(_ face: Detection) -> Detection {
        var face = face
        face.id = id(of: face.id)
        return face
    }

    func vectors(of id: Int32) -> [FaceEmbedding] { identities[id]?.vectors ?? [] }
    func looks(of id: Int32) -> Int { identities[id]?.looks ?? 0 }
    func wasNamed(_ id: Int32) -> Bool { identities[id]?.wasNamed ?? false }
    mutating func setNamed(_ id: Int32) { identities[id]?.wasNamed = true }

    /// The number of the stranger whose face has an id.
    subscript(stranger id: Int32) -> Int? {
        get { identities[id]?.stranger }
        set { identities[id]?.stranger = newValue }
    }

    /// Discards everything but the ids.
    mutating func discardVectors() {
        for (id, identity) in identities { identities[id] = Identity(vectors: [], lastSeen: identity.lastSeen) }
        hasDoubts = false
    }

    /// Discards faces that have been out of view for longer than a time.
    mutating func expire(_ visible: Set<Int32>, at time: ClockTime, keeping limit: ClockTime) {
        let held = Set(visible.compactMap { tracks[$0]?.id })
        for id in held { identities[id]?.lastSeen = time }
        identities = identities.filter { id, identity in
            held.contains(id) || (time.since(identity.lastSeen) ?? .zero) <= limit
        }
        tracks = tracks.filter { visible.contains($0.key) || identities[$0.value.id] != nil }
    }

    // MARK: - Deciding

    /// A track that may show a face with another id than its own.
    private struct Seeker {
        let track: Int32
        let vector: FaceEmbedding
        /// True if the track needs an id, because it is new.
        var needsID: Bool
    }

    /// Takes the faces of a frame.
    mutating func update(_ views: [View], at time: ClockTime, keeping limit: ClockTime) {
        let views = views.filter { $0.track != 0 }
        let visible = Set(views.map(\.track))
        expire(visible, at: time, keeping: limit)
        for view in views where !view.isClear { tracks[view.track]?.needsCheck = true }
        var seekers = views.filter(\.isClear).compactMap { view in
            view.vector.flatMap { seeker(view.track, $0, at: time) }
        }
        let sure = Set(views.filter { $0.isSure && $0.isClear && tracks[$0.track]?.needsCheck != true }.map(\.track))
        assign(&seekers, visible, sure, at: time)
        for seeker in seekers where seeker.needsID { begin(seeker, at: time) }
        // The number of a track that came back may be the id of another face by now.
        for track in visible where tracks[track] == nil && identities[track] != nil {
            tracks[track] = Track(id: Detection.newID())
        }
        hasDoubts = views.contains { view in
            view.isClear && tracks[view.track].map { $0.doubts > 0 || $0.needsCheck } ?? false
        }
    }

    /// Compares a vector with the face that the track has shown so far; nil if there is nothing to decide.
    private mutating func seeker(_ track: Int32, _ vector: FaceEmbedding, at time: ClockTime) -> Seeker? {
        guard var known = tracks[track], var identity = identities[known.id] else {
            return Seeker(track: track, vector: vector, needsID: true)
        }
        guard !identity.vectors.isEmpty else {
            // The vectors were discarded.
            identities[known.id] = Identity(vectors: [vector], lastSeen: time)
            return nil
        }
        defer { (tracks[track], identities[known.id]) = (known, identity) }
        known.needsCheck = false
        let distance = identity.distance(to: vector)
        let nearest = identities.lazy.filter { $0.key != known.id }.map { $0.value.distance(to: vector) }.min() ?? 2
        let isOther = nearest < distance - Self.margin && nearest <= Self.same
        if distance <= Self.same, !isOther {
            identity.add(vector)
            (known.doubts, known.doubtful) = (0, nil)
            return identity.looks <= Self.trial ? Seeker(track: track, vector: vector, needsID: false) : nil
        }
        guard distance > Self.other || isOther else { return nil }
        let isSteady = known.doubtful.map { $0.distance(from: vector) <= Self.same } ?? false
        known.doubts = isSteady ? min(known.doubts + 1, Int.max - 1) : 1
        known.doubtful = vector
        // Two looks at the same stranger are needed for a new id, unless the face is known.
        return Seeker(track: track, vector: vector, needsID: known.doubts >= 2)
    }

    /// Gives seekers the ids of faces that they show, the most similar ones first.
    /// - Parameter sure: the tracks that certainly show the face that they have shown before.
    private mutating func assign(
        _ seekers: inout [Seeker], _ visible: Set<Int32>, _ sure: Set<Int32>, at time: ClockTime
    ) {
        var pairs: [(distance: Double, seeker: Int, id: Int32)] = []
        for (index, seeker) in seekers.enumerated() {
            for (id, identity) in identities where id != tracks[seeker.track]?.id {
                let distance = identity.distance(to: seeker.vector)
                if distance <= Self.same { pairs.append((distance, index, id)) }
            }
        }
        var isSettled = seekers.map { _ in false }
        for pair in pairs.sorted(by: { $0.distance < $1.distance }) where !isSettled[pair.seeker] {
            if let holder = visible.first(where: { tracks[$0]?.id == pair.id }) {
                let other = seekers.firstIndex { $0.track == holder }
                let isInDoubt = other != nil && (tracks[holder]?.doubts ?? 0) > 0
                guard isInDoubt || !sure.contains(holder) else {
                    // The face is in view in another track. Two tracks on one face keep their ids.
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
        // What a new face has shown belongs to the face that it turned out to be.
        if let old, old.doubts == 0, let young = identities.removeValue(forKey: old.id) {
            for vector in young.vectors { identities[id]?.add(vector) }
        }
        tracks = tracks.filter { $0.value.id != id }
        tracks[seeker.track] = Track(id: id)
        identities[id]?.add(seeker.vector)
        identities[id]?.lastSeen = time
    }

    /// Begins a new face.
    private mutating func begin(_ seeker: Seeker, at time: ClockTime) {
        let isTaken =
            identities[seeker.track] != nil || tracks.contains { $0.key != seeker.track && $0.value.id == seeker.track }
        // A track that has shown somebody else is a new face from now on.
        var id = isTaken || tracks[seeker.track] != nil ? Detection.newID() : seeker.track
        if let own = tracks[seeker.track]?.id, identities[own] == nil { id = own }
        identities[id] = Identity(vectors: [seeker.vector], lastSeen: time)
        tracks[seeker.track] = Track(id: id)
    }
}
