// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Foundation
import Imaging
import Testing

@Suite("Filters: .cube files")
struct FiltersCubeTests {
    /// A file in its own folder. The folder is removed with this object.
    private final class CubeFile {
        let folder = NSTemporaryDirectory() + "/filters " + UUID().uuidString
        var path: String { folder + "/a|b.cube" }

        init(_ text: String) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func filtered(_ text: String, _ picture: RealPicture) throws -> Picture {
        let file = try CubeFile(text)
        let frame = Picture(.bgra, width: picture.width, height: picture.height)
        picture.write(to: frame)
        FilterRunner(threads: 1).run(try FilterChain("cube path='\(file.path)'"), on: frame.image)
        return frame
    }

    private func lattice(_ size: Int, header: String = "", _ color: (Double, Double, Double) -> SIMD3<Double>) -> String
    {
        var lines = ["# a comment", "TITLE \"some words\"", "LUT_3D_SIZE \(size)", header]
        for b in 0..<size {
            for g in 0..<size {
                for r in 0..<size {
                    let c = color(
                        Double(r) / Double(size - 1), Double(g) / Double(size - 1), Double(b) / Double(size - 1))
                    lines.append("\(c.x) \(c.y) \(c.z)")
                }
            }
        }
        return lines.joined(separator: "\r\n")
    }

    @Test("a lattice of a linear map is that map", arguments: [2, 3, 17])
    func linear(size: Int) throws {
        let picture = RealPicture.sample(width: 40, height: 30)
        let change = { (c: SIMD3<Double>) in
            SIMD3(0.2 + 0.5 * c.y, 0.9 - 0.4 * c.x - 0.3 * c.z, 0.1 * c.x + 0.6 * c.z)
        }
        let frame = try filtered(lattice(size) { change(SIMD3($0, $1, $2)) }, picture)
        let found = picture.map(change).difference(from: frame, limit: 0.6)
        #expect(found.count == 0, "\(found.worst) \(found.what)")
    }

    /// Between the points of a lattice, colours are interpolated in a tetrahedron. Its corners are the first and the
    /// last corner of the cell, and the two corners between them in the order of the distances (Kasson et al.,
    /// Tetrahedral interpolation technique, 1993).
    @Test func tetrahedra() throws {
        let corner = { (r: Double, g: Double, b: Double) in
            SIMD3(r * g * 0.9 + 0.05 * b, 0.3 * g + 0.5 * r * b, b * b * g + 0.1 * r)
        }
        let picture = RealPicture.sample(width: 40, height: 30)
        let frame = try filtered(lattice(2, corner), picture)
        let exact = picture.map { c in
            let order = [0, 1, 2].sorted { c[$0] > c[$1] }
            var place = SIMD3<Double>(repeating: 0)
            var result = corner(0, 0, 0) * (1 - c[order[0]])
            for (index, axis) in order.enumerated() {
                place[axis] = 1
                let next = index < 2 ? c[order[index + 1]] : 0
                result += corner(place.x, place.y, place.z) * (c[axis] - next)
            }
            return result
        }
        let found = exact.difference(from: frame, limit: 0.6)
        #expect(found.count == 0, "\(found.worst) \(found.what)")
    }

    @Test func domain() throws {
        let picture = RealPicture.sample(width: 30, height: 20)
        let text = lattice(3, header: "DOMAIN_MIN 0.25 0 0.5\nDOMAIN_MAX 0.75 1 1") { SIMD3($0, $1, $2) }
        let exact = picture.map { SIMD3(($0.x - 0.25) / 0.5, $0.y, ($0.z - 0.5) / 0.5) }
        let found = exact.difference(from: try filtered(text, picture), limit: 0.6)
        #expect(found.count == 0, "\(found.worst) \(found.what)")
    }

    @Test("a file whose domain changes is another filter")
    func changedDomain() throws {
        let file = try CubeFile(lattice(2, header: "DOMAIN_MAX 1 1 1") { SIMD3($0, $1, $2) })
        let chains = try ["DOMAIN_MAX 1 1 1", "DOMAIN_MAX 1 1 2"].map { header in
            try lattice(2, header: header) { SIMD3($0, $1, $2) }.write(
                toFile: file.path, atomically: true, encoding: .utf8)
            return try FilterChain("cube path='\(file.path)'")
        }
        #expect(try FilterChain("cube path='\(file.path)'") == chains[1] && chains[0] != chains[1])
    }

