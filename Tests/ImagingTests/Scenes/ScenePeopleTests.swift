// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes
import Testing

@Suite("Scene: people") struct ScenePeopleTests {
    private func scene(seed: UInt64, count: Int = 4) -> Scene {
        Scene(.people, count: count, seed: seed, width: 240 * count, height: 240)
    }

    @Test("The same people in the same order, the largest first, whatever seed and time")
    func identity() {
        for seed: UInt64 in [0, 1, 77] {
            for time in [0.0, 3, 1000, -5, .nan] {
                let entities = scene(seed: seed).entities(at: time)
                #expect(
                    entities.map(\.person) == [.ada, .ben, .cleo, .dan] && entities.allSatisfy { $0.kind == .human })
                let widths = entities.map(\.rectangle.width)
                #expect(widths == widths.sorted(by: >))
            }
        }
        #expect(scene(seed: 0).entities(at: 0).map(\.rectangle) != scene(seed: 1).entities(at: 0).map(\.rectangle))
        #expect(ScenePerson.regulars.map(\.number) == Array(1...12) && ScenePerson.cleo.name == "Cleo")
        #expect(ScenePerson.allCases.map(\.number) == Array(1...15))
        #expect(Set(ScenePerson.allCases.map(\.name)).count == 15)
        let crowd = Scene(.people, count: 14, width: 2000, height: 1400).entities(at: 0)
        #expect(crowd.suffix(2).map(\.person) == [.ada, .ben])
    }

    @Test("They look another way from time to time, and stay still at speed 0")
    func looks() {
        func eyes(_ speed: Double) -> Set<Int> {
            let scene = Scene(.people, count: 1, speed: speed, width: 400, height: 440)
            // If the face turns, the eyes move within the face.
            return Set(
                (0..<40).flatMap { moment in
                    scene.entities(at: Double(moment) / 4).map { Int(4 * ($0.leftEye.x - Double($0.rectangle.x))) }
                })
        }
        #expect(eyes(1).count > 4)
        #expect(eyes(0).count == 1)
    }

    @Test("A person's picture is the same in every scene of the same size, and another person's is not")
    func pictures() {
        func picture(_ scene: Scene, _ index: Int) -> [UInt8] {
            let frame = OwnedImage(.gray8, width: 480, height: 240)
            for y in 0..<240 { frame.image.row(y).update(repeating: 90, count: 480) }
            let face = ScenePainter(scene).draw(on: FrameImage(frame.image), at: 0)[index].rectangle
            return (0..<8).flatMap { y in
                (0..<8).map { x in
                    frame.image.row(face.y + (2 * y + 1) * face.height / 16)[face.x + (2 * x + 1) * face.width / 16]
                }
            }
        }
        let still = Scene(.people, count: 2, speed: 0, width: 480, height: 240)
        let (ada, ben) = (picture(still, 0), picture(still, 1))
        #expect(ada == picture(still, 0))
        let distance = zip(ada, ben).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(distance > 64 * 8, "\(distance)")
    }
}
