// SPDX-License-Identifier: LGPL-2.1-or-later
/// Identifies an operation by its filter, the values of the filter's parameters, and its index. If two plans contain
/// equal identifiers, they share the cached resources of the operation.
struct CompiledStep: Hashable {
    let state: FilterWithValues
    /// The index of the operation in its filter. For a nested operation, the indices of the enclosing operations come
    /// first.
    var path: [Int] = []

    var name: String { state.filter.name }

    func part(_ index: Int) -> CompiledStep { CompiledStep(state: state, path: path + [index]) }
}

/// A pass under construction. Contains the input, how the pass reads the input, and how it changes colours.
struct OpenPass {
    enum Reading {
        case source(any Source)
        /// Warps that `close` combines into one sampling map.
        case warps([Warp])
    }

    enum Change {
        case matrix(ColorMatrix)
        case curves([Curve])
        case stage(FilterStage)
    }

    let input: FilterLocation
    /// The image from which the pass copies alpha. Not used if no filter of the chain moves pixels.
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

    /// True if the pass only copies its input.
    var isPlain: Bool { reading == nil && changes.isEmpty }

    /// If the pass only mirrors the whole image, the directions in which it mirrors the image. Otherwise nil.
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

    /// Adds a change of colours to the pass. If possible, merges the change into the previous change.
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

    /// Adds a warp to the warps of this pass.
    /// - Returns: false if the pass already changes colours, or reads its input without warps. The warp then needs
    ///   another pass.
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

    /// Returns an equivalent pass that changes the bytes of the frame in place. Returns nil if a result byte depends on
    /// another channel or another pixel.
    func bytePass(_ layout: ByteLayout, _ resources: FilterResources) -> BytePass? {
        guard input == .frame, reading == nil, !changes.isEmpty else { return nil }
        var curve: Curve?
        for (change, _) in changes {
            switch change {
            case .matrix(let matrix):
                guard let gains = matrix.channelGains else { return nil }
                // Gains (one multiplication per byte) are usually faster than tables. Tables are faster if all channels
                // use the same table, and if the processor looks up many bytes with one instruction.
                if changes.count == 1, !(gains.isCommon && resources.permutesBytes) {
                    return ByteGains(gains, layout).map { BytePass(change: $0, description: description) }
                }
                // Without a previous curve, the gains are applied to the unchanged levels.
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
