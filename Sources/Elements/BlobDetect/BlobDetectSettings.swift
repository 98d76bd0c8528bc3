import ElementKit
import Vision

extension BlobDetect {
    struct Settings: ElementSettings {
        var model = BlobSettings.Model.border
        /// The user's value; nil is what suits the model, in whatever order properties are set.
        private var ownStdDevs: Double?
        var scale = 0.0
        var erodeKernel = 0.005
        var erodeIterations: UInt32 = 8
        var minSize = 0.05
        var maxSize = 0.0
        var maxBlobs: UInt32 = 32
        var history: UInt32 = 500
        var show = View.image
        var draw = true
        var color: UInt32 = 0xFF00_FF00
        var track = true
        var message = ReportPolicy.onChange

        var stdDevs: Double {
            get { ownStdDevs ?? blobs.threshold }
            set { ownStdDevs = newValue }
        }

        /// The settings for the detector.
        var blobs: BlobSettings {
            var blobs = BlobSettings()
            blobs.model = model
            blobs.stdDevs = ownStdDevs
            blobs.scale = scale > 0 ? scale : nil
            blobs.erodeKernel = erodeKernel
            blobs.erodeIterations = Int(erodeIterations)
            blobs.minSize = minSize
            blobs.maxSize = maxSize
            blobs.maxBlobs = Int(maxBlobs)
            blobs.history = Int(history)
            return blobs
        }
    }

    enum View: Int32, PropertyEnum {
        case image, mask
        static let typeName = "GstSvBlobView"
        var blurb: String { self == .image ? "The picture" : "What differs from the background, white on black" }
    }

    static let properties: [Property<Settings>] = [
        .enumeration("model", \.model, nick: "Model", blurb: "What the background is"),
        .double(
            "std-devs", \.stdDevs, in: 0...255, nick: "Standard deviations",
            blurb: "By how many of the background's standard deviations things differ; model=knn: by how many levels",
            flags: .mutablePlaying),
        .double(
            "scale", \.scale, in: 0...1, nick: "Scale",
            blurb: "Factor by which frames are reduced before the search; 0: what suits the model",
            flags: .mutablePlaying),
        .double(
            "erode-kernel", \.erodeKernel, in: 0...1, nick: "Erosion kernel",
            blurb: "Side of the square with which the background is eroded, as a share of the frame's shorter side",
            flags: .mutablePlaying),
        .uint(
            "erode-iterations", \.erodeIterations, in: 0...100, nick: "Erosion iterations",
            blurb: "How often the background is eroded, which closes gaps in things", flags: .mutablePlaying),
        .double(
            "min-size", \.minSize, in: 0...1, nick: "Minimum size",
            blurb: "Both sides of a blob are at least so long, as a share of the frame's shorter side",
            flags: .mutablePlaying),
        .double(
            "max-size", \.maxSize, in: 0...10, nick: "Maximum size",
            blurb: "Both sides of a blob are at most so long, as a share of the frame's shorter side; 0: any length",
            flags: .mutablePlaying),
        .uint(
            "max-blobs", \.maxBlobs, in: 1...1000, nick: "Maximum blobs",
            blurb: "At most so many blobs, the largest ones",
            flags: .mutablePlaying),
        .uint(
            "history", \.history, in: 1...100_000, nick: "History",
            blurb: "Frames that model=mog2 and knn remember", flags: .mutablePlaying),
        .enumeration(
            "show", \.show, nick: "Show", blurb: "What is seen: the picture, or what the detector makes of it"),
        .boolean("draw", \.draw, nick: "Draw", blurb: "Draw a box around each blob; if not, pixels are only read"),
        .color("color", \.color, nick: "Colour", blurb: "Colour of the boxes"),
        .boolean("track", \.track, nick: "Track", blurb: "Give a blob the same id from frame to frame"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post element messages with the blobs"),
    ]
}

extension BlobSettings.Model: PropertyEnum {
    package static var typeName: String { "GstSvBackgroundModel" }

    package var blurb: String {
        switch self {
        case .frameMean: "Colours near the mean of the frame, as BeanCounter does it"
        case .border: "What the frame's edge shows: plain paper, with whatever light falls on it"
        case .mog2: "What was there before: mixtures of Gaussians, for cameras that stand still"
        case .knn: "What was there before: nearest neighbours, for cameras that stand still"
        }
    }
}
