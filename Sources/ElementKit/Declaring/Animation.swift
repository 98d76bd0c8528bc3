// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A numeric property whose value may change with each frame.
struct AnimatedNumber<Settings: ElementSettings>: Sendable {
    let range: ClosedRange<Double>
    let isInteger: Bool
    let set: @Sendable (inout Settings, Double) -> Void

    init<Number: PropertyNumber>(
        in range: ClosedRange<Number>, _ set: @escaping @Sendable (inout Settings, Number) -> Void
    ) {
        self.range = range.lowerBound.real...range.upperBound.real
        isInteger = Number.isInteger
        self.set = { set(&$0, Number(nearest: $1)) }
    }
}

/// The value of the property `animate`: a sequence of fades for each animated property of the object. The time starts
/// at the first frame after `animate` was set.
struct Animation<Settings: ElementSettings>: Sendable {
    private enum Progress {
        case running, over
        /// The user has set the property, so the sequence no longer changes the property.
        case ended
    }

    private struct Move {
        let name: String
        let set: @Sendable (inout Settings, Double) -> Void
        let sequence: FadeSequence
        var progress = Progress.running
    }

    private var moves: [Move] = []
    /// The time of the first frame; nil before the first frame.
    private var start: ClockTime?
    /// True if any sequence is still running.
    private(set) var isRunning = false

    /// Creates an animation without fades.
    init() {}

    /// Parses sequences of fades: `opacity=0->1@3s, hold 2s, 1->0@3s, xpos=0->640@2s smooth`. Commas separate the parts
    /// of a sequence. A part with `=` starts the sequence of another property. Before the first property, `beat=120bpm`
    /// sets the tempo of all sequences.
    /// - Throws: `ElementError` with the reason `settings` and the character position in the text.
    init(_ text: String, of properties: [Property<Settings>]) throws(ElementError) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        var start = text.startIndex
        do {
            var tempo: Tempo?
            if let first = parts.first, Tempo.isTempo(first) {
                tempo = try Tempo(first)
                parts.removeFirst()
                start = text.endIndex
            }
            repeat {
                let first = parts.popFirst() ?? text[text.endIndex...]
                let more = parts.prefix { !$0.contains("=") }
                parts.removeFirst(more.count)
                let end = more.last?.endIndex ?? first.endIndex
                start = first.firstIndex { !$0.isWhitespace } ?? first.endIndex
                moves.append(
                    try Self.move(text[start..<end], name: text[start..<first.endIndex], properties, tempo, moves))
            } while !parts.isEmpty
        } catch {
            let position = text.distance(from: text.startIndex, to: start) + error.position + 1
            throw ElementError(.settings, "animate, at character \(position): \(error.message)")
        }
        isRunning = true
    }

    /// Parses the sequence of one property.
    /// - Parameters:
    ///   - first: the beginning of `text`, up to the first comma.
    ///   - others: the sequences of other properties.
    private static func move(
        _ text: Substring, name first: Substring, _ properties: [Property<Settings>], _ tempo: Tempo?, _ others: [Move]
    ) throws(WrittenNumberError) -> Move {
        func failure(_ message: String, at position: Int = 0) -> WrittenNumberError {
            WrittenNumberError(message: message, position: position)
        }
        let animated = properties.filter { $0.animated != nil }.map(\.name)
        let sign = first.firstIndex(of: "=")
        let name = first[..<(sign ?? first.endIndex)].filter { !$0.isWhitespace }
        guard !name.isEmpty else {
            throw failure("missing property name. Write an animation as \(animated.first ?? "opacity")=0->1@3s.")
        }
        guard !Tempo.isTempo(first) else {
            throw failure("the tempo must be the first part of the text or of a sequence")
        }
        guard let property = properties.first(where: { $0.name == name }) else {
            throw failure(unknown("property", name, among: properties.map(\.name)))
        }
        guard let number = property.animated else {
            let list = animated.joined(separator: ", ")
            throw failure("\(name) cannot be animated. These properties can be animated: \(list).")
        }
        guard let sign else {
            throw failure("\"=\" is missing after \(name). Write an animation as \(name)=0->1@3s.", at: first.count)
        }
        guard !others.contains(where: { $0.name == name }) else { throw failure("\(name) is set twice") }
        let value = text[text.index(after: sign)...]
        let written = WrittenNumber(name, in: number.range, isInteger: number.isInteger)
        let start = value.firstIndex { !$0.isWhitespace } ?? value.endIndex
        do {
            return Move(name: name, set: number.set, sequence: try written.sequence(value[start...], tempo: tempo))
        } catch {
            throw failure(error.message, at: text.distance(from: text.startIndex, to: start) + error.position)
        }
    }

    /// Sets the properties to their values for the next frame.
    /// - Parameter elapsed: the playback time of the stream at this frame (`FrameTime.elapsed`).
    /// - Returns: the names of the properties that have reached their final value with this frame.
    mutating func advance(to elapsed: ClockTime, _ settings: inout Settings) -> [String] {
        guard isRunning else { return [] }
        let first = start ?? elapsed
        start = first
        let time = elapsed.since(first)?.nanoseconds ?? 0
        var arrived: [String] = []
        for index in moves.indices where moves[index].progress == .running {
            let move = moves[index]
            if let value = move.sequence.value(at: time) { move.set(&settings, value) }
            guard move.sequence.isOver(at: time) else { continue }
            moves[index].progress = .over
            arrived.append(move.name)
        }
        isRunning = moves.contains { $0.progress == .running }
        return arrived
    }

    /// Ends the sequence of a property. The property keeps its current value.
    mutating func end(_ name: String) {
        for index in moves.indices where moves[index].name == name { moves[index].progress = .ended }
        isRunning = moves.contains { $0.progress == .running }
    }

    /// Restarts all sequences at the next frame, except the sequences that `end` has ended.
    mutating func restart() {
        start = nil
        for index in moves.indices where moves[index].progress == .over { moves[index].progress = .running }
        isRunning = moves.contains { $0.progress == .running }
    }

    /// Returns the description of `animate` for gst-inspect-1.0; nil if none of the properties can be animated.
    static func blurb(_ properties: [Property<Settings>]) -> String? {
        guard let name = properties.first(where: { $0.animated != nil })?.name else { return nil }
        return
            "Fades of properties, such as \"\(name)=0->1@3s smooth\" (one fade) or "
            + "\"\(name)=0->1@1s, hold 8s, 1->0@1s, repeat\" (a repeated sequence)"
    }
}
