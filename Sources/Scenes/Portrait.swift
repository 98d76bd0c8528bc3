// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// A drawing of a head, a coin or another object. The drawing is a list of soft shapes, from back to front. A unit is
/// 1/200 of the size of the object. The origin is the centre of the object; x points to the right, y points down.
struct Portrait: Sendable {
    /// A shape whose edge is blurred by a Gaussian.
    struct Stroke: Sendable {
        enum Form: Sendable {
            case ellipse(center: Point, halfAxes: Point, angle: Double)
            case polygon([Point])
        }

        let form: Form
        let color: Color
        /// Sigma of the Gaussian in units; 0 for a sharp edge.
        let softness: Double
    }

    /// The plain ellipse behind a head, or the disc of a coin or bean. With this background, detectors find a head in
    /// any scene. The shapes of the drawing do not extend beyond the ellipse.
    struct Medallion: Sendable {
        let center: Point
        let halfAxes: Point
        let color: Color
        /// Sigma of the Gaussian at the edge, in units.
        let softness: Double
    }

    /// The square around a face that a detector should report.
    struct Square: Sendable {
        let center: Point
        let side: Double
    }

    var strokes: [Stroke] = []
    /// The ellipse behind the shapes, which defines the outline of the drawing. If nil, the outline is the union of all
    /// shapes.
    let background: Medallion?
    /// The square around a face, which a detector should report. Nil for objects, because a detector should report the
    /// bounding box of an object.
    var square: Square?
    var landmarks = FaceLandmarks(at: Point(0, 0))

    mutating func ellipse(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: Color, soft: Double = 0,
        opacity: Double = 1, angle: Double = 0
    ) {
        let form = Stroke.Form.ellipse(center: Point(x, y), halfAxes: Point(width, height), angle: angle)
        strokes.append(Stroke(form: form, color: color.with(opacity: opacity), softness: soft))
    }

    /// Adds two ellipses that are mirror images about the vertical line x = `middle`. `angle` is the rotation of the
    /// ellipse on the right.
    mutating func pair(
        _ middle: Double, _ distance: Double, _ y: Double, _ width: Double, _ height: Double, _ color: Color,
        soft: Double = 0, opacity: Double = 1, angle: Double = 0
    ) {
        for side in [-1.0, 1.0] {
            ellipse(
                middle + distance * side, y, width, height, color, soft: soft, opacity: opacity, angle: angle * side)
        }
    }

    mutating func polygon(_ corners: [Point], _ color: Color, soft: Double = 0, opacity: Double = 1) {
        strokes.append(Stroke(form: .polygon(corners), color: color.with(opacity: opacity), softness: soft))
    }
}

/// Returns points on an ellipse or an elliptical arc. Angles are in degrees, clockwise from the right.
/// - Parameters:
///   - width: half the width of the ellipse.
///   - height: half the height of the ellipse; by default the same as `width` (a circle).
func arc(
    _ center: Point, _ width: Double, _ height: Double? = nil, from start: Double = 0, to end: Double = 360, steps: Int
) -> [Point] {
    (0...steps).map { step in
        let (sine, cosine) = sineAndCosine(degrees: start + (end - start) * Double(step) / Double(steps))
        return Point(center.x + width * cosine, center.y + (height ?? width) * sine)
    }
}

// MARK: - Placement

/// Converts the units of a portrait (1/200 of its size) to pixels.
struct PortraitPlacement: Sendable {
    /// Position of the portrait's origin, in pixels.
    let origin: Point
    /// Number of pixels per unit of the portrait (1/200 of its size).
    let scale: Double
    /// Clockwise rotation of the portrait in degrees.
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

    /// Converts half axes to pixels.
    func scaled(_ halfAxes: Point) -> Point { Point(halfAxes.x * scale, halfAxes.y * scale) }

    func moved(x: Double, y: Double) -> PortraitPlacement {
        PortraitPlacement(origin: Point(origin.x + x, origin.y + y), scale: scale, tilt: tilt)
    }
}

extension PortraitPlacement {
    /// Places a portrait so that its bounding box starts at the top left corner of the image.
    init(of portrait: Portrait, scale: Double, tilt: Double) {
        let reach = portrait.reach(tilt: tilt)
        self.init(
            origin: Point((-scale * reach.left).rounded(.up), (-scale * reach.top).rounded(.up)), scale: scale,
            tilt: tilt)
    }

