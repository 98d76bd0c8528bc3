// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// Invalid options or an invalid pipeline description. The message includes the fix.
struct UsageError: Error {
    let message: String
}

enum Description: Equatable {
    /// Command-line arguments. GStreamer joins them, as gst-launch-1.0 does.
    case words([String])
    /// The text of a file or of the environment variable PIPELINE.
    case text(String)
}

struct Options {
    var description = Description.words([])
    /// True if the runner prints properties and caps when they change.
    var isVerbose = false
    /// The maximum time until the stream has ended after a signal, in seconds.
    var stopTimeout: UInt64 = 10

    static let usage = """
        usage: swiftvision run [--stop-timeout SECONDS] [--verbose] [--file FILE | DESCRIPTION ...]

        Runs a pipeline. The description of the pipeline has the syntax of gst-launch-1.0. Write the description in
        FILE, in the arguments, or in the environment variable PIPELINE. Lines of FILE that begin with # are comments.
        Other users can read the arguments of a program, so put passwords and stream keys in FILE or PIPELINE.

        The program writes errors, warnings and notes to the standard error. In systemd's journal, each line has a
        priority. SIGINT, SIGTERM and SIGHUP end the stream and complete its files. A second signal ends the program at
        once.

          --stop-timeout SECONDS   maximum time to end the stream, in seconds (default 10)
          --verbose                print properties and caps when they change

        Exit status: 0 = the stream ended, 1 = an error, 2 = wrong description or arguments.
        """

    private static let limit = 1 << 20

    /// - Parameter arguments: the arguments without the program name.
    init(_ arguments: [String], pipeline: String?) throws(UsageError) {
        var remaining = arguments[...]
        var file: String?
        while let word = remaining.first, word.hasPrefix("-") {
            remaining = remaining.dropFirst()
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func value() throws(UsageError) -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = remaining.first else { throw UsageError(message: "\(word) needs a value") }
                remaining = remaining.dropFirst()
                return next
            }
            switch parts[0] {
            case "--file": file = try value()
            case "--verbose" where parts.count == 1: isVerbose = true
            case "--stop-timeout":
                let text = try value()
                guard let seconds = UInt64(text), (1...3600).contains(seconds) else {
                    throw UsageError(message: "--stop-timeout \(text): not a time. Use 1 to 3600 seconds.")
                }
                stopTimeout = seconds
            default:
                throw UsageError(message: "unknown option \(parts[0]). \"swiftvision run --help\" lists all options.")
            }
        }
        description = try Self.description(words: Array(remaining), file: file, pipeline: pipeline)
    }

    private static func description(
        words: [String], file: String?, pipeline: String?
    ) throws(UsageError) -> Description {
        if let file {
            guard words.isEmpty else { throw UsageError(message: "use either --file or a description, not both") }
            return .text(try text(of: file))
        }
        if !words.isEmpty { return .words(words) }
        guard let pipeline, !isBlank(pipeline) else {
            throw UsageError(
                message: "no pipeline. Use a description, --file FILE, or the environment variable PIPELINE.")
        }
        return .text(pipeline)
    }

    private static func text(of file: String) throws(UsageError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try readFile(file, atMost: limit)
        } catch {
            throw UsageError(message: "cannot read \"\(file)\": \(error)")
        }
        let text = uncommented(String(decoding: bytes, as: UTF8.self))
        guard !isBlank(text) else { throw UsageError(message: "cannot read \"\(file)\": no pipeline in the file") }
        return text
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

    /// Returns the text without lines that begin with #.
    static func uncommented(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).filter { $0.first { !$0.isWhitespace } != "#" }.joined(separator: "\n")
    }
}
