// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The fraction of each pixel that a shape covers. The edge of the shape may be soft. A mask can be drawn many times.
package struct Mask: Shape, Sendable {
    /// The bounding box of the covered pixels.
    package let bounds: Rectangle
    /// The coverage of each pixel, 0…255, row by row.
    private let values: [UInt8]

    /// Returns the coverage of a pixel, 0…255. For positions outside of `bounds`, returns 0.
    package subscript(x: Int, y: Int) -> UInt8 {
        let column = x.subtractingReportingOverflow(bounds.x)
        let row = y.subtractingReportingOverflow(bounds.y)
        guard !column.overflow, !row.overflow, column.partialValue >= 0, column.partialValue < bounds.width,
            row.partialValue >= 0, row.partialValue < bounds.height
        else { return 0 }
        return values[row.partialValue * bounds.width + column.partialValue]
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        values.withUnsafeBufferPointer { values in
            guard let base = values.baseAddress else { return }
            AlphaShape(bounds: bounds, alpha: base, stride: bounds.width).cover(output, x: x, y: y, count: count)
        }
    }

    /// Creates a mask from a grey image, scaled to a rectangle. Each pixel gets the level of the nearest pixel in the
    /// grey image.
    package init(_ levels: Image, stretchedTo rectangle: Rectangle) {
        let area = rectangle.width.multipliedReportingOverflow(by: rectangle.height)
        guard levels.format.isGray, !levels.isEmpty, !rectangle.isEmpty, !area.overflow else {
            (bounds, values) = (Rectangle(width: 0, height: 0), [])
            return
        }
        bounds = rectangle
        let columns = (0..<rectangle.width).map { $0 * levels.width / rectangle.width }
        values = [UInt8](unsafeUninitializedCapacity: area.partialValue) { values, count in
            for y in 0..<rectangle.height {
                let row = levels.row(y * levels.height / rectangle.height)
                for x in 0..<rectangle.width { values[y &* rectangle.width &+ x] = row[columns[x]] }
            }
            count = area.partialValue
        }
    }

    /// Creates a mask of an ellipse. A Gaussian blurs the edge.
    /// - Parameters:
    ///   - halfAxes: half the width and half the height before rotation, in pixels.
    ///   - angle: clockwise rotation in degrees.
    ///   - softness: the sigma of the Gaussian in pixels, at most 100.
    ///   - clip: a rectangle that limits the mask.
    package init(
        ellipse center: Point, halfAxes: Point, angle: Double = 0, softness: Double = 0, clip: Rectangle
    ) {
        let (sine, cosine) = sineAndCosine(degrees: angle)
        let (a, b) = (halfAxes.x, halfAxes.y)
        // `height` and `width` are half the height and half the width of the rotated ellipse. The middle of each row of
        // the ellipse is `slope` pixels to the right of the middle of the row above.
        let height = (a * a * sine * sine + b * b * cosine * cosine).squareRoot()
        let width = (a * a * cosine * cosine + b * b * sine * sine).squareRoot()
        let isSound = center.isFinite && a > 0 && b > 0 && height.isFinite && width.isFinite && height > 0
        let slope = isSound ? (a * a - b * b) * sine * cosine / (height * height) : 0
        let half = isSound ? a * b / height : 0
        self.init(
            left: center.x - width, right: center.x + width, top: center.y - height, bottom: center.y + height,
            softness: softness, clip: isSound ? clip : Rectangle(width: 0, height: 0)
        ) { y, add in
            let dy = y - center.y
            let square = 1 - dy * dy / (height * height)
            guard square > 0 else { return }
            let reach = half * square.squareRoot()
            add(center.x + slope * dy - reach, center.x + slope * dy + reach)
        }
    }

    /// Creates a mask of a polygon, filled by the even-odd rule. A Gaussian blurs the edge.
    /// - Parameters:
    ///   - polygon: the corners in order.
    ///   - softness: the sigma of the Gaussian in pixels, at most 100.
    ///   - clip: a rectangle that limits the mask.
    package init(polygon: [Point], softness: Double = 0, clip: Rectangle) {
        let isSound = polygon.count > 2 && polygon.allSatisfy { $0.isFinite }
        let (xs, ys) = (polygon.map { $0.x }, polygon.map { $0.y })
        var crossings: [Double] = []
        self.init(
            left: xs.min() ?? 0, right: xs.max() ?? 0, top: ys.min() ?? 0, bottom: ys.max() ?? 0, softness: softness,
            clip: isSound ? clip : Rectangle(width: 0, height: 0)
        ) { y, add in
            crossings.removeAll(keepingCapacity: true)
            for (index, a) in polygon.enumerated() {
                let b = polygon[index + 1 < polygon.count ? index + 1 : 0]
                if (a.y <= y) != (b.y <= y) { crossings.append(a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y))) }
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) { add(crossings[pair], crossings[pair + 1]) }
        }
    }

    /// Creates a mask of a shape with the given bounds.
    /// - Parameter spans: calls `add` with the left and right end of each part of the shape on the horizontal line at
    ///   `y`.
    private init(
        left: Double, right: Double, top: Double, bottom: Double, softness: Double, clip: Rectangle,
        spans: (_ y: Double, _ add: (Double, Double) -> Void) -> Void
    ) {
        let sigma = softness > 0.1 ? min(softness, 100) : 0
        let margin = sigma > 0 ? Int(3 * sigma) + 1 : 0
        // Compute the coverage for a larger rectangle than `clip`, because the blur also reads pixels outside of
        // `clip`.
        let reach = Rectangle(left: left, right: right, top: top, bottom: bottom).grown(by: margin)
        bounds = reach.intersection(clip)
        let field = reach.intersection(clip.grown(by: margin))
        guard !bounds.isEmpty, bounds.width.multipliedReportingOverflow(by: bounds.height).overflow == false else {
            values = []
            return
        }
        var coverage = Coverage(field)
        for y in 0..<field.height {
            for line in 0..<Coverage.lines {
                let position = Double(field.y + y) + (Double(line) + 0.5) / Double(Coverage.lines)
                spans(position) { coverage.add(from: $0, to: $1, row: y) }
            }
        }
        if sigma > 0 { coverage.blur(sigma: sigma) }
        values = coverage.bytes(in: bounds)
    }
}

