/// The filter that an operation comes from, and its values: what is made for the operation can be used again as long as
/// they stay the same.
struct CompiledStep: Hashable {
    let filter: String
    let values: [FilterValue]
    /// Index of the operation among the filter's, then among those within.
    let place: [Int]

    func part(_ index: Int) -> CompiledStep { CompiledStep(filter: filter, values: values, place: place + [index]) }
}

/// A pass that is being put together: where it reads, how, and how colours are then changed.
struct OpenPass {
    enum Head {
        case head(RowPass.Head)
        /// Warps not yet made into a map.
        case warps([Warp])
    }

    enum Change {
        case matrix(ColorMatrix)
        case curves([Curve])
        case stage(FilterStage)
    }

    let source: FilterLocation
    /// Source of alpha, if it moves.
    let fourth: FilterLocation
    var head = Head.head(.load)
    /// Operations that the head comes from.
    var steps: [CompiledStep] = []
    private var changes: [(change: Change, steps: [CompiledStep])] = []

    init(source: FilterLocation, fourth: FilterLocation? = nil) {
        self.source = source
        self.fourth = fourth ?? source
    }

    /// True if the pass would only copy.
    var isPlain: Bool {
        guard case .head(.load) = head else { return false }
        return changes.isEmpty
    }

    /// Mirroring of the whole picture, if nothing else is done.
    var flip: Flip? {
        guard case .warps(let warps) = head, changes.isEmpty else { return nil }
        let flips = warps.compactMap(\.flip)
        guard let first = flips.first, flips.count == warps.count else { return nil }
        return flips.dropFirst().reduce(first) { $0.then($1) }
    }

    /// All pictures that are read.
    var sources: [FilterLocation] {
        switch head {
        case .head(.combine(_, let other)), .head(.calmest(let other, _)): [source, fourth, other]
        default: [source, fourth]
        }
    }

    mutating func add(_ matrix: ColorMatrix, _ step: CompiledStep) {
        if let last = changes.last, case .matrix(let before) = last.change {
            changes[changes.count - 1] = (.matrix(before.then(matrix)), last.steps + [step])
        } else {
            changes.append((.matrix(matrix), [step]))
        }
    }

    mutating func add(_ curve: Curve, _ step: CompiledStep) {
        if let last = changes.last, case .curves(let before) = last.change {
            changes[changes.count - 1] = (.curves(before + [curve]), last.steps + [step])
        } else {
            changes.append((.curves([curve]), [step]))
        }
    }

    mutating func add(_ change: Change, _ step: CompiledStep) { changes.append((change, [step])) }

    /// Joins a warp to those before it.
    /// - Returns: false if colours are changed in between, or the pass does something else.
    mutating func add(_ warp: Warp, _ step: CompiledStep) -> Bool {
        guard case .warps(let warps) = head, changes.isEmpty else { return false }
        head = .warps(warps + [warp])
        steps.append(step)
        return true
    }

    /// - Parameter places: places of the channels in frames whose bytes can be looked up in tables.
    func close(
        into destination: FilterLocation, width: Int, height: Int, places: ChannelPlaces?, resources: FilterResources
    ) -> RowPass {
        if let places, source == .frame, destination == .frame, let head = byteHead(places, resources) {
            return RowPass(head: head, source: source, destination: destination, description: description)
        }
        let stages = changes.map { stage($0.change, $0.steps, resources) }
        var pass = RowPass(
            head: .load, source: source, fourth: fourth, stages: stages, destination: destination,
            description: description)
        switch head {
        case .head(let head): pass.head = head
        case .warps(let warps): pass.head = resources.sampling(warps, steps, width: width, height: height)
        }
        return pass
    }

    /// Returns a head that does the same to bytes in place, if all changes treat each channel separately.
    private func byteHead(_ places: ChannelPlaces, _ resources: FilterResources) -> RowPass.Head? {
        guard case .head(.load) = head, !changes.isEmpty else { return nil }
        var curve: Curve?
        for (change, _) in changes {
            switch change {
            case .matrix(let matrix):
                guard matrix.isDiagonal else { return nil }
                // Three tables take longer than three factors.
                if changes.count == 1, !(matrix.isCommon && resources.permutesBytes) {
                    return ByteScales(matrix, places).map { .scale($0) }
                }
                // Bytes are 0…1 to begin with.
                curve = (curve ?? Curve { $0 }).then(matrix)
            case .curves(let curves): curve = curves.reduce(curve) { $0?.then($1) ?? $1 }
            case .stage: return nil
            }
        }
        let steps = changes.flatMap(\.steps)
        return curve.map { .lookUp(resources.byteTables($0, steps, places)) }
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
            for step in steps where names.last != step.filter { names.append(step.filter) }
            return names.joined(separator: ", ")
        }
        var parts: [String] = []
        switch head {
        case .head(.load): break
        case .head(let head): parts.append("\(head.name) of \(names(steps))")
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

extension RowPass.Head {
    /// Name in a plan's description.
    fileprivate var name: String {
        switch self {
        case .load, .lookUp, .scale: "copy"
        case .flip: "mirror"
        case .combine: "combination"
        case .neighbours: "neighbours"
        case .sample, .stretch: "map"
        case .blocks: "blocks"
        case .calmest: "calmest squares"
        case .addSquares: "squares"
        case .zoom: "doubling"
        }
    }
}
