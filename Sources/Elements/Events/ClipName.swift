// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// A pattern for the paths of clips: text with conversions of strftime, such as `%H`, and placeholders, such as
/// `{label}`.
struct ClipName: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case text(String)
        /// A conversion character of strftime, such as `H`, and its number of digits.
        case time(Character, digits: Int)
        case placeholder(String)
    }

    /// For each path component below `folder`: its parts.
    private var components: [[Part]] = []
    /// The folder that contains all clips: the path components before the first component with a conversion or
    /// placeholder.
    let folder: String
    let container: ClipContainer

    private static let digits: [Character: Int] = ["Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "j": 3, "y": 2]
    private static let placeholders = ["label", "zone", "event"]
    /// The maximum size of the value of a placeholder, in bytes.
    private static let maxValue = 60
    /// The maximum size of a file or folder name, in bytes.
    private static let maxName = 200

    /// - Parameters:
    ///   - pattern: the value of a property.
    ///   - property: the name of the property, for errors.
    init(_ pattern: String, of property: String) throws(ElementError) {
        func failure(_ position: Int, _ problem: String) -> ElementError {
            ElementError(.settings, "\(property), at character \(position + 1): \(problem)")
        }
        let characters = Array(pattern)
        var path: [[Part]] = [[]]
        var text = ""
        func flush() {
            if !text.isEmpty { path[path.count - 1].append(.text(text)) }
            text = ""
        }
        var index = 0
        while index < characters.count {
            let character = characters[index]
            switch character {
            case "/":
                flush()
                path.append([])
            case "%":
                let next = index + 1 < characters.count ? characters[index + 1] : " "
                index += 1
                if next == "%" {
                    text.append("%")
                } else if let count = Self.digits[next] {
                    flush()
                    path[path.count - 1].append(.time(next, digits: count))
                } else {
                    throw failure(index - 1, "expected one of %Y %m %d %H %M %S %j %y %%")
                }
            case "{":
                guard let end = characters[index...].firstIndex(of: "}"),
                    Self.placeholders.contains(String(characters[index + 1..<end]))
                else { throw failure(index, "expected one of {label} {zone} {event}") }
                flush()
                path[path.count - 1].append(.placeholder(String(characters[index + 1..<end])))
                index = end
            default: text.append(character)
            }
            index += 1
        }
        flush()
        guard let name = path.last, case .text(let end)? = name.last, let dot = end.lastIndex(of: "."),
            let container = ClipContainer(rawValue: String(end[end.index(after: dot)...]))
        else {
            throw failure(max(0, characters.count - 1), "the name must end in .mkv, .mp4 or .webm")
        }
        let fixed = path.dropLast().prefix { $0.allSatisfy { if case .text = $0 { true } else { false } } }
        let folder = fixed.map { Self.text($0) { _ in "" } }.joined(separator: "/")
        self.folder = fixed.isEmpty ? "." : folder.isEmpty ? "/" : folder
        self.container = container
        components = Array(path.dropFirst(fixed.count))
        components[components.count - 1][name.count - 1] = .text(String(end[..<dot]))
        for component in components {
            if let problem = Self.problem(with: component) { throw failure(0, problem) }
        }
    }

    /// Returns the reason why a path component can produce unsafe names; nil if all its names are safe. The method
    /// `path` changes unsafe names. Such a name would not match the pattern, so max-disk-space and max-age would have
    /// no effect on the file.
    private static func problem(with parts: [Part]) -> String? {
        var longest = 0
        for part in parts {
            switch part {
            case .text(let text):
                longest += text.utf8.count
                // The text may begin with a dot or a minus sign if it is not the beginning of the name. So put a letter
                // before it.
                if "a\(text)".fileName(atMost: .max) != "a\(text)" {
                    return "file and folder names must not contain invisible characters"
                }
            case .time(_, let digits): longest += digits
            case .placeholder: longest += maxValue
            }
        }
        if longest > maxName { return "the pattern can create a file or folder name of more than \(maxName) bytes" }
        let start = text(parts) { _ in "a" }
        if start.isEmpty { return "the pattern can create an empty file or folder name" }
        return start.fileName(atMost: maxName) == start ? nil : "a file or folder name must not begin with . or -"
    }

    private static func text(_ parts: [Part], _ value: (Part) -> String) -> String {
        parts.map { if case .text(let text) = $0 { text } else { value($0) } }.joined()
    }

    /// Returns the subfolders and the file name without its ending for a clip. The subfolders are relative to `folder`.
    func path(for match: TriggerRule.Match, at time: time_t) -> (folders: [String], stem: String) {
        var (moment, parts) = (time, tm())
        localtime_r(&moment, &parts)
        let names = components.map { component in
            Self.text(component) { part in
                switch part {
                case .text(let text): text
                case .time(let character, let digits): Self.digits(character, digits, parts)
                case .placeholder(let name): Self.value(name, match).fileName(atMost: Self.maxValue)
                }
            }
        }
        let safe = names.map { $0.fileName(atMost: Self.maxName) }
        return (Array(safe.dropLast()), safe.last ?? "clip")
    }

    private static func value(_ placeholder: String, _ match: TriggerRule.Match) -> String {
        let value =
            switch placeholder {
            case "zone": match.zone
            case "event": match.event
            default: match.label
            }
        return value.isEmpty ? "none" : value
    }

    private static func digits(_ character: Character, _ count: Int, _ time: tm) -> String {
        let number =
            switch character {
            case "Y": time.tm_year + 1900
            case "y": time.tm_year % 100
            case "m": time.tm_mon + 1
            case "d": time.tm_mday
            case "H": time.tm_hour
            case "M": time.tm_min
            case "S": time.tm_sec
            default: time.tm_yday + 1
            }
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    // MARK: - Recognising files

    /// Returns true if a path can be the path of a clip or of a snapshot with this pattern. The path is relative to
    /// `folder`.
    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard names.count == components.count, let last = names.last, let dot = last.lastIndex(of: ".") else {
            return false
        }
        let ending = last[last.index(after: dot)...]
        guard ending == container.rawValue || ending == "jpg" else { return false }
        return zip(components, names.dropLast() + [String(last[..<dot])]).enumerated().allSatisfy { index, pair in
            Self.matches(pair.0[...], Array(pair.1)[...], isLast: index == components.count - 1)
        }
    }

    private static func matches(_ parts: ArraySlice<Part>, _ name: ArraySlice<Character>, isLast: Bool) -> Bool {
        guard let part = parts.first else {
            // If the name of a clip is already used, the file gets a number, such as `-2`.
            let number = name.dropFirst()
            return name.isEmpty
                || isLast && name.first == "-" && !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
        }
        switch part {
        case .text(let text):
            return name.starts(with: text) && matches(parts.dropFirst(), name.dropFirst(text.count), isLast: isLast)
        case .time(_, let digits):
            let number = name.prefix(digits)
            return number.count == digits && number.allSatisfy { $0.isASCII && $0.isNumber }
                && matches(parts.dropFirst(), name.dropFirst(digits), isLast: isLast)
        case .placeholder:
            return name.indices.contains { index in
                matches(parts.dropFirst(), name[name.index(after: index)...], isLast: isLast)
            }
        }
    }
}
