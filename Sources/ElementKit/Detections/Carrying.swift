import Pixels

extension MixerInput {
    /// Copies the input's regions of interest, with their ids and parameters, to the output, moved and scaled to where
    /// the input is shown and clipped to the frame; what lies outside is left out.
    /// - Parameter place: where the whole input lies in the output.
    package func carryRegions(to output: Frame, place: Rectangle) {
        DetectionMeta(output).copy(from: DetectionMeta(buffer: buffer, size: inputSize), to: place)
    }
}

extension Frame {
    /// Tells of a mixed frame what its inputs tell of theirs: it was searched for a type if every input was.
    package func carrySearches<Pad>(from inputs: [MixerInput<Pad>]) {
        let metas = inputs.map { DetectionMeta(buffer: $0.buffer, size: $0.inputSize) }
        let types = Set(metas.flatMap(\.searchTypes))
        let searched = types.filter { type in metas.allSatisfy { $0.wasSearched(for: type) } }
        attach([], searched: Array(searched), unsearched: Array(types.subtracting(searched)))
    }
}
