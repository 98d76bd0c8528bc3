// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Compiles a chain of filters into a plan with as few passes as possible.
///
/// - Joins adjacent matrices into one matrix, adjacent curves into one table, and adjacent warps into one sampling map.
/// - Adds colour changes to the preceding pass, if this pass reads neighbouring pixels or moves pixels. Otherwise, for
///   example after a blur along lines, the colour changes start a new pass.
/// - Between passes, images have 16 bits per channel. Values are limited to 0…1, because non-linear filters require
///   this range. Only the last pass rounds to bytes.
struct FilterCompiler {
    private let width: Int
    private let height: Int
    private let format: PixelFormat
    private let layout: ByteLayout
    private let resources: FilterResources
    private var plan = FilterPlan()
    private var open = OpenPass(input: .frame)
    /// Images that a later pass reads again. No pass may overwrite these images.
    private var kept: [FilterLocation] = []

    /// - Parameters:
    ///   - format: the format of the image that the passes process.
    ///   - isYUV: true if the image is converted from a YUV frame. If true, a `BytePass` processes separate rows of
    ///     red, green and blue.
    static func plan(
        _ filters: [FilterWithValues], width: Int, height: Int, format: PixelFormat, isYUV: Bool = false,
        resources: FilterResources
    ) -> FilterPlan {
        var compiler = FilterCompiler(
            width: width, height: height, format: format, layout: isYUV ? .rows : .pixels(SampleOffsets(format)),
            resources: resources)
        let steps = filters.map { (CompiledStep(state: $0), $0.operations) }
        compiler.plan.movesAlpha =
            format.alpha != nil && steps.contains { _, operations in operations.contains(where: \.isWarp) }
        for (step, operations) in steps { compiler.add(operations, step) }
        for ending in endings where ending(&compiler) { break }
        return compiler.plan
    }

    private init(
        width: Int, height: Int, format: PixelFormat, layout: ByteLayout, resources: FilterResources
    ) {
        (self.width, self.height, self.resources) = (width, height, resources)
        (self.format, self.layout) = (format, layout)
    }

    private mutating func add(_ operations: [FilterOperation], _ step: CompiledStep) {
        for (index, operation) in operations.enumerated() { add(operation, step.part(index)) }
    }

    private mutating func add(_ operation: FilterOperation, _ step: CompiledStep) {
        switch operation {
        case .matrix(let matrix): open.add(.matrix(matrix), step)
        case .curve(let curve): open.add(.curves([curve]), step)
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
            start(filter, from: picture(onSurface: true), step)
        case .branch(let operations, let combination):
            let source = picture()
            kept.append(source)
            open = OpenPass(input: source)
            add(operations, step)
            let other = picture(isFullSize: false)
            kept.removeLast()
            start(CombinedPictures(combination: combination, other: other), from: source, step)
        case .blocks(let size):
            guard size > 1 else { return }
            start(Blocks(size: size), from: picture(), step)
        case .kuwahara(let reach): addKuwahara(reach, step)
        case .zoomBlur(let center, let amount): addZoom(center, amount, step)
        }
    }

    private mutating func add(_ warp: Warp, _ step: CompiledStep) {
        if open.add(warp, step) { return }
        open = OpenPass(.warps([warp]), input: picture(onSurface: true), step)
    }

    private mutating func add(_ blur: Blur, _ step: CompiledStep) {
        if case .gaussian(let sigma) = blur, addReduced(ReducedPass.levels(sigma: sigma), step) { return }
        guard let (filter, direction) = LinePass.filter(blur) else { return }
        var pass = LinePass(
            filter: filter, direction: direction, input: picture(onSurface: !hasFourBytes), output: .frame,
            description: "\(filter.description) of \(step.name)")
        // Write the blurred image over the input if the input is an intermediate image that no later pass needs. A
        // slanted blur cannot do so, because several slanted lines read the same border pixels.
        let isInPlace = pass.input.isSixteenBit && !kept.contains(pass.input) && !pass.isSlanted
        pass.output = isInPlace ? pass.input : surface(beside: [pass.input])
        plan.passes.append(pass)
        open = OpenPass(input: pass.output)
    }

    /// Adds a pass that blurs the image at a reduced size.
    /// - Returns: false if the blur is too small for a reduced image.
    private mutating func addReduced(_ levels: (count: Int, sigma: Double), _ step: CompiledStep) -> Bool {
        guard levels.count > 0 else { return false }
        let input = picture(onSurface: !hasFourBytes)
        plan.passes.append(
            ReducedPass(
                levels: levels.count, filter: .gaussian(levels.sigma), input: input,
                description: "weights of \(step.name) at 1/\(1 << levels.count) of the frame size"))
        plan.levels = max(plan.levels, levels.count)
        open = OpenPass(input: .half, alphaOrPadding: input)
        return true
    }

    private mutating func addKuwahara(_ reach: Int, _ step: CompiledStep) {
        guard reach > 0 else { return }
        let input = picture()
        let means = surface(beside: [input])
        append(LumaSquares(), from: input, into: means, "luma² for \(step.name)")
        plan.passes.append(
            LinePass(
                filter: .box(radius: Double(reach)), direction: .acrossAndDown, input: means, output: means,
                allSamples: true, description: "box of \(step.name)"))
        start(KuwaharaSquares(means: means, reach: reach), from: input, step)
    }

