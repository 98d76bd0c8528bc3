// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters

/// The text of a filter chain, the file that contains the text, and the name of a look.
struct ChainText: Sendable, Equatable {
    var text = Assigned<String>()
    /// The path of the file that has the text; nil if the text is the value of `filters`.
    var file: String?
    /// The name of the look that svfilter applies after the filters; nil if no look is set.
    var look: String?

    init(text: Assigned<String> = Assigned(), file: String? = nil, look: String? = nil) {
        (self.text, self.file, self.look) = (text, file, look)
    }

    init(_ content: WatchedText.Content, look: String?) {
        self.init(text: content.text, file: content.path, look: look)
    }

    func chain() throws(ElementError) -> FilterChain {
        let text = file == nil ? text.value ?? "" : Self.withoutComments(text.value ?? "")
        let filters: FilterChain
        do throws(FilterChainError) {
            filters = try FilterChain(text)
        } catch {
            throw ElementError(error, in: location(error.position, text))
        }
        guard let look else { return filters }
        do throws(FilterChainError) {
            return filters.then(try FilterChain(Look(named: look).text))
        } catch {
            throw ElementError(error, in: "look, at character 1")
        }
    }

    /// Returns the text of a file with blanks in place of comment lines, which begin with #. Error positions in the
    /// result are also valid in the file.
    private static func withoutComments(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            line.first { !$0.isWhitespace } == "#" ? String(repeating: " ", count: line.count) : String(line)
        }.joined(separator: "\n")
    }

    /// Returns the beginning of an error message: the source of the text, and the position of the error. An example is
    /// `filters, at character 5`.
    private func location(_ position: Int, _ text: String) -> String {
        guard let file else { return "filters, at character \(position + 1)" }
        let before = text.prefix(position)
        let column = before.reversed().prefix { !$0.isNewline }.count
        return "\(file), line \(before.count(where: \.isNewline) + 1), character \(column + 1)"
    }
}

extension ElementError {
    /// - Parameter location: the source of the text and the position of the error.
    init(_ error: FilterChainError, in location: String) {
        let reason: Reason =
            switch error.cause {
            case .text: .settings
            case .missingFile: .notFound
            case .unreadableFile: .openRead
            case .content: .decode
            }
        self.init(reason, "\(location): \(error.message)")
    }
}
