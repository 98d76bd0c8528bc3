// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The track of an object. While several objects form one blob, the object is a member of a group, and its box is an
/// estimate.
struct BlobTrack {
    /// The state of a member of a group.
    struct Membership {
        /// Box of the group's blob.
        var group: Box
        /// First frame of the membership.
        let start: Int
        /// Number of frames in which the other members may have hidden the object, minus the number of frames in which
        /// the object was visible; at least 0. A single frame with a wrong area changes this number only a little.
        var hiddenFrames: Int
    }

    let id: Int
    /// The box in the last frame.
    private(set) var box: Box
    private(set) var look: BlobLook
    private(set) var lastFrame: Int
    private(set) var membership: Membership?
    /// Number of consecutive frames in which the object was complete and had a blob of its own, up to `maxSightings`.
    /// Memberships do not interrupt the count.
    private(set) var sightings = 1
    private var path: MovingBox
    /// Mean velocity, in pixels per frame. The velocity of `path` is too noisy for the time in a group, because arms
    /// and legs move the sides of a person's box.
    private var velocity = Point(0, 0)

    private static let maxSightings = 1000
    private static let maxHiddenFrames = 1000
    /// An object is probably hidden if the other members may have hidden it in this number of frames.
    private static let hiddenFrames = 15
    /// True if the track can become a member of a group. Otherwise, fragments of an object would become members.
    var isMature: Bool { sightings >= Self.maturity }
    private static let maturity = 5
    /// A track is not interrupted if its next blob comes after at most this number of frames.
    static let maxGap = 2
    /// The mean velocity covers about this number of frames.
    private static let velocityFrames = 8
    /// The estimate in a group is an alpha-beta filter. These fractions of the distance between the expected and the
    /// observed sides change the position and the velocity.
    private static let (positionGain, velocityGain) = (0.1, 0.01)
    /// The fraction for the velocity if the expected box is outside of the blob, for example because the object has
    /// turned back.
    private static let returnGain = 0.1
    /// In a group that does not move, this factor changes the velocity of the visible members in each frame.
    private static let stillness = 0.7
    /// Standard deviation of the position after a split, as a fraction of the object's size: at the start of the
    /// membership, increase per frame, and maximum.
    private static let deviation = (start: 0.2, growth: 0.01, most: 1.5)
    private static let maxPositionCost = 10.0

    init(id: Int, _ blob: Blob, frame: Int) {
        self.id = id
        (box, path, look, lastFrame) = (blob.box, MovingBox(blob.box), BlobLook(blob), frame)
    }

    func expected(at frame: Int) -> Box {
        let age = frame &- lastFrame
        guard membership != nil else { return path.expected(after: age) }
        var box = box
        box.corner = box.corner + velocity * Double(age)
        return box
    }

    /// Continues the track with a blob that shows only this object.
    /// - Parameter isCut: true if the blob is at the edge of the frame, so that a part of the object may be missing.
    mutating func see(_ blob: Blob, isCut: Bool, at frame: Int) {
        let age = max(1, frame &- lastFrame)
        let isComplete = !isCut && age <= Self.maxGap
        if membership == nil {
            velocity = velocity.moved(
                towards: (blob.box.center - box.center) / Double(age),
                by: 1 / Double(min(sightings, Self.velocityFrames)))
            path.move(to: blob.box, after: age)
            if isComplete { sightings = min(sightings + 1, Self.maxSightings) } else if !isMature { sightings = 1 }
        } else {
            path = MovingBox(blob.box, velocity: velocity)
        }
        (box, lastFrame, membership) = (blob.box, frame, nil)
        if !isCut {
            look.add(blob)
        } else if !isMature {
            look = BlobLook(blob)
        }
    }

    /// Starts or continues the membership in a group, and moves the box to the expected position.
    /// - Parameters:
    ///   - mayBeHidden: true if the other members have enough area for the blob.
    ///   - areVisible: true if no member covers another member. A visible member inside of a group that does not move has
    ///     no side that could correct its velocity, so the velocity decreases.
    mutating func join(_ group: Box, mayBeHidden: Bool, areVisible: Bool, at frame: Int) {
        let expected = expected(at: frame)
        let age = max(1, min(Self.maxSightings, frame &- lastFrame))
        if let membership {
            box = expected
            if areVisible, membership.group.isClose(to: group) { velocity = velocity * Self.stillness }
        } else {
            // The last box may contain a part of another object, so the member gets its mean size. The feet stay.
            let base = expected.point(0.5, 1)
            box = Box(x: base.x - look.width / 2, y: base.y - look.height, width: look.width, height: look.height)
        }
        let hiddenFrames = (membership?.hiddenFrames ?? -age) + (mayBeHidden ? age : -age)
        membership = Membership(
            group: group, start: membership?.start ?? frame,
            hiddenFrames: max(0, min(Self.maxHiddenFrames, hiddenFrames)))
        lastFrame = frame
    }

    /// True if the other members of the group have probably hidden the object for some time.
    var isHidden: Bool { membership.map { $0.hiddenFrames >= Self.hiddenFrames } ?? false }

    /// Changes the size of a member to the size of the blob, if the blob shows only this member.
    mutating func scale(to blob: Blob) { look.scale(to: blob) }

