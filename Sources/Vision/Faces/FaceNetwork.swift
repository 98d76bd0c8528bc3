// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A network that detects faces with five landmarks: YuNet or CenterFace. OpenCV's `dnn` runs the network. Only one
/// thread at a time may use an instance.
package final class FaceNetwork {
    /// A face detection, in pixels of the searched image.
    package struct Find: Sendable {
        package var box: Box
        /// Confidence of the network, 0…1.
        package var confidence: Double
        package var landmarks: FaceLandmarks
    }

    private let network: Network
    private let decoder: any FaceDecoder

    /// Checks the contents of an ONNX file, and creates a network from the contents.
    package convenience init(bytes: [UInt8]) throws(VisionError) { try self.init(try Self.checked(bytes)) }

    init(_ file: ONNXFile) throws(VisionError) {
        let shapes = file.outputs.map(\.shape)
        guard let decoder: any FaceDecoder = YuNetFaces(shapes) ?? CenterFaces(shapes) else {
            throw VisionError(description: "the outputs do not match YuNet or CenterFace")
        }
        self.decoder = decoder
        network = try Network(file, channels: .levels(decoder.order))
    }

    static func checked(_ bytes: [UInt8]) throws(VisionError) -> ONNXFile {
        do {
            return try ONNXFile(bytes, input: .anySize)
        } catch {
            throw VisionError(description: error.description)
        }
    }

    /// Returns the faces in an image, sorted by descending confidence, without overlapping duplicates.
    /// - Parameters:
    ///   - plane: a grey or colour image.
    ///   - width: the width in pixels to which the image is scaled for the network.
    ///   - height: the height in pixels to which the image is scaled for the network.
    ///   - minConfidence: the minimum confidence of a face, 0…1.
    package func finds(
        in plane: Image, width: Int, height: Int, minConfidence: Double, usesThreads: Bool = false
    ) throws(VisionError) -> [Find] {
        guard !plane.isEmpty, width > 0, height > 0 else { return [] }
        let result = try network.run(
            Network.Input(image: plane, width: width, height: height, usesThreads: usesThreads))
        let scale = Point(Double(plane.width) / Double(width), Double(plane.height) / Double(height))
        return decoder.faces(in: result, minConfidence: minConfidence).compactMap { $0.scaled(scale) }.distinct
    }
}

/// Decodes the outputs of a network architecture into faces.
protocol FaceDecoder {
    /// Order of the colour channels in the network's input. The input values are levels 0…255.
    var order: Network.Channels.Order { get }

    /// Returns a face for each cell of the output grids whose confidence is at least `minConfidence`. The faces are in
    /// pixels of the input. Several cells may show the same face.
    func faces(in result: Network.Result, minConfidence: Double) -> [FaceNetwork.Find]
}

extension FaceNetwork.Find {
    /// Returns the face with its coordinates multiplied by `scale`. Returns nil if a coordinate is not finite or too
    /// large, or if the box is empty.
    fileprivate func scaled(_ scale: Point) -> FaceNetwork.Find? {
        func isSound(_ point: Point) -> Bool { point.x.magnitude < 1e6 && point.y.magnitude < 1e6 }
        func scaled(_ point: Point) -> Point { Point(point.x * scale.x, point.y * scale.y) }
        var face = self
        face.box = Box(
            x: box.x * scale.x, y: box.y * scale.y, width: box.width * scale.x, height: box.height * scale.y)
        face.landmarks = landmarks.moved(scaled)
        let points = face.landmarks
        let all = [points.leftEye, points.rightEye, points.nose, points.mouthLeft, points.mouthRight, face.box.corner]
        // For NaN, these comparisons are false, so a face with NaN is dropped.
        let hasSize = face.box.width > 0 && face.box.width < 1e6 && face.box.height > 0 && face.box.height < 1e6
        return hasSize && all.allSatisfy(isSound) ? face : nil
    }
}

extension [FaceNetwork.Find] {
    /// Maximum number of faces that `distinct` compares with each other. The maximum limits the time.
    private static let maxCells = 10_000

    /// The most confident face of each group of overlapping faces, sorted by descending confidence.
    var distinct: [FaceNetwork.Find] {
        var kept: [FaceNetwork.Find] = []
        for find in sorted(by: { $0.confidence > $1.confidence }).prefix(Self.maxCells)
        where kept.allSatisfy({ $0.box.intersectionOverUnion(find.box) <= 0.4 }) {
            kept.append(find)
        }
        return kept
    }
}
