// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import KernelTypes

extension Edges {
    struct Settings: SnapshotSettings {
        var lowThreshold = 10.0
        var highThreshold = 50.0
        var autoThreshold = false
        var aperture = SobelAperture.three
        var l2Gradient = false
        var blur = 0.0
        var show = Show.edges
        var edgeColor: Color = 0xFF00_FF00
        var snapshotLocation: String?
    }

    static let properties: [Property<Settings>] = [
        Property(
            "low-threshold", \.lowThreshold, in: 0...1_000_000,
            "Minimum gradient at which a pixel next to an edge becomes part of the edge", flags: .animated),
        Property(
            "high-threshold", \.highThreshold, in: 0...1_000_000,
            "Minimum gradient at which a pixel starts a new edge", flags: .animated),
        Property(
            "auto-threshold", \.autoThreshold,
            "Compute the two thresholds from the median luma of each frame", nick: "Automatic thresholds"),
        Property("aperture", \.aperture, "Size of the Sobel operator, which measures gradients"),
        Property(
            "l2-gradient", \.l2Gradient, "Compute gradients as the square root of dx² + dy² (false = as |dx| + |dy|)"),
        Property(
            "blur", \.blur, in: 0...20,
            "Standard deviation of the Gaussian blur before edge detection, in pixels (0 = no blur)", flags: .animated),
        Property("show", \.show, "Output image"),
        .color("edge-color", \.edgeColor, "Colour of the edges (used only with show=overlay)"),
        .snapshotLocation,
    ]

    enum Show: Int32, PropertyEnum {
        case edges, overlay, sketch
        static let typeName = "GstSvEdgesShow"

        static let members: [(value: Self, blurb: String)] = [
            (.edges, "White edges on black"), (.overlay, "The video with edges in edge-color"),
            (.sketch, "Black edges on white"),
        ]
    }
}

extension SobelAperture: PropertyEnum {
    package static var typeName: String { "GstSvEdgesAperture" }
    package var nick: String { "\(rawValue)" }

    package static let members = allCases.map { (value: $0, blurb: "\($0.nick) x \($0.nick) pixels") }
}
