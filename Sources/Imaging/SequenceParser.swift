// SPDX-License-Identifier: LGPL-2.1-or-later
/// The tempo of a sequence. With a tempo, durations can be in beats. Users write the tempo as `beat=120bpm`.
package struct Tempo: Sendable {
    /// Beats per minute.
    private let rate: WrittenRatio
    private static let name = "beat"
    /// Maximum number of digits of a tempo, and of a number of beats. With at most 12 digits, products fit into 128
    /// bits.
    private static let digits = 12

    /// Returns true if this part of a sequence sets the tempo.
    package static func isTempo(_ part: Substring) -> Bool {
        guard let sign = part.firstIndex(of: "=") else { return false }
        return part[..<sign].trimmed == name
    }

    /// Parses `beat=120bpm`. The position of an error is relative to the start of `part`.
    package init(_ part: Substring) throws(WrittenNumberError) {
        let sign = part.firstIndex(of: "=").map(part.index(after:)) ?? part.endIndex
        let value = part[sign...].trimmed
        guard value.hasSuffix("bpm"), let rate = WrittenRatio(value.dropLast(3).trimmed, digits: Self.digits),
            rate.denominator < 1 << 40, rate.numerator >= rate.denominator, rate.numerator <= 1000 * rate.denominator,
            ExactDuration(60_000_000_000 * rate.denominator, over: rate.numerator) != nil
        else {
            throw WrittenNumberError(
                message: "malformed tempo. Write the tempo as beat=120bpm, from 1 to 1000 bpm.",
                position: part.distance(from: part.startIndex, to: value.startIndex))
        }
        self.rate = rate
    }

    /// Returns the duration of a number of beats, such as `4` or `1/3`; nil if the text is malformed.
    fileprivate func duration(of beats: Substring) -> ExactDuration? {
        guard let beats = WrittenRatio(beats, digits: Self.digits), beats.denominator < 1 << 40 else { return nil }
        return ExactDuration(
            60_000_000_000 * beats.numerator * rate.denominator, over: beats.denominator * rate.numerator)
    }
}

extension FadeSequence {
    /// The words that begin a part of a sequence.
    fileprivate static let keywords = ["after", "hold"] + Loop.Kind.allCases.map(\.rawValue)

    /// Returns true if the text is a sequence (possibly malformed), and false if it is a number.
    package static func isWritten(in text: String) -> Bool {
        if text.arrow != nil || Tempo.isTempo(text[...]) { return true }
        let word = text.split(maxSplits: 1) { $0.isWhitespace || $0 == "," }.first.map(String.init)
        return word.map(keywords.contains) ?? false
    }
}

extension WrittenNumber {
    /// Parses a sequence of fades, such as `0->1@1s smooth` or `after 2s, 0->1@1s, hold 8s, 1->0@1s, repeat 3`. The
    /// first part can set the tempo, such as `beat=120bpm, 0->1@1beat, ping-pong`.
    /// - Parameter tempo: the tempo if the sequence does not set the tempo.
    package func sequence(_ text: Substring, tempo: Tempo? = nil) throws(WrittenNumberError) -> FadeSequence {
        var parser = SequenceParser(number: self, text: text, tempo: tempo)
        return try parser.sequence()
    }
}

private struct SequenceParser {
    let number: WrittenNumber
    let text: Substring
    var tempo: Tempo?
    private var delay: ExactDuration?
    private var steps: [FadeSequence.Step] = []
    /// The durations of the holds before the first fade. During these holds, the value is the start value of the first
    /// fade.
    private var holds: [ExactDuration] = []
    private var loop: FadeSequence.Loop?

    init(number: WrittenNumber, text: Substring, tempo: Tempo?) {
        (self.number, self.text, self.tempo) = (number, text, tempo)
    }

    private func position(_ index: String.Index) -> Int { text.distance(from: text.startIndex, to: index) }

    private func failure(_ message: String, at index: String.Index) -> WrittenNumberError {
        WrittenNumberError(message: message, position: position(index))
    }

