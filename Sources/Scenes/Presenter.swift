// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// The motion of the person in front of the green wall, who moves sideways, waves and talks.
struct PresenterPath: Sendable {
    /// Number of poses in one wave of the hand.
    static let poses = 12
    /// Minimum length of the frame's shorter side, in pixels. In a smaller frame, there is no person.
    private static let smallestFrame = 96
    /// Distances from the origin to the edges of the person's figure, in units of a portrait (1/200 of its size).
    /// `hidden` is the height of the part of the figure that may be below the frame.
    static let reach = (left: -195.0, right: 312.0, top: -178.0, bottom: 396.0, hidden: 40.0)

    private let features: Features
    private let hairSeed: UInt64
    private let placement: PortraitPlacement
    private let frame: Rectangle
    private let width: Int
    private let height: Int
    private let across: Oscillation
    private let down: Oscillation
    private let cycle: PortraitCycle

    /// Creates the motion. Returns nil if the frame is too small.
    init?(in frame: Rectangle, speed: Double, _ random: inout SeededRandom) {
        guard min(frame.width, frame.height) >= Self.smallestFrame else { return nil }
        self.frame = frame
        features = Features(presenter: &random)
        hairSeed = random.next()
        let reach = Self.reach
        let scale = min(
            Double(frame.height - 2) / (reach.bottom - reach.top),
            Double(frame.width - 2) / (1.1 * (reach.right - reach.left)))
        let portrait = Portrait.presenter(features, hairSeed: 0, phase: 0, strands: 0)
        placement = PortraitPlacement(of: portrait, scale: scale, tilt: 0)
        (width, height) = placement.size(of: portrait)
        across = Oscillation(from: 0, room: frame.width - width, speed: speed, &random)
        down = Oscillation(
            from: frame.height - height + Int(4 * scale) + 1, room: Int(reach.hidden * scale), speed: speed, &random)
        cycle = PortraitCycle(count: Self.poses, rate: 10 * speed)
    }

    var scale: Double { placement.scale }

    func portrait(_ pose: Int) -> Portrait {
        Portrait.presenter(features, hairSeed: hairSeed, phase: Double(pose) / Double(Self.poses))
    }

    /// - Parameter time: in seconds.
    func entity(at time: Double) -> SceneEntity {
        let (x, y) = (across.position(at: time), down.position(at: time))
        let here = placement.moved(x: Double(x), y: Double(y))
        let pose = cycle.index(at: time)
        let portrait = Portrait.presenter(features, hairSeed: 0, phase: Double(pose) / Double(Self.poses), strands: 0)
        return SceneEntity(
            id: 1, kind: .human, object: nil, person: nil, rectangle: here.rectangle(of: portrait), tilt: 0,
            landmarks: portrait.landmarks.moved(here.pixel),
            sprite: Rectangle(x: x, y: y, width: width, height: height), portrait: pose)
    }
}

extension Features {
    /// Creates random features. The shirt is not green.
    fileprivate init(presenter random: inout SeededRandom) {
        self.init()
        skin = random.between(165, 195)
        complexion = Color(random.between(1.04, 1.12), 0.9, random.between(0.72, 0.82))
        hair = .long
        hairColor = random.pick([Color(41, 34, 27), Color(28, 26, 28), Color(84, 48, 26), Color(150, 112, 62)])
        shirt = random.pick([
            Color(58, 78, 134), Color(128, 52, 58), Color(92, 92, 104), Color(170, 128, 70), Color(214, 208, 200),
        ])
        edge = 0.35
    }
}

