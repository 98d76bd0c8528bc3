/// A head as a list of soft shapes, from back to front. Lengths are in units of 1/200 of its size; the origin is its
/// middle, x to the right, y down.
struct Portrait: Sendable {
    /// One shape, its edge blurred by a Gaussian.
    struct Stroke: Sendable {
        enum Form: Sendable {
            case ellipse(center: Point, halfAxes: Point, angle: Double)
            case polygon([Point])
        }

        let form: Form
        let color: Tone
        /// The Gaussian's sigma; 0 for a sharp edge.
        let softness: Double
        /// 0…1.
        let opacity: Double
    }

    /// All that is drawn lies in an ellipse around the origin's neighbourhood with these edges.
    struct Extent: Sendable {
        let left: Double
        let right: Double
        let top: Double
        let bottom: Double
    }

    /// What a detector is to find: the middle and the side of a square.
    struct Square: Sendable {
        let center: Point
        let side: Double
    }

    var strokes: [Stroke] = []
    let extent: Extent
    let square: Square
    let leftEye: Point
    let rightEye: Point
    let nose: Point
    let mouthLeft: Point
    let mouthRight: Point

    mutating func ellipse(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: Tone, soft: Double = 0,
        opacity: Double = 1, angle: Double = 0
    ) {
        let form = Stroke.Form.ellipse(center: Point(x, y), halfAxes: Point(width, height), angle: angle)
        strokes.append(Stroke(form: form, color: color, softness: soft, opacity: opacity))
    }

    mutating func polygon(_ corners: [Point], _ color: Tone, soft: Double = 0, opacity: Double = 1) {
        strokes.append(Stroke(form: .polygon(corners), color: color, softness: soft, opacity: opacity))
    }
}

/// A colour with levels 0…255, which may be scaled beyond them before it is drawn.
struct Tone: Sendable {
    let red: Double
    let green: Double
    let blue: Double

    init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    static func gray(_ level: Double) -> Tone { Tone(level, level, level) }

    static func * (factor: Double, tone: Tone) -> Tone {
        Tone(factor * tone.red, factor * tone.green, factor * tone.blue)
    }

    /// 0xAARRGGBB.
    func color(opacity: Double) -> UInt32 {
        UInt32(byte(opacity * 255)) << 24 | UInt32(byte(red)) << 16 | UInt32(byte(green)) << 8 | UInt32(byte(blue))
    }
}

// MARK: - Where a portrait comes to lie

/// The way from a portrait's units to pixels.
struct Placement: Sendable {
    /// Where the portrait's origin lies.
    let origin: Point
    /// Pixels to a unit.
    let scale: Double
    /// Degrees clockwise.
    let tilt: Double
    private let sine: Double
    private let cosine: Double

    init(origin: Point, scale: Double, tilt: Double) {
        self.origin = origin
        self.scale = scale
        self.tilt = tilt
        (sine, cosine) = sineAndCosine(degrees: tilt)
    }

    func pixel(_ point: Point) -> Point {
        Point(
            origin.x + scale * (cosine * point.x - sine * point.y),
            origin.y + scale * (sine * point.x + cosine * point.y))
    }

    /// The same with its origin elsewhere.
    func moved(x: Double, y: Double) -> Placement {
        Placement(origin: Point(origin.x + x, origin.y + y), scale: scale, tilt: tilt)
    }
}

extension Portrait {
    /// How far the drawing reaches from its origin when it is tilted, in units: the corners of a tilted rectangle.
    func reach(tilt: Double) -> (left: Double, right: Double, top: Double, bottom: Double) {
        let placement = Placement(origin: Point(0, 0), scale: 1, tilt: tilt)
        // An ellipse inscribed in the extent is all that is drawn; its tilted bounds.
        let middle = placement.pixel(Point((extent.left + extent.right) / 2, (extent.top + extent.bottom) / 2))
        let (a, b) = ((extent.right - extent.left) / 2, (extent.bottom - extent.top) / 2)
        let (sine, cosine) = sineAndCosine(degrees: tilt)
        let width = (a * a * cosine * cosine + b * b * sine * sine).squareRoot()
        let height = (a * a * sine * sine + b * b * cosine * cosine).squareRoot()
        return (middle.x - width, middle.x + width, middle.y - height, middle.y + height)
    }

    /// Draws on a premultiplied picture.
    func draw(on frame: FrameImage, at placement: Placement) {
        for stroke in strokes {
            let color = stroke.color.color(opacity: stroke.opacity)
            let softness = stroke.softness * placement.scale
            switch stroke.form {
            case .ellipse(let center, let halfAxes, let angle):
                frame.ellipse(
                    placement.pixel(center),
                    halfAxes: Point(halfAxes.x * placement.scale, halfAxes.y * placement.scale),
                    angle: angle + placement.tilt, softness: softness, color: color)
            case .polygon(let corners):
                frame.polygon(corners.map(placement.pixel), softness: softness, color: color)
            }
        }
    }
}
