// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An image, or a part of an image at any resolution, and its differences from the background.
struct View {
    let logarithm: Matrix<Float>
    let differing: GroundDistance
    let ground: Ground
    /// `place`: position and size of the view, as fractions of the whole image. `frame`: bounds of the whole image, in
    /// pixels of the view.
    let place: Box
    let frame: Rectangle
    /// `noise`: standard deviation of the background. `threshold`: minimum difference between foreground pixels and the
    /// background.
    let noise: Double
    let threshold: Double
    let recorder: DecisionRecorder?

    /// Creates a view that shows a whole image.
    init(_ picture: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) {
        logarithm = try Vision.logarithm(of: picture)
        ground = try search.isUneven ? .followingLight(logarithm) : .continuingEdge(logarithm)
        differing = ground.distance(logarithm)
        (place, frame) = (.whole, picture.bounds)
        noise = ground.noise(differing.distance)
        let least = Check(.leastDistance, search.threshold * noise, atLeast: SegmentationTuning.leastDistance)
        threshold = max(least.limit, least.value)
        recorder = search.recorder
        recorder?.add(.foregroundLimit, frame, area: Double(frame.width * frame.height), least)
    }

    /// Creates a closer view: a part of an image, in higher resolution.
    /// - Parameter place: the position of the part, as fractions of the image.
    init(_ part: Matrix<UInt8>, _ place: Box, of whole: View, _ search: BlobSearch) throws(VisionError) {
        recorder = search.recorder
        logarithm = try Vision.logarithm(of: part)
        (ground, threshold, self.place) = (whole.ground, whole.threshold, place)
        differing = ground.distance(logarithm, place)
        noise = max(whole.noise, Ground.noiseAlongEdge(differing.distance))
        let (width, height) = (Double(part.width) / place.width, Double(part.height) / place.height)
        func rounded(_ value: Double) -> Int { Int(max(-1e9, min(1e9, value.rounded(.toNearestOrEven)))) }
        frame = Rectangle(
            x: rounded(-place.x * width), y: rounded(-place.y * height), width: rounded(width),
            height: rounded(height))
    }

    var foreground: Matrix<UInt8> { differing.distance > Float(threshold) }
}
