import ElementKit
import Pixels
import KernelTypes

extension Edges {
    struct Settings: ElementSettings {
        var lowThreshold = 10.0
        var highThreshold = 50.0
        var autoThreshold = false
        var aperture = SobelAperture.three
        var l2Gradient = false
        var blur = 0.0
        var show = Show.edges
        var edgeColor: UInt32 = 0xFF00_FF00
    }

    static let properties: [Property<Settings>] = [
        .double(
            "low-threshold", \.lowThreshold, in: 0...1_000_000, nick: "Low threshold",
            blurb: "Gradient above which an edge goes on"),
        .double(
            "high-threshold", \.highThreshold, in: 0...1_000_000, nick: "High threshold",
            blurb: "Gradient above which an edge begins"),
        .boolean(
            "auto-threshold", \.autoThreshold, nick: "Automatic thresholds",
            blurb: "Thresholds are two and four thirds of the median of luma"),
        .enumeration(
            "aperture", \.aperture, nick: "Aperture", blurb: "Side of Sobel's operator, by which gradients are measured"
        ),
        .boolean(
            "l2-gradient", \.l2Gradient, nick: "L2 gradient",
            blurb: "Measure gradients by the root of dx² + dy², else by |dx| + |dy|"),
        .double(
            "blur", \.blur, in: 0...20, nick: "Blur",
            blurb: "Sigma of the Gaussian by which luma is blurred first, in pixels; 0: not at all"),
        .enumeration("show", \.show, nick: "Show", blurb: "What is drawn"),
        .color("edge-color", \.edgeColor, nick: "Edge colour", blurb: "Colour of the edges with show=overlay"),
    ]

    enum Show: Int32, PropertyEnum {
        case edges, overlay, sketch
        static let typeName = "GstSvEdgesShow"

        var blurb: String {
            switch self {
            case .edges: "White edges on black"
            case .overlay: "The picture with its edges in edge-color"
            case .sketch: "Black edges on white"
            }
        }
    }
}

extension SobelAperture: PropertyEnum {
    package static var typeName: String { "GstSvEdgesAperture" }
    package var nick: String { "\(rawValue)" }

    package var blurb: String { "\(rawValue) x \(rawValue) pixels" }
}
