// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// Appearance of hidden regions.
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

/// The part of a frame that `svoverlay` hides.
enum Cover {
    case areas([Area])
    /// The whole frame, because the positions of the objects to hide are unknown.
    case frame

    /// The hidden area of one object.
    struct Area {
        let bounds: Rectangle
        let isFace: Bool
        /// The corners of a convex polygon within the bounds; nil if the area is the whole rectangle.
        let corners: [Point]?
        /// The strength of blur and pixelation. The blur radius is the longer side of the area divided by `parts`. For
        /// pixelation, `parts` cells fill the longer side.
        var parts = 4
    }

    var isEmpty: Bool {
        if case .areas(let areas) = self { areas.isEmpty } else { false }
    }

    /// If all areas together are larger than this number of whole frames, `hide` covers the whole frame. Such areas
    /// overlap many times, so covering each area would take too long.
    private static let maxFrames = 8

    /// Hides the areas in the frame.
    ///
    /// The strength of blur and pixelation comes from a test with 36 drawn faces of all sizes and the face cascades of
    /// OpenCV. The cascades detected no face in blurred ellipses with a blur radius of 1/4 of the height. The cascades
    /// detected no face in pixelated rectangles with 4 cells per side. The cascades detected 3 faces with a blur radius
    /// of 1/6, and 5 faces in pixelated ellipses with 3 cells per side. People need much finer detail to recognise a
    /// face.
    /// - Parameter picture: the image for the style `picture`; nil to fill the areas with black.
    func hide(on frame: FrameImage, _ style: HideStyle, _ picture: CoverPicture?) {
        guard case .areas(let areas) = self else { return Self.hide(.frame(frame.bounds), on: frame, style, picture) }
        let sum = areas.reduce(0.0) { sum, area in
            let visible = area.bounds.intersection(frame.bounds)
            return sum + Double(visible.width) * Double(visible.height)
        }
        guard sum <= Double(Self.maxFrames) * Double(frame.width) * Double(frame.height) else {
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
    /// Returns an area that covers the whole frame.
    static func frame(_ bounds: Rectangle) -> Self { Self(bounds: bounds, isFace: false, corners: nil) }

    fileprivate var region: Region { corners.map { .polygon($0) } ?? .rectangle(bounds) }

    /// Returns the areas that hide a detection.
    ///
    /// The area of a face is the box, extended by `FaceMargins`. The area of any other object is the convex hull of its
    /// outline, or the box if the object has no outline. This area is extended by 1/8 of the longer side of the box.
    ///
    /// If the detector is unsure whether a face is a human's or a cat's, the result has one area for each type.
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

/// Margins of the hidden area around the box of a face, as fractions of the longer side of the box.
///
/// The boxes of the detectors do not contain the whole head.
struct FaceMargins {
    let side: Double
    let above: Double
    let below: Double
    /// The value of `Cover.Area.parts` for these margins. One part of the area is then at least 0.37 times as long as
    /// the longer side of the box.
    let parts: Int

    /// Margins for a box that the detector measured in the current frame. Such a box includes the ears, but not all of
    /// the forehead and chin.
    private static let exact = FaceMargins(side: 0.15, above: 0.2, below: 0.2, parts: 3)
    /// Margins for a tracked box, which may lag behind a moving face.
    private static let coarse = FaceMargins(side: 0.25, above: 0.4, below: 0.25)
    /// Margins for cats. The ears extend above the box by at least a third of the box height.
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
    /// Returns the convex hull of squares around the points (Andrew's monotone chain algorithm, 1979). Returns nil for
    /// fewer than three points or coordinates that are not finite.
    /// - Parameter margin: half the side length of each square, in pixels.
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