    @Test func curves() throws {
        let picture = RealPicture.sample(width: 30, height: 20)
        let frame = try filtered("LUT_1D_SIZE 3\n1 0 0\n0.5 0.8 0.1\n0 1 0.2\n", picture)
        let exact = picture.map { c in
            SIMD3(1 - c.x, c.y < 0.5 ? 1.6 * c.y : 0.8 + 0.4 * (c.y - 0.5), 0.2 * c.z)
        }
        let found = exact.difference(from: frame, limit: 1)
        #expect(found.count == 0, "\(found.worst) \(found.what)")
    }

    static let mistakes = [
        ("", "LUT_3D_SIZE is missing"), ("0 0 0\n", "line 1: LUT_3D_SIZE is missing"),
        ("LUT_3D_SIZE 1\n", "whole number from 2 to 129"),
        ("LUT_3D_SIZE 500\n", "whole number from 2 to 129"),
        ("LUT_3D_SIZE 2\n0 0 0\n", "the table must have 8 entries, not 1"),
        ("LUT_3D_SIZE 2\n0 0\n", "line 2: an entry of the table must have three numbers"),
        ("LUT_3D_SIZE 2\n0 0 nan\n", "line 2: an entry of the table must have three numbers"),
        ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n", "line 4: the table has more than 2 entries"),
        ("LUT_3D_SIZE 2\nHELLO 2\n", "line 2: unknown keyword HELLO"),
        ("LUT_1D_SIZE 2\nDOMAIN_MAX 0 0 0\n0 0 0\n1 1 1\n", "DOMAIN_MAX must be larger than DOMAIN_MIN"),
        ("\u{0}\u{1}PNG", "LUT_3D_SIZE"),
    ]

    @Test("what is wrong is told with the path and the line", arguments: mistakes)
    func mistake(text: String, message: String) throws {
        let file = try CubeFile(text)
        let error = #expect(throws: FilterChainError.self) { try FilterChain("hue | cube path='\(file.path)'") }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.message.contains(file.path) == true, "\(String(describing: error))")
        #expect(error?.position == 16)
    }

    /// Returns the error message for a file.
    private func message(_ path: String) -> String {
        let error = #expect(throws: FilterChainError.self) { try FilterChain("cube path='\(path)'") }
        return error?.message ?? ""
    }

    /// If a pipe were opened like a file, `open` would wait for a writer.
    @Test(.timeLimit(.minutes(1))) func aPipeIsNoFile() throws {
        let file = try CubeFile("")
        let pipe = file.folder + "/pipe.cube"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(message(pipe).contains("cannot read \"\(pipe)\": not a regular file"))
        #expect(message("/dev/zero").contains("not a regular file"))
    }

    /// Regression: the file was truncated, possibly within a number, and the message was that entries are missing.
    @Test func aFileThatIsTooLargeIsRefusedAsSuch() throws {
        let file = try CubeFile("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n")
        #expect(truncate(file.path, 64 << 20 + 1) == 0)
        #expect(message(file.path).contains("cannot read \"\(file.path)\": the file is larger than 64 MB"))
    }

    @Test("long lines and empty ones do not take memory by the hundredfold", arguments: ["\n", " 0"])
    func lines(piece: String) throws {
        let count = 20 << 20
        let file = try CubeFile("LUT_1D_SIZE 2\n" + String(repeating: piece, count: count / piece.utf8.count))
        let before = try peakMemory()
        #expect(!message(file.path).isEmpty)
        // In megabytes. The file is read completely.
        #expect(try peakMemory() - before < 300)
    }

    private func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) >> 10
    }

    @Test("other ends of lines", arguments: ["\n", "\r\n", "\r"])
    func ends(end: String) throws {
        let file = try CubeFile(["LUT_1D_SIZE 2", "", "0 0 0", "1 1 x"].joined(separator: end))
        #expect(message(file.path).contains("line 4"))
    }

    @Test func aFolderIsNoFile() throws {
        let error = #expect(throws: FilterChainError.self) { try FilterChain("cube path='/tmp'") }
        #expect(error?.message.contains("/tmp") == true)
    }
}
