// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

/// An object that does not move keeps its id and its name while the light changes and a hand moves over the paper.
@Suite("svblobdetect: changing light")
struct BlobLightTests {
    enum Change: String, CaseIterable { case flicker, exposure, hand }

    @Test("No new numbers, no other names", arguments: Change.allCases)
    func steady(_ change: Change) throws {
        let coins = try DrawnCoins.of(4)
        let chain = try BlobChain([], [("training", try DrawnTraining.shared.list)], like: coins.picture)
        var ids: [Int: Set<Int32>] = [:]
        var names: [Int: Set<String>] = [:]
        for number in 0..<12 {
            var picture = coins.picture
            let light =
                switch change {
                case .flicker: [1, 0.9, 0.8, 0.92][number % 4]
                case .exposure: number < 5 ? 1 : 0.5
                case .hand: 1.0
                }
            for index in picture.bytes.indices where index % 4 != 3 {
                picture.bytes[index] = UInt8(Double(picture.bytes[index]) * light)
            }
            if change == .hand {
                // An arm comes in from below, between the objects.
                let size = coins.picture.height
                let rows = max(0, size - 8 * number)..<size
                for y in rows {
                    for x in picture.width / 2 - 14..<picture.width / 2 + 14 {
                        for (channel, level) in [(0, 120), (1, 150), (2, 200)] {
                            picture.bytes[4 * (y * picture.width + x) + channel] = UInt8(level)
                        }
                    }
                }
            }
            let found = try chain.push(picture, at: UInt64(number) * 40_000_000)
                .detections(picture.width, picture.height)
            for actor in coins.actors {
                let blob = try #require(found.first { overlap($0.box, actor.rectangle) > 0.6 }, "\(change) \(number)")
                ids[actor.id, default: []].insert(blob.id)
                let name = blob.classifications.first { $0.name == "blob-class" }?.label
                names[actor.id, default: []].insert(name ?? "")
            }
        }
        #expect(ids.count == coins.actors.count && ids.values.allSatisfy { $0.count == 1 }, "\(ids)")
        for actor in coins.actors {
            #expect(names[actor.id] == [actor.object?.label ?? ""], "\(change)")
        }
    }

    /// 4:2:0 has few levels of chroma, so the paper has strips of equal chroma.
    @Test("Steps between levels, where the light falls off, are no blobs", arguments: [2, 25])
    func steps(seed: Int) throws {
        let line = try pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,format=I420,width=1280,height=720"
                + " ! svtestscene scene=things count=1 seed=\(seed) speed=0 light-falloff=0.6 shadow-angle=\(seed * 47 % 360)"
                + " ! svblobdetect draw=false ! appsink name=out")
        try line.play()
        let (buffer, width, height) = try #require(try line.pullBuffer())
        #expect(buffer.detections(width, height).count == 1)
    }
}
