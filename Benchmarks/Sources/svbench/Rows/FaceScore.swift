// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging
import Scenes

extension Content {
    /// Returns the faces in a frame of the stream: a number that never changes, the kind, and whether a find is that face.
    fileprivate func faces(in frame: Int) -> [(id: Int, kind: SceneEntity.Kind, fits: (Region) -> Bool)] {
        func near(_ center: Point, _ reach: Double, _ widths: ClosedRange<Double>) -> (Region) -> Bool {
            { find in
                let found = find.box.center
                return hypot(found.x - center.x, found.y - center.y) < reach && widths.contains(Double(find.width))
            }
        }
        if case .carphone = kind {
            return [(1, .human, near(CarphoneTruth.center(frame), CarphoneTruth.reach, 0...Double(size.width)))]
        }
        return entities(in: frame).map { entity in
            let width = Double(entity.rectangle.width)
            return (entity.id, entity.kind, near(entity.rectangle.center, 0.35 * width, 0.5 * width...1.6 * width))
        }
    }
}

/// Success of an element on streams.
struct FaceScore {
    struct Count {
        var (there, found) = (0, 0)
        /// Number of finds where there is no such face, or another find of it.
        var wrong = 0
    }

    /// Number of frames with a wrong find.
    private(set) var wrongFrames = 0
    /// Number of times that the number of finds differs from that of the frame before.
    private(set) var changes = 0
    private(set) var ids = 0
    /// Number of times that a face has another id than in its previous find.
    private(set) var switches = 0
    private var counts: [SceneEntity.Kind: Count] = [:]

    private(set) subscript(kind: SceneEntity.Kind) -> Count {
        get { counts[kind, default: Count()] }
        set { counts[kind] = newValue }
    }

    /// - Parameters:
    ///   - readings: the readings, one for each of `contents`.
    ///   - frames: the length of each.
    ///   - kind: the kind of all finds; nil if each find has its own.
    init(_ readings: [Reading], of contents: [Content], frames: Int, kind: SceneEntity.Kind? = nil) {
        for (reading, content) in zip(readings, contents) { add(reading.regions(count: frames), content, kind) }
    }

    private mutating func add(_ regions: [[Region]], _ content: Content, _ kind: SceneEntity.Kind?) {
        let kinds = ["face": SceneEntity.Kind.human, "cat-face": .cat]
        let frames = regions.map { $0.filter { kinds[$0.type] != nil } }
        func kindOf(_ find: Region) -> SceneEntity.Kind { kind ?? kinds[find.type] ?? .human }
        var lastIDs: [Int: Int] = [:]
        for (frame, finds) in frames.enumerated() {
            var wrong = finds
            for face in content.faces(in: frame) {
                self[face.kind].there += 1
                guard let index = wrong.firstIndex(where: { kindOf($0) == face.kind && face.fits($0) }) else {
                    continue
                }
                let id = wrong.remove(at: index).id
                self[face.kind].found += 1
                switches += lastIDs[face.id].map { $0 != id } == true ? 1 : 0
                lastIDs[face.id] = id
            }
            for find in wrong { self[kindOf(find)].wrong += 1 }
            wrongFrames += wrong.isEmpty ? 0 : 1
        }
        ids += Set(frames.joined().map(\.id).filter { $0 != 0 }).count
        changes += zip(frames, frames.dropFirst()).count { $0.count != $1.count }
    }

    // MARK: - Shares

    func foundShare(_ kind: SceneEntity.Kind) -> String {
        self[kind].there > 0 ? percent(self[kind].found, of: self[kind]).tenths : "-"
    }

    func wrongShare(_ kind: SceneEntity.Kind) -> String { percent(self[kind].wrong, of: self[kind]).tenths }

    /// Share of the finds of both kinds.
    var share: String { (100 * Double(counts.values.reduce(0) { $0 + $1.found }) / Double(there)).tenths }

    var isGood: Bool {
        switches == 0
            && counts.values.allSatisfy { count in
                (count.there == 0 || percent(count.found, of: count) >= 98) && percent(count.wrong, of: count) <= 1
            }
    }

    /// Number of faces of both kinds.
    private var there: Int { counts.values.reduce(0) { $0 + $1.there } }

    /// Returns the share of the faces of a kind; of all faces if there are none of that kind.
    private func percent(_ number: Int, of count: Count) -> Double {
        100 * Double(number) / Double(count.there > 0 ? count.there : there)
    }
}
