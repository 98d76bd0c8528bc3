// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// The ground truth for detectors: an entity of a scene, with its position at a time.
@dynamicMemberLookup
package struct SceneEntity: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case human, cat, object, logo
        /// A whole person or a whole cat, in the scene `walkers`.
        case walker, walkingCat
    }

    /// Number of the entity in its scene, starting at 1. The number does not change over time.
    package let id: Int
    package let kind: Kind
    /// The object in the scenes `coins` and `things`; nil in other scenes.
    package let object: SceneObject?
    /// The person in the scenes `people` and `doubles`; nil in other scenes.
    package let person: ScenePerson?
    /// The rectangle that a detector should report, in pixels. For a face, the rectangle is a square, which may extend
    /// beyond the frame. For other entities, the rectangle is the bounding box. Entities of the scene `walkers` may be
    /// outside of the frame.
    package let rectangle: Rectangle
    /// Clockwise rotation of the entity in degrees.
    package let tilt: Double
    /// The landmarks of a face, such as the eyes. If the entity is not a face, all landmarks are at its centre.
    package let landmarks: FaceLandmarks

    /// Bounding box of the entity's drawing, in pixels.
    let sprite: Rectangle
    /// The current portrait of the entity, as an index in `EntityPath.portraits`.
    let portrait: Int

    package subscript<Value>(dynamicMember path: KeyPath<FaceLandmarks, Value>) -> Value { landmarks[keyPath: path] }
}
