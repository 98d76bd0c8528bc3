// SPDX-License-Identifier: LGPL-2.1-or-later
/// Identifies an operation by its filter, the values of the filter's parameters, and its index. As long as these are
/// equal, cached resources of the operation stay valid.
struct CompiledStep: Hashable {
    let state: FilterWithValues
    /// The index of the operation in its filter, and then the indices in nested operations.
    var path: [Int] = []

    var name: String { state.filter.name }

    func part(_ index: Int) -> CompiledStep { CompiledStep(state: state, path: path + [index]) }
}

/// A pass under construction: its input, how it reads the input, and how it changes colours.
struct OpenPass {
    enum Reading {
        case source(any Source)
        /// Warps for which no sampling map exists yet.
        case warps([Warp])
    }

    enum Change {
        case matrix(ColorMatrix)
        case curves([Curve])
        case stage(FilterStage)
    }

    let input: FilterLocation
    /// If pixels move, alpha or padding is copied from this image.
    let alphaOrPadding: FilterLocation
    /// How the pass reads the input. Nil to read the input unchanged.
    private(set) var reading: Reading?
    /// The operations that `reading` executes.
    private(set) var steps: [CompiledStep] = []
    private var changes: [(change: Change, steps: [CompiledStep])] = []

    init(input: FilterLocation, alphaOrPadding: FilterLocation? = nil) {
        (self.input, self.alphaOrPadding) = (input, alphaOrPadding ?? input)
    }

    init(_ reading: Reading, input: FilterLocation, _ step: CompiledStep) {
        self.init(input: input)
        (self.reading, steps) = (reading, [step])
    }

    /// True if the pass only copies.
    var isPlain: Bool { reading == nil && changes.isEmpty }

    /// The mirroring of the whole image, if the pass does nothing else.
    var flip: Flip? {
        guard case .warps(let warps) = reading, changes.isEmpty else { return nil }
        let flips = warps.compactMap(\.flip)
        guard let first = flips.first, flips.count == warps.count else { return nil }
        return flips.dropFirst().reduce(first) { $0.then($1) }
    }

    var inputs: [FilterLocation] {
        guard case .source(let source) = reading else { return [input, alphaOrPadding] }
        return [input, alphaOrPadding] + source.others
    }

    /// Adds a change of colours. If possible, joins it with the previous change.
    mutating func add(_ change: Change, _ step: CompiledStep) {
        let (last, steps) = changes.last ?? (change, [])
        let joined: Change
        switch (last, change) {
        case (.matrix(let before), .matrix(let matrix)) where !steps.isEmpty: joined = .matrix(before.then(matrix))
        case (.curves(let before), .curves(let curves)) where !steps.isEmpty: joined = .curves(before + curves)
        case (.curves(let before), .matrix(let matrix)) where !steps.isEmpty:
            guard let curve = before.last?.then(matrix) else { return changes.append((change, [step])) }
            joined = .curves(before.dropLast() + [curve])
        case (.matrix, _), (.curves, _), (.stage, _): return changes.append((change, [step]))
        }
        changes[changes.count - 1] = (joined, steps + [step])
    }

    /// Joins a warp with the previous warps.
    /// - Returns: false if this is not possible: the pass changes colours, or reads in another way.
    mutating func add(_ warp: Warp, _ step: CompiledStep) -> Bool {
        guard case .warps(let warps) = reading, changes.isEmpty else { return false }
        reading = .warps(warps + [warp])
        steps.append(step)
        return true
    }

    func close(into output: FilterLocation, width: Int, height: Int, resources: FilterResources) -> RowPass {
        let source: any Source =
            switch reading {
            case nil: Copy()
            case .source(let source): source
            case .warps(let warps): resources.sampling(warps, steps, width: width, height: height)
            }
        return RowPass(
            source: source, input: input, alphaOrPadding: alphaOrPadding,
            stages: changes.map { stage($0.change, $0.steps, resources) }, output: output, description: description)
    }

    /// Returns an equivalent pass on the bytes of the frame. Returns nil if a change mixes channels, or if the pass
    /// needs other pixels.
    func bytePass(_ layout: ByteLayout, _ resources: FilterResources) -> BytePass? {
        guard input == .frame, reading == nil, !changes.isEmpty else { return nil }
        var curve: Curve?
        for (change, _) in changes {
            switch change {
            case .matrix(let matrix):
                guard let gains = matrix.channelGains else { return nil }
                // For three channels, gains are faster than three different tables.
                if changes.count == 1, !(gains.isCommon && resources.permutesBytes) {
                    return ByteGains(gains, layout).map { BytePass(change: $0, description: description) }
                }
                // The identity curve limits to 0…1. Here this changes nothing, because bytes are always in this range.
                curve = (curve ?? Curve { $0 }).then(gains)
            case .curves(let curves): curve = curves.reduce(curve) { $0?.then($1) ?? $1 }
            case .stage: return nil
            }
        }
        let steps = changes.flatMap(\.steps)
        return curve.map { BytePass(change: resources.byteTables($0, steps, layout), description: description) }
    }

    private func stage(_ change: Change, _ steps: [CompiledStep], _ resources: FilterResources) -> FilterStage {
        switch change {
        case .matrix(let matrix): return .color(ColorStage(matrix))
        case .stage(let stage): return stage
        case .curves(let curves):
            if curves.count == 1, let stage = curves[0].stage { return .color(stage) }
            return .curve(resources.curve(curves, steps))
        }
    }

    var description: String {
        func names(_ steps: [CompiledStep]) -> String {
            var names: [String] = []
            for step in steps where names.last != step.name { names.append(step.name) }
            return names.joined(separator: ", ")
        }
        var parts: [String] = []
        switch reading {
        case nil: break
        case .source(let source): parts.append("\(source.name) of \(names(steps))")
        case .warps: parts.append("map of \(names(steps))")
        }
        for (change, steps) in changes {
            switch change {
            case .matrix: parts.append("matrix of \(names(steps))")
            case .curves: parts.append("curve of \(names(steps))")
            case .stage: parts.append("colours of \(names(steps))")
            }
        }
        return parts.isEmpty ? "copy" : parts.joined(separator: ", ")
    }
}