    mutating func sequence() throws(WrittenNumberError) -> FadeSequence {
        let parts = text.split(separator: ",", maxSplits: FadeSequence.maxParts, omittingEmptySubsequences: false)
        guard parts.count <= FadeSequence.maxParts else {
            throw failure(
                "a sequence can have at most \(FadeSequence.maxParts) parts. To repeat fades, use the word \"repeat\".",
                at: parts.last?.startIndex ?? text.startIndex)
        }
        for (index, part) in parts.enumerated() {
            if index == 0, Tempo.isTempo(part) {
                tempo = try Tempo(part)
            } else if index > 0, part.trimmed.isEmpty {
                throw failure(
                    "missing fade after a comma. Write a fade such as 0->1@2s, or remove the comma.", at: part.endIndex)
            } else {
                try read(part, words: part.split(whereSeparator: \.isWhitespace))
            }
        }
        guard !steps.isEmpty else {
            throw failure("missing fade. Write a fade such as 0->1@2s.", at: text.endIndex)
        }
        guard let sequence = FadeSequence(after: delay ?? .zero, steps, loop) else {
            throw failure(
                "the times of a sequence have too many different fractions. Use times such as 1s, 500ms or 1/2beat.",
                at: text.startIndex)
        }
        return sequence
    }

    /// Reads one part of the sequence.
    private mutating func read(_ part: Substring, words: [Substring]) throws(WrittenNumberError) {
        let start = words.first?.startIndex ?? part.endIndex
        if let loop {
            throw failure("\"\(loop.kind.rawValue)\" must be the last part of a sequence", at: start)
        }
        let keyword = words.first.map(String.init) ?? ""
        switch keyword {
        case "after":
            guard delay == nil, steps.isEmpty, holds.isEmpty else {
                throw failure(
                    "\"after\" must be the first part of a sequence. To wait between two fades, write \"hold 2s\".",
                    at: start)
            }
            delay = try duration(of: words)
        case "hold":
            let duration = try duration(of: words)
            if let last = steps.last {
                steps.append(FadeSequence.Step(hold: last.fade.to, duration))
            } else {
                holds.append(duration)
            }
        default:
            if let kind = FadeSequence.Loop.Kind(rawValue: keyword) {
                loop = FadeSequence.Loop(kind: kind, count: try count(of: words))
                guard !steps.isEmpty else { throw failure("missing fade before \"\(keyword)\"", at: start) }
                guard steps.contains(where: { $0.duration != .zero }) else {
                    throw failure("\"\(keyword)\" needs a fade that is longer than 0 s", at: start)
                }
            } else {
                let step = try fade(part, start: start)
                steps += holds.map { FadeSequence.Step(hold: step.fade.from, $0) } + [step]
                holds = []
            }
        }
    }

    /// Reads a fade: `from->to@2s`, and optionally a blank and the course, `linear` or `smooth`.
    private func fade(_ part: Substring, start: String.Index) throws(WrittenNumberError) -> FadeSequence.Step {
        guard let arrow = part.arrow, let at = part.firstIndex(of: "@"), arrow.upperBound <= at
        else { throw failure(malformed(part.trimmed), at: start) }
        func value(_ part: Substring) throws(WrittenNumberError) -> Double {
            let words = part.split(whereSeparator: \.isWhitespace)
            let start = position(words.first?.startIndex ?? part.endIndex)
            return try number.number(words.joined(separator: " "), at: start)
        }
        let from = try value(part[..<arrow.lowerBound])
        let to = try value(part[arrow.upperBound..<at])
        let end = part.index(after: at)
        let words = part[end...].split(whereSeparator: \.isWhitespace)
        let duration = try time(
            words.first ?? "", at: end, "in a fade. Write the time as @2s, @500ms or @1beat.")
        guard words.count > 1 else { return FadeSequence.Step(from: from, to: to, duration, .linear) }
        let word = words[1...].joined(separator: " ")
        guard let course = Fade.Course(rawValue: word) else {
            let isPart = FadeSequence.keywords.contains(String(words[1])) || words[1].arrow != nil
            throw failure(
                isPart
                    ? "missing comma before \"\(words[1])\""
                    : "unknown word \"\(word)\" after the time of a fade. Use linear or smooth.",
                at: words[1].startIndex)
        }
        return FadeSequence.Step(from: from, to: to, duration, course)
    }

