// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// The parsed words of `hide` or `spare`: types of regions, labels, and `person:NAME`, separated by commas. Words are
/// not case-sensitive.
struct HideWords: Sendable, Hashable {
    /// The words that are detection types of this plugin, such as `face`.
    private(set) var types: Set<Detection.Kind> = []
    /// The names of people, from `person:NAME`, in lower case.
    private(set) var people: Set<String> = []
    /// All other words, in lower case: labels, or detection types of other vendors.
    private(set) var labels: Set<String> = []
    /// The words that are probably misspelt types, at most three, each with the correct type.
    private(set) var doubtful: [(word: String, type: String)] = []

    static let none = HideWords()

    static let knownTypes: [Detection.Kind] = [.face, .catFace, .hybridFace, .blob, .logo]
    private static let personPrefix = "person:"

    var isEmpty: Bool { types.isEmpty && people.isEmpty && labels.isEmpty }

    /// True if the words can match human faces.
    var concernsFaces: Bool { types.contains(.face) || !people.isEmpty }

    private init() {}

    /// - Parameter property: the name of the property, for error messages.
    /// - Throws: an error that names the property and describes the malformed part.
    init(_ text: String?, of property: String) throws(ElementError) {
        for word in try Self.words(text ?? "", property) {
            if word.isPerson {
                guard !word.text.isEmpty else {
                    throw Self.refusal(property, "the name after \(Self.personPrefix) is missing")
                }
                people.insert(word.text.folded)
            } else if !word.isQuoted, let type = Self.knownTypes.first(where: { $0.rawValue == word.text.folded }) {
                types.insert(type)
            } else {
                labels.insert(word.text.folded)
                if !word.isQuoted, doubtful.count < 3, let type = Self.misspelt(word.text) {
                    doubtful.append((word.text, type))
                }
            }
        }
    }

    /// Adds the word `face`, which matches faces of all types.
    mutating func addFaces() { types.insert(.face) }

    static func == (lhs: HideWords, rhs: HideWords) -> Bool {
        lhs.types == rhs.types && lhs.people == rhs.people && lhs.labels == rhs.labels
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(types)
        hasher.combine(people)
        hasher.combine(labels)
    }

    // MARK: - Reading

    private struct Word {
        var text = ""
        /// True if the word contains quotes. A quoted word is always a label.
        var isQuoted = false
        var isPerson = false
        /// The length of the text without trailing blanks, in UTF-8 bytes.
        var length = 0

        mutating func add(_ character: Character, isQuoted: Bool) {
            let isBlank = character.isWhitespace && !isQuoted
            if text.isEmpty, isBlank { return }
            text.append(character)
            if !isBlank { length = text.utf8.count }
        }
    }

    /// Splits a text at commas outside of quotes. Ignores blanks around words, and empty words.
    private static func words(_ text: String, _ property: String) throws(ElementError) -> [Word] {
        var words: [Word] = []
        var word = Word()
        var isInQuotes = false
        func end() {
            word.text = String(word.text.utf8.prefix(word.length)) ?? word.text
            if !word.text.isEmpty || word.isPerson { words.append(word) }
            word = Word()
        }
        for character in text {
            switch character {
            case "\"":
                isInQuotes.toggle()
                // In `person:"NAME"`, the quotes belong to the name, so the word does not become a label.
                if !word.isPerson { word.isQuoted = true }
            case "," where !isInQuotes: end()
            default:
                word.add(character, isQuoted: isInQuotes)
                let mayBePerson = character == ":" && !word.isQuoted && !word.isPerson
                // The comparison of the lengths saves time in long words with many colons.
                if mayBePerson, word.text.utf8.count == personPrefix.utf8.count, word.text.folded == personPrefix {
                    word = Word(isPerson: true)
                }
            }
        }
        guard !isInQuotes else { throw refusal(property, "the closing quote (\") is missing") }
        end()
        return words
    }

    /// Returns the type that the user probably meant, if the word is a misspelling or the plural of a type; otherwise
    /// nil.
    private static func misspelt(_ word: String) -> String? {
        let word = word.folded
        return knownTypes.map(\.rawValue).first { word == $0 + "s" || word.count > 3 && word.isOneLetter(from: $0) }
    }

    private static func refusal(_ property: String, _ reason: String) -> ElementError {
        ElementError(
            .settings,
            "\(property) is malformed: \(reason). Use types, labels or person:NAME, separated by commas, such as "
                + "face,person:Bob.")
    }
}

extension String {
    /// The text in lower case, for comparisons that are not case-sensitive.
    var folded: String { lowercased() }

    /// Returns true if one inserted, missing or different letter is the only difference between the texts.
    fileprivate func isOneLetter(from other: String) -> Bool {
        guard abs(count - other.count) <= 1, self != other else { return false }
        let common = zip(self, other).prefix { $0 == $1 }.count
        let (suffix, otherSuffix) = (dropFirst(common), other.dropFirst(common))
        return suffix.dropFirst() == otherSuffix.dropFirst() || suffix.dropFirst() == otherSuffix
            || suffix == otherSuffix.dropFirst()
    }
}
