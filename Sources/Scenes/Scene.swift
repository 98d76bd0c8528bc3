// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A moving test scene with known ground truth. The positions of entities depend on the seed and the time, but not on
/// the frame rate. Each entity moves in a separate part of the frame. So entities do not overlap and do not leave the
/// frame. Only the entities of `walkers` may overlap and leave the frame.
package struct Scene: Sendable {
    /// The kind of a scene. The raw values are the values of svtestscene's property `scene`.
    package enum Kind: Int32, CaseIterable, Sendable {
        case faces, cats, both
        /// Coins and beans on paper. The paper covers the whole frame.
        case coins
        /// Household objects on paper, which differ in outline, colour or pattern.
        case things
        /// All people of `ScenePerson.regulars`, one after another.
        case people
        /// Up to one logo on a background of letters and shapes, which covers the whole frame.
        case logo
        /// All people of `ScenePerson.doubles`, one after another.
        case doubles
        /// Up to one person in front of a green wall, which covers the whole frame.
        case green
        /// The matte of `green`. The person is white, and the wall is black.
        case matte
        /// People and cats who walk on a floor, which covers the whole frame.
        case walkers

        /// True if objects lie on paper that covers the whole frame.
        package var isOnPaper: Bool { self == .coins || self == .things }

        /// True if the scene has a background that covers the whole frame, even without entities. The entities of such
        /// a scene have no sprites.
        package var isBackdrop: Bool { self == .logo || self == .green || self == .matte || self == .walkers }
    }

    /// Minimum size of a face, in pixels.
    package static let smallestSize = 60.0
    /// Maximum size of a face, in pixels.
    package static let largestSize = 300.0

    package let kind: Kind
    let paths: [EntityPath]
    let logo: LogoPath?
    /// The background of the logo.
    let backdrop: Backdrop?
    /// The person in front of the green wall.
    let presenter: PresenterPath?
    /// The people and cats on the floor.
    package let walkers: [WalkerPath]
    /// The factor for the speed of all motion.
    let speed: Double

    /// Creates a scene.
    /// - Parameters:
    ///   - count: maximum number of entities. The scene has fewer entities if there is not enough space.
    ///   - seed: seed of the entities and their positions.
    ///   - speed: factor for the speed of all motion. With the factor 1, motion has periods of about ten seconds. With
    ///     0 or NaN, nothing moves.
    ///   - width: width of the frame in pixels.
    ///   - height: height of the frame in pixels.
    package init(_ kind: Kind, count: Int = 2, seed: UInt64 = 0, speed: Double = 1, width: Int, height: Int) {
        var random = SeededRandom(seed: seed)
        let speed = speed.isFinite ? speed : 0
        let frame = Rectangle(width: min(1 << 20, max(0, width)), height: min(1 << 20, max(0, height)))
        logo = kind == .logo && count > 0 ? LogoPath(in: frame, speed: speed, &random) : nil
        backdrop = kind == .logo ? Backdrop(seed: seed, width: frame.width, height: frame.height) : nil
        let hasPresenter = (kind == .green || kind == .matte) && count > 0
        presenter = hasPresenter ? PresenterPath(in: frame, speed: speed, &random) : nil
        let countsWalkers = kind == .walkers && min(frame.width, frame.height) >= WalkerPath.smallestFrame
        walkers = (0..<(countsWalkers ? max(0, min(count, 100)) : 0)).map {
            WalkerPath(id: $0 + 1, in: frame, speed: speed, &random)
        }
        self.speed = speed
        let cells = kind.isBackdrop ? [] : Stage(frame).cells(atMost: min(count, 1000))
        let parts = kind.parts(&random)
        self.kind = kind
        paths = cells.indices.map { index in
            EntityPath(id: index + 1, part: parts[index % parts.count], cell: cells[index], speed: speed, &random)
        }
    }

    /// Returns the ground truth at a time in seconds. In the scene `matte`, the result is empty.
    package func entities(at time: Double) -> [SceneEntity] {
        let time = time.isFinite ? time : 0
        return paths.map { $0.entity(at: time) } + (logo.map { [$0.entity(at: time)] } ?? [])
            + (kind == .green ? figure(at: time).map { [$0] } ?? [] : []) + walkers.map { $0.entity(at: time) }
    }

    /// Returns the person in the scenes `green` and `matte`. Returns nil if there is no person.
    func figure(at time: Double) -> SceneEntity? { presenter?.entity(at: time.isFinite ? time : 0) }
}

/// The content of an entity: an object, a face or a person.
private enum Part {
    case human, cat
    case object(SceneObject)
    case person(ScenePerson)
}

extension Scene.Kind {
    /// Returns the possible contents of the entities, at least one. If there are more entities than contents, the
    /// contents repeat.
    fileprivate func parts(_ random: inout SeededRandom) -> [Part] {
        switch self {
        case .faces, .logo, .green, .matte, .walkers: return [.human]
        case .cats: return [.cat]
        case .both: return [.human, .cat]
        case .people: return ScenePerson.regulars.map { .person($0) }
        case .doubles: return ScenePerson.doubles.map { .person($0) }
        case .coins, .things:
            // Each object appears once, in random order, before any object appears again.
            var remaining = self == .coins ? SceneObject.coins : SceneObject.things
            return remaining.map { _ in .object(remaining.remove(at: Int(random.next() % UInt64(remaining.count)))) }
        }
    }
}

/// Divides the frame into cells for the entities.
private struct Stage {
    /// Maximum width and height of a tilted portrait including a margin, divided by the size of the portrait.
    private static let portrait = (width: 1.60, height: 1.80)

