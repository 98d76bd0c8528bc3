internal import KernelTypes

/// Turns a chain into a plan with as few passes as possible.
///
/// - Neighbouring matrices become one, neighbouring curves one table, neighbouring warps one map.
/// - Colours are changed in a pass that is needed anyway: that of a filter which looks at neighbours or elsewhere, when
///   it writes its result; else that of the next one.
/// - Between passes, pictures have 16 bits a channel, and are clipped to 0…1 as every filter that is not linear
///   requires. Only the last pass rounds to bytes.
struct FilterCompiler {
    private let width: Int
    private let height: Int
    private let format: PixelFormat
    private let resources: FilterResources
    private var plan = FilterPlan()
    /// The pass that is being put together.
    private var open = OpenPass(source: .frame)
    /// Pictures that a later pass needs, besides that of the open one.
    private var kept: [FilterLocation] = []

    /// - Parameter values: for each filter its values.
    static func plan(
        _ chain: [(filter: Filter, values: [FilterValue])], width: Int, height: Int, format: PixelFormat,
        resources: FilterResources
    ) -> FilterPlan {
        var compiler = FilterCompiler(width: width, height: height, format: format, resources: resources)
        let steps = chain.map { filter, values in
            (CompiledStep(filter: filter.name, values: values, place: []), filter.operations(values[...]))
        }
        compiler.plan.movesAlpha =
            format.alpha != nil && steps.contains { _, operations in operations.contains(where: \.isWarp) }
        for (step, operations) in steps { compiler.add(operations, step) }
        compiler.finish()
        return compiler.plan
    }

    private init(width: Int, height: Int, format: PixelFormat, resources: FilterResources) {
        (self.width, self.height, self.format, self.resources) = (width, height, format, resources)
    }

    private mutating func add(_ operations: [FilterOperation], _ step: CompiledStep) {
        for (index, operation) in operations.enumerated() { add(operation, step.part(index)) }
    }

    private mutating func add(_ operation: FilterOperation, _ step: CompiledStep) {
        switch operation {
        case .matrix(let matrix): open.add(matrix, step)
        case .curve(let curve): open.add(curve, step)
        case .color(let stage): open.add(.stage(.color(stage)), step)
        case .cube(let cube): open.add(.stage(.cube(cube, scale: cube.scale)), step)
        case .overlay(let mask, let overlay):
            let added = overlay.added
            let stage = ColorStage(
                .overlay, overlay.fading, 255 * added.red, 255 * added.green, 255 * added.blue)
            open.add(.stage(.masked(stage, MaskRows(mask, width: width, height: height))), step)
        case .screen(let mask, let sharpness):
            let stage = ColorStage(.screen, sharpness)
            open.add(.stage(.masked(stage, MaskRows(mask, width: width, height: height))), step)
        case .warp(let warp): add(warp, step)
        case .blur(let blur): add(blur, step)
        case .neighbours(let filter):
            start(.head(.neighbours(filter)), from: picture(onSurface: true), step)
        case .branch(let operations, let combination):
            let source = picture()
            kept.append(source)
            open = OpenPass(source: source)
            add(operations, step)
            let other = picture(isWhole: false)
            kept.removeLast()
            start(.head(.combine(combination, with: other)), from: source, step)
        case .blocks(let size):
            guard size > 1 else { return }
            start(.head(.blocks(size)), from: picture(), step)
        case .calmest(let reach): addCalmest(reach, step)
        case .zoomBlur(let center, let amount): addZoom(center, amount, step)
        }
    }

    private mutating func add(_ warp: Warp, _ step: CompiledStep) {
        if open.add(warp, step) { return }
        let source = picture(onSurface: true)
        open = OpenPass(source: source)
        open.head = .warps([warp])
        open.steps = [step]
    }

    private mutating func add(_ blur: Blur, _ step: CompiledStep) {
        if case .gaussian(let sigma) = blur, addReduced(ReducedPass.levels(sigma: sigma), step) { return }
        guard let (filter, direction) = LinePass.filter(blur) else { return }
        let isPlain = format.bytesPerPixel == 4
        let source = picture(onSurface: !isPlain)
        var destination = source
        // In place, unless that would overwrite what is needed, or lines cross each other.
        if source == .frame || kept.contains(source) || !source.isWide || direction.isSlanted {
            destination = surface(beside: [source])
        }
        plan.passes.append(
            .lines(
                LinePass(
                    filter: filter, direction: direction, source: source, destination: destination,
                    description: "\(filter.description) of \(step.filter)")))
        open = OpenPass(source: destination)
    }

    /// Adds a blur at a smaller size.
    /// - Returns: false where the size would stay the same.
    private mutating func addReduced(_ levels: (count: Int, sigma: Double), _ step: CompiledStep) -> Bool {
        guard levels.count > 0 else { return false }
        let source = picture(onSurface: format.bytesPerPixel != 4)
        plan.passes.append(
            .reduced(
                ReducedPass(
                    levels: levels.count, filter: .gaussian(levels.sigma), source: source,
                    description: "weights at 1/\(1 << levels.count) of the size of \(step.filter)")))
        plan.levels = max(plan.levels, levels.count)
        open = OpenPass(source: .half, fourth: source)
        return true
    }

