// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging

/// Shows every filter there is, one after another, each with its name on it.
struct Reel {
    /// The index of the current filter.
    private var index: Int?
    private(set) var chain = FilterChain()
    private var writing: LabelWriter?

    private var name: String { index.map { Filter.all[$0].name } ?? "" }

    /// - Parameters:
    ///   - time: in seconds since it began.
    ///   - each: the time for which each filter is shown; at least a nanosecond.
    mutating func show(at time: Double, each: ClockTime) {
        let count = time * Double(ClockTime.second.nanoseconds) / Double(max(1, each.nanoseconds))
        let next = Int(count.truncatingRemainder(dividingBy: Double(Filter.all.count)))
        guard next != index, Filter.all.indices.contains(next) else { return }
        index = next
        chain = FilterChain(Filter.all[next])
    }

    /// Writes the filter's name in a corner.
    /// - Throws: if there is no font.
    mutating func sign(_ frame: FrameImage) throws(ElementError) {
        let writing = try LabelWriter.matching(&writing, font: nil, frame: frame.shape)
        var taken: [Rectangle] = []
        writing.label(inCornerOf: frame, name, avoiding: &taken)
    }
}
