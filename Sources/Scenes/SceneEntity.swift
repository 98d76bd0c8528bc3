// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// An entity of a scene and its position at a time: the ground truth for detectors.
@dynamicMemberLookup
package struct SceneEntity: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case human, cat, object, logo
    }

    /// Number of the entity in its scene, starting at 1. It does not change over time.
    package let id: Int
    package let kind: Kind
    /// The object in the scenes `coins` and `things`; nil in other scenes.
    package let object: SceneObject?
    /// The person in the scenes `people` and `doubles`; nil in other scenes.
    package let person: ScenePerson?
    /// The rectangle that a detector should report, in pixels. For a face, it is a square, which may extend beyond the
    /// frame. For other entities, it is the bounding box.
    package let rectangle: Rectangle
    /// Clockwise rotation in degrees.
    package let tilt: Double
    /// The landmarks of a face. For other entities, all landmarks are at the centre.
    package let landmarks: FaceLandmarks

    /// Bounding box of the drawing, in pixels.
    let sprite: Rectangle
    /// Index of the drawn portrait in `EntityPath.portraits`.
    let portrait: Int

    package subscript<Value>(dynamicMember path: KeyPath<FaceLandmarks, Value>) -> Value { landmarks[keyPath: path] }
}
