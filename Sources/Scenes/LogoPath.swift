// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// The motion of the logo, which moves, rotates and tilts. The size and the brightness of the logo also change.
struct LogoPath: Sendable {
    /// Range of the logo's height if the logo faces the camera, as a fraction of the frame's shorter side.
    private static let sizes = (minimum: 0.1, maximum: 0.6)
    /// Minimum length of the frame's shorter side, in pixels. In a smaller frame, there is no logo.
    private static let smallestFrame = 96

    let isBright: Bool
    private let frame: Rectangle
    private let speed: Double
    private let across: Oscillation
    private let down: Oscillation
    private let nearness: Oscillation
    private let tilting: Oscillation
    private let lighting: Oscillation
    private let firstTurn: Double
    private let firstDirection: Double
    /// Direction of rotation: 1 for clockwise, −1 for anticlockwise.
    private let sense: Double

    /// Creates the motion. Returns nil if the frame is too small.
    init?(in frame: Rectangle, speed: Double, _ random: inout SeededRandom) {
        guard min(frame.width, frame.height) >= Self.smallestFrame else { return nil }
        self.frame = frame
        self.speed = speed
        isBright = random.between(0, 1) < 0.5
        across = Oscillation(from: 0, room: frame.width, speed: speed, &random)
        down = Oscillation(from: 0, room: frame.height, speed: speed, &random)
        nearness = Oscillation(from: 0, room: 1, speed: speed, &random)
        tilting = Oscillation(from: 0, room: 1, speed: speed, &random)
        lighting = Oscillation(from: 0, room: 1, speed: speed, &random)
        firstTurn = random.between(0, 360)
        firstDirection = random.between(0, 360)
        sense = random.between(0, 1) < 0.5 ? 1 : -1
    }

    /// Returns the position of the logo at a time in seconds.
    func pose(at time: Double) -> LogoPose {
        let ratio = Self.sizes.maximum / Self.sizes.minimum
        let share = Self.sizes.minimum * power(ratio, nearness.share(at: time))
        let size = share * Double(min(frame.width, frame.height))
        // Width and height of the space that the logo's mark (the shape on the card) needs at any rotation and tilt. So
        // the mark stays completely in the frame, but the card around the mark may extend beyond the frame.
        let reach = 1.6 * size
        func coordinate(_ length: Int, _ oscillation: Oscillation) -> Double {
            let room = max(0, Double(length) - reach)
            return (Double(length) - room) / 2 + room * oscillation.share(at: time)
        }
        let turns = (sense * 0.11 * speed * time).truncatingRemainder(dividingBy: 1)
        let directions = (-sense * 0.07 * speed * time).truncatingRemainder(dividingBy: 1)
        return LogoPose(
            center: Point(coordinate(frame.width, across), coordinate(frame.height, down)), size: size,
            turn: firstTurn + 360 * turns, tilt: 40 * tilting.share(at: time),
            tiltDirection: firstDirection + 360 * directions, frameHeight: Double(frame.height))
    }

    func entity(at time: Double) -> SceneEntity {
        let pose = pose(at: time)
        let rectangle = pose.rectangle
        return SceneEntity(
            id: 1, kind: .logo, object: nil, person: nil, rectangle: rectangle, tilt: pose.turn,
            landmarks: FaceLandmarks(at: pose.center), sprite: rectangle, portrait: 0)
    }

    /// Draws the logo on its card.
    func draw(on frame: FrameImage, at time: Double) {
        pose(at: time).draw(on: frame, isBright: isBright, light: 0.8 + 0.4 * lighting.share(at: time))
    }
}