    /// Returns the error message for a part that is not a fade.
    private func malformed(_ part: Substring) -> String {
        let usual = "malformed fade. Write the fade as FROM->TO@TIME, such as 0->1@2s."
        guard part.first?.isLetter == true, part.arrow == nil, !part.contains("@") else { return usual }
        let word = part.prefix { !$0.isWhitespace }
        if Tempo.isTempo(part) { return "the tempo must be the first part of a sequence" }
        if let keyword = nearestName(to: String(word), in: FadeSequence.keywords) {
            return "unknown word \"\(word)\". Did you mean \"\(keyword)\"?"
        }
        return "unknown word \"\(word)\" in a sequence. Use a fade such as 0->1@2s, after, hold, repeat or ping-pong."
    }

    /// Reads the time after the word `after` or `hold`.
    private func duration(of words: [Substring]) throws(WrittenNumberError) -> ExactDuration {
        let keyword = words.first ?? ""
        guard words.count > 1 else {
            throw failure("missing time after \"\(keyword)\". Write \"\(keyword) 2s\".", at: keyword.endIndex)
        }
        guard words.count == 2 else { throw failure("missing comma before \"\(words[2])\"", at: words[2].startIndex) }
        return try time(
            words[1], at: words[1].startIndex, "after \"\(keyword)\". Write the time as 2s, 500ms or 1beat.")
    }

    /// Reads the optional number after the word `repeat` or `ping-pong`.
    private func count(of words: [Substring]) throws(WrittenNumberError) -> UInt64? {
        guard words.count > 1 else { return nil }
        guard words.count == 2 else { throw failure("missing comma before \"\(words[2])\"", at: words[2].startIndex) }
        guard let count = UInt64(words[1]), (1...1_000_000_000).contains(count) else {
            throw failure(
                "the number after \"\(words[0])\" must be a whole number from 1 to 1000000000", at: words[1].startIndex)
        }
        return count
    }

    /// Reads a time: `2s`, `500ms`, `2` (seconds), `1/3s` or `4beats`.
    private func time(
        _ word: Substring, at index: String.Index, _ advice: String
    ) throws(WrittenNumberError) -> ExactDuration {
        let unit = ["beats", "beat", "ms", "s"].first { word.hasSuffix($0) } ?? ""
        let amount = word.dropLast(unit.count)
        if unit.hasPrefix("beat") {
            guard let tempo else {
                throw failure("a time in beats needs a tempo. Write beat=120bpm before the first fade.", at: index)
            }
            if let duration = tempo.duration(of: amount) { return duration }
        } else if let duration = ExactDuration(amount, unit: unit == "ms" ? 1_000_000 : 1_000_000_000) {
            return duration
        }
        throw failure("malformed time \(advice)", at: index)
    }
}

extension ExactDuration {
    /// Parses a number, such as `2`, `0.5`, `1/3` or `1e3`. Decimal numbers are rounded up to whole nanoseconds.
    /// - Parameter unit: the unit of the number, in nanoseconds.
    fileprivate init?(_ text: Substring, unit: UInt128) {
        if let ratio = WrittenRatio(text, digits: 27) {
            let (numerator, denominator) = (ratio.numerator * unit, ratio.denominator)
            if text.contains("/") {
                self.init(numerator, over: denominator)
            } else {
                self.init(nanoseconds: (numerator + denominator - 1) / denominator)
            }
        } else if let number = Double(text), number >= 0, number.isFinite {
            self.init(nanoseconds: UInt128(min(number * Double(unit), 1e30).rounded(.up)))
        } else {
            return nil
        }
    }
}

extension StringProtocol {
    /// The first `->`; nil if there is none.
    fileprivate var arrow: Range<Index>? {
        indices.first { self[$0...].hasPrefix("->") }.map { $0..<index($0, offsetBy: 2) }
    }
}

extension Substring {
    /// The text without blanks at the start and at the end.
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
