// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// Method of detecting human faces.
enum HumanDetector: Int32, PropertyEnum {
    case auto, cascade, network
    static let typeName = "GstSvFaceDetector"

    static let members: [(value: Self, blurb: String)] = [
        (.auto, "The network YuNet if YuNet is installed, otherwise cascades"),
        (.cascade, "Cascades that come with OpenCV"),
        (.network, "The network YuNet"),
    ]
}

extension HumanDetector {
    /// Returns the network to use; nil to use cascades.
    /// - Parameters:
    ///   - path: the path of a network file to use instead of an installed network.
    ///   - wantsCascade: true if `auto` selects cascades even if a network is installed.
    ///   - warn: receives the error if `auto` cannot use an installed network. The result is then nil.
    func model(
        at path: String? = nil, in models: InstalledModels = .standard, unless wantsCascade: Bool = false,
        warn: (ElementError) -> Void
    ) throws -> FaceModel? {
        guard self != .cascade else { return nil }
        if let path { return try FaceModel(path: path) }
        guard self == .auto else {
            guard let model = try models.installed(FaceModel.self) else { throw models.absence }
            return model
        }
        guard !wantsCascade else { return nil }
        do {
            return try models.installed(FaceModel.self)
        } catch {
            let error = ElementError(error)
            warn(
                ElementError(
                    error.reason, error.message + " Cascades detect the faces instead.", details: error.details))
            return nil
        }
    }
}

extension InstalledModels {
    /// The error for a missing network with `detector=network`.
    fileprivate var absence: ElementError {
        ElementError(
            .notFound,
            "detector=network needs \(FaceModel.fileName), which is not in \(folders.joined(separator: ", ")). Run "
                + "\"./launch models get yunet\" or \"swiftvision models get yunet\". Or set model to a network file.")
    }
}

extension FaceModelError: ElementErrorConvertible {
    package var elementError: ElementError {
        switch self {
        case .missing: ElementError(.notFound, description)
        case .unusable: ElementError(.read, description)
        }
    }
}
