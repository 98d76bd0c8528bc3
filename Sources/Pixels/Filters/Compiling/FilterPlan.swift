/// The passes over each frame: a chain compiled for one size and format.
struct FilterPlan {
    var passes: [FilterPass] = []
    /// Number of pictures needed besides the frame.
    var surfaces = 0
    /// Greatest number of times that a picture is halved.
    var levels = 0
    /// True if alpha moves with the pixels, because pixels move.
    var movesAlpha = false

    /// A line for each pass: its action, and the filters that it comes from.
    var description: String {
        guard !passes.isEmpty else { return "no pass" }
        let lines = passes.enumerated().map { index, pass in "\(index + 1): \(pass.description)" }
        return "\(passes.count == 1 ? "1 pass" : "\(passes.count) passes")\n" + lines.joined(separator: "\n")
    }
}

/// The place where a pass finds its picture, or leaves it.
enum FilterLocation: Hashable {
    case frame
    /// A picture of our own, with four bytes for a pixel or with four 16-bit samples.
    case surface(Int, isWide: Bool)
    /// The result of a blur at half the size; only to be loaded.
    case half
}

/// One pass over all pixels.
enum FilterPass {
    case rows(RowPass)
    case lines(LinePass)
    case reduced(ReducedPass)

    var description: String {
        switch self {
        case .rows(let pass): pass.description
        case .lines(let pass): pass.description
        case .reduced(let pass): pass.description
        }
    }
}

/// Reads rows of pixels in some way, changes their colours, and writes them.
struct RowPass {
    /// Source of the colours.
    enum Head {
        case load
        /// Replaces bytes in place.
        case lookUp(ByteTables)
        case scale(ByteScales)
        /// Exchanges pixels in place.
        case flip(Flip)
        case combine(Combination, with: FilterLocation)
        case neighbours(Neighbourhood)
        case sample(SamplingMap)
        case stretch(SamplingGrid)
        case blocks(Int)
        /// Chooses among means over squares, of which the fourth sample is the mean of luma².
        case calmest(windows: FilterLocation, reach: Int)
        /// The picture with luma² as its fourth sample.
        case addSquares
        case zoom(ZoomStep)
    }

    var head: Head
    var source: FilterLocation
    /// Source of the fourth samples, if they move.
    var fourth: FilterLocation
    var stages: [FilterStage] = []
    var destination: FilterLocation
    var description: String

    /// - Parameter fourth: `source` by default.
    init(
        head: Head, source: FilterLocation, fourth: FilterLocation? = nil, stages: [FilterStage] = [],
        destination: FilterLocation, description: String
    ) {
        (self.head, self.source, self.fourth, self.stages) = (head, source, fourth ?? source, stages)
        (self.destination, self.description) = (destination, description)
    }
}

extension RowPass {
    /// Returns whether the pass only copies the frame there.
    func copiesFrame(to location: FilterLocation) -> Bool {
        guard case .load = head else { return false }
        return source == .frame && destination == location && stages.isEmpty
    }
}

/// Blurs at a smaller size, and leaves the result at half the size.
struct ReducedPass {
    /// Number of times that the size is halved.
    var levels: Int
    var filter: LineFilter
    var source: FilterLocation
    var description: String
}

/// Blurs along rows and then along columns, or along other lines.
struct LinePass {
    var filter: LineFilter
    var direction: Direction
    var source: FilterLocation
    var destination: FilterLocation
    /// True if all four samples are filtered, rather than three colours.
    var allSamples = false
    var description: String
}

/// One step in a pass, from colours to colours.
enum FilterStage {
    case color(ColorStage)
    case curve(CurveKernel)
    case cube(ColorCube, scale: [Float])
    case masked(ColorStage, MaskRows)
}
