import ElementKit
import Vision

// The types of svfacedetect's properties.

extension FaceDetect {
    enum Preset: Int32, PropertyEnum {
        case classic, fast, balanced, accurate
        static let typeName = "GstSvFacePreset"

        var blurb: String {
            switch self {
            case .classic: "Every frame on its own, by the numbers of ManyMasks"
            case .fast: "For small machines: coarse, no small faces, tracked"
            case .balanced: "Searched now and then, tracked in between"
            case .accurate: "Small faces too, in fine steps, tracked"
            }
        }

        var settings: FaceSettings {
            switch self {
            case .classic: .classic
            case .fast: .fast
            case .balanced: .balanced
            case .accurate: .accurate
            }
        }
    }

}

extension FaceSettings.Landmarks {
    init(_ flags: LandmarkFlags) {
        self = []
        if flags.contains(.eyes) { insert(.eyes) }
        if flags.contains(.mouth) { insert(.mouth) }
    }
}

extension FaceSettings.Equalization: PropertyEnum {
    package static var typeName: String { "GstSvEqualization" }

    package var blurb: String {
        switch self {
        case .none: "As it is"
        case .histogram: "Histogram of the whole frame"
        case .clahe: "Histograms of tiles, limited in contrast (CLAHE)"
        }
    }
}

extension Cascade.Features: PropertyEnum {
    package static var typeName: String { "GstSvFaceFeatures" }

    package var blurb: String {
        switch self {
        case .haar: "Haar wavelets"
        case .lbp: "Local binary patterns: faster, misses more"
        }
    }
}
