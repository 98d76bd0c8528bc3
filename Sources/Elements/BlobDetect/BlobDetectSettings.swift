// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension BlobDetect {
    struct Settings: ElementSettings {
        /// The settings for the detector.
        var blobs = BlobSettings()
        var show = View.image
        var draw = true
        var color: Color = 0xFF00_FF00
        var track = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
    }

    enum View: Int32, PropertyEnum {
        case image, mask
        static let typeName = "GstSvBlobView"
        static let members: [(value: Self, blurb: String)] = [
            (.image, "The picture"), (.mask, "What differs from the background, white on black"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property("model", \.blobs.model, "What the background is"),
        Property("ground", \.blobs.ground, "What light falls on the ground, with model=border"),
        Property("shadows", \.blobs.shadows, "What becomes of shadows; model=frame-mean takes no notice of them"),
        Property(
            "std-devs", \.blobs.stdDevs, else: \.blobs.threshold, in: 0...255,
            "By how many of the background's standard deviations things differ; model=knn: by how many levels",
            nick: "Standard deviations"),
        Property(
            "scale", \.blobs.scaleOrZero, in: 0...1,
            "Factor by which frames are reduced before the search; 0: what suits the model"),
        Property(
            "erode-kernel", \.blobs.erodeKernel, in: 0...1,
            "Side of the square with which the background is eroded, as a share of the frame's shorter side",
            nick: "Erosion kernel"),
        Property(
            "erode-iterations", \.blobs.erodeIterations, in: 0...100,
            "How often the background is eroded, which closes gaps in things", nick: "Erosion iterations"),
        Property(
            "min-size", \.blobs.minSize, else: \.blobs.smallest, in: 0...1,
            "A blob's longer side is at least so long, as a share of the frame's shorter side; its shorter side a quarter "
                + "of that"),
        Property(
            "max-size", \.blobs.maxSize, in: 0...10,
            "Both sides of a blob are at most so long, as a share of the frame's shorter side; 0: any length"),
        Property("max-blobs", \.blobs.maxBlobs, in: 1...1000, "At most so many blobs, the largest ones"),
        Property("history", \.blobs.history, in: 1...100_000, "Frames that model=mog2 and knn remember"),
        Property("show", \.show, "What is seen: the picture, or what the detector makes of it"),
        Property("draw", \.draw, "Draw a box around each blob; if not, pixels are only read"),
        .color("color", \.color, "Colour of the boxes"),
        Property("track", \.track, "Give a blob the same id from frame to frame"),
        Property("message", \.message, "When to post element messages with the blobs"),
        Property(
            "message-location", \.messageLocation,
            "File to which messages are written, too, as lines of JSON; -: the standard output; none: nowhere"),
    ]
}

extension BlobSettings {
    /// The factor by which frames are reduced; 0 for what suits the model.
    fileprivate var scaleOrZero: Double {
        get { scale ?? 0 }
        set { scale = newValue > 0 ? newValue : nil }
    }
}

extension BlobSettings.Ground: PropertyEnum {
    package static var typeName: String { "GstSvBlobGround" }

    package static let members: [(value: Self, blurb: String)] = [
        (.plain, "Even light, or light that falls off to one side"),
        (.uneven, "Any smooth light, on a ground of any brightness; things that touch are taken apart"),
    ]
}

extension BlobSettings.Shadows: PropertyEnum {
    package static var typeName: String { "GstSvBlobShadows" }

    package static let members: [(value: Self, blurb: String)] = [
        (.keep, "Shadows belong to the things that cast them"),
        (.remove, "Boxes and outlines are of the things alone"),
    ]
}

extension BlobSettings.Model: PropertyEnum {
    package static var typeName: String { "GstSvBackgroundModel" }

    package static let members: [(value: Self, blurb: String)] = [
        (.frameMean, "Colours near the mean of the frame, as BeanCounter does it"),
        (.border, "What the frame's edge shows: plain paper, with whatever light falls on it"),
        (.mog2, "What was there before: mixtures of Gaussians, for cameras that stand still"),
        (.knn, "What was there before: nearest neighbours, for cameras that stand still"),
    ]
}
