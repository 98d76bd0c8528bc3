// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging

/// A demo that applies each filter in turn, and writes the filter's name on the frame.
struct Reel {
    private var index: Int?
    private(set) var chain = FilterChain()
    private var writing: LabelWriter?

    private var name: String { index.map { Filter.all[$0].name } ?? "" }

    /// Selects the filter for the current time.
    /// - Parameters:
    ///   - time: time since the start of the demo.
    ///   - each: the time for which the demo shows each filter, at least 1 ns.
    mutating func show(at time: ClockTime, each: ClockTime) {
        let count = time.nanoseconds / max(1, each.nanoseconds)
        let next = Int(count % UInt64(max(1, Filter.all.count)))
        guard next != index, Filter.all.indices.contains(next) else { return }
        index = next
        chain = FilterChain(Filter.all[next])
    }

    /// Writes the name of the current filter in a corner of the frame.
    /// - Throws: `ElementError` if there is no font.
    mutating func sign(_ frame: FrameImage) throws(ElementError) {
        let writing = try LabelWriter.matching(&writing, font: nil, frame: frame.shape)
        var taken: [Rectangle] = []
        writing.label(inCornerOf: frame, name, avoiding: &taken)
    }
}
