// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// An entity of a scene, and where it is at one time: the truth that a detector should find.
@dynamicMemberLookup
package struct SceneEntity: Sendable, Hashable {
    package enum Kind: Sendable, CaseIterable {
        case human, cat, object, logo
    }

    /// 1 for the first entity of a scene, and so on; the same at all times.
    package let id: Int
    package let kind: Kind
    /// The object, in the scenes `coins` and `things`.
    package let object: SceneObject?
    /// The person, in the scene `people`.
    package let person: ScenePerson?
    /// Bounds in pixels: of a face the square that a cascade finds, never cut off; of others the smallest rectangle.
    package let rectangle: Rectangle
    /// Degrees clockwise.
    package let tilt: Double
    /// Points of the face; for anything else, all are in its middle.
    package let landmarks: FaceLandmarks

    /// Bounds of everything that is drawn, in pixels.
    let sprite: Rectangle
    /// Index of the path's portrait that is shown.
    let portrait: Int

    package subscript<Value>(dynamicMember path: KeyPath<FaceLandmarks, Value>) -> Value { landmarks[keyPath: path] }
}
