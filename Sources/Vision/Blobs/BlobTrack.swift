// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The track of an object. While several objects form one blob, the object is a member of a group, and its box is an
/// estimate.
struct BlobTrack {
    /// The state of an object that is a member of a group (several objects that form one blob).
    struct Membership {
        /// Box of the group's blob.
        var group: Box
        /// Index of the frame in which the object became a member.
        let start: Int
        /// A counter. It increases by 1 per frame while the other members may hide the object. It decreases by 1 per
        /// frame, down to 0, while the object is visible. Whether the members may hide the object depends on the blob's
        /// area. The counter reduces the effect of a wrong area in a single frame.
        var hiddenFrames: Int
    }

    let id: Int
    /// Box of the object in the last frame.
    private(set) var box: Box
    private(set) var look: BlobLook
    private(set) var lastFrame: Int
    private(set) var membership: Membership?
    /// Number of frames in which a blob showed the whole object and nothing else, up to `maxSightings`. Until
    /// `isMature` is true, an incomplete object or a gap of more than `maxGap` frames resets the number to 1. While the
    /// object is in a group, the number does not change.
    private(set) var sightings = 1
    private var path: MovingBox
    /// Mean velocity, in pixels per frame. It predicts the position while the object is in a group. The velocity of
    /// `path` is too noisy for this purpose, because arms and legs move the sides of a person's box.
    private var velocity = Point(0, 0)

    private static let maxSightings = 1000
    private static let maxHiddenFrames = 1000
    /// If `Membership.hiddenFrames` reaches this value, the object is probably hidden.
    private static let hiddenFrames = 15
    /// True if the object was visible long enough to become a member of a group. Without this condition, fragments of
    /// an object would become members.
    var isMature: Bool { sightings >= Self.maturity }
    private static let maturity = 5
    /// A track counts as uninterrupted if its blobs are at most this number of frames apart.
    static let maxGap = 2
    /// The mean velocity covers about this number of frames.
    private static let velocityFrames = 8
    /// In a group, an alpha-beta filter estimates the position of an object. The prediction error is the offset from
    /// the sides of the object's expected box to the sides of the box of the group's blob. These fractions of the error
    /// are added to the position and to the velocity.
    private static let (positionGain, velocityGain) = (0.1, 0.01)
    /// If an object's expected box extends beyond the group's blob, the box is moved into the blob. This fraction of
    /// the movement is added to the velocity, because the object may have reversed its direction.
    private static let returnGain = 0.1
    /// If a group does not move and no member hides another member, the velocity of each member is multiplied by this
    /// factor in each frame.
    private static let stillness = 0.7
    /// Standard deviation of a member's position when the group splits, as a fraction of the object's size. `start`: at
    /// the start of the membership. `growth`: increase per frame. `most`: maximum.
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
    ///   - mayBeHidden: true if the other members are large enough to fill the blob.
    ///   - areVisible: true if no member covers another member. If the group also does not move, the velocity
    ///     decreases, because the sides of the blob do not correct the velocity of the members in the middle.
    mutating func join(_ group: Box, mayBeHidden: Bool, areVisible: Bool, at frame: Int) {
        let expected = expected(at: frame)
        let age = max(1, min(Self.maxSightings, frame &- lastFrame))
        if let membership {
            box = expected
            if areVisible, membership.group.isClose(to: group) { velocity = velocity * Self.stillness }
        } else {
            // The last box may contain a part of another object. So set the box to the object's mean size, and keep the
            // middle of the lower edge, where a person's feet are.
            let base = expected.point(0.5, 1)
            box = Box(x: base.x - look.width / 2, y: base.y - look.height, width: look.width, height: look.height)
        }
        let hiddenFrames = (membership?.hiddenFrames ?? -age) + (mayBeHidden ? age : -age)
        membership = Membership(
            group: group, start: membership?.start ?? frame,
            hiddenFrames: max(0, min(Self.maxHiddenFrames, hiddenFrames)))
        lastFrame = frame
    }

