// SPDX-License-Identifier: LGPL-2.1-or-later
extension Row {
    /// Returns the row of the cost that elements of ours add to streams. No stock element does their work, so they are
    /// compared with a memcpy of the frame.
    /// - Parameters:
    ///   - pipeline: elements in gst-launch's syntax.
    ///   - contents: streams; a single one is measured repeatedly, several are measured once each.
    ///   - goal: the limit's text, and whether readings keep it.
    ///   - others: additional columns.
    static func cost(
        _ title: String, _ name: String, _ pipeline: String, on contents: [Content], _ effort: Effort,
        preparations: [Run] = [], goal: (text: String, isMet: (Readings) -> Bool)? = nil, others: [Column]
    ) -> Row {
        let isRepeated = contents.count == 1
        // The mean if the streams differ.
        func added(_ readings: Readings) -> Double { isRepeated ? readings.added().median : readings.added().mean }
        return Row(
            title: title, name: name, preparations: preparations,
            runs: contents.flatMap { content in
                [
                    Run(.ours, StreamJob(pipeline, on: content, effort)),
                    Run(.carrier, StreamJob(nil, on: content, effort)),
                    Run(.copy, KernelJob(size: content.size, rounds: effort.kernelRounds), isShared: true),
                ]
            }, isRepeated: isRepeated,
            columns: [
                Column("added", \.milliseconds, added),
                Column("range") { $0.added().map { $0 / 1e6 }.range },
                Column("/memcpy", \.hundredths) { added($0) / $0.median(.copy, .copy) },
            ] + others + [
                Column("memcpy", \.milliseconds) { $0.median(.copy, .copy) },
                .carrier, .peak(), .goal(goal?.text) { goal?.isMet($0) ?? true },
            ])
    }
}
