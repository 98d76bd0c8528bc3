import Pixels

/// A face as merging sees it: the positions of three of its points. Left and right are the viewer's.
package struct FacePoints: Sendable, Hashable {
    /// Number of its track; 0 if faces are not tracked.
    package var track: Int
    /// Species of the face; nil for a hybrid of both.
    package var species: Species?
    /// Box of the face, in pixels of its picture. The points may lie outside.
    package var box: Box
    package var leftEye: Point
    package var rightEye: Point
    /// Tip of the nose.
    package var nose: Point

    package init(track: Int = 0, species: Species?, box: Box, leftEye: Point, rightEye: Point, nose: Point) {
        self.track = track
        self.species = species
        self.box = box
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.nose = nose
    }

    package init(_ face: Face) {
        self.init(
            track: face.id, species: face.species, box: face.box, leftEye: face.leftEye, rightEye: face.rightEye,
            nose: face.nose)
    }

    /// True if a map to other points can be computed: numbers of a sensible size, eyes at least a pixel apart, and a
    /// nose neither on their line nor far away.
    package var isSound: Bool {
        guard points.allSatisfy({ $0.x.magnitude <= 1e6 && $0.y.magnitude <= 1e6 }) else { return false }
        let (across, down) = (axes.across.length, axes.down.length)
        return across >= 0.5 && down > 0.1 * across && down < 10 * across && area > 0.1 * across * down
    }

    /// Returns the species of the hybrid of two faces: theirs if it is the same, else nil.
    package static func species(_ first: Species?, _ second: Species?) -> Species? { first == second ? first : nil }
}

extension FacePoints {
    var points: [Point] { [leftEye, rightEye, nose] }

    /// Returns the coordinates for COpenCV, relative to another origin.
    func numbers(from origin: Point = Point(0, 0)) -> [Double] {
        points.flatMap { [$0.x - origin.x, $0.y - origin.y] }
    }

    /// Coordinates in which all faces are alike: the origin is midway between the eyes, the right eye at (1, 0), the
    /// nose at (0, 1). The map of three points to three others preserves them.
    var axes: (origin: Point, across: Point, down: Point) {
        let origin = Point((leftEye.x + rightEye.x) / 2, (leftEye.y + rightEye.y) / 2)
        return (
            origin, Point((rightEye.x - leftEye.x) / 2, (rightEye.y - leftEye.y) / 2),
            Point(nose.x - origin.x, nose.y - origin.y)
        )
    }

    /// Number of pixels in a unit square of those coordinates.
    var area: Double {
        let axes = axes
        return (axes.across.x * axes.down.y - axes.across.y * axes.down.x).magnitude
    }

    /// Returns the face in a picture that begins at `origin` of this one and is `scale` times as large.
    package func moved(from origin: Point, scale: Double = 1) -> FacePoints {
        func moved(_ point: Point) -> Point { Point((point.x - origin.x) * scale, (point.y - origin.y) * scale) }
        let corner = moved(Point(box.x, box.y))
        return FacePoints(
            track: track, species: species,
            box: Box(x: corner.x, y: corner.y, width: box.width * scale, height: box.height * scale),
            leftEye: moved(leftEye), rightEye: moved(rightEye), nose: moved(nose))
    }

    /// Returns the largest distance of one of the points from the same point in `other`, in pixels.
    func distance(to other: FacePoints) -> Double {
        zip(points, other.points).map { Point($0.x - $1.x, $0.y - $1.y).length }.max() ?? 0
    }
}

extension Point {
    var length: Double { (x * x + y * y).squareRoot() }
}

extension Rectangle {
    var corner: Point { Point(Double(x), Double(y)) }

    /// Creates the whole pixels nearest to a box; none if it is not a valid box or far too large.
    init(_ box: Box) {
        let edges = [box.x, box.y, box.x + box.width, box.y + box.height].map { $0.rounded() }
        guard edges.allSatisfy({ $0.magnitude <= 1e6 }) else {
            self.init(width: 0, height: 0)
            return
        }
        self.init(
            x: Int(edges[0]), y: Int(edges[1]), width: Int(edges[2] - edges[0]), height: Int(edges[3] - edges[1]))
    }

    /// Returns the rectangle with this many pixels more on each side.
    func grown(by margin: Int) -> Rectangle {
        Rectangle(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
