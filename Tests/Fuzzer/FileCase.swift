// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import TestSupport
import Vision
import Web

/// A case that corrupts a valid file. All readers of this type of file then read it.
struct FileCase {
    let goods: Goods
    var dice: Dice

    /// Runs the case, and returns the error. Returns nil if there is none.
    mutating func run() throws -> String? {
        guard !dice.once(in: 20) else {
            try runElement()
            return nil
        }
        switch dice.below(19) {
        case 0...3: try readCascade()
        case 4...7: _ = try? TrainingList(spoilt("plist"), folder: goods.folder.path)
        case 8, 9: _ = try? ModelFile(path: try write(spoilt("yml"), "spoilt.yml"))
        case 10...12: _ = try? ColorCube(spoilt("cube"), path: "spoilt.cube")
        case 13: readChain()
        case 14: readPacket()
        case 15...17:
            var network = NetworkCase(goods: goods, dice: dice)
            return network.run()
        default: _ = try? Picture.load(try write(spoilt("picture"), "spoilt"))
        }
        return nil
    }

    private mutating func spoilt(_ kind: String, atMost limit: Int = 1 << 20) -> [UInt8] {
        let goods = goods.contents[kind] ?? []
        return dice.mutated(dice.pick(goods), with: goods, atMost: limit)
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String { try goods.folder.write(bytes, name) }

    private mutating func readCascade() throws {
        let kind = dice.pick(["xml", "xml", "xml", "xml", "yml", "plist"])
        let path = try write(spoilt(kind), "spoilt.\(kind)")
        guard let cascade = try? Cascade(path: path, purpose: dice.pick([.face, .eye, .smile])) else { return }
        // If a reader accepts a corrupted cascade, a search with this cascade must not fail.
        let search = Cascade.Search(scaleFactor: 1.3, minNeighbors: nil, minSize: 0)
        let side = dice.below(80)
        let plane = OwnedImage(.gray8, width: side, height: 50)
        for y in 0..<plane.image.height {
            for x in 0..<side { plane.image.row(y)[x] = UInt8(truncatingIfNeeded: x &* y) }
        }
        _ = try? withExtendedLifetime(plane) { try cascade.detect(in: plane.image, search) }
    }

    private mutating func readChain() {
        let chains = [
            "sepia-tone intensity=0.8 | vignette radius=1.2 | gaussian-blur radius=0->8@2s", "invert",
            "hue angle=beat=133.7bpm, after 1/3s, 0->90@1beat smooth, hold 8s, 90->0@2beats, ping-pong 3",
        ]
        let good = dice.once(in: 2) ? dice.pick(chains) : Self.everything
        let bytes = dice.mutated(Array(good.utf8), with: chains.map { Array($0.utf8) }, atMost: 65536)
        let chain = try? FilterChain(String(decoding: bytes, as: UTF8.self))
        for time in [0, UInt64(dice.below(1 << 40)), .max] { _ = chain?.states(at: time) }
    }

    private mutating func readPacket() {
        let bytes = dice.mutated(dice.pick(Self.packets), with: Self.packets, atMost: 65_536)
        var gate = OSCGate(key: dice.once(in: 2) ? "f" : nil, rate: 1000, burst: 1000, at: 0)
        _ = gate.verdicts(on: bytes, at: dice.bits())
    }

    /// OSC packets: two messages, and a bundle in a bundle.
    private static let packets: [[UInt8]] = {
        let red = Array("/f/red\0\0,f\0\0?\0\0\0".utf8)
        let all = Array("/f/set\0\0,sihdbTFN\0\0\0word\0\0\0\0".utf8) + [UInt8](repeating: 0, count: 24)
        func bundle(_ packet: [UInt8]) -> [UInt8] {
            Array("#bundle\0\0\0\0\0\0\0\0\u{1}\0\0\0".utf8) + [UInt8(packet.count)] + packet
        }
        return [red, all, bundle(red), bundle(bundle(red))]
    }()

    /// A chain of all filters with all their parameters.
    private static let everything = Filter.all.filter { $0.name != "cube" }.map { filter in
        ([filter.name] + filter.parameters.map { "\($0.name)=\($0.defaultValue.text)" }).joined(separator: " ")
    }.joined(separator: " | ")

    /// Sets a property of an element to the file.
    private mutating func runElement() throws {
        let (element, property, kind) = dice.pick([
            ("svfacedetect", "face-cascade", "xml"), ("svfacedetect", "cat-cascade", "xml"),
            ("svfacedetect", "model", "onnx"),
            ("svblobclassify", "training", "plist"), ("svfacerecognize", "model", "yml"),
            ("svfilter", "filters", "cube"), ("svblend", "location", "picture"), ("svblend", "mask", "picture"),
            ("svlogodetect", "template", "picture"), ("svfacemerge", "partner", "picture"),
        ])
        // A list with thousands of images would be valid, but learning them would take a long time.
        let path = try write(spoilt(kind, atMost: 16384), "spoilt.\(kind)")
        var elementCase = try ElementCase(element, goods, dice)
        elementCase.run(loading: kind == "cube" ? "cube path='\(path)'" : path, by: property)
    }
}
