// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

/// A rectangle of a drawn frame.
struct DrawnThing {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var color: Color

    init(_ x: Double, _ y: Double, _ width: Double = 30, _ height: Double = 60, _ color: Color = .black) {
        (self.x, self.y, self.width, self.height, self.color) = (x, y, width, height, color)
    }

    var box: Box { Box(x: x, y: y, width: width, height: height) }
}

/// Frames of rectangles. The blobs of a frame are the connected areas of its pixels.
enum DrawnFrames {
    static let (width, height) = (320, 240)

    /// Draws the things, the farthest first, and returns the blobs, the largest first.
    static func blobs(_ things: [DrawnThing]) -> [Blob] {
        var pixels = [Int?](repeating: nil, count: width * height)
        for (index, thing) in things.enumerated() {
            let (left, top) = (Int(thing.x.rounded()), Int(thing.y.rounded()))
            let columns = max(0, left)..<max(0, left, min(width, left + Int(thing.width)))
            for y in max(0, top)..<max(0, top, min(height, top + Int(thing.height))) {
                for x in columns { pixels[y * width + x] = index }
            }
        }
        var blobs: [Blob] = []
        for start in pixels.indices where pixels[start] != nil {
            blobs.append(blob(from: start, &pixels, things))
        }
        return blobs.sorted { $0.area > $1.area }
    }

    /// Removes a connected area from the pixels.
    private static func blob(from start: Int, _ pixels: inout [Int?], _ things: [DrawnThing]) -> Blob {
        var (left, right, top, bottom, count) = (width, 0, height, 0, 0.0)
        var (red, green, blue) = (0.0, 0.0, 0.0)
        var open = [start]
        while let place = open.popLast() {
            guard let index = pixels[place] else { continue }
            pixels[place] = nil
            let (x, y) = (place % width, place / width)
            (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
            let color = things[index].color
            (red, green, blue, count) = (red + color.red, green + color.green, blue + color.blue, count + 1)
            if x > 0 { open.append(place - 1) }
            if x < width - 1 { open.append(place + 1) }
            if y > 0 { open.append(place - width) }
            if y < height - 1 { open.append(place + width) }
        }
        return Blob(
            box: Box(
                x: Double(left), y: Double(top), width: Double(right - left + 1), height: Double(bottom - top + 1)),
            outline: [], area: count, color: Color(red / count, green / count, blue / count))
    }
}

/// Tracks drawn things, and compares the results with the positions of the things.
struct DrawnTracking {
    private final class Counter {
        var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    private(set) var objects: [BlobTracker.Object] = []
    private var tracker: BlobTracker
    private let counter: Counter
    private var frame = 0

    /// Number of tracks so far.
    var trackCount: Int { counter.last }
    var ids: [Int] { objects.map(\.id).sorted() }

    init() {
        let counter = Counter()
        self.counter = counter
        tracker = BlobTracker { counter.next() }
    }

    mutating func add(_ things: [DrawnThing]) {
        let blobs = DrawnFrames.blobs(things)
        objects = tracker.objects(
            in: blobs, width: DrawnFrames.width, height: DrawnFrames.height, frame: frame)
        frame += 1
        // An estimate is inside its blob, and other boxes are the boxes of blobs.
        for object in objects where object.isEstimate {
            let place = blobs[object.blob].box
            #expect(object.box.intersection(place) == object.box)
        }
    }

    /// Returns the ID of the measured object at the place of a thing.
    func id(of thing: DrawnThing) -> Int? {
        objects.first { !$0.isEstimate && $0.box.intersectionOverUnion(thing.box) > 0.8 }?.id
    }

    /// Returns the distance between a thing and the object with an ID, in pixels.
    func error(_ id: Int, _ thing: DrawnThing) -> Double {
        objects.first { $0.id == id }.map { ($0.box.center - thing.box.center).length } ?? .infinity
    }
}