/// The coverage of the pixels in a rectangle (`field`), 0…1.
private struct Coverage {
    /// Number of sampling lines in each row of pixels. Along a line, the coverage is exact.
    static let lines = 8

    private let field: Rectangle
    private var values: [Float]

    init(_ field: Rectangle) {
        self.field = field
        values = [Float](repeating: 0, count: field.width * field.height)
    }

    /// Adds the coverage of a part of the shape, from `from` to `to`, on one sampling line of a row.
    mutating func add(from: Double, to: Double, row: Int) {
        let start = max(0, min(Double(field.width), from - Double(field.x)))
        let end = max(0, min(Double(field.width), to - Double(field.x)))
        guard end > start else { return }
        let (first, last) = (Int(start), min(Int(end), field.width - 1))
        let begin = row * field.width
        let share = 1 / Float(Self.lines)
        for x in first...max(first, last) where x < field.width {
            let part = min(end, Double(x + 1)) - max(start, Double(x))
            values[begin + x] += Float(part) * share
        }
    }

    /// Convolves the coverage with a Gaussian that is truncated at three sigma.
    mutating func blur(sigma: Double) {
        let reach = Int((3 * sigma).rounded(.up))
        var taps = (-reach...reach).map { Float(exponential(-Double($0 * $0) / (2 * sigma * sigma))) }
        let sum = taps.reduce(0, +)
        taps = taps.map { $0 / sum }
        let (width, height) = (field.width, field.height)
        var result = [Float](repeating: 0, count: values.count)
        values.withUnsafeMutableBufferPointer { from in
            result.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                for (index, tap) in taps.enumerated() {
                    let offset = index - reach
                    let (first, last) = (max(0, -offset), min(width, width - offset))
                    guard first < last else { continue }
                    for y in 0..<height {
                        let row = y * width
                        accumulate(to + row + first, from + row + first + offset, tap, last - first)
                    }
                }
                from.update(repeating: 0, count: width * height)
                for y in 0..<height {
                    for (index, tap) in taps.enumerated() {
                        let source = y + index - reach
                        if source >= 0 && source < height {
                            accumulate(from + y * width, to + source * width, tap, width)
                        }
                    }
                }
            }
        }
    }

    /// Returns the coverage inside `bounds` as bytes.
    func bytes(in bounds: Rectangle) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bounds.width * bounds.height)
        for y in 0..<bounds.height {
            let begin = (bounds.y - field.y + y) * field.width + bounds.x - field.x
            for x in 0..<bounds.width { bytes.append(byte(Double(values[begin + x]) * 255)) }
        }
        return bytes
    }
}

private func accumulate(
    _ sum: UnsafeMutablePointer<Float>, _ values: UnsafePointer<Float>, _ weight: Float, _ count: Int
) {
    var i = 0
    while i < count {
        sum[i] += values[i] * weight
        i &+= 1
    }
}

extension Rectangle {
    /// Returns the rectangle with a margin on each side. Coordinates are clipped, so that sums do not overflow.
    fileprivate func grown(by margin: Int) -> Rectangle {
        guard !isEmpty else { return self }
        let limit = 1 << 61
        let (left, top) = (max(-limit, min(limit, x)), max(-limit, min(limit, y)))
        return Rectangle(
            x: left - margin, y: top - margin, width: min(limit, width) + 2 * margin,
            height: min(limit, height) + 2 * margin)
    }
}
