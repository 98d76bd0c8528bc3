// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// The value of the property `partner-points`: the positions of a partner's landmarks, in pixels of its image.
struct PartnerPoints: Sendable, Hashable {
    /// Species of the partner; nil for the species of the detected face, or a cat if no face is detected.
    var species: Species?
    /// Left eye, right eye and nose; then the mouth and the chin, if they are given.
    var points: [Point]

    /// Creates the value from a text such as `120,80 182,81 150,120`. Nil for an empty text.
    /// - Throws: `ElementError` with the reason `settings` if the text is not a valid value.
    init?(_ text: String?) throws {
        var words = (text ?? "").split { $0 == " " || $0 == ";" }
        guard let first = words.first?.lowercased() else { return nil }
        species = first == "cat" ? .cat : first == "human" ? .human : nil
        if species != nil { words.removeFirst() }
        points = words.compactMap { word in
            let numbers = word.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
            guard numbers.count == 2, numbers.allSatisfy({ $0.magnitude < 1e6 }) else { return nil }
            return Point(numbers[0], numbers[1])
        }
        guard points.count == words.count, (3...5).contains(points.count), face(species ?? .cat).isSound else {
            throw ElementError(
                .settings,
                "partner-points=\(text ?? ""): \(Self.rule)")
        }
    }

    private static let rule =
        "not valid. Give the positions of left eye, right eye, nose, mouth and chin in pixels, such as "
        + "\"120,80 182,81 150,120 150,135 150,160\". Mouth and chin are optional."

    /// Returns an error message without the name of the property if the text is not a valid value; otherwise nil.
    @Sendable static func obstacle(_ text: String) -> String? {
        do {
            _ = try PartnerPoints(text)
            return nil
        } catch {
            return rule
        }
    }

    /// Returns the face with these points. Other points are estimated.
    func face(_ species: Species) -> FacePoints {
        let (left, right, nose) = (points[0], points[1], points[2])
        let middle = Point((left.x + right.x) / 2, (left.y + right.y) / 2)
        let across = Point(right.x - left.x, right.y - left.y)
        let distance = (across.x * across.x + across.y * across.y).squareRoot()
        let size = 2.4 * distance
        let center = Point(middle.x - 0.5 * across.y, middle.y + 0.5 * across.x)
        let box = Box(center: center, width: size, height: size)
        var landmarks = FaceLandmarks(
            leftEye: left, rightEye: right, nose: nose, mouthLeft: nose, mouthRight: nose, isMouthFound: false)
        let isHuman = species == .human
        let mouth =
            points.count > 3
            ? points[3] : isHuman ? nil : Point(nose.x + 0.4 * (nose.x - middle.x), nose.y + 0.4 * (nose.y - middle.y))
        if let mouth {
            let half = isHuman ? 0.4 : 0.3
            landmarks.mouthLeft = Point(mouth.x - half * across.x, mouth.y - half * across.y)
            landmarks.mouthRight = Point(mouth.x + half * across.x, mouth.y + half * across.y)
            landmarks.isMouthFound = true
        }
        return FacePoints(species: species, box: box, landmarks: landmarks, chin: points.count > 4 ? points[4] : nil)
    }
}
