// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// How human faces are found.
enum HumanDetector: Int32, PropertyEnum {
    case auto, cascade, network
    static let typeName = "GstSvFaceDetector"

    static let members: [(value: Self, blurb: String)] = [
        (.auto, "The network YuNet if it is installed, otherwise cascades"),
        (.cascade, "Cascades that come with OpenCV"),
        (.network, "The network YuNet"),
    ]
}

extension HumanDetector {
    /// Returns the network to use; nil for cascades.
    /// - Parameters:
    ///   - path: a network's file, which is taken in place of an installed one.
    ///   - wantsCascade: true if cascades are to be used where nobody asks for a network.
    ///   - warn: is called with what is wrong with an installed network that nobody asked for.
    func model(
        at path: String? = nil, in models: InstalledModels = .standard, unless wantsCascade: Bool = false,
        warn: (ElementError) -> Void
    ) throws -> FaceModel? {
        guard self != .cascade else { return nil }
        if let path { return try FaceModel(path: path) }
        guard self == .auto else {
            guard let known = try models.known(FaceModel.self) else { throw models.absence }
            return known
        }
        guard !wantsCascade else { return nil }
        do {
            return try models.known(FaceModel.self)
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
    /// What is wrong if there is no network that detects faces.
    fileprivate var absence: ElementError {
        ElementError(
            .notFound,
            "detector=network needs \(FaceModel.fileName), which is not in \(folders.joined(separator: ", ")). Run "
                + "\"./launch models get yunet\" or \"swiftvision models get yunet\", or set model to a network file.")
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
