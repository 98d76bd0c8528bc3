// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Scenes
import Testing
@testable import Vision

/// Counts the walkers of svtestscene. With `SWIFTVISION_FULL=1`, the tests count 20 scenes of two minutes.
@Suite("Zones: walkers")
struct ZonesWalkersTests {
    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
    private static let seeds = 0..<(isFull ? 20 : 3)
    private static let seconds = isFull ? 120.0 : 60

    private static func scene(_ seed: Int, count: Int = 6) -> Scene {
        Scene(
            .walkers, count: count, seed: UInt64(seed), width: WalkersTruth.width, height: WalkersTruth.height)
    }

    @Test("Walkers stay on their ways at any time, and leave the frame once per loop")
    func ways() {
        let scene = Self.scene(1)
        #expect(scene.walkers.count == 6 && scene.walkers.count(where: \.isCat) == 2)
        for walker in scene.walkers {
            var (isOutside, last) = (false, walker.feet(at: 0))
            for step in 1...4000 {
                let feet = walker.feet(at: Double(step) / 20)
                let (x, y) = (feet.x - last.x, feet.y - last.y)
                // No walker is faster than one frame height per second.
                #expect((x * x + y * y).squareRoot() < 0.05 * 360)
                #expect(feet.y >= 0.5 * 360 - 1e-6 && feet.y <= 0.94 * 360 + 1e-6)
                if feet.x < 0 || feet.x > 640 { isOutside = true }
                last = feet
            }
            #expect(isOutside)
        }
    }

    /// Returns a box with independent noise of up to 5 pixels on each side, inside the frame. Returns nil outside of
    /// the frame.
    private static func noisy(_ box: Rectangle, _ random: inout Imaging.SeededRandom) -> Rectangle? {
        func moved(_ edge: Int) -> Int { edge + Int(random.between(-5.5, 5.5).rounded()) }
        let (left, top) = (moved(box.x), moved(box.y))
        let (right, bottom) = (moved(box.x + box.width), moved(box.y + box.height))
        let visible = Rectangle(x: left, y: top, width: right - left, height: bottom - top)
            .intersection(Rectangle(width: WalkersTruth.width, height: WalkersTruth.height))
        return visible.isEmpty ? nil : visible
    }

    /// Losses of detections.
    enum Losses: CaseIterable {
        case none
        /// Gaps of up to 0.5 s.
        case gaps
        /// After each gap, the object has a new ID.
        case newIDs
    }

    @Test(
        "With noise of 5 pixels, at least 98 % of the events (97 % with new IDs) and of the dwell times to 0.2 s are right",
        arguments: Losses.allCases)
    func truthRegions(_ losses: Losses) throws {
        var score = WalkersScore()
        for seed in Self.seeds {
            let scene = Self.scene(seed)
            var counter = try ZoneCounter.forWalkers()
            var random = Imaging.SeededRandom(seed: UInt64(seed) + 1000)
            var (missing, ids) = ([Int](repeating: 0, count: 6), (0..<6).map { Int32($0 + 1) })
            var (owners, nextID) = ([Int32: Int](), 7 as Int32)
            for index in 0..<6 { owners[ids[index]] = index }
            var counted: [WalkersTruth.Happening] = []
            for frame in 0..<Int(Self.seconds * 30) {
                let time = Double(frame) / 30
                var objects: [ZoneObject] = []
                for (index, entity) in scene.entities(at: time).enumerated() {
                    let box = Self.noisy(entity.rectangle, &random)
                    if missing[index] > 0 {
                        missing[index] -= 1
                        if missing[index] == 0, losses == .newIDs {
                            ids[index] = nextID
                            owners[nextID] = index
                            nextID += 1
                        }
                        continue
                    }
                    // About one gap every four seconds.
                    if losses != .none, random.between(0, 120) < 1 { missing[index] = Int(random.between(1, 15.99)) }
                    if let box { objects.append(ZoneObject(box, id: ids[index], type: "\(entity.kind)")) }
                }
                counted += WalkersScore.happenings(counter.add(objects, at: time), at: time) { owners[$0] }
            }
            let truth = WalkersTruth(scene, seconds: Self.seconds, gap: losses == .none ? 0 : 0.5)
            score.add(counted, truth.happenings, seconds: Self.seconds)
        }
        print("walkers, \(losses): \(score.text)")
        #expect(score.firm > (Self.isFull ? 3000 : 150))
        // An object that is lost at a corner, and then has a new ID, may be a new object.
        #expect(score.accuracy >= (losses == .newIDs ? 0.97 : 0.98))
        #expect(score.dwellErrors.count > (Self.isFull ? 100 : 5) && score.dwellAccuracy >= 0.98)
    }