    /// True if the other members of the group have probably hidden the object in the last frames.
    var isHidden: Bool { membership.map { $0.hiddenFrames >= Self.hiddenFrames } ?? false }

    /// Changes the object's size towards the size of its group's blob. Ignores a blob with another shape or colour,
    /// because such a blob also shows other objects.
    mutating func scale(to blob: Blob) { look.scale(to: blob) }

    /// Corrects the position and the velocity of an object in a group, and moves the box into the group's blob.
    /// - Parameters:
    ///   - distance: the offset from the sides of the box to the sides of the blob.
    ///   - sides: the sides of the blob.
    mutating func correct(by distance: Point, inside sides: BlobSides) {
        box.corner = box.corner + distance * Self.positionGain
        let outside = box.corner
        box = sides.limit(box)
        velocity = velocity + distance * Self.velocityGain + (box.corner - outside) * Self.returnGain
    }

    /// Returns a cost for a blob that may show only this object after its group splits: half the sum of the squared
    /// differences in position, colour, area and height, in standard deviations. Under the assumption of normal
    /// distributions, this is the negative logarithm of the likelihood, except for a constant.
    func cost(of blob: Blob, at frame: Int) -> Double {
        let size = max(1, (look.width * look.height).squareRoot())
        let age = Double(frame &- (membership?.start ?? lastFrame))
        let deviation = size * min(Self.deviation.most, Self.deviation.start + Self.deviation.growth * age)
        let distance = (expected(at: frame).center - blob.box.center).length / deviation
        return min(Self.maxPositionCost, distance * distance / 2) + look.cost(of: blob)
    }
}

extension Box {
    /// Returns true if each side differs by less than one pixel from the same side of `other`.
    fileprivate func isClose(to other: Box) -> Bool {
        max((x - other.x).magnitude, (y - other.y).magnitude) < 1
            && max((right - other.right).magnitude, (bottom - other.bottom).magnitude) < 1
    }
}

/// The sides of a blob's bounding box; nil for sides at the edge of the frame, because the objects may extend beyond
/// these sides.
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

    /// Returns the box, moved into the blob. If the box is larger than the blob, the moved box covers the blob.
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

/// The appearance of an object: mean size, area and colour over the last frames in which a blob showed only this
/// object.
struct BlobLook {
    private(set) var width: Double
    private(set) var height: Double
    private(set) var area: Double
    private var color: Color
    private var count = 1

    /// The means cover about this number of frames.
    private static let frames = 15
    /// Assumed standard deviation of a blob's mean colour, in levels (0…255).
    private static let colorDeviation = 12.0
    /// Assumed standard deviations of ln(area) and ln(height). The area varies more, because the legs of a walking
    /// person change the area.
    private static let (areaDeviation, heightDeviation) = (0.25, 0.12)
    /// `scale` ignores a blob if ln(width / height) of the blob and of the object differ by more than this value.
    private static let shapeDeviation = 0.1
    /// Maximum of each term of `cost`, to limit the effect of a wrong measurement.
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

    /// Changes the size towards the size of a blob that shows the object at another distance from the camera. Each call
    /// halves the difference. If the colour or the shape of the blob is different, the blob also shows something else,
    /// and the size does not change.
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

    /// Returns half the sum of the squared differences in colour, area and height, in standard deviations. Each term of
    /// the sum is at most `maxDifference`.
    func cost(of blob: Blob) -> Double {
        func cost(_ deviations: Double) -> Double { min(Self.maxDifference, deviations * deviations / 2) }
        func ratio(_ new: Double, _ old: Double) -> Double { new > 0 && old > 0 ? log(new / old) : .infinity }
        return cost(colorDistance(blob) / Self.colorDeviation)
            + cost(ratio(blob.area, area) / Self.areaDeviation)
            + cost(ratio(blob.box.height, height) / Self.heightDeviation)
    }
}
