import Glibc
import Pixels

/// A face that is there.
struct TrueFace {
    /// The same all along.
    let id: Int
    let kind: Actor.Kind
    let center: Point
    /// How far off a find's centre may be, in pixels.
    let reach: Double
    /// How wide a find may be, in pixels.
    let widths: ClosedRange<Double>

    /// Somebody in a drawn scene.
    init(_ actor: Actor) {
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

    func fits(_ find: FaceFind) -> Bool {
        let x = Double(find.box.x) + Double(find.box.width) / 2
        let y = Double(find.box.y) + Double(find.box.height) / 2
        return find.kind == kind && hypot(x - center.x, y - center.y) < reach && widths.contains(Double(find.box.width))
    }
}

/// A face that an element reports.
struct FaceFind {
    var kind: Actor.Kind
    var box: Rectangle
    /// 0 if the element numbers none.
    var id: Int
}

/// How well an element did on a stream.
struct FaceScore: Codable {
    struct Count: Codable {
        var there = 0
        var found = 0
        /// Finds where there is no such face, or where there is another find of it.
        var wrong = 0

        static func + (a: Count, b: Count) -> Count {
            Count(there: a.there + b.there, found: a.found + b.found, wrong: a.wrong + b.wrong)
        }
    }

    var humans = Count()
    var cats = Count()
    /// Frames with a wrong find.
    var wrongFrames = 0
    /// How often the number of finds was not that of the frame before.
    var changes = 0
    /// How many ids there were.
    var ids = 0
    /// How often a face had another id than when it was found before.
    var switches = 0

    static func + (a: FaceScore, b: FaceScore) -> FaceScore {
        FaceScore(
            humans: a.humans + b.humans, cats: a.cats + b.cats, wrongFrames: a.wrongFrames + b.wrongFrames,
            changes: a.changes + b.changes, ids: a.ids + b.ids, switches: a.switches + b.switches)
    }

    init(
        humans: Count = Count(), cats: Count = Count(), wrongFrames: Int = 0, changes: Int = 0, ids: Int = 0,
        switches: Int = 0
    ) {
        self.humans = humans
        self.cats = cats
        self.wrongFrames = wrongFrames
        self.changes = changes
        self.ids = ids
        self.switches = switches
    }

    /// Judges what was found in the frames of a stream, one after the other.
    init(_ finds: [[FaceFind]], in stream: FaceStream) {
        self.init()
        var ids = Set<Int>()
        var lastIDs: [Int: Int] = [:]
        for (frame, finds) in finds.enumerated() {
            var wrong = finds
            for face in stream.truth(in: frame) {
                self[face.kind].there += 1
                guard let index = wrong.firstIndex(where: { face.fits($0) }) else { continue }
                let id = wrong.remove(at: index).id
                self[face.kind].found += 1
                switches += lastIDs[face.id].map { $0 != id } == true ? 1 : 0
                lastIDs[face.id] = id
            }
            for find in wrong { self[find.kind].wrong += 1 }
            wrongFrames += wrong.isEmpty ? 0 : 1
            ids.formUnion(finds.map(\.id).filter { $0 != 0 })
        }
        self.ids = ids.count
        changes = zip(finds, finds.dropFirst()).count { $0.count != $1.count }
    }

    private subscript(kind: Actor.Kind) -> Count {
        get { kind == .human ? humans : cats }
        set { if kind == .human { humans = newValue } else { cats = newValue } }
    }
}
