// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

/// Drawn rectangles that form one blob for some time.
@Suite("Blobs: groups")
struct BlobsGroupTests {
    private static let (red, blue, green) = (Color(180, 40, 40), Color(40, 40, 180), Color(40, 160, 40))

    @Test("Things that pass each other keep their IDs, and the estimates follow the things", arguments: [true, false])
    func crossing(_ haveEqualColors: Bool) {
        var tracking = DrawnTracking()
        var (merged, worst) = (0, 0.0)
        for frame in 0..<60 {
            // The boxes overlap for 60 pixels of relative movement at 8 pixels per frame.
            let things = [
                DrawnThing(20 + 4 * Double(frame), 80, 30, 60, Self.red),
                DrawnThing(256 - 4 * Double(frame), 84, 30, 60, haveEqualColors ? Self.red : Self.blue),
            ]
            tracking.add(things)
            #expect(tracking.ids == [1, 2], "frame \(frame)")
            if tracking.objects.contains(where: \.isEstimate) {
                merged += 1
                for (id, thing) in zip(1..., things) { worst = max(worst, tracking.error(id, thing)) }
            } else {
                #expect(things.map(tracking.id) == [1, 2], "frame \(frame)")
            }
        }
        #expect(merged >= 7 && merged <= 9 && tracking.trackCount == 2)
        #expect(worst < 6)
    }

    @Test("Things that meet and turn back keep their IDs, if they differ in colour or in size")
    func turningBack() {
        for (color, height) in [(Self.blue, 60.0), (Self.red, 84)] {
            var tracking = DrawnTracking()
            var merged = 0
            for frame in 0..<80 {
                // The distance is 0 at frame 40, and the things overlap by 24 pixels.
                let distance = 3 * (Double(frame) - 40).magnitude
                let things = [
                    DrawnThing(140 - distance, 80, 30, 60, Self.red), DrawnThing(146 + distance, 80, 30, height, color),
                ]
                tracking.add(things)
                #expect(tracking.ids == [1, 2], "frame \(frame)")
                if tracking.objects.contains(where: \.isEstimate) {
                    merged += 1
                } else {
                    // The blob of the larger thing is first.
                    let expected = height > 60 ? [2, 1] : [1, 2]
                    #expect(things.map(tracking.id) == expected, "frame \(frame)")
                }
            }
            #expect(merged > 5 && tracking.trackCount == 2)
        }
    }

    @Test("A thing that stops behind another thing keeps its ID when it walks on, or turns back")
    func stopping() {
        for isReturning in [false, true] {
            var tracking = DrawnTracking()
            for frame in 0..<220 {
                // Hidden completely from frame 45 to frame 105.
                let way = frame < 50 ? frame : frame < 100 ? 50 : isReturning ? 150 - frame : frame - 50
                let things = [
                    DrawnThing(30 + 2 * Double(way), 110, 20, 50, Self.red), DrawnThing(115, 90, 60, 90, Self.blue),
                ]
                guard things[0].x < 280 && things[0].x > 10 else { break }
                tracking.add(things)
                #expect(tracking.ids == [1, 2], "frame \(frame)")
                if !tracking.objects.contains(where: \.isEstimate) {
                    #expect(things.map(tracking.id) == [2, 1], "frame \(frame)")
                }
            }
            #expect(tracking.trackCount == 2)
        }
    }