    /// Searches blobs in drawn frames, and tracks the blobs like svblobdetect, at 30 frames per second.
    @Test("The tracks of svblobdetect survive when walkers cover each other, and give the right number of crossings")
    func blobs() throws {
        var (truth, optional, counted) = (0, 0, 0)
        var (passages, survived, survivedBoxes) = (0, 0, 0)
        let seconds = Self.isFull ? 60.0 : 20
        for (seed, count) in Self.isFull ? [(0, 4), (1, 4), (2, 4), (0, 6), (1, 6), (2, 6)] : [(0, 4)] {
            let scene = Self.scene(seed, count: count)
            let painter = ScenePainter(scene)
            let detector = BlobDetector(settings: BlobSettings())
            var (nextID, nextBoxID) = (0, 0)
            var tracker = BlobTracker {
                nextID += 1
                return nextID
            }
            var boxTracker = BoxTracker {
                nextBoxID += 1
                return nextBoxID
            }
            var counter = try ZoneCounter.forWalkers()
            let image = OwnedImage(.bgrx, width: WalkersTruth.width, height: WalkersTruth.height)
            var (watch, boxWatch) = (PassageWatch(), PassageWatch())
            for frame in 0..<Int(seconds * 30) {
                let time = Double(frame) / 30
                let walkers = painter.draw(on: FrameImage(image.image), at: time).map(\.rectangle)
                let blobs = try detector.blobs(in: FrameImage(image.image))
                let objects = tracker.objects(
                    in: blobs, width: WalkersTruth.width, height: WalkersTruth.height, frame: frame)
                let events = counter.add(
                    objects.map { ZoneObject(Rectangle($0.box), id: Int32($0.id), type: "blob") }, at: time)
                counted += events.count { if case .cross = $0.kind { true } else { false } }
                watch.add(walkers, objects.map { Rectangle($0.box) }, objects.map(\.id))
                let boxes = blobs.map(\.box)
                boxWatch.add(walkers, boxes.map { Rectangle($0) }, boxTracker.ids(of: boxes, frame: frame))
            }
            for happening in WalkersTruth(scene, seconds: seconds).happenings {
                switch happening.what {
                case .crossGate, .crossRow: if happening.isFirm { truth += 1 } else { optional += 1 }
                case .enter, .leave, .dwell: break
                }
            }
            print("walkers, seed \(seed), \(count) walkers: \(watch.survived) of \(watch.passages) tracks survive")
            passages += watch.passages
            survived += watch.survived
            survivedBoxes += boxWatch.survived
        }
        print(
            "walkers, blobs: \(truth) firm and \(optional) optional crossings, \(counted) counted; of \(passages) "
                + "tracks, \(survived) survive (\(survivedBoxes) with BoxTracker)")
        #expect(passages >= (Self.isFull ? 200 : 8))
        #expect(Double(survived) >= (Self.isFull ? 0.95 : 0.9) * Double(passages))
        #expect(truth > 6 && Double(counted) >= 0.9 * Double(truth))
        #expect(Double(counted) <= 1.1 * Double(truth + optional))
    }

    @Test("20 walkers in 10 zones cause many events")
    func many() throws {
        let scene = Self.scene(5, count: 20)
        var counter = ZoneCounter()
        let zones = (0..<10).map { index in
            let left = 0.09 * Double(index)
            return index % 3 == 0
                ? "\(index): \(left),0.4 -> \(left),1"
                : "\(index): \(left),0.5 \(left + 0.2),0.45 \(left + 0.1),0.95 \(left),0.9"
        }
        counter.setZones(try ZoneList(zones.joined(separator: ";")), aspect: 16.0 / 9)
        let frames = (0..<600).map { frame in
            scene.entities(at: Double(frame) / 30).map {
                ZoneObject($0.rectangle, id: Int32($0.id), type: "\($0.kind)")
            }
        }
        var events = 0
        for (index, objects) in frames.enumerated() { events += counter.add(objects, at: Double(index) / 30).count }
        #expect(events > 50)
    }
}

/// Watches pairs of walkers whose boxes overlap, and compares the tracks before and after the overlap.
private struct PassageWatch {
    private(set) var passages = 0
    private(set) var survived = 0
    /// The last known track of each walker outside of overlaps.
    private var tracks: [Int: Int] = [:]
    private var overlaps: Set<Int> = []
    private var before: [Int: Int] = [:]

    mutating func add(_ walkers: [Rectangle], _ blobs: [Rectangle], _ numbers: [Int]) {
        let frame = Rectangle(width: WalkersTruth.width, height: WalkersTruth.height)
        for (index, walker) in walkers.enumerated() {
            let isAlone = !walkers.enumerated().contains {
                $0.offset != index && !$0.element.grown(by: 8).intersection(walker).isEmpty
            }
            guard frame.intersection(walker) == walker else {
                // A walker at the edge of the frame starts again.
                (tracks[index], before[index]) = (nil, nil)
                overlaps.remove(index)
                continue
            }
            if !isAlone {
                if overlaps.insert(index).inserted { before[index] = tracks[index] }
                continue
            }
            let best = blobs.indices.max { Self.overlap(blobs[$0], walker) < Self.overlap(blobs[$1], walker) }
            guard let best, Self.overlap(blobs[best], walker) > 0.4 else { continue }
            if overlaps.remove(index) != nil, let old = before[index] {
                passages += 1
                if old == numbers[best] { survived += 1 }
            }
            tracks[index] = numbers[best]
        }
    }

    private static func overlap(_ first: Rectangle, _ second: Rectangle) -> Double {
        let common = first.intersection(second)
        let shared = Double(common.width * common.height)
        return shared / (Double(first.width * first.height + second.width * second.height) - shared)
    }
}

extension Rectangle {
    fileprivate func grown(by margin: Int) -> Rectangle {
        Rectangle(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
