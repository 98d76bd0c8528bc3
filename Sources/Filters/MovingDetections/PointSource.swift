// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

/// Maps positions in the result of a chain of filters to positions in the input of the chain. For example, it finds the
/// input position under a mouse pointer. Parameters of the chain may change over time. A map is valid only for the time
/// for which it was created.
package struct PointSource: Sendable {
    /// The functions that map positions from the output to the input of each warp. The function of the last warp comes
    /// first.
    private let sources: [Warp.Source]
    private let size: (width: Double, height: Double)

    /// - Parameters:
    ///   - time: the number of nanoseconds since the chain was set. The values of fading parameters depend on it.
    ///   - width, height: the size of the frame.
    package init(_ chain: FilterChain, at time: UInt64, width: Int, height: Int) {
        let size = (width: Double(width), height: Double(height))
        self.size = size
        sources = chain.states(at: time).flatMap(\.operations).reversed().compactMap { operation in
            guard case .warp(let warp) = operation, size.width > 0, size.height > 0 else { return nil }
            return warp.source(size.width, size.height)
        }
    }

    /// Returns the input position for a position in the result. Returns nil if the result shows no input pixel at this
    /// position. Filters that only spread pixels, such as blurs, do not change positions.
    package func position(of position: Point) -> Point? {
        guard !sources.isEmpty else { return position }
        var position = position
        for source in sources {
            guard position.isFinite, let next = source(position) else { return nil }
            position = next.inside(width: size.width, height: size.height)
        }
        return position.isFinite ? position : nil
    }
}
