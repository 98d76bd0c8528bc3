import Glibc
import Imaging

/// A face that is in the frame.
struct TrueFace {
    /// Number that never changes.
    let id: Int
    let kind: SceneEntity.Kind
    let center: Point
    /// Largest distance of a find's centre, in pixels.
    let reach: Double
    /// Permitted widths of a find, in pixels.
    let widths: ClosedRange<Double>

    /// Creates the face of an actor in a drawn scene.
    init(_ actor: SceneEntity) {
        let (box, width) = (actor.rectangle, Double(actor.rectangle.width))
        id = actor.id
        kind = actor.kind
        center = Point(Double(box.x) + width / 2, Double(box.y) + Double(box.height) / 2)
        reach = 0.35 * width
        widths = 0.5 * width...1.6 * width
    }

    init(carphone frame: Int) {
        id = 1
        kind = .human
        center = CarphoneTruth.center(frame)
        reach = CarphoneTruth.reach
        widths = 0...Double(FrameSize.carphone.width)
    }

    func fits(_ find: Region) -> Bool {
        let (width, height) = (Double(find.width), Double(find.height))
        let offset = hypot(Double(find.x) + width / 2 - center.x, Double(find.y) + height / 2 - center.y)
        return offset < reach && widths.contains(width)
    }
}

/// Success of an element on streams.
struct FaceScore {
    struct Count {
        var there = 0
        var found = 0
        /// Number of finds where there is no such face, or another find of it.
        var wrong = 0
    }

    private(set) var humans = Count()
    private(set) var cats = Count()
    /// Number of frames with a wrong find.
    private(set) var wrongFrames = 0
    /// Number of times that the number of finds differs from that of the frame before.
    private(set) var changes = 0
    private(set) var ids = 0
    /// Number of times that a face has another id than in its previous find.
    private(set) var switches = 0

    /// - Parameters:
    ///   - readings: the readings, one for each of `contents`.
    ///   - frames: the length of each.
    ///   - kind: the kind of all finds; nil if each find has its own.
    init(_ readings: [Reading], of contents: [Content], frames: Int, kind: SceneEntity.Kind? = nil) {
        for (reading, content) in zip(readings, contents) { add(reading.regions(count: frames), content, kind) }
    }

    private mutating func add(_ regions: [[Region]], _ content: Content, _ kind: SceneEntity.Kind?) {
        let frames = regions.map { $0.filter { Self.kinds[$0.type] != nil } }
        func kindOf(_ find: Region) -> SceneEntity.Kind { kind ?? Self.kinds[find.type] ?? .human }
        var lastIDs: [Int: Int] = [:]
        for (frame, finds) in frames.enumerated() {
            var wrong = finds
            for face in content.truth(in: frame) {
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

    private static let kinds = ["face": SceneEntity.Kind.human, "cat-face": .cat]

    private subscript(kind: SceneEntity.Kind) -> Count {
        get { kind == .human ? humans : cats }
        set { if kind == .human { humans = newValue } else { cats = newValue } }
    }
}

// MARK: - Shares

extension FaceScore {
    func foundShare(_ kind: KeyPath<FaceScore, Count>) -> String {
        self[keyPath: kind].there > 0 ? percent(self[keyPath: kind].found, of: self[keyPath: kind]).tenths : "-"
    }

    func wrongShare(_ kind: KeyPath<FaceScore, Count>) -> String {
        percent(self[keyPath: kind].wrong, of: self[keyPath: kind]).tenths
    }

    /// Share of the finds of both kinds.
    var share: String {
        (100 * Double(humans.found + cats.found) / Double(humans.there + cats.there)).tenths
    }

    var isGood: Bool {
        switches == 0
            && [humans, cats].allSatisfy { count in
                (count.there == 0 || percent(count.found, of: count) >= 98) && percent(count.wrong, of: count) <= 1
            }
    }

    /// Returns the share of the faces of a kind; of all faces if there are none of that kind.
    private func percent(_ number: Int, of count: Count) -> Double {
        100 * Double(number) / Double(count.there > 0 ? count.there : humans.there + cats.there)
    }
}
