// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// The values of the property `algorithm`.
enum AlgorithmChoice: Int32, PropertyEnum {
    case lbph, eigenfaces, fisherfaces, embedding, auto
    static let typeName = "GstSvFaceAlgorithm"

    static let members: [(value: Self, blurb: String)] = [
        (.lbph, "Histograms of local binary patterns"), (.eigenfaces, "Principal components of all learned faces"),
        (.fisherfaces, "Linear discriminants, which separate people"),
        (.embedding, "Vectors from a neural network"),
        (
            .auto,
            "The algorithm of the model file. If no model file is set: embedding if MobileFaceNet is installed, "
                + "otherwise lbph"
        ),
    ]

    /// The algorithm; nil for `auto`.
    var algorithm: Recognizer.Algorithm? { Recognizer.Algorithm(rawValue: rawValue) }

    init(_ algorithm: Recognizer.Algorithm) { self = Self(rawValue: algorithm.rawValue) ?? .auto }
}

/// A recognition algorithm, with its network if the algorithm needs one.
struct RecognitionMethod: Sendable {
    let algorithm: Recognizer.Algorithm
    /// The network of `embedding`; nil for the other algorithms.
    let model: EmbeddingModel?

    static let lbph = RecognitionMethod(.lbph)

    /// - Parameter algorithm: an algorithm that compares images, not `embedding`.
    init(_ algorithm: Recognizer.Algorithm) { (self.algorithm, model) = (algorithm, nil) }

    init(_ model: EmbeddingModel) { (algorithm, self.model) = (.embedding, model) }

    /// The form of faces that the method compares: images, or vectors of a network.
    var kind: KnownFace.Kind { model.map { .embedding(network: $0.digest) } ?? .sample }

    /// Returns a model file with the faces of a gallery, but without faces that the method cannot compare.
    func file(_ gallery: Gallery) -> ModelFile {
        ModelFile(gallery: gallery, algorithm: algorithm, network: model?.digest ?? "")
    }

    /// Checks that the method can compare the faces of a model file.
    /// - Throws: `ElementError` if the method needs faces in another form: images, or vectors of another network.
    func check(_ file: ModelFile, at path: String) throws {
        guard file.kind != kind else { return }
        let problem =
            switch (file.kind, kind) {
            case (.embedding(let fileNetwork), .embedding(let network)):
                "the file is for another network. The SHA-256 of that network begins with \(fileNetwork.prefix(8)). The "
                    + "SHA-256 of the current network begins with \(network.prefix(8)). Set embedding-model to the network "
                    + "of the file, or collect the faces again."
            case (.embedding, .sample):
                "algorithm=\(algorithm) compares images of faces, but the file contains vectors. Set algorithm to embedding "
                    + "or auto, or collect the faces again."
            case (.sample, _):
                "the file is for algorithm=\(file.algorithm). Set algorithm to auto, or collect the faces again."
            }
        throw ElementError(.unsuitable, "cannot use \"\(path)\": \(problem)")
    }
}

/// Selects the recognition method for the settings, and caches the network that was read last.
struct RecognitionMethods: Sendable {
    private var network: (path: String?, model: EmbeddingModel)?

    /// Discards the cached network, so that the next call of `method` reads the file again.
    mutating func reset() { network = nil }

    /// Returns the method for the settings.
    /// - Parameters:
    ///   - stated: the algorithm of the model file, which applies if the user has not set `algorithm`.
    ///   - warn: called with an error if no algorithm is set and the installed network cannot be read. The method is
    ///     then LBPH.
    mutating func method(
        _ settings: FaceRecognize.Settings, stated: Recognizer.Algorithm?, models: InstalledModels = .standard,
        warn: (ElementError) -> Void
    ) throws -> RecognitionMethod {
        let path = settings.embeddingModel.value
        switch settings.ownAlgorithm?.algorithm ?? stated {
        case .embedding?:
            guard let model = try model(path, models) else { throw models.noEmbedding(for: "algorithm=embedding") }
            return RecognitionMethod(model)
        case let algorithm?: return RecognitionMethod(algorithm)
        case nil:
            do {
                return try model(path, models).map { RecognitionMethod($0) } ?? .lbph
            } catch {
                guard path == nil else { throw error }
                let error = ElementError(error)
                warn(
                    ElementError(
                        error.reason, error.message + " svfacerecognize uses algorithm=lbph instead.",
                        details: error.details))
                return .lbph
            }
        }
    }

    /// Returns the network at a path, or the installed network if the path is nil; nil if no network is installed.
    private mutating func model(_ path: String?, _ models: InstalledModels) throws -> EmbeddingModel? {
        if let network, network.path == path { return network.model }
        guard let model = try path.map({ try EmbeddingModel(path: $0) }) ?? models.installed(EmbeddingModel.self) else {
            return nil
        }
        network = (path, model)
        return model
    }
}

extension InstalledModels {
    /// Returns the error for a missing network.
    /// - Parameter user: the setting that needs the network, such as `algorithm=embedding`.
    func noEmbedding(for user: String) -> ElementError {
        ElementError(
            .notFound,
            "\(user) needs \(EmbeddingModel.fileName), which is not in \(folders.joined(separator: ", ")). Run "
                + "\"./launch models get mobilefacenet\" or \"swiftvision models get mobilefacenet\". Or set "
                + "embedding-model to a network file.")
    }
}
