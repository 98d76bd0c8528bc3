// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Caches the resources of plans: tables of curves and sampling maps of warps. These resources are expensive to create.
/// If a parameter changes, the new plan reuses the resources of all operations with unchanged parameters.
final class FilterResources {
    private enum Key: Hashable {
        case curves([CompiledStep])
        case bytes([CompiledStep], ByteLayout)
        case warps([CompiledStep], width: Int, height: Int)
    }

    private let pool: ThreadPool
    private let kernels: any KernelSet
    /// True if the processor looks up bytes so fast that lookup tables can be faster than multiplications by gains.
    let permutesBytes: Bool
    private var cache: [Key: Any] = [:]
    private var used: Set<Key> = []
    /// True if the caller changes parameters of the chain in quick succession.
    private var isAdjusted = false

    init(pool: ThreadPool, kernels: any KernelSet) {
        (self.pool, self.kernels, permutesBytes) = (pool, kernels, kernels.permutesBytes)
    }

    /// Creates a plan. Then releases all resources that the plan does not use.
    /// - Parameter isAdjusted: true if the caller changes parameters of the chain in quick succession.
    func plan(isAdjusted: Bool, _ body: () -> FilterPlan) -> FilterPlan {
        used = []
        self.isAdjusted = isAdjusted
        let plan = body()
        cache = cache.filter { used.contains($0.key) }
        return plan
    }

    private func resource<Resource>(_ key: Key, _ make: () -> Resource) -> Resource {
        used.insert(key)
        if let resource = cache[key] as? Resource { return resource }
        let resource = make()
        cache[key] = resource
        return resource
    }

    /// Returns one evaluator that has the effect of several curves in sequence.
    func curve(_ curves: [Curve], _ steps: [CompiledStep]) -> CurveEvaluator {
        resource(.curves(steps)) {
            CurveEvaluator(
                curves.dropFirst().reduce(curves.first ?? Curve { $0 }) { $0.then($1) }, for: kernels)
        }
    }

    /// Returns tables that apply a curve to bytes.
    /// - Parameter steps: the operations that `curve` executes. The operations are the cache key.
    func byteTables(_ curve: Curve, _ steps: [CompiledStep], _ layout: ByteLayout) -> ByteTables {
        resource(.bytes(steps, layout)) { ByteTables(curve, layout, permutes: permutesBytes) }
    }

    /// Returns the sampling map for a sequence of warps. If the warps map rows and columns independently of each other,
    /// the map is a `SamplingGrid`. For other warps, it is a `SamplingMap`. While the parameters of these warps change,
    /// it is a `MovingMap`, if possible.
    func sampling(_ warps: [Warp], _ steps: [CompiledStep], width: Int, height: Int) -> any Source {
        let key = Key.warps(steps, width: width, height: height)
        let isMoving = steps.contains(where: \.state.isFading) || (isAdjusted && cache[key] == nil)
        if isMoving, !warps.allSatisfy(\.isGrid), let map = MovingMap(warps, width: width, height: height) {
            return map
        }
        return resource(key) {
            SamplingGrid(warps, width: width, height: height)
                ?? SamplingMap(warps, width: width, height: height, pool: pool) as any Source
        }
    }
}
