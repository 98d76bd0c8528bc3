// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// The path of a person or a cat on the floor, seen from a slightly raised camera. The path is a loop of straight walks
/// and stops. Once per loop, the walker leaves the frame for some seconds.
package struct WalkerPath: Sendable {
    /// Minimum length of the frame's shorter side, in pixels. In a smaller frame, there are no walkers.
    static let smallestFrame = 64
    /// Number of straight walks in a loop, without stops and without the walk out of the frame.
    private static let legs = 14
    /// Range of the feet's vertical positions, as fractions of the frame height. Walkers with smaller values are
    /// farther away.
    private static let depth = (far: 0.5, near: 0.94)

    /// A straight walk or a stop. The feet move from `start` to `end`, in pixels. Times are in seconds.
    private struct Leg: Sendable {
        var start: Point
        var end: Point
        var time: Double
        var duration: Double
    }

    package let isCat: Bool
    let look: WalkerLook
    private let id: Int
    private let frameHeight: Double
    private let speed: Double
    private let path: [Leg]
    private let period: Double
    private let phase: Double

    init(id: Int, in frame: Rectangle, speed: Double, _ random: inout SeededRandom) {
        let (width, height) = (Double(frame.width), Double(frame.height))
        (self.id, self.speed, frameHeight) = (id, speed, height)
        isCat = id % 3 == 0
        look = WalkerLook(&random)
        let first = Point(width * random.between(0.1, 0.9), height * random.between(Self.depth.far, Self.depth.near))
        var (legs, time, place): ([Leg], Double, Point) = ([], 0, first)
        /// Speed in body heights per second. A walker that is farther away is smaller, so it moves fewer pixels per
        /// second.
        let pace = isCat ? random.between(1.2, 2.2) : random.between(0.45, 0.75)
        let isCat = isCat
        func walk(to target: Point) {
            let middle = Point((place.x + target.x) / 2, (place.y + target.y) / 2)
            let (x, y) = (target.x - place.x, target.y - place.y)
            let length = (x * x + y * y).squareRoot()
            let duration = length / (pace * Self.bodyHeight(at: middle.y, of: height, isCat: isCat))
            legs.append(Leg(start: place, end: target, time: time, duration: duration))
            (place, time) = (target, time + duration)
        }
        func stay(_ duration: Double) {
            legs.append(Leg(start: place, end: place, time: time, duration: duration))
            time += duration
        }
        for leg in 1..<Self.legs {
            if leg == Self.legs / 2 {
                // A figure is at most half a frame height wide. So 0.3 frame heights beyond the edge, it is completely
                // outside the frame.
                let outside = random.between(0, 1) < 0.5 ? -0.3 * height : width + 0.3 * height
                walk(to: Point(outside, place.y))
                stay(random.between(2, 5))
            }
            // Choose a target that is horizontally at least 30 % of the frame width away. After eight attempts, accept
            // any target.
            var target = place
            for _ in 0..<8 where (target.x - place.x).magnitude < 0.3 * width {
                target = Point(
                    width * random.between(0.1, 0.9), height * random.between(Self.depth.far, Self.depth.near))
            }
            walk(to: target)
            if random.between(0, 1) < 0.4 { stay(random.between(1, 5)) }
        }
        walk(to: first)
        (path, period, phase) = (legs, max(time, 1e-3), random.between(0, 1) * time)
    }

    /// Returns the height of a body whose feet are at `y`, in pixels.
    private static func bodyHeight(at y: Double, of frame: Double, isCat: Bool) -> Double {
        (isCat ? 0.16 : 0.52) * max(0.1 * frame, y - 0.12 * frame)
    }

    private func leg(at time: Double) -> (leg: Leg, share: Double) {
        var moment = (phase + speed * time).truncatingRemainder(dividingBy: period)
        if moment < 0 { moment += period }
        let leg = path.last { $0.time <= moment } ?? path[0]
        return (leg, leg.duration > 0 ? min(1, (moment - leg.time) / leg.duration) : 1)
    }

    /// Returns the position of the feet at a time in seconds, in pixels.
    package func feet(at time: Double) -> Point {
        let (leg, share) = leg(at: time)
        return Point(
            leg.start.x + share * (leg.end.x - leg.start.x), leg.start.y + share * (leg.end.y - leg.start.y))
    }

    /// Returns the figure at a time in seconds.
    func figure(at time: Double) -> WalkerFigure {
        let (leg, share) = leg(at: time)
        let place = feet(at: time)
        let height = Self.bodyHeight(at: place.y, of: frameHeight, isCat: isCat)
        let (x, y) = (leg.end.x - leg.start.x, leg.end.y - leg.start.y)
        let walked = share * (x * x + y * y).squareRoot()
        // A stride is 0.8 body heights long for a person, and 1.28 body heights for a cat.
        let swing = walked == 0 ? 0 : sineAndCosine(degrees: 360 * walked / (0.8 * height * (isCat ? 1.6 : 1))).sine
        return WalkerFigure(
            look, isCat: isCat, feet: place, height: height, swing: swing, facing: x < 0 ? -1 : 1)
    }

    func entity(at time: Double) -> SceneEntity {
        let figure = figure(at: time)
        let box = figure.bounds
        return SceneEntity(
            id: id, kind: isCat ? .walkingCat : .walker, object: nil, person: nil, rectangle: box, tilt: 0,
            landmarks: FaceLandmarks(
                at: Point(Double(box.x) + Double(box.width) / 2, Double(box.y) + Double(box.height) / 2)),
            sprite: box, portrait: 0)
    }
}

/// The colours of a person or a cat.
struct WalkerLook: Sendable {
    let shirt: Color
    let trousers: Color
    let skin: Color
    let hair: Color
    let fur: Color

    init(_ random: inout SeededRandom) {
        shirt = random.pick([
            Color(178, 44, 48), Color(36, 92, 168), Color(30, 124, 76), Color(206, 148, 30), Color(110, 60, 140),
            Color(24, 120, 140),
        ])
        trousers = random.pick([Color(38, 44, 70), Color(52, 48, 46), Color(84, 62, 44), Color(60, 76, 58)])
        skin = random.pick([Color(214, 160, 128), Color(168, 112, 80), Color(104, 70, 52)])
        hair = random.pick([Color(40, 30, 26), Color(92, 54, 28), Color(30, 30, 34)])
        fur = random.pick([Color(196, 120, 48), Color(52, 50, 54), Color(110, 84, 62)])
    }
}

/// The plain floor under the walkers.
enum Floor {
    /// Draws the floor, and then the walkers, the farthest first.
    static func draw(_ walkers: [WalkerPath], on frame: FrameImage, at time: Double) {
        let height = Double(max(1, frame.height))
        frame.fill { Color.gray(224 - 14 * Double($0) / height) }
        let figures = walkers.map { $0.figure(at: time) }
        for figure in figures.sorted(by: { $0.feet.y < $1.feet.y }) { figure.draw(on: frame) }
    }
}
