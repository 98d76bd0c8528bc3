// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A colour table from a .cube file ("Cube LUT Specification", Adobe 2013). In the 3D form, it contains output colours
/// for a lattice of input colours. In the 1D form, it contains a curve for each channel.
package final class ColorCube: Sendable, Hashable {
    package let path: String
    /// The number of lattice points along each axis (3D form), or the number of entries of each curve (1D form).
    let size: Int
    /// True for the 1D form: a curve for each channel, and no lattice.
    let isCurves: Bool
    /// Four numbers for each entry: red, green, blue and 0. In a lattice, the index of red changes fastest.
    let entries: [Float]
    /// The input colours of the first entry (`minimum`) and of the last entry (`maximum`).
    let domain: (minimum: RealColor, maximum: RealColor)

    /// Maximum size of a .cube file, in bytes.
    private static let largestFile = 64 << 20

    /// - Throws: an error at position 0. The message contains the path. If the contents are malformed, the message also
    ///   contains the line number.
    package convenience init(path: String) throws(FilterChainError) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: Self.largestFile)
        } catch {
            let cause: FilterChainError.Cause = error.cause == .missing ? .missingFile : .unreadableFile
            throw FilterChainError("cannot read \"\(path)\": \(error)", cause: cause)
        }
        try self.init(bytes, path: path)
    }

    /// - Parameter bytes: the contents of the file.
    package init(_ bytes: [UInt8], path: String) throws(FilterChainError) {
        var reader = CubeReader(path: path)
        var number = 0
        var remaining = bytes[...]
        while !remaining.isEmpty {
            number += 1
            let line = remaining.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            remaining = remaining[line.endIndex...]
            remaining = remaining.dropFirst(remaining.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) ? 2 : 1)
            try reader.read(line, number: number)
        }
        try reader.finish()
        self.path = path
        size = reader.size
        isCurves = reader.isCurves
        entries = reader.entries
        domain = (reader.minimum, reader.maximum)
    }

    /// The factor and the summand for red, then for green, then for blue. level · factor + summand maps the domain (as
    /// levels, 255 times `domain`) to 0…1.
    var scale: [Float] {
        zip(domain.minimum.channels, domain.maximum.channels).flatMap { low, high -> [Float] in
            let span = high - low
            return [Float(1 / (255 * span)), Float(-low / span)]
        }
    }

    package static func == (a: ColorCube, b: ColorCube) -> Bool {
        a === b || a.path == b.path && a.isCurves == b.isCurves && a.domain == b.domain && a.entries == b.entries
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// Reads a .cube file line by line.
private struct CubeReader {
    /// Maximum number of lattice points along each axis. A lattice with this number takes 34 MB.
    private static let largestLattice = 129
    private static let largestCurve = 65536
    /// Maximum length of a line in bytes. Comments may be longer.
    private static let longestLine = 1000

    let path: String
    var size = 0
    var isCurves = false
    var entries: [Float] = []
    var minimum = RealColor(0, 0, 0)
    var maximum = RealColor(1, 1, 1)

    init(path: String) { self.path = path }

    private func wrong(_ message: String, line: Int) -> FilterChainError {
        FilterChainError("cannot read \"\(path)\": line \(line): \(message)", cause: .content)
    }

    private var expected: Int { isCurves ? size : size * size * size }

    mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) throws(FilterChainError) {
        guard let start = bytes.first, start != UInt8(ascii: "#") else { return }
        guard bytes.count <= Self.longestLine else {
            throw wrong("the line is longer than \(Self.longestLine) bytes", line: number)
        }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\t" }
        guard let first = words.first, !first.hasPrefix("#"), first != "TITLE" else { return }
        if first.first?.isLetter ?? false, Double(first) == nil {
            return try setting(String(first), words.dropFirst().map { Double($0) }, number)
        }
        guard size > 0 else { throw wrong("LUT_3D_SIZE is missing before the table", line: number) }
        let values = words.map { Double($0) }
        guard values.count == 3, let red = values[0], let green = values[1], let blue = values[2],
            red.isFinite, green.isFinite, blue.isFinite
        else { throw wrong("an entry of the table must have three numbers", line: number) }
        guard entries.count < 4 * expected else {
            throw wrong("the table has more than \(expected) entries", line: number)
        }
        entries += [Float(red), Float(green), Float(blue), 0]
    }

    private mutating func setting(_ name: String, _ parsed: [Double?], _ line: Int) throws(FilterChainError) {
        let values = parsed.compactMap { $0 }
        func color() throws(FilterChainError) -> RealColor {
            guard values.count == 3 else { throw wrong("\(name) needs three numbers", line: line) }
            return RealColor(values[0], values[1], values[2])
        }
        switch name {
        case "LUT_3D_SIZE", "LUT_1D_SIZE":
            isCurves = name == "LUT_1D_SIZE"
            let largest = isCurves ? Self.largestCurve : Self.largestLattice
            guard let value = values.first, value >= 2, value <= Double(largest), value == value.rounded() else {
                throw wrong("\(name) must be a whole number from 2 to \(largest)", line: line)
            }
            size = Int(value)
        case "DOMAIN_MIN": minimum = try color()
        case "DOMAIN_MAX": maximum = try color()
        case "LUT_3D_INPUT_RANGE", "LUT_1D_INPUT_RANGE":
            guard values.count == 2 else { throw wrong("\(name) needs two numbers", line: line) }
            minimum = RealColor(values[0], values[0], values[0])
            maximum = RealColor(values[1], values[1], values[1])
        default: throw wrong("unknown keyword \(name)", line: line)
        }
    }

    func finish() throws(FilterChainError) {
        guard size > 0 else {
            throw FilterChainError("cannot read \"\(path)\": not a .cube file: LUT_3D_SIZE is missing", cause: .content)
        }
        guard entries.count == 4 * expected else {
            throw FilterChainError(
                "cannot read \"\(path)\": the table must have \(expected) entries, not \(entries.count / 4)",
                cause: .content)
        }
        let spans = zip(minimum.channels, maximum.channels).map { $1 - $0 }
        guard spans.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw FilterChainError(
                "cannot read \"\(path)\": DOMAIN_MAX must be larger than DOMAIN_MIN", cause: .content)
        }
    }
}

extension ColorCube {
    /// The curves of the 1D form, with linear interpolation between the entries.
    var curves: Curve {
        func curve(_ channel: Int) -> Curve.Function {
            let (low, high) = (domain.minimum.channels[channel], domain.maximum.channels[channel])
            let values = stride(from: channel, to: entries.count, by: 4).map { Double(entries[$0]) }
            let last = Double(values.count - 1)
            return { value in
                let position = clippedToOne((value - low) / (high - low)) * last
                let index = min(values.count - 2, Int(position))
                return values[index] + (values[index + 1] - values[index]) * (position - Double(index))
            }
        }
        return Curve(red: curve(0), green: curve(1), blue: curve(2))
    }
}
