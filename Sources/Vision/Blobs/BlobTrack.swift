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
        /// The frame since which the other members may hide the object; nil if the blob is too large for the others.
        var hiddenSince: Int?
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
    mutating func join(_ group: Box, mayBeHidden: Bool, at frame: Int) {
        let expected = expected(at: frame)
        if membership == nil {
            // The last box may contain a part of another object, so the member gets its mean size. The feet stay.
            let base = expected.point(0.5, 1)
            box = Box(x: base.x - look.width / 2, y: base.y - look.height, width: look.width, height: look.height)
        } else {
            box = expected
        }
        membership = Membership(
            group: group, start: membership?.start ?? frame,
            hiddenSince: mayBeHidden ? membership?.hiddenSince ?? frame : nil)
        lastFrame = frame
    }

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

    /// Half the sum of the squared differences between the look and a blob, in standard deviations.
    func cost(of blob: Blob) -> Double {
        func cost(_ deviations: Double) -> Double { min(Self.maxDifference, deviations * deviations / 2) }
        func ratio(_ new: Double, _ old: Double) -> Double { new > 0 && old > 0 ? log(new / old) : .infinity }
        let (red, green, blue) = (
            color.red - blob.color.red, color.green - blob.color.green, color.blue - blob.color.blue
        )
        return cost((red * red + green * green + blue * blue).squareRoot() / Self.colorDeviation)
            + cost(ratio(blob.area, area) / Self.areaDeviation)
            + cost(ratio(blob.box.height, height) / Self.heightDeviation)
    }
}
