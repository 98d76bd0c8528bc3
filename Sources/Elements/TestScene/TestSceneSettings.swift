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
        Property("scene", \.scene, "Who plays in the scene"),
        Property(
            "count", \.count, in: 0...100,
            "How many actors; as many of them as the frame has room for; by itself 2, on paper 6"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Another number gives other actors on other paths, the same number always the same ones"),
        Property(
            "speed", \.speed, in: 0...100,
            "How fast the actors move: 1 takes them along their paths in about ten seconds, 0 gives a still"),
        Property(
            "shadow", \.shadow, in: 0...1,
            "How far hard shadows fall on the paper: 1 by as much as the thing is long; 0 leaves the soft ones"),
        Property(
            "shadow-angle", \.shadowAngle, in: 0...360,
            "Direction in which hard shadows fall and the light falls off, in degrees clockwise from the right"),
        Property(
            "light-falloff", \.lightFalloff, in: 0...1,
            "Share of the light on the paper that is lost from one corner to the opposite one"),
        Property(
            "training-location", \.trainingLocation,
            "Folder where training pictures of what scene=things draws, or else scene=coins, are written at the "
                + "start, with training.plist; none: nowhere", flags: .mutableReady),
    ]
}

extension Scene.Kind: PropertyEnum {
    package static var typeName: String { "GstSvScene" }

    package static let members: [(value: Self, blurb: String)] = [
        (.faces, "Human faces"), (.cats, "Cats' faces"), (.both, "Humans and cats in turns"),
        (.coins, "Coins and beans on a sheet of paper, which hides the stream"),
        (.things, "Twenty kinds of household things on a sheet of paper"),
        (.people, "Twelve people who look the same in all scenes, and turn and talk"),
        (.logo, "A logo before a wall of letters and shapes, which hides the stream"),
        (.doubles, "Three of those people, each with a stranger who resembles her or him"),
        (.green, "Somebody who waves before a green wall, which hides the stream"),
        (.matte, "The matte of scene=green: white for the figure, black for the wall"),
    ]
}
