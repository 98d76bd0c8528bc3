/// Keeps the map of a chain as long as things move in the same way. It belongs to one thread.
package final class PlaceKeeper {
    private var last: (key: Key, moving: [MovingFilter], map: PlaceMap?)?

    /// Inputs that a map is made from.
    private struct Key: Equatable {
        let names: [String]
        let values: [[FilterValue]]
        let width: Int
        let height: Int
    }

    package init() {}

    /// Returns the map of a chain; nil if everything stays in its place. It is the same map until the size changes, or
    /// a parameter by which things move.
    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    ///   - width, height: of the frame.
    package func map(of chain: FilterChain, at time: Double, width: Int, height: Int) -> PlaceMap? {
        let key = Key(
            names: chain.uses.map(\.filter.name), values: chain.values(at: time), width: width, height: height)
        if let last, last.key == key { return last.map }
        let moving = MovingFilter.all(of: chain, key.values)
        if let last, last.key.width == width, last.key.height == height,
            last.moving.elementsEqual(moving, by: { $0.isSame(as: $1) })
        {
            self.last = (key, moving, last.map)
            return last.map
        }
        let map = PlaceMap(moving, width: width, height: height)
        last = (key, moving, map)
        return map
    }
}

/// A filter that does not leave everything in its place, with its parameters at one moment.
struct MovingFilter {
    let name: String
    let values: [FilterValue]
    let operations: [FilterOperation]

    /// Returns the moving filters of a chain.
    static func all(of chain: FilterChain, _ values: [[FilterValue]]) -> [MovingFilter] {
        zip(chain.uses, values).compactMap { use, values in
            let operations = use.filter.operations(values[...])
            return operations.contains(where: \.movesThings)
                ? MovingFilter(name: use.filter.name, values: values, operations: operations) : nil
        }
    }

    func isSame(as other: MovingFilter) -> Bool { name == other.name && values == other.values }
}