    /// Corrects the estimate of a member by an observed distance, and keeps the box inside the blob.
    mutating func correct(by distance: Point, inside sides: BlobSides) {
        box.corner = box.corner + distance * Self.positionGain
        let outside = box.corner
        box = sides.limit(box)
        velocity = velocity + distance * Self.velocityGain + (box.corner - outside) * Self.returnGain
    }

    /// Returns a cost for a blob that may show this member alone: half the sum of the squared differences in position,
    /// colour, area and height, in standard deviations. Under the assumption of normal distributions, this is the
    /// negative logarithm of the likelihood, except for a constant.
    func cost(of blob: Blob, at frame: Int) -> Double {
        let size = max(1, (look.width * look.height).squareRoot())
        let age = Double(frame &- (membership?.start ?? lastFrame))
        let deviation = size * min(Self.deviation.most, Self.deviation.start + Self.deviation.growth * age)
        let distance = (expected(at: frame).center - blob.box.center).length / deviation
        return min(Self.maxPositionCost, distance * distance / 2) + look.cost(of: blob)
    }
}

extension Box {
    /// Returns true if each side has moved by less than one pixel.
    fileprivate func isClose(to other: Box) -> Bool {
        max((x - other.x).magnitude, (y - other.y).magnitude) < 1
            && max((right - other.right).magnitude, (bottom - other.bottom).magnitude) < 1
    }
}

/// The sides of a blob; nil for sides at the edge of the frame, because the objects may extend beyond these sides.
struct BlobSides {
    var left: Double?
    var right: Double?
    var top: Double?
    var bottom: Double?

    init(_ box: Box, in frame: Box) {
        left = box.x > frame.x + 1 ? box.x : nil
        right = box.right < frame.right - 1 ? box.right : nil
        top = box.y > frame.y + 1 ? box.y : nil
        bottom = box.bottom < frame.bottom - 1 ? box.bottom : nil
    }

    /// True if a side is at the edge of the frame.
    var areCut: Bool { left == nil || right == nil || top == nil || bottom == nil }

    /// Returns the box, moved so that it is between the sides. A box that is larger than the blob covers the blob.
    func limit(_ box: Box) -> Box {
        var box = box
        box.x = Self.limit(box.x, box.width, left, right)
        box.y = Self.limit(box.y, box.height, top, bottom)
        return box
    }

    private static func limit(_ start: Double, _ length: Double, _ low: Double?, _ high: Double?) -> Double {
        let last = high.map { $0 - length }
        guard let low, let last else { return max(min(start, last ?? start), low ?? -.infinity) }
        return max(min(low, last), min(max(low, last), start))
    }
}

/// The look of an object: means over the last frames in which the object had a blob of its own.
struct BlobLook {
    private(set) var width: Double
    private(set) var height: Double
    private(set) var area: Double
    private var color: Color
    private var count = 1

    /// The means cover about this number of frames.
    private static let frames = 15
    /// Standard deviation of the mean colour, in levels.
    private static let colorDeviation = 12.0
    /// Standard deviations of the natural logarithms of area and height. The area of a person depends on the legs.
    private static let (areaDeviation, heightDeviation) = (0.25, 0.12)
    /// Standard deviation of the natural logarithm of width divided by height.
    private static let shapeDeviation = 0.1
    /// Maximum of each difference in `cost`, so that one wrong measurement does not decide.
    private static let maxDifference = 8.0

    init(_ blob: Blob) {
        (width, height, area, color) = (blob.box.width, blob.box.height, blob.area, blob.color)
    }

    mutating func add(_ blob: Blob) {
        count = min(count + 1, Self.frames)
        let share = 1 / Double(count)
        func mean(_ old: Double, _ new: Double) -> Double { old + share * (new - old) }
        width = mean(width, blob.box.width)
        height = mean(height, blob.box.height)
        area = mean(area, blob.area)
        color = Color(
            mean(color.red, blob.color.red), mean(color.green, blob.color.green), mean(color.blue, blob.color.blue))
    }

    /// Changes the size by one factor to the size of a blob that shows the object at another distance from the camera.
    /// If the colour or the shape of the blob is different, the blob shows something else, too, and the size stays.
    mutating func scale(to blob: Blob) {
        let shape = log(blob.box.width / blob.box.height / (width / height))
        let growth = (blob.area / area).squareRoot()
        guard shape.magnitude <= Self.shapeDeviation, growth.isFinite, growth > 0,
            colorDistance(blob) <= Self.colorDeviation
        else { return }
        let factor = 1 + (growth - 1) / 2
        (width, height, area) = (width * factor, height * factor, area * factor * factor)
    }

    private func colorDistance(_ blob: Blob) -> Double {
        let (red, green, blue) = (
            color.red - blob.color.red, color.green - blob.color.green, color.blue - blob.color.blue
        )
        return (red * red + green * green + blue * blue).squareRoot()
    }

    /// Half the sum of the squared differences between the look and a blob, in standard deviations.
    func cost(of blob: Blob) -> Double {
        func cost(_ deviations: Double) -> Double { min(Self.maxDifference, deviations * deviations / 2) }
        func ratio(_ new: Double, _ old: Double) -> Double { new > 0 && old > 0 ? log(new / old) : .infinity }
        return cost(colorDistance(blob) / Self.colorDeviation)
            + cost(ratio(blob.area, area) / Self.areaDeviation)
            + cost(ratio(blob.box.height, height) / Self.heightDeviation)
    }
}
