import ElementKit
import Pixels

/// Shows every filter there is, one after another, each with its name on it.
struct Reel {
    /// The index of the current filter.
    private var index: Int?
    private(set) var chain = FilterChain()
    private var writing: Writing?

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
        let size = PixelSize(width: frame.width, height: frame.height)
        let writing: Writing
        if let old = self.writing, old.suits(font: nil, frame: size) {
            writing = old
        } else {
            writing = try Writing(font: nil, frame: size)
        }
        self.writing = writing
        var taken: [Rectangle] = []
        writing.label(name, at: Rectangle(width: 0, height: 0), on: frame, color: 0xFF00_0000, avoiding: &taken)
    }
}