extension Portrait {
    /// Creates a person who waves a hand, without an ellipse behind the head. The figure ends below the waist, and has
    /// loose strands of hair.
    /// - Parameters:
    ///   - hairSeed: seed of the strands of hair.
    ///   - phase: phase of the waving motion, 0…1.
    ///   - strands: number of loose strands of hair.
    fileprivate static func presenter(
        _ its: Features, hairSeed: UInt64, phase: Double, strands: Int = 110
    ) -> Portrait {
        let (swing, _) = sineAndCosine(degrees: 360 * phase)
        let (talk, _) = sineAndCosine(degrees: 720 * phase)
        var portrait = Portrait(of: its, Expression(open: max(0, 0.8 * talk), smile: 16), background: nil)
        let head = portrait.strokes
        portrait.strokes = []
        // Add an invisible rectangle, so that all poses have the same bounds.
        let reach = PresenterPath.reach
        portrait.polygon(
            points(
                (reach.left, reach.top), (reach.right, reach.top), (reach.right, reach.bottom),
                (reach.left, reach.bottom)), .black, opacity: 0)
        portrait.addHair(its, seed: hairSeed, sway: swing, strands)
        portrait.addBody(its)
        portrait.strokes += head
        portrait.addArm(its, skin: its.skin * its.complexion, angle: 8 + 15 * swing)
        return portrait
    }

    private mutating func addBody(_ its: Features) {
        let (shirt, soft) = (its.shirt, 3 * its.edge)
        let side =
            curve(Point(30, 134), Point(44, 158), Point(112, 168))
            + curve(Point(112, 168), Point(150, 176), Point(152, 226)) + points((134, 300), (140, 394))
        polygon(side + side.reversed().map { Point(-$0.x, $0.y) }, shirt, soft: soft)
        // Draw the arm on the left of the image, which hangs down. The wall is visible between this arm and the body.
        polygon(
            band(curve(Point(-126, 204), Point(-166, 300), Point(-160, 370)), 46), 0.9 * shirt, soft: soft)
        polygon(points((-3, 190), (3, 190), (4, 394), (-4, 394)), 0.8 * shirt, soft: 1)
    }

    /// - Parameter angle: angle of the forearm in degrees, clockwise from the upward direction.
    private mutating func addArm(_ its: Features, skin: Color, angle: Double) {
        let soft = 3 * its.edge
        let elbow = Point(202, 300)
        func point(_ length: Double, _ angle: Double, from start: Point) -> Point {
            let (sine, cosine) = sineAndCosine(degrees: angle)
            return Point(start.x + length * sine, start.y - length * cosine)
        }
        polygon(band([Point(122, 206), Point(160, 258), elbow], 56), 0.94 * its.shirt, soft: soft)
        let (cuff, palm) = (point(104, angle, from: elbow), point(146, angle, from: elbow))
        polygon(band([cuff, palm], 30), 0.95 * skin, soft: soft)
        polygon(band([elbow, cuff], 46), 0.98 * its.shirt, soft: soft)
        for (spread, length) in [(-62.0, 40.0), (-20, 52), (-6, 58), (8, 55), (23, 46)] {
            let root = point(12, angle + spread, from: palm)
            polygon(band([root, point(length, angle + spread, from: palm)], 11), skin, soft: soft)
        }
        ellipse(palm.x, palm.y, 19, 23, skin, soft: soft, angle: angle)
    }

    /// Adds strands of hair with a width of one or two pixels. The strands stick out of the hair, and hang down at the
    /// sides.
    private mutating func addHair(_ its: Features, seed: UInt64, sway: Double, _ count: Int) {
        var random = SeededRandom(seed: seed)
        for number in 0..<count {
            // The angles of the strands go from the lower left over the top to the lower right.
            let angle = 145 + 250 * (Double(number) + random.between(0, 1)) / Double(count)
            let (sine, cosine) = sineAndCosine(degrees: angle)
            let start = Point(104 * cosine, -8 + 124 * sine)
            let length = random.between(14, 46)
            let fall = random.between(4, 22) * (1 - 0.6 * sine.magnitude)
            let turn = random.between(-14, 14)
            let end = Point(
                start.x + length * cosine - turn * sine + 3 * sway * cosine.magnitude,
                max(-172, start.y + 0.8 * length * sine + turn * cosine + fall))
            let bend = Point(
                (start.x + end.x) / 2 + 0.4 * turn * cosine, (start.y + end.y) / 2 - 0.5 * fall)
            polygon(
                band(curve(start, bend, end, steps: 6), random.between(1.4, 3.2)),
                random.between(0.8, 1.4) * its.hairColor)
        }
    }
}
