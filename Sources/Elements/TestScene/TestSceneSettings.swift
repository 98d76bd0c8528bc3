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
            "Maximum number of faces or things; small frames have fewer (default: 6 in scenes with paper, otherwise "
                + "2)"),
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
            "Direction of hard shadows and of the loss of light, in degrees clockwise from the right"),
        Property(
            "light-falloff", \.lightFalloff, in: 0...1,
            "Fraction of the light that is lost between one corner of the paper and the opposite corner"),
        Property(
            "training-location", \.trainingLocation,
            "Folder to which a training set is written at the start: of household things with scene=things, "
                + "otherwise of coins and beans (none = off)", flags: .mutableReady),
    ]
}

extension Scene.Kind: PropertyEnum {
    package static var typeName: String { "GstSvScene" }

    package static let members: [(value: Self, blurb: String)] = [
        (.faces, "Human faces"), (.cats, "Cat faces"), (.both, "Human and cat faces, alternately"),
        (.coins, "Coins and beans on a sheet of paper that covers the video"),
        (.things, "Twenty kinds of household things on a sheet of paper that covers the video"),
        (.people, "People who turn and talk; all seeds use the same twelve people"),
        (.logo, "A logo on a wall of letters and shapes that covers the video"),
        (.doubles, "Three people of scene=people, each with a stranger who looks similar"),
        (.green, "A person who waves in front of a green wall that covers the video"),
        (.matte, "The matte of scene=green: white person, black wall"),
    ]
}
