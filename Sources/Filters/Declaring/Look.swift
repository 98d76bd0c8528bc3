// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CLooks
internal import Imaging

/// A chain of filters with a name. The files in `Sources/CLooks/looks` contain the looks. The first line of a file is
/// a comment with the summary, and the rest is the chain.
package struct Look: Sendable {
    package let name: String
    /// A one-line description for users.
    package let summary: String
    /// The text of the chain.
    package let text: String

    /// All looks, ordered by name.
    package static let all: [Look] = (0..<sv_look_file_count()).compactMap { Look(file: $0) }

    private init?(file index: Int) {
        guard let file = sv_look_file(index) else { return nil }
        let bytes = UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count)
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let first = lines.first else { return nil }
        // The file name is the name of the look, followed by `.filters`.
        name = String(String(cString: file.pointee.name).prefix { $0 != "." })
        summary = String(first.drop { $0 == "#" || $0 == " " })
        text = lines.dropFirst().joined(separator: " ")
    }

    /// Returns the look with this name.
    /// - Throws: an error if no look has this name. The message lists the most similar names.
    package init(named name: String) throws(FilterChainError) {
        guard let look = Self.find(name) else {
            let names = nearestNames(to: name, in: Self.all.map(\.name), count: 3).map { "\"\($0)\"" }
            throw FilterChainError(
                "unknown look \"\(name)\". The most similar looks are \(names.joined(separator: ", ")).")
        }
        self = look
    }

    static func find(_ name: String) -> Look? { all.first { $0.name == name } }

    /// All looks with their summaries, as text for users. The text has one line per look.
    package static var catalogue: String {
        all.map { "  " + $0.name.padded(22) + $0.summary }.joined(separator: "\n")
    }
}
