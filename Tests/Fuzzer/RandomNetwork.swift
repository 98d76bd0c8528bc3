// SPDX-License-Identifier: LGPL-2.1-or-later
import TestSupport

/// Creates ONNX files with random networks. Most values in a file are valid.
struct RandomNetwork {
    enum Kind: CaseIterable { case yuNet, centerFace, embedding }

    private struct Map {
        var name: String
        var channels: Int
        /// Side length of the tensor, if the side of the network's input is 112 or 64 pixels.
        var side: Int
    }

    private(set) var dice: Dice
    private let kind: Kind
    private var writer = ONNXWriter()
    private var maps: [Map]
    private var count = 0
    /// On average, one of this number of values is invalid.
    private let rarity: Int

    init(_ kind: Kind, _ dice: Dice) {
        (self.kind, self.dice) = (kind, dice)
        maps = [Map(name: "input", channels: 3, side: kind == .embedding ? 112 : 64)]
        rarity = self.dice.pick([30, 100, 1_000_000])
    }

    mutating func file() -> [UInt8] {
        for _ in 0..<dice.below(12) { addNode() }
        switch kind {
        case .yuNet: addGrids()
        case .centerFace: addHeatMap()
        case .embedding: addVector()
        }
        if dice.once(in: rarity) { writer.output(dice.pick(maps).name) }
        return writer.file(input: "input", dice.once(in: 2) ? [] : [1, 3, odd(112), 112])
    }

    // MARK: - Numbers

    private mutating func odd(_ number: Int) -> Int {
        guard dice.once(in: rarity) else { return number }
        return dice.once(in: 2) ? dice.below(8) : Int(dice.integer())
    }

    private mutating func name() -> String {
        count += 1
        return dice.once(in: rarity) ? dice.pick(maps).name : "n\(count)"
    }

    private mutating func tensor(_ sizes: [Int]) -> String {
        count += 1
        var values: [Float] = []
        for _ in 0..<sizes.reduce(1, *) {
            values.append(dice.once(in: 50 * rarity) ? Float(dice.double()) : Float(dice.below(2001)) / 1000 - 1)
        }
        var claimed: [Int] = []
        for size in sizes { claimed.append(odd(size)) }
        if dice.once(in: rarity) { claimed.append(1) }
        writer.tensor("t\(count)", claimed, values)
        return "t\(count)"
    }

    // MARK: - Nodes

    private mutating func addNode() {
        let map = dice.pick(Array(maps.suffix(4)))
        switch dice.below(14) {
        case 0...3: convolve(map)
        case 4: add(dice.pick(["Relu", "Sigmoid", "Identity", "Dropout"]), [], map)
        case 5: clip(map)
        case 6: add("PRelu", [tensor(dice.once(in: 4) ? [1] : [map.channels, 1, 1])], map)
        case 7:
            let constants = (0..<4).map { _ in tensor([map.channels]) }
            add("BatchNormalization", constants, map, [("epsilon", .float(dice.once(in: rarity) ? -1 : 0.001))])
        case 8:
            let others = maps.filter { $0.side == map.side && $0.channels == map.channels }
            add("Add", [dice.once(in: rarity) ? dice.pick(maps).name : dice.pick(others).name], map)
        case 9 where map.side.isMultiple(of: 2) && map.side > 2: halve(map)
        case 10,
            11 where map.side <= 32:
            enlarge(map)
        case 12 where kind == .embedding && dice.once(in: 3):
            add("GlobalAveragePool", [], map, to: Map(name: "", channels: map.channels, side: 1))
        case 13 where dice.once(in: rarity): add(dice.text(), [], map)
        default: convolve(map)
        }
    }

    private mutating func add(
        _ operation: String, _ inputs: [String], _ map: Map,
        _ attributes: [(name: String, value: ONNXWriter.Attribute)] = [], to result: Map? = nil
    ) {
        var result = result ?? map
        result.name = name()
        writer.node(operation, [map.name] + inputs, result.name, attributes)
        maps.append(result)
    }

    private mutating func window(
        _ side: Int, _ stride: Int, _ margin: Int
    ) -> [(name: String, value: ONNXWriter.Attribute)] {
        let pads = (0..<4).map { _ in odd(margin) }
        return [
            ("kernel_shape", .wholes([odd(side), odd(side)])), ("strides", .wholes([odd(stride), odd(stride)])),
            ("pads", .wholes(pads)), ("dilations", .wholes([odd(1), 1])),
        ]
    }

