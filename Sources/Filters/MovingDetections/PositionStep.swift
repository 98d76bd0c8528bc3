// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The effect of a filter operation on the positions of objects in a frame.
enum PositionStep: Sendable {
    case warp(WarpAreas.Source)
    /// The operation spreads each pixel by up to `across` pixels to the left and right, and by up to `down` pixels to
    /// the top and bottom.
    case spread(across: Double, down: Double)
    /// The operation fills each square block with the mean colour of the block. So each pixel affects the whole block
    /// that contains it. The value is the side of a block in pixels.
    case blocks(Int)
    /// The operation averages the image and a scaled copy of the image. The copy is scaled about `center`. So an object
    /// is visible in its original size and in the scaled size.
    case zoom(scale: Double, center: Point)
    /// The operation combines the image with a copy to which the given steps are applied. So an object is visible at
    /// its original position, and also at its position in the copy.
    case branch([PositionStep])

    /// The range of a Gaussian blur, in standard deviations. Beyond this distance, a blurred edge differs from the
    /// original edge by less than 1/40 of the difference between the two sides. The strongest sharpening filter
    /// amplifies this error to 1/10.
    private static let gaussianReach = 2.0
    /// The full range of a Gaussian blur, in standard deviations (see `LineFilter.gaussian`). The filter
    /// `pencil-sketch` needs the full range. It divides by a blurred image, so even small errors are visible in dark
    /// areas.
    private static let wholeGaussianReach = 3.5

    /// An upper bound in pixels for the distance by which the operation moves or spreads a pixel. Infinite for warps
    /// and zooms.
    var reach: Double {
        switch self {
        case .warp, .zoom: .infinity
        case .spread(let across, let down): max(across, down)
        case .blocks(let size): Double(size - 1)
        case .branch(let steps): steps.reduce(0) { $0 + $1.reach }
        }
    }

    /// True if the operation moves objects. False if it only enlarges objects.
    var isMoving: Bool {
        switch self {
        case .warp: true
        case .spread, .blocks, .zoom: false
        case .branch(let steps): steps.contains(where: \.isMoving)
        }
    }

    /// Returns the position steps of filter operations, in the same order.
    static func steps(_ operations: [FilterOperation], _ frame: Rectangle) -> [PositionStep] {
        steps(operations, frame, gaussianReach: gaussianReach)
    }

    private static func steps(
        _ operations: [FilterOperation], _ frame: Rectangle, gaussianReach: Double
    ) -> [PositionStep] {
        let (width, height) = (Double(frame.width), Double(frame.height))
        return operations.flatMap { operation -> [PositionStep] in
            switch operation {
            case .matrix, .curve, .color, .cube, .overlay, .screen: return []
            case .warp(let warp):
                return [.warp(warp.areaSource(width, height))]
            case .blur(let blur): return spread(blur, gaussianReach: gaussianReach).map { [$0] } ?? []
            case .neighbours(let filter): return [.spread(across: Double(filter.margin), down: Double(filter.margin))]
            case .branch(let operations, let combination):
                let reach = combination.kind == .sketch ? wholeGaussianReach : gaussianReach
                let steps = steps(operations, frame, gaussianReach: reach)
                return steps.isEmpty ? [] : [.branch(steps)]
            case .blocks(let size): return size > 1 ? [.blocks(size)] : []
            case .kuwahara(let reach):
                // Each pixel is a corner of four squares with sides of 2 · `reach` + 1 pixels. The pixel may get the
                // mean of a square that includes the opposite corner.
                return reach > 0 ? [.spread(across: Double(2 * reach), down: Double(2 * reach))] : []
            case .zoomBlur(let center, let amount):
                let center = Point(center.x * width, center.y * height)
                return ZoomStep.scales(amount: amount).map { .zoom(scale: $0, center: center) }
            }
        }
    }

    private static func spread(_ blur: Blur, gaussianReach: Double) -> PositionStep? {
        switch blur {
        case .gaussian(let sigma):
            return sigma > 0.05 ? .spread(across: gaussianReach * sigma, down: gaussianReach * sigma) : nil
        case .box(let radius):
            return radius > 0 ? .spread(across: radius.rounded(.up), down: radius.rounded(.up)) : nil
        case .motion(let radius, let degrees):
            let line = LineDirection(degrees: degrees)
            let steps = (radius * line.stepsPerPixel).rounded(.up)
            let aside = (steps * abs(line.slope)).rounded(.up)
            guard steps > 0 else { return nil }
            return line.isFlat ? .spread(across: steps, down: aside) : .spread(across: aside, down: steps)
        }
    }

    // MARK: - Areas of the pixels of a frame

    /// Returns the area of the input image that is visible in `area` of the output image. Returns nil if no input pixel
    /// is visible in `area`.
    func source(_ area: Area, _ frame: Rectangle) -> Area? {
        switch self {
        case .warp(let source): return source(area)?.read.inside(frame)
        case .zoom(let scale, let center): return area.union(area.scaled(scale, center).read).inside(frame)
        case .branch(let steps):
            return steps.source(of: area, in: frame)?.union(area) ?? area
        // Spreading is symmetric: the area that is visible in `area` is the same as the area that shows `area`.
        case .spread, .blocks: return target(area, frame)
        }
    }

    /// Returns the area of the output image that shows `area` of the input image. For a warp, returns the whole frame.
    func target(_ area: Area, _ frame: Rectangle) -> Area {
        switch self {
        case .warp: return Area(frame)
        case .spread(let across, let down): return area.grown(across, down).inside(frame)
        case .blocks(let size):
            let size = Double(size)
            func start(_ position: Double) -> Double { (position / size).rounded(.down) * size }
            return Area(
                left: start(area.left) + 0.5, top: start(area.top) + 0.5, right: start(area.right) + size - 0.5,
                bottom: start(area.bottom) + size - 0.5
            ).inside(frame)
        // A position between two pixels shows both pixels, because of the interpolation. So first grow the area by one
        // pixel.
        case .zoom(let scale, let center): return area.union(area.grown(1, 1).scaled(1 / scale, center)).inside(frame)
        case .branch(let steps): return steps.reduce(area) { $1.target($0, frame) }.union(area)
        }
    }
}

extension [PositionStep] {
    /// Returns the area of the input image that is visible in `area` of the result of all steps. Returns nil if no
    /// input pixel is visible in `area`.
    func source(of area: Area, in frame: Rectangle) -> Area? {
        reversed().reduce(area) { mapped, step in mapped.flatMap { step.source($0, frame) } }
    }
}

extension FilterOperation {
    /// True if the operation can move or spread objects.
    var movesThings: Bool {
        switch self {
        case .matrix, .curve, .color, .cube, .overlay, .screen: false
        case .branch(let operations, _): operations.contains(where: \.movesThings)
        case .warp, .blur, .neighbours, .blocks, .kuwahara, .zoomBlur: true
        }
    }
}
