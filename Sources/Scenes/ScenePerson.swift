internal import Imaging

/// A person of the scene `people`, who looks the same in all scenes, whatever the seed.
package enum ScenePerson: CaseIterable, Sendable {
    case ada, ben, cleo, dan, eva, finn, gina, hugo, iris, jack, kim, leo

    package var name: String {
        let name = "\(self)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// 1 for the first one, and so on.
    package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}

/// Features that tell people apart, in units of a portrait.
struct Features: Sendable {
    enum Hair: Sendable {
        case long, short, bald, fringe, curls, parting
    }

    var skin = 180.0
    var hair = Hair.short
    var hairColor = Color(41, 34, 27)
    /// Half the width and half the height of the face.
    var width = 76.0
    var height = 121.0
    /// Half the distance between the eyes.
    var eyes = 36.0
    var eyeHeight = 7.0
    var browHeight = 3.5
    /// Degrees; the outer ends are lower where it is positive.
    var browTilt = 2.0
    var noseLength = 27.0
    var noseWidth = 8.0
    var mouthWidth = 20.0
    var lips = 9.5
    var beard = 0.0
    var moustache = 0.0
    var glasses = 0.0
    var freckles = false
    var shirt = Color(70, 90, 130)
}

extension ScenePerson {
    var features: Features {
        var its = Features()
        switch self {
        case .ada:
            (its.hair, its.hairColor, its.skin) = (.long, Color(84, 48, 26), 188)
            (its.lips, its.browHeight, its.freckles) = (11, 2.6, true)
        case .ben:
            (its.hair, its.hairColor, its.skin) = (.short, Color(41, 34, 27), 172)
            (its.beard, its.moustache, its.width, its.browHeight) = (0.5, 0.7, 77, 4.6)
            its.shirt = Color(120, 60, 60)
        case .cleo:
            (its.hair, its.hairColor, its.skin) = (.fringe, Color(24, 22, 24), 192)
            (its.width, its.height, its.eyeHeight, its.lips, its.mouthWidth) = (72, 118, 8, 12, 17)
            its.shirt = Color(70, 110, 90)
        case .dan:
            (its.hair, its.skin, its.glasses) = (.bald, 186, 1)
            (its.width, its.browTilt, its.mouthWidth) = (77, -3, 22)
            its.shirt = Color(90, 90, 100)
        case .eva:
            (its.hair, its.hairColor, its.skin) = (.curls, Color(66, 44, 28), 165)
            (its.noseWidth, its.lips, its.mouthWidth) = (10, 12, 22)
            its.shirt = Color(150, 120, 70)
        case .finn:
            (its.hair, its.hairColor, its.skin) = (.parting, Color(78, 52, 26), 190)
            (its.freckles, its.width, its.noseLength, its.mouthWidth) = (true, 75, 24, 22)
        case .gina:
            (its.hair, its.hairColor, its.skin) = (.long, Color(70, 68, 68), 182)
            (its.glasses, its.mouthWidth, its.lips, its.browTilt) = (1, 16, 8, 5)
            its.shirt = Color(110, 70, 110)
        case .hugo:
            (its.hair, its.hairColor, its.skin) = (.parting, Color(28, 26, 28), 176)
            (its.moustache, its.noseLength, its.noseWidth, its.browHeight, its.browTilt) = (1, 31, 10, 5, -4)
            its.shirt = Color(120, 60, 60)
        case .iris:
            (its.hair, its.hairColor, its.skin) = (.fringe, Color(84, 48, 26), 170)
            (its.glasses, its.width, its.eyeHeight, its.lips) = (0.8, 77, 8.5, 10)
        case .jack:
            (its.hair, its.skin, its.beard) = (.bald, 178, 0.6)
            (its.moustache, its.width, its.browHeight, its.noseWidth) = (1, 78, 5, 10)
            its.shirt = Color(70, 110, 90)
        case .kim:
            (its.hair, its.hairColor, its.skin) = (.short, Color(28, 26, 28), 193)
            (its.width, its.eyeHeight, its.eyes, its.noseLength, its.mouthWidth) = (74, 5.5, 34, 24, 17)
            its.shirt = Color(90, 90, 100)
        case .leo:
            (its.hair, its.hairColor, its.skin) = (.curls, Color(36, 30, 28), 184)
            (its.beard, its.width, its.mouthWidth, its.browTilt) = (0.35, 75, 23, 4)
            its.shirt = Color(150, 120, 70)
        }
        return its
    }
}

/// Appearance of somebody at one time: people turn and talk, and light comes from different sides.
struct Expression: Sendable {
    /// Distances by which the face is turned sideways, and lowered.
    var turn = 0.0
    var nod = 0.0
    /// Opening of the mouth, 0…1, and angle by which its corners are raised, in degrees.
    var open = 0.0
    var smile = 10.0
    var brows = 0.0
    /// Darkening of the left or the right side, −1…1.
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

/// Sequence of somebody's portraits over time: another one about every second, without end.
struct PortraitCycle: Sendable {
    private let count: Int
    /// Portraits a second.
    private let rate: Double
    private let phase: Double

    /// A single portrait.
    init() { (count, rate, phase) = (1, 0, 0) }

    init(count: Int, speed: Double, _ random: inout SeededRandom) {
        self.count = count
        rate = speed * random.between(1.1, 1.5)
        phase = random.between(0, Double(count))
    }

    /// Returns the index of the portrait, 0 ..< count.
    func index(at time: Double) -> Int {
        guard count > 1 else { return 0 }
        let turns = (rate * time + phase) / Double(count)
        guard turns.magnitude < 1e9 else { return 0 }
        return min(count - 1, max(0, Int((turns - turns.rounded(.down)) * Double(count))))
    }
}
