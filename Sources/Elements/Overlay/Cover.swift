// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// What hidden regions look like.
enum HideStyle: Int32, PropertyEnum {
    case blur, pixelate, black, picture

    static let typeName = "GstSvHideStyle"
    static let members: [(value: Self, blurb: String)] = [
        (.blur, "Blurred area (an oval for faces)"),
        (.pixelate, "Large squares of one colour each"),
        (.black, "Black area"),
        (.picture, "The image file of the property hide-picture"),
    ]
}

/// The part of a frame that has to be hidden so that nothing of some things is seen.
enum Cover {
    case areas([Area])
    /// All of it, since it is not known where they are.
    case frame

    /// What is hidden of one thing.
    struct Area {
        let bounds: Rectangle
        let isFace: Bool
        /// The corners of a convex area within the bounds; nil for all of the bounds.
        let corners: [Point]?
        /// The number of parts, across and down, into which blurred and pixelated areas are divided: a face gets about three.
        var parts = 4
    }

    var isEmpty: Bool {
        if case .areas(let areas) = self { areas.isEmpty } else { false }
    }

    /// Areas that are more than this many frames together are hidden with the whole frame: they lie over each other.
    private static let mostFrames = 8

    /// Hides the area. In 36 drawn faces of all sizes, none of OpenCV's cascades for faces found one in the result:
    /// neither in ovals that are blurred by a quarter of their height (by a sixth they found 3), nor in rectangles of 4
    /// cells (in ovals of 3 cells they found 5). Both are far coarser than what people need to recognise a face.
    /// - Parameter picture: covers with the picture of style `picture`; nil if there is none, and black stands in.
    func hide(on frame: FrameImage, _ style: HideStyle, _ picture: CoverPicture?) {
        guard case .areas(let areas) = self else { return Self.hide(.frame(frame.bounds), on: frame, style, picture) }
        let sum = areas.reduce(0.0) { sum, area in
            let seen = area.bounds.intersection(frame.bounds)
            return sum + Double(seen.width) * Double(seen.height)
        }
        guard sum <= Double(Self.mostFrames) * Double(frame.width) * Double(frame.height) else {
            return Self.hide(.frame(frame.bounds), on: frame, style, picture)
        }
        for area in areas { Self.hide(area, on: frame, style, picture) }
    }

    private static func hide(_ area: Area, on frame: FrameImage, _ style: HideStyle, _ picture: CoverPicture?) {
        switch style {
        case .blur:
            let region: Region = area.isFace ? .ellipse(area.bounds) : area.region
            frame.blur(region, radius: max(2, max(area.bounds.width, area.bounds.height) / area.parts))
        case .pixelate: frame.pixelate(area.region, cells: area.parts)
        case .black: frame.fill(area.region, color: .black)
        case .picture:
            frame.fill(area.bounds, color: .black)
            picture?.draw(over: area.bounds, on: frame)
        }
    }
}

extension Cover.Area {
    /// The whole frame.
    static func frame(_ bounds: Rectangle) -> Self { Self(bounds: bounds, isFace: false, corners: nil) }

    fileprivate var region: Region { corners.map { .polygon($0) } ?? .rectangle(bounds) }

    /// The area that is hidden of a thing.
    ///
    /// Of a face, it is the box with `FaceMargins` around it. Of other things, it is their box or the convex hull of their
    /// outline, and an eighth of the box's size around that.
    ///
    /// Where it is in doubt whether a face is a human's or a cat's, both areas are hidden.
    static func areas(of thing: Detection) -> [Self] {
        thing.kinds.map { Self(thing, as: $0) }
    }

    private init(_ thing: Detection, as kind: Detection.Kind) {
        let box = thing.box
        let size = max(box.width, box.height)
        guard !kind.isFace else {
            let margins = FaceMargins(of: thing, as: kind)
            func pixels(_ share: Double) -> Int { Int(share * Double(size) + 1e-9) }
            let (side, above, below) = (pixels(margins.side), pixels(margins.above), pixels(margins.below))
            self.init(
                bounds: Rectangle(
                    x: box.x - side, y: box.y - above, width: box.width + 2 * side, height: box.height + above + below),
                isFace: true, corners: nil, parts: margins.parts)
            return
        }
        let margin = max(2, size / 8)
        let bounds = Rectangle(
            x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin)
        self.init(
            bounds: bounds, isFace: false, corners: thing.outline.flatMap { $0.corners.hull(margin: Double(margin)) })
    }
}

/// What is hidden around a face's box, as fractions of the box's longer side.
///
/// The detectors' boxes go from the forehead to the chin and from cheek to cheek.
struct FaceMargins {
    let side: Double
    let above: Double
    let below: Double
    /// The number of parts of the area, so that each is at least 0.37 of the box.
    let parts: Int

    /// A box that was measured in the frame itself holds the ears, too, and leaves out some of forehead and chin.
    private static let exact = FaceMargins(side: 0.15, above: 0.2, below: 0.2, parts: 3)
    /// Others may lag behind a face that moves.
    private static let coarse = FaceMargins(side: 0.25, above: 0.4, below: 0.25)
    /// A cat's ears stand above the box by a third of its height or more.
    private static let cat = FaceMargins(side: 0.25, above: 0.6, below: 0.25)

    private init(side: Double, above: Double, below: Double, parts: Int = 4) {
        (self.side, self.above, self.below, self.parts) = (side, above, below, parts)
    }

    init(of face: Detection, as kind: Detection.Kind) {
        guard kind == .face else {
            self = .cat
            return
        }
        self = face.isExact == true && face.alternative == nil ? .exact : .coarse
    }
}

extension [Point] {
    /// Returns the convex hull of squares around the points, by Andrew's monotone chain (1979); nil if the points have no
    /// extent.
    /// - Parameter margin: half of a square's side.
    fileprivate func hull(margin: Double) -> [Point]? {
        guard count >= 3, allSatisfy(\.isFinite) else { return nil }
        var points: [Point] = []
        for point in self {
            for x in [-margin, margin] {
                for y in [-margin, margin] { points.append(Point(point.x + x, point.y + y)) }
            }
        }
        points.sort { ($0.x, $0.y) < ($1.x, $1.y) }
        func chain(_ points: some Sequence<Point>) -> [Point] {
            var chain: [Point] = []
            for point in points {
                while chain.count > 1 {
                    let (a, b) = (chain[chain.count - 2], chain[chain.count - 1])
                    guard (b.x - a.x) * (point.y - a.y) <= (b.y - a.y) * (point.x - a.x) else { break }
                    chain.removeLast()
                }
                chain.append(point)
            }
            return Array(chain.dropLast())
        }
        return chain(points) + chain(points.reversed())
    }
}
