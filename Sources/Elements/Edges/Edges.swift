// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Filters
import Imaging
import Vision
import KernelTypes

/// `svedges` detects the edges of each frame with Canny's detector, and draws the edges.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svedges ! videoconvert ! autovideosink
final class Edges: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svedges", longName: "Edge Detector", category: .effect,
        description: "Detects edges (Canny), and shows the edges alone or over the video")

    struct State {
        let luma = LumaPlane()
        let blurred = OwnedImage(.gray8)
        let finder = EdgeFinder()
    }

    let host: Host<Settings>

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) -> State { State() }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        var picture = try state.luma.of(frame.pixels)
        if settings.blur > 0 {
            try state.blurred.blur(picture, sigma: settings.blur)
            picture = state.blurred.image
        }
        state.finder.find(in: picture, settings.search(in: picture))
        switch settings.show {
        case .edges: state.finder.draw(on: frame.pixels, blackOnWhite: false)
        case .sketch: state.finder.draw(on: frame.pixels, blackOnWhite: true)
        case .overlay: state.finder.draw(on: frame.pixels, color: settings.edgeColor)
        }
    }
}

extension Edges.Settings {
    fileprivate func search(in picture: Image) -> EdgeFinder.Settings {
        var (low, high) = (lowThreshold, highThreshold)
        if autoThreshold {
            // By convention, the thresholds are 2/3 and 4/3 of the median grey level. The gradient of the Sobel
            // operator at an edge between adjacent grey levels depends on the aperture: 4 (3x3 pixels), 48 (5x5) or
            // 640 (7x7).
            // `scale` is this gradient divided by 4.
            let median = max(16, Double(picture.median))
            let scale: Double =
                switch aperture {
                case .three: 1
                case .five: 12
                case .seven: 160
                }
            (low, high) = (median * 2 / 3 * scale, median * 4 / 3 * scale)
        }
        return EdgeFinder.Settings(low: low, high: high, aperture: aperture, isEuclidean: l2Gradient)
    }
}
