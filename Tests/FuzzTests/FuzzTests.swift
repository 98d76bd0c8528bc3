// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Runs a fixed number of the fuzzer's cases from a fixed seed. With `SWIFTVISION_FULL=1`, there are more cases. `./launch fuzz` runs cases until its time is over.
@Suite("Fuzz")
struct FuzzTests {
    private static let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
    private static let root = URL(fileURLWithPath: #filePath + "/../../..").standardized

    /// The names of the elements, from the pages of the documentation. Some elements are omitted: svwebsink may block
    /// the pushing thread until a state, a clock or a segment's time is reached. svpublish would write files and
    /// connect to brokers with random names. svurisrc and svclip have no input.
    private static let elements = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/docs")) ?? []
        let pages = names.filter { $0.hasPrefix("sv") && $0.hasSuffix(".md") }
        let omitted = ["svclip", "svpublish", "svurisrc", "svwebsink"]
        return pages.map { String($0.dropLast(3)) }.filter { !omitted.contains($0) }.sorted()
    }()

    @Test(
        "Nonsense does no harm", .timeLimit(.minutes(10)),
        arguments: isFull
            ? [("elements", 650), ("files", 1000), ("networks", 400), ("keys", 6)]
            : [("elements", 110), ("files", 200), ("networks", 80), ("keys", 3)])
    func cases(_ subject: String, _ count: Int) throws {
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = programs.appendingPathComponent("fuzzer")
        process.currentDirectoryURL = Self.root
        // The limit is high, because other tests run at the same time.
        process.arguments = ["1", subject, "20261122", "--cases=\(count)", "--limit=20"]
        // GLib, fontconfig and Foundation do not free all memory at the end of a program.
        process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
        if subject == "elements" {
            let told = text.split(separator: "\n").compactMap { $0.firstMatch(of: #/^(sv\w+): \d+ cases/#)?.1 }
            #expect(told.map(String.init).sorted() == Self.elements, "\(text)")
        }
        #expect(text.contains("base seed 20261122; 0 findings"), "\(text)")
    }
}