    let frame: Rectangle

    init(_ frame: Rectangle) { self.frame = frame }

    /// Divides the frame into equal cells, in the grid that allows the largest portraits. Returns at most `count`
    /// cells. If `count` cells would be too small for the smallest portrait, returns fewer cells.
    func cells(atMost count: Int) -> [Rectangle] {
        var count = count
        while count > 0 {
            let grids = (1...count).map { columns in (columns: columns, rows: (count + columns - 1) / columns) }
            if let best = grids.max(by: { size($0) < size($1) }), size(best) >= Scene.smallestSize {
                return (0..<count).map { cell($0, best, count) }
            }
            count -= 1
        }
        return []
    }

    /// Returns the size of the largest portrait that fits into a cell of this grid.
    private func size(_ grid: (columns: Int, rows: Int)) -> Double {
        Self.size(in: Rectangle(width: frame.width / grid.columns, height: frame.height / grid.rows))
    }

    private func cell(_ index: Int, _ grid: (columns: Int, rows: Int), _ count: Int) -> Rectangle {
        let (column, row) = (index % grid.columns, index / grid.columns)
        // The last row may have fewer cells than the other rows. The cells of such a row are wider.
        let columns = min(grid.columns, count - row * grid.columns)
        let (width, height) = (frame.width / columns, frame.height / grid.rows)
        return Rectangle(x: column * width, y: row * height, width: width, height: height)
    }

    static func size(in cell: Rectangle) -> Double {
        min(Double(cell.width) / portrait.width, Double(cell.height) / portrait.height)
    }
}

/// An entity and its motion.
struct EntityPath: Sendable {
    /// The portraits of the entity, which appear one after another. There is at least one portrait.
    let portraits: [Portrait]
    private let cycle: PortraitCycle
    private let id: Int
    private let kind: SceneEntity.Kind
    private let object: SceneObject?
    private let person: ScenePerson?
    private let across: Oscillation
    private let down: Oscillation
    /// Placement of each portrait in its sprite. The sprites of all portraits have the same size.
    let placement: PortraitPlacement
    let width: Int
    let height: Int

    fileprivate init(id: Int, part: Part, cell: Rectangle, speed: Double, _ random: inout SeededRandom) {
        self.id = id
        let tilt: Double
        switch part {
        case .human:
            (kind, object, person, portraits) = (.human, nil, nil, [.human(&random)])
            tilt = random.between(-12, 12)
        case .cat:
            (kind, object, person, portraits) = (.cat, nil, nil, [.cat(&random)])
            tilt = random.between(-8, 8)
        case .object(let thing):
            tilt = random.between(-180, 180)
            (kind, object, person, portraits) = (.object, thing, nil, [.object(thing, tilt: tilt)])
        case .person(let somebody):
            (kind, object, person) = (.human, nil, somebody)
            portraits = Expression.all.map { .person(somebody, $0) }
            tilt = random.between(-6, 6)
        }
        // All portraits of an entity have the same outline, so use the first one for the placement.
        let portrait = portraits[0]
        let fitting = min(Stage.size(in: cell), Scene.largestSize)
        // svfacerecognize collects the largest face first. So make people with greater numbers smaller, so that the
        // order of the collected faces is known.
        let share =
            person == nil
            ? random.between(0.45, 0.92) : max(0.6, 0.98 - 0.08 * Double(id)) - random.between(0, 0.04)
        let size = max(Scene.smallestSize, fitting * share)
        placement = PortraitPlacement(of: portrait, scale: size / 200, tilt: tilt)
        (width, height) = placement.size(of: portrait)
        across = Oscillation(from: cell.x, room: cell.width - width, speed: speed, &random)
        down = Oscillation(from: cell.y, room: cell.height - height, speed: speed, &random)
        cycle = PortraitCycle(count: portraits.count, speed: speed, &random)
    }

    func entity(at time: Double) -> SceneEntity {
        let (x, y) = (across.position(at: time), down.position(at: time))
        let here = placement.moved(x: Double(x), y: Double(y))
        let index = cycle.index(at: time)
        let portrait = portraits[index]
        return SceneEntity(
            id: id, kind: kind, object: object, person: person, rectangle: here.rectangle(of: portrait),
            tilt: here.tilt, landmarks: portrait.landmarks.moved(here.pixel),
            sprite: Rectangle(x: x, y: y, width: width, height: height), portrait: index)
    }
}

/// A smooth oscillation: the sum of two sines that have no visible common period.
struct Oscillation: Sendable {
    private let start: Double
    private let room: Double
    /// The two sines of the oscillation. `rate` is the frequency in periods per second. `phase` is the initial phase,
    /// 0…1.
    private let slow: (rate: Double, phase: Double)
    private let quick: (rate: Double, phase: Double)

    init(from start: Int, room: Int, speed: Double, _ random: inout SeededRandom) {
        self.start = Double(start)
        self.room = Double(max(0, room))
        slow = (speed * random.between(0.06, 0.11), random.between(0, 1))
        quick = (speed * random.between(0.13, 0.21), random.between(0, 1))
    }

    func position(at time: Double) -> Int { floored(start + room * share(at: time) + 0.5) }

    /// Returns the position as a fraction of the available space, 0…1.
    func share(at time: Double) -> Double {
        let sum =
            0.75 * sineAndCosine(degrees: 360 * (slow.rate * time + slow.phase)).sine
            + 0.25 * sineAndCosine(degrees: 360 * (quick.rate * time + quick.phase)).sine
        return 0.5 + 0.5 * sum
    }
}