    private mutating func addCalmest(_ reach: Int, _ step: CompiledStep) {
        guard reach > 0 else { return }
        let source = picture()
        let squares = surface(beside: [source])
        plan.passes.append(
            .rows(
                RowPass(
                    head: .addSquares, source: source, destination: squares, description: "luma² for \(step.filter)")))
        plan.passes.append(
            .lines(
                LinePass(
                    filter: .box(radius: Double(reach)), direction: .acrossAndDown, source: squares,
                    destination: squares,
                    allSamples: true, description: "box of \(step.filter)")))
        start(.head(.calmest(windows: squares, reach: reach)), from: source, step)
    }

    private mutating func addZoom(_ center: Point, _ amount: Double, _ step: CompiledStep) {
        let steps = ZoomStep.steps(center: center, amount: amount, width: width, height: height)
        guard !steps.isEmpty else { return }
        var source = picture(onSurface: true, isWide: true)
        for zoom in steps.dropLast() {
            let destination = surface(beside: [source])
            plan.passes.append(
                .rows(
                    RowPass(
                        head: .zoom(zoom), source: source, destination: destination,
                        description: "doubling of \(step.filter)")))
            source = destination
        }
        if let last = steps.last { start(.head(.zoom(last)), from: source, step) }
    }

    // MARK: - Passes

    private mutating func start(_ head: OpenPass.Head, from source: FilterLocation, _ step: CompiledStep) {
        open = OpenPass(source: source)
        open.head = head
        open.steps = [step]
    }

    /// Returns the picture so far as something that can be read: an open pass is closed.
    /// - Parameters:
    ///   - onSurface: whether it must not be in the frame.
    ///   - isWide: whether it must have 16 bits a channel.
    ///   - isWhole: whether it must not be at half the size.
    private mutating func picture(
        onSurface: Bool = false, isWide: Bool = false, isWhole: Bool = true
    ) -> FilterLocation {
        let fits =
            switch open.source {
            case .frame: !onSurface && !isWide
            case .surface(_, let hasWide): hasWide || !isWide
            case .half: !isWhole
            }
        if open.isPlain, fits { return open.source }
        // Bytes that have not been changed stay bytes.
        let destination = surface(beside: open.sources, isWide: isWide || !open.isPlain || open.source != .frame)
        plan.passes.append(.rows(close(into: destination)))
        open = OpenPass(source: destination)
        return destination
    }

    private func close(into destination: FilterLocation) -> RowPass {
        open.close(
            into: destination, width: width, height: height,
            places: format.bytesPerPixel == 4 ? ChannelPlaces(format) : nil, resources: resources)
    }

    /// Returns a surface whose content is no longer needed.
    private mutating func surface(beside used: [FilterLocation], isWide: Bool = true) -> FilterLocation {
        let taken = Set((kept + used).compactMap(\.surface))
        let free = (0...taken.count).first { !taken.contains($0) } ?? taken.count
        plan.surfaces = max(plan.surfaces, free + 1)
        return .surface(free, isWide: isWide)
    }

    private mutating func finish() {
        if let flip = open.flip, format.bytesPerPixel == 4, case .rows(let last)? = plan.passes.last,
            last.copiesFrame(to: open.source)
        {
            // No copy is needed to exchange pixels.
            plan.passes[plan.passes.count - 1] = .rows(
                RowPass(
                    head: .flip(flip), source: .frame, destination: .frame, description: "mirror in place"))
            return
        }
        if open.isPlain {
            guard open.source != .frame else { return }
            // The last blur can write the frame itself.
            if case .lines(var last)? = plan.passes.last, last.destination == open.source, format.bytesPerPixel == 4,
                !last.direction.isSlanted
            {
                last.destination = .frame
                plan.passes[plan.passes.count - 1] = .lines(last)
                return
            }
        }
        var pass = close(into: .frame)
        if case .stretch(let grid) = pass.head, grid.middle != nil, format.bytesPerPixel == 4,
            case .rows(let last)? = plan.passes.last, last.copiesFrame(to: pass.source)
        {
            // Nor is one needed to enlarge a part of the picture.
            plan.passes.removeLast()
            (pass.source, pass.fourth) = (.frame, .frame)
        }
        plan.passes.append(.rows(pass))
    }
}

extension FilterLocation {
    var surface: Int? {
        guard case .surface(let number, _) = self else { return nil }
        return number
    }

    var isWide: Bool {
        guard case .surface(_, let isWide) = self else { return false }
        return isWide
    }
}

extension FilterOperation {
    var isWarp: Bool {
        if case .warp = self { return true }
        return false
    }
}

extension LinePass.Direction {
    var isSlanted: Bool {
        if case .slanted = self { return true }
        return false
    }
}