    private mutating func addZoom(_ center: Point, _ amount: Double, _ step: CompiledStep) {
        let steps = ZoomStep.steps(center: center, amount: amount, width: width, height: height)
        guard let last = steps.last else { return }
        var input = picture(onSurface: true, sixteenBit: true)
        for zoom in steps.dropLast() {
            let output = surface(beside: [input])
            append(zoom, from: input, into: output, "doubling of \(step.name)")
            input = output
        }
        start(last, from: input, step)
    }

    // MARK: - Passes

    private mutating func start(_ source: any Source, from input: FilterLocation, _ step: CompiledStep) {
        open = OpenPass(.source(source), input: input, step)
    }

    /// Adds a pass that computes its pixels with `source` and does not change their colours.
    private mutating func append(
        _ source: any Source, from input: FilterLocation, into output: FilterLocation, _ description: String
    ) {
        plan.passes.append(
            RowPass(source: source, input: input, alphaOrPadding: input, output: output, description: description))
    }

    /// True if the pixels of the frame have four bytes. Only then can a blur or a `BytePass` access the frame directly.
    private var hasFourBytes: Bool { format.bytesPerPixel == 4 }

    /// Returns a location from which the next pass can read the current image. If necessary, first completes the pass
    /// under construction (`open`).
    /// - Parameters:
    ///   - onSurface: true if the image must be an intermediate image and not the frame.
    ///   - sixteenBit: true if the image must have 16 bits per channel.
    ///   - isFullSize: true if the image must have the size of the frame.
    private mutating func picture(
        onSurface: Bool = false, sixteenBit: Bool = false, isFullSize: Bool = true
    ) -> FilterLocation {
        let fits =
            switch open.input {
            case .frame: !onSurface && !sixteenBit
            case .surface(_, let hasSixteenBit): hasSixteenBit || !sixteenBit
            case .half: !isFullSize
            }
        if open.isPlain, fits { return open.input }
        // If the pass under construction only copies the frame, four-byte pixels are sufficient, unless the caller
        // needs 16 bits.
        let output = surface(beside: open.inputs, sixteenBit: sixteenBit || !open.isPlain || open.input != .frame)
        plan.passes.append(close(into: output))
        open = OpenPass(input: output)
        return output
    }

    private func close(into output: FilterLocation) -> RowPass {
        open.close(into: output, width: width, height: height, resources: resources)
    }

    /// Returns an intermediate image that a pass may overwrite, because no later pass reads its contents.
    private mutating func surface(beside used: [FilterLocation], sixteenBit: Bool = true) -> FilterLocation {
        let taken = Set((kept + used).compactMap(\.surface))
        let free = (0...taken.count).first { !taken.contains($0) } ?? taken.count
        plan.surfaces = max(plan.surfaces, free + 1)
        return .surface(free, sixteenBit: sixteenBit)
    }

    // MARK: - The end

    /// Methods that complete a plan, in the order in which they are tried. A method that returns true has completed the
    /// plan, and no further method is tried. Most methods avoid an additional pass over the frame.
    private static let endings: [@Sendable (inout FilterCompiler) -> Bool] = [
        { $0.leaveFrame() }, { $0.changeBytes() }, { $0.mirrorInPlace() }, { $0.blurIntoFrame() },
        { $0.enlargeInPlace() }, { $0.writeFrame() },
    ]

    /// Returns true if the frame already contains the result. The plan then needs no further pass.
    private func leaveFrame() -> Bool { open.isPlain && open.input == .frame }

    /// Adds a pass that changes the bytes of the frame directly. This requires that each result byte depends on one
    /// input byte only.
    private mutating func changeBytes() -> Bool {
        guard hasFourBytes, let pass = open.bytePass(layout, resources) else { return false }
        plan.passes.append(pass)
        return true
    }

    /// If the pass under construction only mirrors the frame, mirrors the frame in place.
    private mutating func mirrorInPlace() -> Bool {
        guard let flip = open.flip, dropCopy() else { return false }
        plan.passes.append(MirrorPass(flip: flip))
        return true
    }

    /// If the last pass is a blur, makes this pass write into the frame.
    private mutating func blurIntoFrame() -> Bool {
        guard open.isPlain, hasFourBytes, var last = plan.passes.last as? LinePass, last.output == open.input,
            !last.isSlanted
        else { return false }
        last.output = .frame
        plan.passes[plan.passes.count - 1] = last
        return true
    }

    /// If the pass under construction enlarges a part of the frame, runs it in place. `EnlargingPass` processes rows in
    /// an order in which no row is overwritten before it is read.
    private mutating func enlargeInPlace() -> Bool {
        guard case .warps = open.reading, let pass = EnlargingPass(close(into: .frame)), dropCopy() else {
            return false
        }
        plan.passes.append(pass)
        return true
    }

    /// Writes the result of the pass under construction into the frame. Always returns true.
    private mutating func writeFrame() -> Bool {
        plan.passes.append(close(into: .frame))
        return true
    }

    /// If the last pass of the plan only copies the frame, and the pass under construction reads the copy, removes the
    /// last pass and returns true.
    private mutating func dropCopy() -> Bool {
        guard hasFourBytes, let last = plan.passes.last as? RowPass, last.source is Copy, last.stages.isEmpty,
            last.input == .frame, last.output == open.input
        else { return false }
        plan.passes.removeLast()
        return true
    }
}

extension FilterOperation {
    var isWarp: Bool {
        if case .warp = self { true } else { false }
    }
}
