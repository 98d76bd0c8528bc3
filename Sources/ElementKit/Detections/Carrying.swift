import Pixels

extension MixerInput {
    /// Copies the input's regions of interest, with their ids and parameters, to the output, moved and scaled to where
    /// the input is shown and clipped to the frame; what lies outside is left out.
    /// - Parameter place: where the whole input lies in the output.
    package func carryRegions(to output: Frame, place: Rectangle) {
        DetectionMeta(output).copy(from: DetectionMeta(buffer: buffer, size: inputSize), to: place)
    }
}