    /// Returns the size of an image that contains the whole portrait, in pixels.
    func size(of portrait: Portrait) -> (width: Int, height: Int) {
        let reach = portrait.reach(tilt: tilt)
        return (
            Int((origin.x + scale * reach.right).rounded(.up)), Int((origin.y + scale * reach.bottom).rounded(.up))
        )
    }

    /// Returns the rectangle that a detector should report: the square around a face, or the bounding box of an object.
    func rectangle(of portrait: Portrait) -> Rectangle {
        func rounded(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rectangle {
            Rectangle(
                x: Int(x.rounded()), y: Int(y.rounded()), width: Int(width.rounded()), height: Int(height.rounded()))
        }
        if let square = portrait.square {
            let (center, side) = (pixel(square.center), square.side * scale)
            return rounded(center.x - side / 2, center.y - side / 2, side, side)
        }
        let reach = portrait.reach(tilt: tilt, softness: 0)
        return rounded(
            origin.x + scale * reach.left, origin.y + scale * reach.top, scale * (reach.right - reach.left),
            scale * (reach.bottom - reach.top))
    }
}

extension Portrait {
    /// Returns the distances from the origin to the edges of the rotated drawing, in units.
    /// - Parameter softness: the number of sigmas by which a soft edge extends beyond its shape.
    func reach(
        tilt: Double, softness: Double = 3
    ) -> (left: Double, right: Double, top: Double, bottom: Double) {
        let placement = PortraitPlacement(origin: Point(0, 0), scale: 1, tilt: tilt)
        guard let background else { return reach(ofShapesAt: placement, softness) }
        let middle = placement.pixel(background.center)
        let (sine, cosine) = sineAndCosine(degrees: tilt)
        let (a, b) = (background.halfAxes.x, background.halfAxes.y)
        let width = (a * a * cosine * cosine + b * b * sine * sine).squareRoot() + softness * background.softness
        let height = (a * a * sine * sine + b * b * cosine * cosine).squareRoot() + softness * background.softness
        return (middle.x - width, middle.x + width, middle.y - height, middle.y + height)
    }

    private func reach(
        ofShapesAt placement: PortraitPlacement, _ softness: Double
    ) -> (left: Double, right: Double, top: Double, bottom: Double) {
        var reach = (left: 0.0, right: 0.0, top: 0.0, bottom: 0.0)
        for stroke in strokes {
            guard case .polygon(let corners) = stroke.form else { continue }
            let margin = softness * stroke.softness
            for corner in corners {
                let pixel = placement.pixel(corner)
                reach.left = min(reach.left, pixel.x - margin)
                reach.right = max(reach.right, pixel.x + margin)
                reach.top = min(reach.top, pixel.y - margin)
                reach.bottom = max(reach.bottom, pixel.y + margin)
            }
        }
        return reach
    }

    /// Draws the portrait on an image, with premultiplied colours. The alpha of the image becomes the coverage of the
    /// background ellipse. If there is no such ellipse, the alpha becomes the coverage of the shapes.
    /// - Parameter picture: an image with four bytes per pixel and with alpha.
    func draw(on picture: Image, at placement: PortraitPlacement) {
        let frame = FrameImage(picture)
        fill(picture, color: background?.color ?? 0)
        for stroke in strokes {
            let softness = stroke.softness * placement.scale
            switch stroke.form {
            case .ellipse(let center, let halfAxes, let angle):
                frame.ellipse(
                    placement.pixel(center), halfAxes: placement.scaled(halfAxes), angle: angle + placement.tilt,
                    softness: softness, color: stroke.color)
            case .polygon(let corners):
                frame.polygon(corners.map(placement.pixel), softness: softness, color: stroke.color)
            }
        }
        // Without a background ellipse, the shapes have already set the alpha, because they were drawn on a transparent
        // image.
        guard let background else { return }
        let medallion = Mask(
            ellipse: placement.pixel(background.center), halfAxes: placement.scaled(background.halfAxes),
            angle: placement.tilt, softness: background.softness * placement.scale, clip: picture.bounds)
        for y in 0..<picture.height {
            let row = picture.row(y)
            for x in 0..<picture.width {
                let weight = UInt16(medallion[x, y])
                for byte in 4 * x..<4 * x + 4 { row[byte] = UInt8((UInt16(row[byte]) * weight + 127) / 255) }
            }
        }
    }
}
