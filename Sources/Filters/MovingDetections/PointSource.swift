// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Map from the places of a chain's result to where their pixels come from: for a pointer over the result. It is of the
/// chain's parameters at one moment.
package struct PointSource: Sendable {
    /// The last warp first.
    private let sources: [Warp.Source]
    private let size: (width: Double, height: Double)

    /// - Parameters:
    ///   - time: seconds since the chain was set, for what fades.
    ///   - width, height: of the frame.
    package init(_ chain: FilterChain, at time: Double, width: Int, height: Int) {
        let size = (width: Double(width), height: Double(height))
        self.size = size
        sources = chain.states(at: time).flatMap(\.operations).reversed().compactMap { operation in
            guard case .warp(let warp) = operation, size.width > 0, size.height > 0 else { return nil }
            return warp.source(size.width, size.height)
        }
    }

    /// Returns where the pixel at a place comes from; nil if from nowhere. What only spreads things leaves them in place.
    package func place(of place: Point) -> Point? {
        guard !sources.isEmpty else { return place }
        var place = place
        for source in sources {
            guard place.isFinite, let next = source(place) else { return nil }
            place = next.inside(width: size.width, height: size.height)
        }
        return place.isFinite ? place : nil
    }
}