    @Test("Three things that form one blob keep their IDs")
    func three() {
        var tracking = DrawnTracking()
        var merged = 0
        for frame in 0..<70 {
            let t = Double(frame)
            let things = [
                DrawnThing(20 + 3.5 * t, 90, 24, 60, Self.red), DrawnThing(250 - 3.5 * t, 84, 24, 70, Self.blue),
                DrawnThing(135, 10 + 2.2 * t, 40, 30, Self.green),
            ]
            tracking.add(things)
            #expect(tracking.ids == [1, 2, 3], "frame \(frame)")
            let ids = things.map(tracking.id)
            if ids.allSatisfy({ $0 == nil }) { merged += 1 }
            // The larger blobs are first: 1 is blue, 2 is red.
            for (id, expected) in zip(ids, [2, 1, 3]) { #expect(id == nil || id == expected, "frame \(frame)") }
        }
        #expect(merged > 3 && tracking.trackCount == 3)
    }

    @Test("A thing that ends behind another thing ends after 150 frames, and the other thing keeps its ID")
    func ending() {
        var tracking = DrawnTracking()
        var lastFrame = 0
        for frame in 0..<300 {
            let front = DrawnThing(120, 90, 60, 90, Self.blue)
            // The thing is completely hidden from frame 50. It does not exist after frame 55.
            let hidden = DrawnThing(20 + 2 * Double(frame), 110, 20, 50, Self.red)
            tracking.add(frame < 56 ? [hidden, front] : [front])
            #expect(tracking.objects.contains { $0.id == 1 && (!$0.isEstimate || frame > 30) }, "frame \(frame)")
            if tracking.ids.contains(2) { lastFrame = frame }
        }
        #expect(lastFrame >= 190 && lastFrame <= 205, "\(lastFrame)")
        #expect(tracking.objects.map(\.isEstimate) == [false] && tracking.trackCount == 2)
    }

    @Test("A thing that ends behind another thing also ends if the other thing comes nearer")
    func coming() {
        var tracking = DrawnTracking()
        var lastFrame = 0
        for frame in 0..<330 {
            // The thing in front grows to 2.2 times its area from frame 60 to frame 160.
            let growth = max(0, min(1, (Double(frame) - 60) / 100))
            let (width, height) = (60 + 29 * growth, 90 + 43 * growth)
            let front = DrawnThing(120, 180 - height, width, height, Self.blue)
            let hidden = DrawnThing(20 + 2 * Double(frame), 110, 20, 50, Self.red)
            tracking.add(frame < 56 ? [hidden, front] : [front])
            #expect(tracking.objects.contains { $0.id == 1 }, "frame \(frame)")
            if tracking.ids.contains(2) { lastFrame = frame }
        }
        #expect(lastFrame >= 150 && lastFrame <= 260, "\(lastFrame)")
        #expect(tracking.objects.map(\.isEstimate) == [false] && tracking.trackCount == 2)
    }

    @Test("Things that touch and stay keep their IDs for as long as they are visible")
    func staying() {
        // A small thing has 4 % of the area of the large thing. The coins touch in a block of 4 by 3.
        let small = [DrawnThing(60, 40, 150, 150, Self.red), DrawnThing(210, 100, 30, 30, Self.blue)]
        let coins = (0..<12).map { DrawnThing(60 + Double($0 % 4) * 30, 60 + Double($0 / 4) * 30, 30, 30, Self.green) }
        let row = [40, 20, 30].enumerated().map { index, width in
            DrawnThing([100, 140, 160][index], 100, Double(width), 40, Self.red)
        }
        for things in [small, coins, row] {
            var tracking = DrawnTracking()
            for frame in 0..<700 {
                // The things come from four directions.
                let far = max(0, 30 - Double(frame))
                tracking.add(
                    things.enumerated().map { index, thing in
                        var thing = thing
                        let place = (thing.box.center - Point(150, 110)) / 40
                        (thing.x, thing.y) = (thing.x + (place.x * far).rounded(), thing.y + (place.y * far).rounded())
                        return thing
                    })
                #expect(tracking.ids == Array(1...things.count), "\(things.count) things, frame \(frame)")
            }
            #expect(tracking.trackCount == things.count)
            for thing in things {
                let nearest = tracking.objects.map { ($0.box.center - thing.box.center).length }.min()
                // Coins inside the block have no side of their own.
                #expect((nearest ?? .infinity) < (things.count == 12 ? 8 : 4), "\(things.count) things")
            }
        }
    }

    @Test("Things that touch stay two objects, and a thing that is taken away ends")
    func touching() {
        var tracking = DrawnTracking()
        let still = DrawnThing(150, 100, 40, 40, Self.red)
        for frame in 0..<320 {
            tracking.add([still, DrawnThing(max(190, 280 - Double(frame)), 100, 40, 40, Self.red)])
            #expect(tracking.ids == [1, 2], "frame \(frame)")
        }
        for (id, x) in [(1, 150.0), (2, 190)] {
            #expect(tracking.error(id, DrawnThing(x, 100, 40, 40)) < 4)
        }
        for _ in 0..<3 { tracking.add([still]) }
        #expect(tracking.id(of: still) == 1 && tracking.ids == [1])
        for _ in 0..<20 { tracking.add([still]) }
        // After the end of its track, a thing in the same place is new.
        tracking.add([still, DrawnThing(230, 100, 40, 40, Self.red)])
        #expect(tracking.ids == [1, 3])
    }

    @Test("A group that leaves the frame ends")
    func leaving() {
        var tracking = DrawnTracking()
        for frame in 0..<110 {
            let x = 200 - 3 * Double(frame)
            tracking.add([
                DrawnThing(x, 80, 30, 60, Self.red), DrawnThing(x + max(10, 60 - Double(frame)), 90, 30, 60, Self.blue),
            ])
            if frame < 60 { #expect(tracking.ids == [1, 2], "frame \(frame)") }
        }
        #expect(tracking.objects.isEmpty && tracking.trackCount == 2)
        tracking.add([DrawnThing(5, 80, 30, 60, Self.red)])
        #expect(tracking.ids == [3])
    }

    @Test("The last visible part of a group that leaves the frame keeps an ID")
    func leavingSlowly() {
        var tracking = DrawnTracking()
        for frame in 0..<260 {
            let x = 180 - Double(frame)
            tracking.add([
                DrawnThing(x, 60, 40, 60, Self.red), DrawnThing(x, max(110, 150 - Double(frame)), 40, 60, Self.blue),
            ])
            if x > -40 { #expect(!tracking.objects.isEmpty && tracking.trackCount == 2, "frame \(frame)") }
        }
        #expect(tracking.objects.isEmpty)
    }

    @Test("A much larger blob over several things is no group")
    func covering() {
        var tracking = DrawnTracking()
        for _ in 0..<20 { tracking.add([DrawnThing(100, 100, 20, 20), DrawnThing(140, 100, 20, 20)]) }
        tracking.add([DrawnThing(80, 80, 120, 90)])
        #expect(tracking.objects.count == 1 && tracking.objects.allSatisfy { !$0.isEstimate })
    }

    @Test("A fragment that exists only for a few frames does not become a member")
    func fragments() {
        var tracking = DrawnTracking()
        for frame in 0..<60 {
            let x = 50 + 2 * Double(frame)
            // For three of ten frames, a gap separates the head from the body.
            let gap = frame % 10 < 3 ? 1.0 : 0
            tracking.add([DrawnThing(x, 80, 30, 15 - gap), DrawnThing(x, 95, 30, 45)])
            if gap == 0 { #expect(tracking.objects.map(\.isEstimate) == [false], "frame \(frame)") }
        }
    }

    @Test("The parts of a thing that enters the frame do not become members")
    func entering() {
        var tracking = DrawnTracking()
        for frame in 0..<60 {
            // The thing has two tips on the side that enters first.
            let x = 318 - 2 * Double(frame)
            tracking.add([
                DrawnThing(x + 16, 80, 40, 60), DrawnThing(x, 80, 40, 14), DrawnThing(x, 126, 40, 14),
            ])
            // The tips connect after eight frames.
            if frame > 10 { #expect(tracking.objects.map(\.isEstimate) == [false], "frame \(frame)") }
        }
    }

    @Test("Things of equal size that meet in a column, a block or a row keep their IDs")
    func meeting() {
        let layouts: [(name: String, places: [(column: Double, row: Double)])] = [
            ("column of 2", [(0, 0), (0, 1)]), ("column of 3", [(0, -1), (0, 0), (0, 1)]),
            ("block", [(0, 0), (1, 0), (0, 1), (1, 1)]), ("row of 5", (-2...2).map { (Double($0), 0) }),
            ("row of 6", (-3...2).map { (Double($0), 0) }),
        ]
        for (name, places) in layouts {
            for areDifferent in [false, true] {
                var tracking = DrawnTracking()
                let size = 30.0
                for frame in 0..<200 {
                    // All gaps close in the same frame.
                    let gap = max(0, 10 - Double(frame / 2))
                    tracking.add(
                        places.enumerated().map { index, place in
                            DrawnThing(
                                145 + place.column * (size + gap), 105 + place.row * (size + gap), size, size,
                                areDifferent && index % 2 == 0 ? Self.blue : Self.red)
                        })
                    #expect(tracking.ids == Array(1...places.count), "\(name), \(areDifferent), frame \(frame)")
                }
                #expect(tracking.objects.allSatisfy(\.isEstimate) && tracking.trackCount == places.count, "\(name)")
            }
        }
    }

    @Test("Specks that disappear beside a large blob do not accumulate")
    func specks() {
        // Specks of 0.7 % and of 4 % of the large blob's area.
        for size in [8.0, 20] {
            var tracking = DrawnTracking()
            var most = 0
            for frame in 0..<186 * 3 {
                let large = DrawnThing(100, 60, 100, 100, Self.red)
                // Each speck exists for 6 frames, and the next frame shows only the large blob's box at its place.
                let place = Double(frame / 6 % 31)
                let speck = DrawnThing(202 + Double(frame % 6) * -0.4, 62 + place * 2.5, size, size, Self.blue)
                tracking.add(frame % 6 < 5 ? [large, speck] : [large])
                most = max(most, tracking.objects.count)
                #expect(tracking.objects.contains { $0.id == 1 }, "frame \(frame)")
            }
            #expect(most <= 17, "\(size): \(most)")
        }
    }

    @Test("Without groups, the IDs are the same as those of BoxTracker")
    func withoutGroups() {
        var (boxIDs, blobIDs) = (0, 0)
        var boxes = BoxTracker {
            boxIDs += 1
            return boxIDs
        }
        var blobs = BlobTracker {
            blobIDs += 1
            return blobIDs
        }
        var random = Imaging.SeededRandom(seed: 4)
        for frame in 0..<300 {
            // Each thing stays in its own cell, and is missing for some time.
            let places = (0..<12).compactMap { index -> Box? in
                let isMissing = (frame / 7 + 5 * index) % 9 == 0
                let (x, y) = (Double(index % 4) * 80 + random.between(10, 25), Double(index / 4) * 80 + 20)
                let size = random.between(20, 26)
                return isMissing ? nil : Box(x: x, y: y, width: size, height: size)
            }
            let ids = boxes.ids(of: places, frame: frame)
            let objects = blobs.objects(
                in: places.map { Blob(box: $0, outline: [], area: $0.area, color: .black) }, width: 320, height: 240,
                frame: frame)
            #expect(objects.map(\.id) == ids && objects.map(\.blob) == Array(places.indices), "frame \(frame)")
        }
        #expect(boxIDs >= 12)
    }

    @Test("Malformed boxes and frame numbers that go back do no harm")
    func malformed() {
        var last = 0
        var tracker = BlobTracker {
            last += 1
            return last
        }
        let boxes = [
            Box(x: .nan, y: 0, width: 5, height: 5), Box(x: 0, y: 0, width: -5, height: .infinity),
            Box(x: 1e300, y: 0, width: 0, height: 0), Box(x: 10, y: 10, width: 20, height: 20),
        ]
        for frame in [0, 1, 2, 3, 4, 5, 6, .min, .max, 3] {
            let blobs = boxes.map { Blob(box: $0, outline: [], area: .nan, color: .black) }
            let objects = tracker.objects(in: blobs, width: 0, height: -1, frame: frame)
            #expect(Set(objects.map(\.id)).count == 4 && objects.map(\.blob) == [0, 1, 2, 3], "frame \(frame)")
        }
        tracker.reset()
        #expect(tracker.objects(in: [], width: 320, height: 240, frame: 4).isEmpty)
    }

    @Test("The assignment has the least cost of all assignments")
    func assignment() {
        var random = Imaging.SeededRandom(seed: 1)
        for _ in 0..<300 {
            let (rows, columns) = (Int(random.between(0, 4.99)), Int(random.between(0, 4.99)))
            let costs = (0..<rows).map { _ in
                (0..<columns).map { _ -> Double in
                    let cost = random.between(0, 12)
                    return cost > 11.5 ? .infinity : cost > 11 ? .nan : cost
                }
            }
            /// Tries all assignments of the rows from `row`.
            func least(_ row: Int, _ taken: Set<Int>) -> Double {
                guard row < rows else { return 0 }
                return (0..<columns).filter { !taken.contains($0) && costs[row][$0] < 8 }
                    .map { costs[row][$0] + least(row + 1, taken.union([$0])) }
                    .reduce(8 + least(row + 1, taken), min)
            }
            let result = leastCostAssignment(costs, limit: 8)
            let sum = zip(costs, result).reduce(0.0) { sum, row in
                guard let column = row.1 else { return sum + 8 }
                return sum + row.0[column]
            }
            #expect(result.count == rows && (sum - least(0, [])).magnitude < 1e-9, "\(costs)")
            let columnsTaken = result.compactMap { $0 }
            #expect(Set(columnsTaken).count == columnsTaken.count)
        }
    }

    @Test("Ten pairs of things that pass each other keep their ids")
    func pairs() {
        // Ten pairs of things pass each other.
        let frames = (0..<90).map { frame in
            DrawnFrames.blobs(
                (0..<20).map { index in
                    let way = Double(index % 2 == 0 ? frame : 70 - frame)
                    return DrawnThing(
                        10 + Double(index % 4 / 2) * 150 + way, 10 + Double(index / 4) * 40 + Double(index % 2) * 4, 16,
                        24, index % 2 == 0 ? Self.red : Self.blue)
                })
        }
        var last = 0
        var tracker = BlobTracker {
            last += 1
            return last
        }
        var estimates = 0
        for (index, blobs) in frames.enumerated() {
            let objects = tracker.objects(in: blobs, width: DrawnFrames.width, height: DrawnFrames.height, frame: index)
            estimates += objects.count { $0.isEstimate }
        }
        #expect(estimates > 300 && last == 20)
    }
}
