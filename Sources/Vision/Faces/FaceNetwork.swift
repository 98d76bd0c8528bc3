// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A network that finds faces with five points: YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector",
/// Machine Intelligence Research 20, 2023), run by OpenCV's `dnn`. One thread at a time may use it.
package final class FaceNetwork {
    /// A face that it sees, in pixels of the searched picture.
    package struct Find: Sendable {
        package var box: Box
        /// 0…1.
        package var confidence: Double
        package var landmarks: FaceLandmarks
    }

    private let object: OpenCVObject

    package init(bytes: [UInt8]) throws(VisionError) {
        object = try OpenCVObject { error in
            bytes.withUnsafeBufferPointer { sv_cv_face_network_create($0.baseAddress, $0.count, error) }
        }
    }

    /// Searches a picture, grey or B G R, as one of `width` x `height`. Returns each face once, the most confident first.
    package func finds(
        in plane: Image, width: Int, height: Int, minConfidence: Double, usesThreads: Bool = false
    ) throws(VisionError) -> [Find] {
        guard !plane.isEmpty, width > 0, height > 0 else { return [] }
        let search = SVCVFaceSearch(
            width: Int32(clamping: width), height: Int32(clamping: height), minConfidence: minConfidence,
            usesThreads: usesThreads)
        let cells = try lent { sv_cv_face_network_detect(object.handle, plane.openCV, search, $0, $1, $2) }.map {
            face in
            let points = face.points
            return Find(
                box: Box(x: face.x, y: face.y, width: face.width, height: face.height), confidence: face.confidence,
                landmarks: FaceLandmarks(
                    leftEye: Point(points.0), rightEye: Point(points.1), nose: Point(points.2),
                    mouthLeft: Point(points.3), mouthRight: Point(points.4)))
        }
        return cells.distinct
    }
}

extension [FaceNetwork.Find] {
    /// The most confident of those that overlap, sorted by confidence: several cells of a network see the same face.
    var distinct: [FaceNetwork.Find] {
        var kept: [FaceNetwork.Find] = []
        for find in sorted(by: { $0.confidence > $1.confidence })
        where kept.allSatisfy({ $0.box.intersectionOverUnion(find.box) <= 0.4 }) {
            kept.append(find)
        }
        return kept
    }
}