    private mutating func convolve(_ map: Map, to channels: Int? = nil, stride: Int? = nil) {
        let side = dice.pick([1, 3, 3, 5].filter { $0 <= map.side })
        let isWhole = map.side.isMultiple(of: 2) && map.side > 2
        let stride = stride ?? (isWhole && dice.once(in: 3) ? 2 : 1)
        let isDeep = channels == nil && dice.once(in: 2)
        let results = channels ?? (isDeep ? map.channels * (1 + dice.below(2)) : 1 + dice.below(12))
        let (weights, bias) = (tensor([results, isDeep ? 1 : map.channels, side, side]), tensor([results]))
        add(
            "Conv", dice.once(in: 2) ? [weights] : [weights, bias], map,
            window(side, stride, side / 2) + [("group", .whole(odd(isDeep ? map.channels : 1)))],
            to: Map(name: "", channels: results, side: (map.side + stride - 1) / stride))
    }

    private mutating func halve(_ map: Map) {
        let side = dice.once(in: 3) ? 3 : 2
        add(
            "MaxPool", [], map, window(side, 2, side / 2 % 2 * (side - 2)),
            to: Map(name: "", channels: map.channels, side: map.side / 2))
    }

    private mutating func enlarge(_ map: Map) {
        if dice.once(in: 2) {
            count += 1
            writer.tensor("t\(count)r", [0], [])
            writer.tensor("t\(count)s", [4], [1, 1, Float(odd(2)), 2])
            add(
                "Resize", ["t\(count)r", "t\(count)s"], map, [("mode", .text("nearest"))],
                to: Map(name: "", channels: map.channels, side: 2 * map.side))
        } else {
            let (side, results) = (dice.pick([2, 4]), 1 + dice.below(6))
            add(
                "ConvTranspose", [tensor([map.channels, results, side, side])], map,
                window(side, 2, side / 2 - 1), to: Map(name: "", channels: results, side: 2 * map.side))
        }
    }

    private mutating func clip(_ map: Map) {
        let limits = [-Float(odd(1)), Float(odd(6))]
        guard dice.once(in: 2) else {
            return add("Clip", [], map, [("min", .float(limits[0])), ("max", .float(limits[1]))])
        }
        count += 1
        for (index, limit) in limits.enumerated() {
            writer.node("Constant", [], "c\(count)_\(index)", [("value", .tensor([], [limit]))])
        }
        add("Clip", ["c\(count)_0", "c\(count)_1"], map)
    }

    // MARK: - Outputs

    /// Adds convolutions until the last tensor has this side length.
    private mutating func reach(_ side: Int) {
        while let last = maps.last, last.side > side { convolve(last, stride: 2) }
        while let last = maps.last, last.side < side { enlarge(last) }
    }

    private mutating func addHeatMap() {
        reach(16)
        guard let from = maps.last else { return }
        for channels in [1, 2, 2, 10] {
            convolve(from, to: max(1, min(20, odd(channels))), stride: 1)
            if let last = maps.last { writer.output(last.name) }
        }
    }

    private mutating func addGrids() {
        for side in [8, 4, 2] {
            reach(side)
            guard let from = maps.last else { return }
            for channels in [1, 1, 4, 10] {
                convolve(from, to: max(1, min(20, odd(channels))), stride: 1)
                guard let map = maps.last else { return }
                add("Transpose", [], map, [("perm", .wholes([0, 2, odd(3), 1]))])
                count += 1
                writer.tensor("sizes\(count)", [3], wholes: [odd(1), -1, channels])
                if let last = maps.last { add("Reshape", ["sizes\(count)"], last) }
                if let last = maps.last { writer.output(last.name) }
            }
            maps.append(from)
        }
    }

    private mutating func addVector() {
        if let last = maps.last, last.channels * last.side * last.side > 4000 {
            add("GlobalAveragePool", [], last, to: Map(name: "", channels: last.channels, side: 1))
        }
        guard let map = maps.last else { return }
        let (length, results) = (map.channels * map.side * map.side, 1 + dice.below(8))
        count += 1
        writer.tensor("size\(count)", [2], wholes: [odd(1), odd(-1)])
        let size = "size\(count)"
        if dice.once(in: 2) { add("Reshape", [size], map) } else { add("Flatten", [], map, [("axis", .whole(odd(1)))]) }
        guard let flat = maps.last else { return }
        let isTransposed = dice.once(in: 2)
        let matrix = tensor(isTransposed ? [results, length] : [length, results])
        add("Gemm", [matrix, tensor([results])], flat, [("transB", .whole(odd(isTransposed ? 1 : 0)))])
        if let last = maps.last { writer.output(last.name) }
    }
}
