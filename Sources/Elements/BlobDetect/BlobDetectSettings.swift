// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension BlobDetect {
    struct Settings: SnapshotSettings {
        var blobs = BlobSettings()
        var show = View.image
        var draw = true
        var color: Color = 0xFF00_FF00
        var track = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }
    }

    enum View: Int32, PropertyEnum {
        case image, mask, background, shadows, candidates, outlines
        static let typeName = "GstSvBlobView"
        static let members: [(value: Self, blurb: String)] = [
            (.image, "The video frame"), (.mask, "The blob detector's mask: foreground white, background black"),
            (.background, "The estimated background: the frame without blobs"),
            (.shadows, "The mask, with removed shadows in blue"),
            (
                .candidates,
                "Blobs in the reduced frame, in several colours (svblobdetect then analyses small blobs in full "
                    + "resolution)"
            ),
            (.outlines, "The video frame with the outlines of blobs"),
        ]

        /// The stage of the detection whose image the element outputs; nil to output the video frame.
        var stage: BlobDetector.Stage? {
            switch self {
            case .image: nil
            case .mask: .mask
            case .background: .background
            case .shadows: .shadows
            case .candidates: .candidates
            case .outlines: .outlines
            }
        }
    }

    static let properties: [Property<Settings>] = [
        Property("model", \.blobs.model, "Background model"),
        Property("ground", \.blobs.ground, "Type of light on the background (used only with model=border)"),
        Property("shadows", \.blobs.shadows, "Shadow handling (no effect with model=frame-mean)"),
        Property(
            "std-devs", \.blobs.stdDevs, else: \.blobs.threshold, in: 0...255,
            "Minimum difference between a blob and the background, in standard deviations of the background. With "
                + "model=knn, the unit of std-devs is brightness levels (0 to 255)",
            nick: "Standard deviations"),
        Property(
            "scale", \.blobs.scaleOrZero, in: 0...1,
            "Scaling factor of the frame before the search, such as 0.5 for half the size (0 = automatic)"),
        Property(
            "erode-kernel", \.blobs.erodeKernel, in: 0...1,
            "Side length of the square that erodes the background, as a fraction of the shorter side of the frame "
                + "reduced by scale. Erosion of the background closes gaps in blobs",
            nick: "Erosion kernel"),
        Property(
            "erode-iterations", \.blobs.erodeIterations, in: 0...100,
            "Number of erosions of the background with erode-kernel", nick: "Erosion iterations"),
        Property(
            "min-size", \.blobs.minSize, else: \.blobs.smallest, in: 0...1,
            "Minimum length of a blob's longer side, as a fraction of the frame's shorter side. The minimum for the "
                + "blob's shorter side is min-size/4, or min-size if model=frame-mean"),
        Property(
            "max-size", \.blobs.maxSize, in: 0...10,
            "Maximum length of a blob's longer side, as a fraction of the frame's shorter side (0 = unlimited)"),
        Property(
            "max-blobs", \.blobs.maxBlobs, in: 1...1000,
            "Maximum number of blobs per frame. If a frame has more than max-blobs blobs, svblobdetect omits the "
                + "smallest blobs"),
        Property(
            "history", \.blobs.history, in: 1...100_000,
            "Number of earlier frames from which the background models mog2 and knn learn the background"),
        Property("show", \.show, "Output image"),
        Property("draw", \.draw, "Draw a box around each blob (false = leave frames unchanged)"),
        .color("color", \.color, "Box colour"),
        Property("track", \.track, "Give a blob the same id in each frame"),
        Property("message", \.message, "When to post element messages about detected blobs"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        .snapshotLocation,
    ]
}

extension BlobSettings {
    /// The value of `scale`, or 0 if `scale` is nil.
    fileprivate var scaleOrZero: Double {
        get { scale ?? 0 }
        set { scale = newValue > 0 ? newValue : nil }
    }
}

extension BlobSettings.Ground: PropertyEnum {
    package static var typeName: String { "GstSvBlobGround" }

    package static let members: [(value: Self, blurb: String)] = [
        (.plain, "Uniform light, or light that decreases towards one side of the frame"),
        (.uneven, "Smooth light on a bright or dark background. svblobdetect also separates touching things"),
    ]
}

extension BlobSettings.Shadows: PropertyEnum {
    package static var typeName: String { "GstSvBlobShadows" }

    package static let members: [(value: Self, blurb: String)] = [
        (.keep, "Keep cast shadows as a part of the blob"),
        (.remove, "Remove cast shadows from boxes and outlines"),
    ]
}

extension BlobSettings.Model: PropertyEnum {
    package static var typeName: String { "GstSvBackgroundModel" }

    package static let members: [(value: Self, blurb: String)] = [
        (.frameMean, "Colours near the mean colour of the frame, as in the app BeanCounter"),
        (.border, "Smooth colours, estimated from the border of the frame (suits plain paper)"),
        (.mog2, "Mixtures of Gaussians over earlier frames (needs a fixed camera)"),
        (.knn, "Nearest neighbours over earlier frames (needs a fixed camera)"),
    ]
}
