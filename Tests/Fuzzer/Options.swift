// SPDX-License-Identifier: LGPL-2.1-or-later
/// The command-line options.
struct Options {
    /// Maximum run time in seconds; nil if the number of cases is given.
    var seconds: Double? = 60
    var cases: UInt64?
    /// The name of an element, `elements`, `files`, `networks`, `keys` or `all`.
    var subject = "all"
    /// Seed of the first case. If it is nil, the seed comes from the current time.
    var seed: UInt64?
    /// If a case takes longer, in seconds, it counts as too slow. After five times this time, the fuzzer ends the case.
    var limit = 2.0
    /// For the child process: the path of the file with the progress, and the number of the first case.
    var progress: String?
    var first: UInt64 = 0

    static let subjects = ["all", "elements", "files", "networks", "keys"] + ElementCase.names

    /// Parses the arguments. Returns nil if they are invalid.
    init?(_ words: [String]) {
        var places: [String] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            switch (parts.first, parts.count == 2 ? parts[1] : "") {
            case ("--cases", let text):
                guard let number = UInt64(text) else { return nil }
                (cases, seconds) = (number, nil)
            case ("--limit", let text):
                guard let number = Double(text), number > 0 else { return nil }
                limit = number
            case ("--progress", let text): progress = text
            case ("--first", let text):
                guard let number = UInt64(text) else { return nil }
                first = number
            default:
                guard !word.hasPrefix("-") else { return nil }
                places.append(word)
            }
        }
        guard places.count <= 3 else { return nil }
        if let text = places.first {
            guard let number = Double(text), number >= 0, number < 1e7 else { return nil }
            if cases == nil { seconds = number }
        }
        if places.count > 1 { subject = places[1] }
        if places.count > 2 {
            guard let number = UInt64(places[2]) else { return nil }
            seed = number
        }
        if seconds == 0 { (cases, seconds) = (1, nil) }
        guard Self.subjects.contains(subject) else { return nil }
    }

    /// Returns the kind of the case with this number.
    func kind(_ number: UInt64) -> String {
        switch subject {
        case "all":
            // Cases of the kind `keys` are rare, because each of them starts a shell.
            if number % 500 == 499 { return "keys" }
            let kinds = ElementCase.names + ["files"]
            return kinds[Int(number % UInt64(kinds.count))]
        case "elements": return ElementCase.names[Int(number % UInt64(ElementCase.names.count))]
        default: return subject
        }
    }
}
