// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

/// Tests how reliably svblobdetect and svblobclassify name the household objects of svtestscene, with its training
/// images.
@Suite("svblobclassify: household things")
struct ThingNamesTests {
    private static let training = Result { try DrawnTraining("scene=things") }

    /// For each light: `leastRight` is the minimum fraction of objects with the right name. `mostMore` is the maximum
    /// number of blobs that are not objects, such as shadows, per object. Each light has its own images with six
    /// objects.
    private static let lights: [(name: String, light: SceneLight, leastRight: Double, mostMore: Double)] = [
        ("soft light", SceneLight(), 0.93, 0), ("light that falls off", SceneLight(angle: 200, falloff: 0.3), 0.93, 0),
        ("hard shadows", SceneLight(shadow: 0.4, angle: 100), 0.85, 0.04),
        ("shadows apart from things", SceneLight(shadow: 0.8, angle: 250), 0.85, 0.08),
    ]

    /// The maximum fraction of wrong names: objects with a wrong name, and other blobs with a name.
    private static let mostWrong = 0.03

    @Test("Most get their names, in any turn and size", arguments: lights.indices)
    func names(_ index: Int) throws {
        let (name, light, leastRight, mostMore) = Self.lights[index]
        let list = try Self.training.get().list
        var (right, wrong, more) = (0, 0, 0)
        var missed: [String: Int] = [:]
        var chain: BlobChain?
        let count = TestScope.choose(5, all: 10)
        for seed in UInt64(10 * index)..<UInt64(10 * index + count) {
            let scene = DrawnFaces(.things, count: 6, seed: seed, width: 960, height: 540)
            let (picture, actors) = try scene.frame(at: 0, light: light)
            let used = try chain ?? BlobChain([("track", "false")], [("training", list)], like: picture)
            chain = used
            let blobs = try used.names(picture, at: seed * GStreamer.second)
            for blob in blobs where !actors.contains(where: { overlap($0.rectangle, blob.box) > 0.3 }) {
                more += 1
                if let name = blob.name, name != "unidentified" { wrong += 1 }
            }
            for actor in actors {
                let blob = blobs.max { overlap($0.box, actor.rectangle) < overlap($1.box, actor.rectangle) }
                let given = blob.flatMap { overlap($0.box, actor.rectangle) > 0.5 ? $0.name : nil }
                if given == actor.object?.label {
                    right += 1
                } else {
                    missed["\(actor.object?.label ?? "?") as \(given ?? "nothing")", default: 0] += 1
                    if given != nil, given != "unidentified" { wrong += 1 }
                }
            }
        }
        let all = Double(right + missed.values.reduce(0, +))
        let misses = missed.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", ")
        #expect(Double(right) >= leastRight * all, "\(name): \(right) of \(all): \(misses)")
        #expect(Double(wrong) <= Self.mostWrong * all, "\(name): \(wrong) of \(all): \(misses)")
        #expect(Double(more) <= mostMore * all, "\(name): \(more) blobs beside \(all) things")
    }
}
