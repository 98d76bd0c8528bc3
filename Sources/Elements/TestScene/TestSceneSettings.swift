// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Scenes

extension TestScene {
    struct Settings: ElementSettings {
        var scene = Scene.Kind.faces
        private var ownCount: UInt32?
        var seed: UInt32 = 0
        var speed = 1.0
        var shadow = 0.0
        var shadowAngle = 45.0
        var lightFalloff = 0.0
        var trainingLocation: String?

        var count: UInt32 {
            get { ownCount ?? (scene.isOnPaper ? 6 : 2) }
            set { ownCount = newValue }
        }

        var light: SceneLight { SceneLight(shadow: shadow, angle: shadowAngle, falloff: lightFalloff) }
    }

    static let properties: [Property<Settings>] = [
        Property("scene", \.scene, "Scene to draw"),
        Property(
            "count", \.count, in: 0...100,
            "Number of faces or things, limited by the size of the frame (if not set, 2, or 6 on paper)"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Seed of the faces or things and their paths; the same seed gives the same scene"),
        Property(
            "speed", \.speed, in: 0...100,
            "Speed of movement (1 = along the whole path in about 10 s, 0 = still)"),
        Property(
            "shadow", \.shadow, in: 0...1,
            "Length of hard shadows on the paper, as a fraction of the thing's length (0 = soft shadows)"),
        Property(
            "shadow-angle", \.shadowAngle, in: 0...360,
            "Direction of hard shadows and of the falloff of light, in degrees clockwise from the right"),
        Property(
            "light-falloff", \.lightFalloff, in: 0...1,
            "Fraction of light that is lost from one corner of the paper to the opposite one"),
        Property(
            "training-location", \.trainingLocation,
            "Folder for training images of the things of scene=things, or else scene=coins, written at the start with "
                + "training.plist (none = off)", flags: .mutableReady),
    ]
}

extension Scene.Kind: PropertyEnum {
    package static var typeName: String { "GstSvScene" }

    package static let members: [(value: Self, blurb: String)] = [
        (.faces, "Human faces"), (.cats, "Cat faces"), (.both, "Human and cat faces in turn"),
        (.coins, "Coins and beans on a sheet of paper that covers the video"),
        (.things, "Twenty kinds of household things on a sheet of paper that covers the video"),
        (.people, "Twelve people, the same in all scenes, who turn and talk"),
        (.logo, "A logo on a wall of letters and shapes that covers the video"),
        (.doubles, "Three of these people, each with a stranger who looks similar"),
        (.green, "A person who waves in front of a green wall that covers the video"),
        (.matte, "The matte of scene=green: the person white, the wall black"),
    ]
}
