// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Resources of a plan that take long to make, kept for the next plans: tables of curves, and maps of warps. A frame
/// whose parameters changed gets a new plan, which reuses those whose own parameters did not change.
final class FilterResources {
    private enum Key: Hashable {
        case curves([CompiledStep])
        case bytes([CompiledStep], ByteLayout)
        case warps([CompiledStep], width: Int, height: Int)
    }

    private let pool: ThreadPool
    private let kernels: any KernelSet
    /// True if tables for bytes are the fastest method.
    let permutesBytes: Bool
    private var made: [Key: Any] = [:]
    private var used: Set<Key> = []

    init(pool: ThreadPool, kernels: any KernelSet) {
        (self.pool, self.kernels, permutesBytes) = (pool, kernels, kernels.permutesBytes)
    }

    /// Makes a plan, and drops resources that it does not use.
    func plan(_ body: () -> FilterPlan) -> FilterPlan {
        used = []
        let plan = body()
        made = made.filter { used.contains($0.key) }
        return plan
    }

    private func resource<Resource>(_ key: Key, _ make: () -> Resource) -> Resource {
        used.insert(key)
        if let resource = made[key] as? Resource { return resource }
        let resource = make()
        made[key] = resource
        return resource
    }

    /// Curves one after another.
    func curve(_ curves: [Curve], _ steps: [CompiledStep]) -> CurveEvaluator {
        resource(.curves(steps)) {
            CurveEvaluator(
                curves.dropFirst().reduce(curves.first ?? Curve { $0 }) { $0.then($1) }, for: kernels)
        }
    }

    /// A curve for bytes.
    /// - Parameter steps: the steps that it comes from.
    func byteTables(_ curve: Curve, _ steps: [CompiledStep], _ layout: ByteLayout) -> ByteTables {
        resource(.bytes(steps, layout)) { ByteTables(curve, layout, permutes: permutesBytes) }
    }

    /// The map of warps one after another: of rows and columns, or else of single pixels.
    func sampling(_ warps: [Warp], _ steps: [CompiledStep], width: Int, height: Int) -> any Source {
        resource(.warps(steps, width: width, height: height)) {
            SamplingGrid(warps, width: width, height: height)
                ?? SamplingMap(warps, width: width, height: height, pool: pool) as any Source
        }
    }
}
