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
            get { ownCount ?? (scene.isOnPaper || scene == .walkers ? 6 : 2) }
            set { ownCount = newValue }
        }

        var light: SceneLight { SceneLight(shadow: shadow, angle: shadowAngle, falloff: lightFalloff) }
    }

    static let properties: [Property<Settings>] = [
        Property("scene", \.scene, "Scene to draw"),
        Property(
            "count", \.count, in: 0...100,
            "Maximum number of objects (if not set: 6 with scene=coins, scene=things or scene=walkers, otherwise 2). "
                + "Small frames have fewer objects"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Seed of the objects and their paths. The same seed gives the same scene"),
        Property(
            "speed", \.speed, in: 0...100,
            "Speed of the objects (1 = about 10 s for a movement back and forth, 0 = no movement)"),
        Property(
            "shadow", \.shadow, in: 0...1,
            "Length of hard shadows, as a fraction of the object's longer side (0 = soft shadows)"),
        Property(
            "shadow-angle", \.shadowAngle, in: 0...360,
            "Direction in which hard shadows fall and the frame becomes darker, in degrees (0 = right, 90 = down)"),
        Property(
            "light-falloff", \.lightFalloff, in: 0...1,
            "Decrease of the light from the brightest to the darkest corner of the frame, as a fraction (0 = even "
                + "light, 1 = black corner). Used only with scene=coins and scene=things"),
        Property(
            "training-location", \.trainingLocation,
            "Folder in which svtestscene writes a training set at the start (none = off). With scene=things, the set "
                + "contains household things. With all other scenes, the set contains coins and beans",
            flags: .mutableReady),
    ]
}

extension Scene.Kind: PropertyEnum {
    package static var typeName: String { "GstSvScene" }

    package static let members: [(value: Self, blurb: String)] = [
        (.faces, "Human faces"), (.cats, "Cat faces"), (.both, "Human and cat faces, alternately"),
        (.coins, "Coins and beans on a sheet of paper that covers the video"),
        (.things, "Household things on a sheet of paper that covers the video"),
        (.people, "Twelve people who turn and talk. Every seed shows the same people"),
        (.logo, "A logo on a wall of letters and shapes that covers the video"),
        (.doubles, "Three people of scene=people, each with a double who looks similar"),
        (.green, "A person who waves in front of a green wall that covers the video"),
        (.matte, "The matte of scene=green: a white person on black"),
        (.walkers, "People and cats who walk, stop and cross on a floor that covers the video"),
    ]
}
