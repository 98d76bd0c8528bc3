// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A person of the scenes `people` and `doubles`. A person looks the same in all scenes and with all seeds.
package enum ScenePerson: CaseIterable, Sendable {
    case ada, ben, cleo, dan, eva, finn, gina, hugo, iris, jack, kim, leo
    /// Lookalikes of Ada, Ben and Cleo. A lookalike has the same hair and colours, but slightly different proportions.
    case ana, bert, cora

    /// The people of the scene `people`.
    package static let regulars: [ScenePerson] = allCases.filter { $0.double == nil }
    /// The people of the scene `doubles`, in pairs.
    package static let doubles: [ScenePerson] = [.ada, .ana, .ben, .bert, .cleo, .cora]

    /// The person to whom a lookalike is similar; nil for all other people.
    package var double: ScenePerson? {
        switch self {
        case .ana: .ada
        case .bert: .ben
        case .cora: .cleo
        case .ada, .ben, .cleo, .dan, .eva, .finn, .gina, .hugo, .iris, .jack, .kim, .leo: nil
        }
    }

    package var name: String {
        let name = "\(self)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Number of the person, starting at 1.
    package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}

/// Features of a face that differ between people. Lengths are in units of a portrait (1/200 of its size).
struct Features: Sendable {
    enum Hair: Sendable {
        case long, short, bald, fringe, curls, parting
    }

    /// `skin`: brightness of the skin, 0…255. `complexion`: colour of the skin.
    var skin = 180.0
    var complexion = Color(1.08, 0.9, 0.77)
    /// The colour of the brows, the eyelashes and the line between the lips.
    var dark = 0.8 * Color(38, 32, 28)
    var iris = Color(30, 28, 26)
    var lipColor = Color(160, 86, 88)
    var hair = Hair.short
    var hairColor = Color(41, 34, 27)
    /// Half the width and half the height of the face.
    var width = 76.0
    var height = 121.0
    /// Half the distance between the eyes.
    var eyes = 36.0
    var eyeHeight = 7.0
    var browHeight = 3.5
    /// Rotation of the eyebrows in degrees. If the angle is greater than 0, the outer ends are lower than the inner
    /// ends.
    var browTilt = 2.0
    var noseLength = 27.0
    var noseWidth = 8.0
    var mouthWidth = 20.0
    var lips = 9.5
    /// The width of the line between the lips, divided by the width of the lips.
    var mouthLine = 0.92
    var beard = 0.0
    var moustache = 0.0
    var glasses = 0.0
    var freckles = false
    var shirt = Color(70, 90, 130)
    /// Factor for the width of soft edges in the face.
    var edge = 1.0
}

extension ScenePerson {
    var features: Features {
        switch self {
        case .ada:
            Features(skin: 188, hair: .long, hairColor: Color(84, 48, 26), browHeight: 2.6, lips: 11, freckles: true)
        case .ben:
            Features(skin: 172, width: 77, browHeight: 4.6, beard: 0.5, moustache: 0.7, shirt: Color(120, 60, 60))
        case .cleo:
            Features(
                skin: 192, hair: .fringe, hairColor: Color(24, 22, 24), width: 72, height: 118, eyeHeight: 8,
                mouthWidth: 17, lips: 12, shirt: Color(70, 110, 90))
        case .dan:
            Features(
                skin: 186, hair: .bald, width: 77, browTilt: -3, mouthWidth: 22, glasses: 1, shirt: Color(90, 90, 100))
        case .eva:
            Features(
                skin: 165, hair: .curls, hairColor: Color(66, 44, 28), noseWidth: 10, mouthWidth: 22, lips: 12,
                shirt: Color(150, 120, 70))
        case .finn:
            Features(
                skin: 190, hair: .parting, hairColor: Color(78, 52, 26), width: 75, noseLength: 24, mouthWidth: 22,
                freckles: true)
        case .gina:
            Features(
                skin: 182, hair: .long, hairColor: Color(70, 68, 68), browTilt: 5, mouthWidth: 16, lips: 8, glasses: 1,
                shirt: Color(110, 70, 110))
        case .hugo:
            Features(
                skin: 176, hair: .parting, hairColor: Color(28, 26, 28), browHeight: 5, browTilt: -4, noseLength: 31,
                noseWidth: 10, moustache: 1, shirt: Color(120, 60, 60))
        case .iris:
            Features(
                skin: 170, hair: .fringe, hairColor: Color(84, 48, 26), width: 77, eyeHeight: 8.5, lips: 10,
                glasses: 0.8)
        case .jack:
            Features(
                skin: 178, hair: .bald, width: 78, browHeight: 5, noseWidth: 10, beard: 0.6, moustache: 1,
                shirt: Color(70, 110, 90))
        case .kim:
            Features(
                skin: 193, hairColor: Color(28, 26, 28), width: 74, eyes: 34, eyeHeight: 5.5, noseLength: 24,
                mouthWidth: 17, shirt: Color(90, 90, 100))
        case .leo:
            Features(
                skin: 184, hair: .curls, hairColor: Color(36, 30, 28), width: 75, browTilt: 4, mouthWidth: 23,
                beard: 0.35, shirt: Color(150, 120, 70))
        case .ana:
            Features(
                skin: 184, hair: .long, hairColor: Color(84, 48, 26), width: 74, height: 119, eyes: 34.5,
                eyeHeight: 6.5,
                browHeight: 3.2, browTilt: 4, noseLength: 25, noseWidth: 9, mouthWidth: 18, lips: 10, freckles: true)
        case .bert:
            Features(
                skin: 176, width: 75, height: 119, eyes: 37.5, eyeHeight: 7.5, browHeight: 4, browTilt: 0,
                noseLength: 29,
                noseWidth: 9, mouthWidth: 22, lips: 8.5, beard: 0.45, moustache: 0.8, shirt: Color(120, 60, 60))
        case .cora:
            Features(
                skin: 188, hair: .fringe, hairColor: Color(24, 22, 24), width: 74, height: 120, eyes: 35,
                eyeHeight: 7.3,
                browHeight: 3, browTilt: 0, noseLength: 25, noseWidth: 9, mouthWidth: 19, lips: 10.5,
                shirt: Color(70, 110, 90))
        }
    }
}

/// The expression of a person and the light on the face. People turn and talk, and the direction of the light changes.
struct Expression: Sendable {
    /// Offsets of the face in units of a portrait (1/200 of its size). `turn` is the offset to the side, and `nod` is
    /// the downward offset.
    var turn = 0.0
    var nod = 0.0
    /// `open`: how far the mouth is open, 0…1. `smile`: angle by which the corners of the mouth point up, in degrees.
    var open = 0.0
    var smile = 10.0
    var brows = 0.0
    /// Darkness of one side of the face, −1…1. Negative values darken the left side, and positive values darken the
    /// right side.
    var shade = 0.0

    static let all = [
        Expression(),
        Expression(turn: -5, smile: 4, shade: 0.5),
        Expression(open: 0.5, smile: 3, brows: -3),
        Expression(turn: 5, nod: 2, shade: -0.5),
        Expression(nod: -3, smile: 15, brows: -2, shade: 0.35),
        Expression(turn: 3, nod: 3, open: 1, smile: 0),
        Expression(turn: -3, nod: -2, smile: -4, brows: 2, shade: -0.35),
        Expression(turn: -6, nod: 2, open: 0.3, smile: 12),
    ]
}

/// Selects which of an entity's portraits is visible at each time, in an endless sequence. The portrait of a person
/// changes about once per second.
struct PortraitCycle: Sendable {
    private let count: Int
    /// Number of portraits per second.
    private let rate: Double
    private let phase: Double

    init(count: Int, speed: Double, _ random: inout SeededRandom) {
        self.count = count
        (rate, phase) = count > 1 ? (speed * random.between(1.1, 1.5), random.between(0, Double(count))) : (0, 0)
    }

    /// - Parameter rate: number of portraits per second.
    init(count: Int, rate: Double) { (self.count, self.rate, phase) = (count, rate, 0) }

    /// Returns the index of the portrait at a time, 0 ..< `count`.
    func index(at time: Double) -> Int {
        guard count > 1 else { return 0 }
        let turns = (rate * time + phase) / Double(count)
        guard turns.magnitude < 1e9 else { return 0 }
        return min(count - 1, max(0, Int((turns - turns.rounded(.down)) * Double(count))))
    }
}
