// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// A case that sets a key of a `launch` pipeline to a random value. A shell must parse the printed line as one command
/// with the same words.
struct KeyCase {
    let goods: Goods
    var dice: Dice

    /// Texts that have a special meaning in a shell or in gst-launch-1.0.
    private static let parts = [
        "'", "\"", "\\", " ", "\n", "\t", "$(touch spilt)", "`touch spilt`", ";touch spilt;", "|touch spilt", "&",
        "touch spilt", "$HOME", "${IFS}", "*", "?", "[a]", "~", "!", "!!", "#", "=", "{mode}", "{sink}", "<", ">spilt",
        "(", ")", "%d", "%", "--", "-e", "é", "😀", "\u{1}", "\u{7F}", "a", "1", ".", "0x", "\\\"", "'\\''", "\r",
    ]

    private static let pipelines: [(name: String, key: String)] = [
        ("filters", "filters"), ("scene-changes", "mode"), ("blend", "opacity"), ("tint", "balance"),
        ("edges", "low"), ("blobs", "model"), ("learn", "label"), ("scene-changes", "every"), ("faces", "source"),
        ("faces", "size"), ("edges", "fps"), ("logo", "frames"), ("record", "sink"),
    ]

    /// Runs the case, and returns the error. Returns nil if there is none.
    mutating func run() throws -> String? {
        let (name, key) = dice.pick(Self.pipelines)
        var value = (0..<1 + dice.below(6)).reduce("") { text, _ in text + dice.pick(Self.parts) }
        if key == "source", dice.once(in: 2) { value = "file:///" + value }
        if key == "sink", dice.once(in: 2) { value += ".mp4" }
        let folder = goods.scratch
        let launch = goods.root + "/launch"
        // A script with the name gst-launch-1.0, which writes its arguments to a file.
        let words = folder + "/gst-launch-1.0"
        try Data("#!/bin/sh\necho ran >>ran\nprintf '%s\\n' \"$*\" >words\n".utf8).write(
            to: URL(fileURLWithPath: words))
        chmod(words, 0o700)
        let printed = try shell(
            ["\(launch)", name, "\(key)=\(value)", "--print", "sink=null"].filter {
                $0 != "sink=null" || key != "sink"
            }, folder)
        guard printed.status == 0 else {
            return printed.status == 2 ? nil : "status \(printed.status) of \(name) \(key)=\(value)"
        }
        let run = try shell(["sh", "-c", printed.output], folder, path: folder)
        let spilt = FileManager.default.fileExists(atPath: folder + "/spilt")
        let count = (try? String(contentsOfFile: folder + "/ran", encoding: .utf8)) ?? ""
        defer { goods.cleanUp() }
        return run.status == 0 && !spilt && count == "ran\n" ? nil : "\(name) \(key)=\(value) printed \(printed.output)"
    }

    private func shell(_ words: [String], _ folder: String, path: String = "") throws -> (status: Int32, output: String)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(path)\(path.isEmpty ? "" : ":")\(environment["PATH"] ?? "/usr/bin:/bin")"
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
