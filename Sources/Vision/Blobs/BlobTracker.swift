// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Assigns track IDs to the blobs of consecutive frames, also while several objects form one blob.
///
/// If a blob shows a single object, the tracker works like `BoxTracker`. If a blob covers the expected boxes of several
/// tracks, these tracks become the members of a group (McKenna et al., Tracking groups of people, 2000). Each member
/// keeps its ID, and its box is estimated from its motion and from the sides of the blob. If the group splits, each new
/// blob is assigned to the member with the smallest difference in position, size and colour (a simple form of the
/// appearance models of Senior et al., Appearance models for occlusion handling, 2001).
package struct BlobTracker {
    /// A tracked object in a frame.
    package struct Object: Sendable, Hashable {
        package let id: Int
        /// The box of the object. If several objects form one blob, the box is an estimate inside the box of the blob.
        package let box: Box
        /// Index of the blob that shows the object.
        package let blob: Int
        /// True if `box` is an estimate, because the object is a member of a group (several objects that form one
        /// blob).
        package let isEstimate: Bool
    }

    /// Maximum number of consecutive frames in which a track gets no blob. The track ends after more such frames.
    package let patience: Int
    private let nextID: () -> Int
    private var tracks: [BlobTrack] = []
    private var lastFrame: Int?

    /// The first step of the matching assigns a blob to a track if the intersection over union of the blob's box and
    /// the track's expected or last box exceeds this value.
    private static let certainOverlap = 0.5
    /// A track without a blob can join a group (several objects that form one blob) only if the group's blob covers at
    /// least this fraction of the track's expected box.
    private static let coverage = 0.5
    /// Maximum area of the blob of a group (several objects that form one blob), as a multiple of the sum of the
    /// members' areas. A larger blob also shows objects that are not members.
    private static let maxGrowth = 2.0
    /// A member of a group may be hidden if r is small. r: the blob's area, minus the areas of all other members. r
    /// must be at most `blob` × the blob's area, and at most `member` × the member's area + `noise` × the blob's area.
    private static let hidden = (blob: 0.1, member: 0.3, noise: 0.01)
    /// All members of a group (several objects that form one blob) count as visible if the sum of their areas is at
    /// most this factor times the blob's area.
    private static let maxCovering = 1.1
    /// The track of a group member ends if the member may have been hidden for more than min(`frames`, `factor` × n)
    /// frames. n: number of frames in which a blob showed only this object. For a fragment of an object, n is small, so
    /// its track ends soon.
    private static let hiddenPatience = (frames: 150, factor: 4)
    /// Maximum number of members of a group (several objects that form one blob).
    private static let maxMembers = 16
    /// A track becomes a member of a group only if its area is at least this fraction of the area of the group's blob.
    private static let smallestMember = 0.02
    /// If a group (several objects that form one blob) splits, a member can continue in a blob only if the cost of the
    /// blob (`BlobTrack.cost`) is at most this value.
    private static let maxCost = 20.0

    /// - Parameters:
    ///   - patience: the maximum number of consecutive frames in which a track gets no blob.
    ///   - nextID: returns an ID for a new track.
    package init(patience: Int = 10, nextID: @escaping () -> Int) {
        self.patience = max(0, min(1 << 30, patience))
        self.nextID = nextID
    }

    /// Removes all tracks, for example after a seek.
    package mutating func reset() {
        tracks.removeAll()
        lastFrame = nil
    }

    /// Returns the objects of a frame, in the order of the blobs. Each blob shows at least one object.
    /// - Parameters:
    ///   - blobs: the blobs of the frame.
    ///   - width: the width of the frame, in pixels.
    ///   - height: the height of the frame, in pixels.
    ///   - frame: the frame's index. Frames may be skipped. If the index is not greater than the previous index, the
    ///     tracker removes all tracks.
    package mutating func objects(in blobs: [Blob], width: Int, height: Int, frame: Int) -> [Object] {
        if let lastFrame, frame <= lastFrame { reset() }
        lastFrame = frame
        tracks.removeAll { track in
            let (age, overflow) = frame.subtractingReportingOverflow(track.lastFrame)
            return overflow || age > patience + 1
        }
        let area = Box(x: 0, y: 0, width: Double(width), height: Double(height))
        let shown = match(blobs, frame)
        var objects: [Object] = []
        var ended: Set<Int> = []
        for (index, blob) in blobs.enumerated() {
            var members = shown[index]
            if members.count > 1 {
                follow(members, blob, in: area, frame)
                ended.formUnion(lost(members, blob, in: area))
                members.removeAll { ended.contains($0) }
            } else if let track = members.first {
                tracks[track].see(blob, isCut: BlobSides(blob.box, in: area).areCut, at: frame)
            }
            if members.isEmpty {
                tracks.append(BlobTrack(id: nextID(), blob, frame: frame))
                members = [tracks.count - 1]
            }
            objects += members.map { Object(tracks[$0], blob, index) }
        }
        tracks = tracks.indices.filter { !ended.contains($0) }.map { tracks[$0] }
        return objects
    }

    // MARK: - Matching

    /// Returns, for each blob, the indices of the tracks whose objects the blob shows.
    private func match(_ blobs: [Blob], _ frame: Int) -> [[Int]] {
        let expected = tracks.map { $0.expected(at: frame) }
        var isFound = [Bool](repeating: false, count: tracks.count)
        var shown = [[Int]](repeating: [], count: blobs.count)
        func assign(_ blob: Int, to track: Int) {
            shown[blob].append(track)
            isFound[track] = true
        }

        var pairs: [(track: Int, blob: Int, score: Double)] = []
        for (t, track) in tracks.enumerated() where track.membership == nil {
            for (b, blob) in blobs.enumerated() {
                let score = max(BoxTracker.score(expected[t], blob.box), BoxTracker.score(track.box, blob.box))
                if score > 0 { pairs.append((t, b, score)) }
            }
        }
        pairs.sort { ($0.score, $1.track, $1.blob) > ($1.score, $0.track, $0.blob) }
        for pair in pairs where pair.score > 1 + Self.certainOverlap {
            if shown[pair.blob].isEmpty, !isFound[pair.track] { assign(pair.blob, to: pair.track) }
        }

        let members = tracks.indices.filter { tracks[$0].membership != nil }
        let free = blobs.indices.filter { shown[$0].isEmpty }
        let costs = members.map { t in
            free.map { b in
                let box = blobs[b].box
                let isNear = expected[t].overlap(box) > 0 || (tracks[t].membership?.group.overlap(box) ?? 0) > 0
                return isNear ? tracks[t].cost(of: blobs[b], at: frame) : .infinity
            }
        }
        for (t, b) in zip(members, leastCostAssignment(costs, limit: Self.maxCost)) {
            if let b { assign(free[b], to: t) }
        }

        for pair in pairs where shown[pair.blob].isEmpty && !isFound[pair.track] { assign(pair.blob, to: pair.track) }
        join(tracks.indices.filter { !isFound[$0] && mayJoin(tracks[$0], frame) }, expected, blobs, &shown)
        return shown
    }

    /// Returns true if the track can join a group (several objects that form one blob): the track is already a member,
    /// or it is mature and had a blob in one of the last frames.
    private func mayJoin(_ track: BlobTrack, _ frame: Int) -> Bool {
        track.membership != nil || track.isMature && frame &- track.lastFrame <= BlobTrack.maxGap
    }

    /// Assigns tracks without a blob to the blobs that cover their expected boxes. Collects all tracks of a blob before
    /// the check of the blob's area (`maxGrowth`), because the blob may be much larger than each single object.
    private func join(_ lost: [Int], _ expected: [Box], _ blobs: [Blob], _ shown: inout [[Int]]) {
        var candidates = [[Int]](repeating: [], count: blobs.count)
        for t in lost {
            if let blob = cover(of: t, expected[t], blobs) { candidates[blob].append(t) }
        }
        for (b, new) in candidates.enumerated() where !new.isEmpty {
            let largestFirst = new.sorted { (tracks[$0].look.area, $1) > (tracks[$1].look.area, $0) }
            let all = shown[b] + largestFirst.prefix(max(0, Self.maxMembers - shown[b].count))
            let sum = all.reduce(0) { $0 + tracks[$1].look.area }
            guard all.count > 1 || isAlone(all, blobs[b]), blobs[b].area <= Self.maxGrowth * sum else { continue }
            shown[b] = all
        }
    }

    /// Returns true if `members` has only one track, the box of this track's group overlaps the blob, and no other
    /// track belongs to this group.
    private func isAlone(_ members: [Int], _ blob: Blob) -> Bool {
        guard let only = members.first, let group = tracks[only].membership?.group else { return false }
        return group.overlap(blob.box) > 0
            && !tracks.indices.contains(where: { $0 != only && (tracks[$0].membership?.group.overlap(group) ?? 0) > 0 })
    }

    /// Returns the blob that covers most of the expected box of a track. Returns nil if no blob covers enough of the
    /// box, or if the object is too small in comparison with the blob (`smallestMember`).
    private func cover(of track: Int, _ expected: Box, _ blobs: [Blob]) -> Int? {
        let area = expected.area
        guard area > 0 else { return nil }
        let best = blobs.indices.map { (blob: $0, share: expected.overlap(blobs[$0].box) / area) }
            .max { $0.share < $1.share }
        guard let best, best.share >= Self.coverage,
            tracks[track].look.area >= Self.smallestMember * blobs[best.blob].area
        else { return nil }
        return best.blob
    }

    // MARK: - Groups

    /// Estimates the boxes of the members of a group (several objects that form one blob). The sides of the blob's box
    /// correct the boxes of the outermost members.
    private mutating func follow(_ members: [Int], _ blob: Blob, in frame: Box, _ time: Int) {
        let areVisible = area(of: members) <= Self.maxCovering * blob.area
        let hidden = members.filter { mayHide($0, members, blob) }
        for t in members {
            tracks[t].join(blob.box, mayBeHidden: hidden.contains(t), areVisible: areVisible, at: time)
        }
        // If all other members have been hidden for some time, the blob shows only the visible member. So correct the
        // size of this member.
        let visible = members.filter { !tracks[$0].isHidden }
        if visible.count == 1, hidden.count >= members.count - 1 { tracks[visible[0]].scale(to: blob) }
        let sides = BlobSides(blob.box, in: frame)
        func outermost(_ path: KeyPath<Box, Double>, isLess: (Double, Double) -> Bool) -> Int? {
            members.min { isLess(tracks[$0].box[keyPath: path], tracks[$1].box[keyPath: path]) }
        }
        let (left, right) = (outermost(\.x, isLess: <), outermost(\.right, isLess: >))
        let (top, bottom) = (outermost(\.y, isLess: <), outermost(\.bottom, isLess: >))
        for t in members {
            let box = tracks[t].box
            let across = [
                t == left ? sides.left.map { $0 - box.x } : nil, t == right ? sides.right.map { $0 - box.right } : nil,
            ]
            let down = [
                t == top ? sides.top.map { $0 - box.y } : nil, t == bottom ? sides.bottom.map { $0 - box.bottom } : nil,
            ]
            tracks[t].correct(by: Point(across.mean, down.mean), inside: sides)
        }
    }

    private func area(of members: [Int]) -> Double { members.reduce(0) { $0 + tracks[$1].look.area } }

    /// Returns true if a member of a group may be hidden, because the other members are large enough to fill the blob.
    private func mayHide(_ member: Int, _ members: [Int], _ blob: Blob) -> Bool {
        let own = tracks[member].look.area
        let rest = blob.area - (area(of: members) - own)
        return rest <= min(Self.hidden.blob * blob.area, Self.hidden.member * own + Self.hidden.noise * blob.area)
    }

    /// Returns the members of a group whose tracks end: members outside of the frame, and members that may have been
    /// hidden for too long. At least one member stays, because the blob shows at least one object.
    private func lost(_ members: [Int], _ blob: Blob, in frame: Box) -> [Int] {
        let inside = members.filter { tracks[$0].box.center.isInside(frame) }
        guard !inside.isEmpty else {
            let last = members.max { tracks[$0].box.overlap(blob.box) < tracks[$1].box.overlap(blob.box) }
            return members.filter { $0 != last }
        }
        var rest = inside
        let hidden = inside.map { (track: $0, frames: tracks[$0].membership?.hiddenFrames ?? 0) }
        for (track, frames) in hidden.sorted(by: { ($0.frames, $1.track) > ($1.frames, $0.track) }) {
            let patience = min(Self.hiddenPatience.frames, Self.hiddenPatience.factor * tracks[track].sightings)
            guard frames > patience, rest.count > 1, mayHide(track, rest, blob) else { continue }
            rest.removeAll { $0 == track }
        }
        return members.filter { !rest.contains($0) }
    }
}

extension BlobTracker.Object {
    fileprivate init(_ track: BlobTrack, _ blob: Blob, _ index: Int) {
        let isEstimate = track.membership != nil
        self.init(
            id: track.id, box: isEstimate ? track.box.intersection(blob.box) : blob.box, blob: index,
            isEstimate: isEstimate)
    }
}

extension [Double?] {
    /// The mean of the numbers; 0 if there are no numbers.
    fileprivate var mean: Double {
        let numbers = compactMap { $0 }
        return numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count)
    }
}

extension Point {
    fileprivate func isInside(_ box: Box) -> Bool { x >= box.x && y >= box.y && x <= box.right && y <= box.bottom }
}
